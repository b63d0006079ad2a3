//! The schema of a page's front matter (norm §9.2 and annex B): required fields, enumerations, types.

use std::ops::Range;

use super::code::Code;
use crate::base::Date;
use crate::markdown::FrontMatter;
use crate::markdown::front_matter::{Entry, Fix, NodeKind};
use crate::tr;

/// Required fields, in the norm's order.
pub const REQUIRED: [&str; 6] = ["title", "summary", "type", "status", "tags", "updated"];
/// Values of `type`.
pub const TYPES: [&str; 8] =
    ["concept", "feature", "api", "guide", "process", "decision", "reference", "overview"];
/// Values of `status`.
pub const STATUSES: [&str; 5] = ["draft", "stable", "needs-review", "deprecated", "archived"];
/// Values of `priority`.
pub const PRIORITIES: [&str; 3] = ["p0", "p1", "p2"];
/// Values of `audience`.
pub const AUDIENCES: [&str; 7] = ["dev", "po", "qa", "ops", "design", "security", "all"];

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The text.
    pub text: String,
    /// Bytes of the page.
    pub span: Range<usize>,
}

/// The known fields of a page; a field that is absent or wrong is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// The title.
    pub title: Option<String>,
    /// The summary.
    pub summary: Option<String>,
    /// The type, one of [`TYPES`].
    pub kind: Option<String>,
    /// The status, one of [`STATUSES`].
    pub status: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Audience, of [`AUDIENCES`].
    pub audience: Vec<String>,
    /// The theme, where it is not the folder's.
    pub theme: Option<String>,
    /// Code the page describes.
    pub impl_refs: Vec<Item>,
    /// Related pages, from the root.
    pub related: Vec<Item>,
    /// Day of creation.
    pub created: Option<Date>,
    /// Day of the last update.
    pub updated: Option<Date>,
    /// Owners.
    pub owners: Vec<String>,
    /// Version of the page, as written.
    pub version: Option<String>,
    /// Priority, one of [`PRIORITIES`].
    pub priority: Option<String>,
    /// Language, where it is not the base's.
    pub lang: Option<String>,
}

/// What the schema objects to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// E002, E003 or E004.
    pub code: Code,
    /// Bytes of the page.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
    /// A certain repair.
    pub fix: Option<Fix>,
}

/// Reads the known fields of `front` and says what is wrong with them.
pub fn read(front: &FrontMatter, summary_max: usize) -> (Meta, Vec<Objection>) {
    let mut out = Vec::new();
    if let Some(fault) = &front.fault {
        out.push(Objection {
            code: Code::E002,
            span: fault.span.clone(),
            message: fault.message.clone(),
            hint: fault.hint.clone(),
            fix: fault.fix.clone(),
        });
    }
    let Some(block) = &front.split.block else { return (Meta::default(), out) };
    if front.fields.is_empty() && front.fault.is_some() {
        return (Meta::default(), out);
    }
    let mut r = Reader { front, out };
    let missing: Vec<&str> = REQUIRED.iter().copied().filter(|k| front.get(k).is_none()).collect();
    if !missing.is_empty() {
        let list = missing.join(", ");
        r.object(
            Code::E002,
            block.open.clone(),
            tr!("champs requis absents : {list}", "required fields missing: {list}"),
            tr!("ajoutez-les au front matter", "add them to the front matter"),
        );
    }
    let meta = Meta {
        title: r.required_text("title"),
        summary: r.required_text("summary"),
        kind: r.one_of("type", &TYPES),
        status: r.one_of("status", &STATUSES),
        tags: r.texts("tags", true).into_iter().map(|i| i.text).collect(),
        audience: r.audience(),
        theme: r.optional_text("theme"),
        impl_refs: r.texts("impl_refs", false),
        related: r.texts("related", false),
        created: r.day("created"),
        updated: r.day("updated"),
        owners: r.texts("owners", false).into_iter().map(|i| i.text).collect(),
        version: r.optional_text("version"),
        priority: r.one_of("priority", &PRIORITIES),
        lang: r.optional_text("lang"),
    };
    if let Some(summary) = &meta.summary {
        let count = summary.chars().count();
        if count > summary_max {
            let span = r.value_span("summary");
            r.object(
                Code::E004,
                span,
                tr!(
                    "résumé de {count} caractères, limite {summary_max}",
                    "a summary of {count} characters, the limit is {summary_max}"
                ),
                tr!(
                    "dites le quoi et le périmètre en moins de mots",
                    "say what and its scope in fewer words"
                ),
            );
        }
    }
    if let (Some(created), Some(updated)) = (meta.created, meta.updated)
        && updated < created
    {
        let span = r.value_span("updated");
        r.object(
            Code::E003,
            span,
            tr!(
                "updated ({updated}) précède created ({created})",
                "updated ({updated}) is before created ({created})"
            ),
            tr!("corrigez l'une des deux dates", "correct one of the two days"),
        );
    }
    (meta, r.out)
}

