//! `learnings.jsonl`: a lesson that a story left at a gate.
//!
//! The tags of a learning never change once written: its identity is computed from them.

use std::collections::HashSet;

use super::words::{exact, words};
use super::{Invalid, Loaded, Record, filled, gate, invalid, json, key_of, missing, optional, required};
use crate::base::id::{Slug, StoryId, learning_id, tag_hash};
use crate::base::{Code, Instant};
use crate::store::jsonl::Snapshot;
use crate::store::strict::Object;
use crate::tr;

words! {
    /// How far a learning reaches.
    Scope by exact {
        /// Its own story.
        Story = "story",
        /// Its domain.
        Domain = "domain",
        /// Every domain.
        Global = "global",
    }
}

words! {
    /// Whether a learning may be injected.
    Status by exact {
        /// It may.
        Active = "active",
        /// It is retired; only `restore` brings it back.
        Archived = "archived",
    }
}

/// One learning.
#[derive(Clone, Debug, PartialEq)]
pub struct Learning {
    /// The story that left it.
    pub story: StoryId,
    /// The gate where it was left.
    pub gate: i64,
    /// Its tags, as written.
    pub tags: Vec<String>,
    /// The lesson, verbatim. Read also as text, learning, takeaway, content, message.
    pub lesson: String,
    /// A title.
    pub title: Option<String>,
    /// The domain of its story.
    pub domain: Slug,
    /// The project of its story.
    pub project: Slug,
    /// When it was written.
    pub created_at: Instant,
    /// The stored hash of the tags; [`Learning::recomputed_tag_hash`] is the true one.
    pub tag_hash: Option<String>,
    /// The stored identity; [`Learning::id`] is the true one.
    pub learning_id: Option<String>,
    /// How far it reaches; absent before the migration.
    pub scope: Option<Scope>,
    /// Absent means active.
    pub status: Option<Status>,
    /// When it was imported from another file.
    pub imported_at: Option<Instant>,
    /// When it was last archived.
    pub archived_at: Option<Instant>,
    /// When it was last restored.
    pub restored_at: Option<Instant>,
    /// Code paths it speaks of.
    pub refs: Vec<String>,
    /// The line as it was read; empty for a new learning.
    pub source: Object,
}

impl Learning {
    /// The identity computed from story, gate and tags.
    pub fn id(&self) -> String {
        learning_id(&self.story, self.gate, &self.recomputed_tag_hash())
    }

    /// The hash computed from the tags.
    pub fn recomputed_tag_hash(&self) -> String {
        tag_hash(&self.tags)
    }

    /// Whether the stored hash or identity differs from the computed one: the tags were changed.
    pub fn has_drift(&self) -> bool {
        self.tag_hash.as_ref().is_some_and(|stored| *stored != self.recomputed_tag_hash())
            || self.learning_id.as_ref().is_some_and(|stored| *stored != self.id())
    }

    /// Whether it may be injected.
    pub fn is_active(&self) -> bool {
        self.status != Some(Status::Archived)
    }

    /// The start of its age: the latest of created, imported and restored.
    pub fn age_from(&self) -> Instant {
        [self.imported_at, self.restored_at].into_iter().flatten().fold(self.created_at, Ord::max)
    }
}

impl Loaded<Learning> {
    /// Of several lines with one identity the first counts; the others are excluded, `duplicate_id`.
    pub fn exclude_duplicates(&mut self, snapshot: &Snapshot) {
        let mut seen = HashSet::new();
        self.exclude(snapshot, |learning| {
            let id = learning.id();
            (!seen.insert(id.clone())).then_some(("duplicate_id", id))
        });
    }

    /// Excludes lines whose stored identity no longer follows from their tags, `learning_id_drift`.
    pub fn exclude_drift(&mut self, snapshot: &Snapshot) {
        self.exclude(snapshot, |learning| {
            let id = learning.id();
            let stored = learning.learning_id.as_deref().or(learning.tag_hash.as_deref()).unwrap_or_default();
            let detail = tr!("écrit {stored:.80}, recalculé {id}", "stored {stored:.80}, recomputed {id}");
            learning.has_drift().then_some(("learning_id_drift", detail))
        });
    }
}

