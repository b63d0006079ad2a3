//! `veille.jsonl`: a watch note, collected from a file.

use super::words::{fold, words};
use super::{Invalid, Record, filled, invalid, json, optional, required};
use crate::base::id::Slug;
use crate::base::{Code, Date};
use crate::store::inside;
use crate::store::strict::Object;

words! {
    /// How much a note matters to the product. Read without regard to accents and case.
    Impact by fold {
        /// Strong.
        Fort = "fort",
        /// Moderate.
        Modere = "modere",
        /// Weak.
        Faible = "faible",
        /// None.
        Nul = "nul",
    }
}

words! {
    /// What a note advises. Read without regard to accents and case.
    Stance by fold {
        /// Use it.
        Adopter = "adopter",
        /// Try it.
        Experimenter = "experimenter",
        /// Watch it.
        Surveiller = "surveiller",
        /// Leave it.
        Ignorer = "ignorer",
    }
}

/// One watch note.
#[derive(Clone, Debug, PartialEq)]
pub struct Veille {
    /// The slug of its path, made unique by `-2`, `-3` … in path order.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its day.
    pub date: Date,
    /// Its file, relative to the workspace.
    pub path: String,
    /// Where it comes from.
    pub url: Option<String>,
    /// Its domain.
    pub domain: Option<Slug>,
    /// Its tags.
    pub tags: Vec<String>,
    /// How much it matters.
    pub impact_pv: Impact,
    /// What it advises.
    pub verdict: Stance,
    /// The text that is searched and shown.
    pub summary: String,
    /// SHA-256 of the file, 64 hex digits.
    pub content_hash: String,
    /// The line as it was read; empty for a new note.
    pub source: Object,
}

impl Record for Veille {
    const CODE: Code = Code::VeilleInvalid;

    fn read(object: Object) -> Result<Self, Invalid> {
        let note = Veille {
            id: required(&object, "id")?,
            title: required(&object, "title")?,
            date: required(&object, "date")?,
            path: required(&object, "path")?,
            url: optional(&object, "url")?,
            domain: optional(&object, "domain")?,
            tags: optional(&object, "tags")?.unwrap_or_default(),
            impact_pv: required(&object, "impact_pv")?,
            verdict: required(&object, "verdict")?,
            summary: required(&object, "summary")?,
            content_hash: required(&object, "content_hash")?,
            source: object,
        };
        let slug = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if note.id.is_empty() || note.id.len() > 4096 || !note.id.bytes().all(slug) {
            return Err(invalid("id", format!("{:.60?}", note.id)));
        }
        filled("title", &note.title)?;
        if !inside::is_plain(&note.path) {
            return Err(invalid("path", format!("{:.60?}", note.path)));
        }
        Ok(note)
    }

    fn fields(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("id", json(&self.id)),
            ("title", json(&self.title)),
            ("date", json(&self.date)),
            ("path", json(&self.path)),
            ("url", json(&self.url)),
            ("domain", json(&self.domain)),
            ("tags", json(&self.tags)),
            ("impact_pv", json(&self.impact_pv)),
            ("verdict", json(&self.verdict)),
            ("summary", json(&self.summary)),
            ("content_hash", json(&self.content_hash)),
        ]
    }

    fn source(&self) -> &Object {
        &self.source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"id":"docs-veille-x-md","title":"X","date":"2026-04-01","path":"docs/veille/x.md","tags":[],"impact_pv":"Modéré","verdict":"EXPÉRIMENTER","summary":"s","content_hash":"00"}"#;

    #[test]
    fn words_are_folded_and_kept_as_written() {
        let note = Veille::parse(LINE).unwrap();
        assert_eq!((note.impact_pv, note.verdict), (Impact::Modere, Stance::Experimenter));
        assert_eq!(note.to_line(), LINE);
    }

    #[test]
    fn offending_fields_are_named() {
        for (from, to, field) in [
            ("Modéré", "énorme", "impact_pv"),
            ("EXPÉRIMENTER", "adopt", "verdict"),
            ("docs/veille/x.md", "../x.md", "path"),
            ("docs/veille/x.md", "/etc/passwd", "path"),
            ("docs/veille/x.md", "a\\u0000b", "path"),
            ("docs-veille-x-md", "a/b", "id"),
            ("2026-04-01", "2026-02-29", "date"),
            ("\"title\":\"X\",", "", "title"),
        ] {
            assert_eq!(Veille::parse(&LINE.replace(from, to)).unwrap_err().field, Some(field), "{to}");
        }
        assert_eq!(Veille::CODE, Code::VeilleInvalid);
    }
}