struct Reader<'a> {
    front: &'a FrontMatter,
    out: Vec<Objection>,
}

impl Reader<'_> {
    fn object(&mut self, code: Code, span: Range<usize>, message: String, hint: String) {
        self.out.push(Objection { code, span, message, hint, fix: None });
    }

    fn value_span(&self, key: &str) -> Range<usize> {
        self.front
            .get(key)
            .map_or(0..0, |e| if e.value.span.is_empty() { e.key_span.clone() } else { e.value.span.clone() })
    }

    /// A present field that is null or blank.
    fn is_empty(entry: &Entry) -> bool {
        match &entry.value.kind {
            NodeKind::Null => true,
            NodeKind::Scalar { text, .. } => text.trim().is_empty(),
            NodeKind::List(items) => items.is_empty(),
            NodeKind::Map(_) => false,
        }
    }

    fn empty(&mut self, key: &str) {
        let span = self.value_span(key);
        self.object(
            Code::E002,
            span,
            tr!("champ requis vide : {key}", "required field empty: {key}"),
            tr!("donnez-lui une valeur", "give it a value"),
        );
    }

    fn wrong_type(&mut self, key: &str, wanted: &str) {
        let span = self.value_span(key);
        self.object(
            Code::E003,
            span,
            tr!("{key} : {wanted} est attendu", "{key}: {wanted} is expected"),
            tr!(
                "corrigez la valeur ; entre guillemets si elle commence par [ ou {{",
                "correct the value; quote it if it starts with [ or {{"
            ),
        );
    }

    fn required_text(&mut self, key: &str) -> Option<String> {
        let entry = self.front.get(key)?;
        if Self::is_empty(entry) {
            self.empty(key);
            return None;
        }
        self.optional_text(key)
    }

    fn optional_text(&mut self, key: &str) -> Option<String> {
        let entry = self.front.get(key)?;
        match &entry.value.kind {
            NodeKind::Scalar { text, .. } => Some(text.trim().to_owned()),
            NodeKind::Null => None,
            _ => {
                self.wrong_type(key, &tr!("un texte", "a text"));
                None
            }
        }
    }

    fn one_of(&mut self, key: &str, values: &[&str]) -> Option<String> {
        let text = if REQUIRED.contains(&key) { self.required_text(key)? } else { self.optional_text(key)? };
        if values.contains(&text.as_str()) {
            return Some(text);
        }
        let list = values.join(" | ");
        let span = self.value_span(key);
        self.object(
            Code::E003,
            span,
            tr!(
                "{key} : « {text} » n'est pas une valeur de la norme",
                "{key}: '{text}' is not a value of the norm"
            ),
            tr!("l'une de : {list}", "one of: {list}"),
        );
        None
    }

    fn texts(&mut self, key: &str, required: bool) -> Vec<Item> {
        let Some(entry) = self.front.get(key) else { return Vec::new() };
        if Self::is_empty(entry) {
            if required {
                self.empty(key);
            }
            return Vec::new();
        }
        let NodeKind::List(items) = &entry.value.kind else {
            let span = self.value_span(key);
            let text = entry.value.text().unwrap_or_default().trim_matches(['[', ']', '"', '\'']);
            let list = text.split(',').map(str::trim).collect::<Vec<_>>().join(", ");
            self.object(
                Code::E003,
                span,
                tr!("{key} : une liste est attendue", "{key}: a list is expected"),
                format!("{key}: [{list}]"),
            );
            return Vec::new();
        };
        let mut out = Vec::new();
        for node in items {
            match node.text() {
                Some(text) if !text.trim().is_empty() => {
                    out.push(Item { text: text.trim().to_owned(), span: node.span.clone() });
                }
                _ => {
                    let span = if node.span.is_empty() { entry.key_span.clone() } else { node.span.clone() };
                    self.object(
                        Code::E003,
                        span,
                        tr!("{key} : chaque élément doit être un texte", "{key}: every item must be a text"),
                        tr!("supprimez l'élément vide ou composé", "remove the empty or nested item"),
                    );
                }
            }
        }
        if out.is_empty() && required {
            self.empty(key);
        }
        out
    }

    fn audience(&mut self) -> Vec<String> {
        let items = self.texts("audience", false);
        let (known, unknown): (Vec<Item>, Vec<Item>) =
            items.into_iter().partition(|i| AUDIENCES.contains(&i.text.as_str()));
        for item in unknown {
            let list = AUDIENCES.join(" | ");
            self.object(
                Code::E003,
                item.span,
                tr!(
                    "audience : « {} » n'est pas une valeur de la norme",
                    "audience: '{}' is not a value of the norm",
                    item.text
                ),
                tr!("parmi : {list}", "among: {list}"),
            );
        }
        known.into_iter().map(|i| i.text).collect()
    }

    fn day(&mut self, key: &str) -> Option<Date> {
        let text = if REQUIRED.contains(&key) { self.required_text(key)? } else { self.optional_text(key)? };
        let day = Date::parse(&text);
        if day.is_none() {
            let span = self.value_span(key);
            self.object(
                Code::E003,
                span,
                tr!(
                    "{key} : « {text} » n'est pas un jour AAAA-MM-JJ",
                    "{key}: '{text}' is not a YYYY-MM-DD day"
                ),
                tr!("par exemple 2026-07-01", "2026-07-01, for example"),
            );
        }
        day
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objections(yaml: &str) -> Vec<(Code, String)> {
        let front = FrontMatter::read(&format!("---\n{yaml}---\n"));
        read(&front, 20).1.into_iter().map(|o| (o.code, o.message)).collect()
    }

    const GOOD: &str = "title: t\nsummary: s\ntype: guide\nstatus: draft\ntags: [a]\nupdated: 2026-02-28\n";

    #[test]
    fn a_complete_page_has_no_objection() {
        assert_eq!(objections(GOOD), []);
        assert_eq!(
            objections(&format!("{GOOD}audience: [dev, all]\npriority: p0\nowners: []\nx: {{y: z}}\n")),
            []
        );
    }

    #[test]
    fn each_field_is_judged() {
        for (from, to, code) in [
            ("type: guide", "type: essay", Code::E003),
            ("tags: [a]", "tags: auth, mfa", Code::E003),
            ("tags: [a]", "tags: []", Code::E002),
            ("title: t", "title: ~", Code::E002),
            ("title: t", "title: [[x]]", Code::E003),
            ("updated: 2026-02-28", "updated: 2026-02-30", Code::E003),
            ("updated: 2026-02-28", "updated: 2026-7-1", Code::E003),
            ("updated: 2026-02-28", "updated: 01/07/2026", Code::E003),
            ("updated: 2026-02-28", "updated: 2026-02-28\ncreated: 2026-03-01", Code::E003),
            ("summary: s", "summary: éééééééééééééééééééée", Code::E004),
            ("status: draft\n", "", Code::E002),
            ("tags: [a]", "tags: [a]\naudience: [boss]", Code::E003),
        ] {
            let found = objections(&GOOD.replace(from, to));
            assert_eq!(found.iter().map(|f| f.0).collect::<Vec<_>>(), [code], "{to}: {found:?}");
        }
        assert_eq!(objections(&GOOD.replace("summary: s", "summary: éééééééééééééééééééé")), []);
    }
}