impl Record for Learning {
    const CODE: Code = Code::SchemaInvalid;
    const ALIASES: &'static [(&'static str, &'static [&'static str])] =
        &[("lesson", &["text", "learning", "takeaway", "content", "message"])];

    fn read(object: Object) -> Result<Self, Invalid> {
        let key = key_of::<Self>(&object, "lesson").ok_or_else(|| missing("lesson"))?;
        let learning = Learning {
            story: required(&object, "story")?,
            gate: gate(&object)?,
            tags: required(&object, "tags")?,
            lesson: required(&object, key)?,
            title: optional(&object, "title")?,
            domain: required(&object, "domain")?,
            project: required(&object, "project")?,
            created_at: required(&object, "created_at")?,
            tag_hash: optional(&object, "tag_hash")?,
            learning_id: optional(&object, "learning_id")?,
            scope: optional(&object, "scope")?,
            status: optional(&object, "status")?,
            imported_at: optional(&object, "imported_at")?,
            archived_at: optional(&object, "archived_at")?,
            restored_at: optional(&object, "restored_at")?,
            refs: optional(&object, "refs")?.unwrap_or_default(),
            source: object,
        };
        filled("lesson", &learning.lesson)?;
        // The hash joins tags with line breaks: a tag that held one would read as two.
        if learning.tags.iter().any(|t| t.chars().any(char::is_control)) {
            return Err(invalid("tags", tr!("caractère de contrôle", "control character")));
        }
        Ok(learning)
    }

    fn fields(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("story", json(&self.story)),
            ("gate", json(&self.gate)),
            ("tags", json(&self.tags)),
            ("lesson", json(&self.lesson)),
            ("title", json(&self.title)),
            ("domain", json(&self.domain)),
            ("project", json(&self.project)),
            ("created_at", json(&self.created_at)),
            ("tag_hash", json(&self.tag_hash)),
            ("learning_id", json(&self.learning_id)),
            ("scope", json(&self.scope)),
            ("status", json(&self.status)),
            ("imported_at", json(&self.imported_at)),
            ("archived_at", json(&self.archived_at)),
            ("restored_at", json(&self.restored_at)),
            ("refs", if self.refs.is_empty() { None } else { json(&self.refs) }),
        ]
    }

    fn source(&self) -> &Object {
        &self.source
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const LINE: &str = r#"{"story":"PD-19", "gate":3,"tags":["MFA","timing","mfa "],"takeaway":"t\u00e9st","domain":"auth","project":"backend","created_at":"2026-03-12T17:14Z","x":{"n":1e2}}"#;

    #[test]
    fn aliases_and_identity() {
        let learning = Learning::parse(LINE).unwrap();
        assert_eq!(learning.lesson, "tést");
        assert_eq!(learning.id(), "PD-19-3-5fb17410e191");
        assert!(!learning.has_drift() && learning.is_active());
        assert_eq!(learning.created_at.to_string(), "2026-03-12T17:14:00Z");
    }

    #[test]
    fn a_change_touches_only_its_field() {
        let mut learning = Learning::parse(LINE).unwrap();
        assert_eq!(learning.to_line(), LINE.replace("\", \"gate", "\",\"gate"));
        learning.scope = Some(Scope::Story);
        learning.lesson = "[redacted]".into();
        assert_eq!(
            learning.to_line(),
            LINE.replace("\", \"gate", "\",\"gate")
                .replace("t\\u00e9st", "[redacted]")
                .replace("1e2}}", "1e2},\"scope\":\"story\"}")
        );
        learning.scope = None;
        assert!(!learning.to_line().contains("scope"));
    }

    #[test]
    fn offending_fields_are_named() {
        for (from, to, field) in [
            ("\"PD-19\"", "\"pd-19\"", "story"),
            ("\"gate\":3", "\"gate\":3.0", "gate"),
            ("\"gate\":3", "\"gate\":99999999999999999999", "gate"),
            ("\"gate\":3", "\"gate\":-1", "gate"),
            ("\"gate\":3", "\"gate\":\"3\"", "gate"),
            ("\"timing\"", "7", "tags"),
            ("\"timing\"", "\"a\\nb\"", "tags"),
            ("\"t\\u00e9st\"", "\"  \"", "lesson"),
            ("takeaway", "other", "lesson"),
            ("17:14Z", "17:14", "created_at"),
            ("2026-03-12", "2026-02-30", "created_at"),
            ("\"x\":{\"n\":1e2}", "\"scope\":\"world\"", "scope"),
        ] {
            let line = LINE.replacen(from, to, 1);
            let error = Learning::parse(&line).expect_err(&line);
            assert_eq!(error.field, Some(field), "{line} {error:?}");
        }
    }

    #[test]
    fn duplicates_and_drift() {
        let drifted = LINE.replace("}}", "},\"learning_id\":\"PD-19-3-000000000000\",\"title\":\"d\"}");
        let other = LINE.replace("timing", "other");
        let text = format!("{LINE}\n{other}\n{LINE}\n{}\n", drifted.replace("MFA", "third"));
        let snapshot = Snapshot::from_bytes(Path::new("f"), text.into_bytes()).unwrap();
        let mut loaded = super::super::load::<Learning>(&snapshot);
        loaded.exclude_drift(&snapshot);
        loaded.exclude_duplicates(&snapshot);
        let reasons: Vec<_> = loaded.excluded.iter().map(|e| (e.line, e.reason)).collect();
        assert_eq!(reasons, [(3, "duplicate_id"), (4, "learning_id_drift")]);
        assert_eq!(loaded.records.iter().map(|(i, _)| *i).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(loaded.read, 4);
    }
}
