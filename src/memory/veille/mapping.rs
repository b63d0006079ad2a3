//! From a document's fields to a watch note, as `[veille]` of the configuration maps them. Pure.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::base::{Date, Error, Result};
use crate::memory::tree::{self, Path};
use crate::tr;

/// Impact on the product: the contract's four values.
pub const IMPACTS: [&str; 4] = ["fort", "modere", "faible", "nul"];
/// Verdicts of a watch note: the contract's four values.
pub const VERDICTS: [&str; 4] = ["adopter", "experimenter", "surveiller", "ignorer"];

/// What the rings of a technology radar say in our words; the configuration's own words win.
const USUAL_RINGS: [(&str, &str); 5] = [
    ("adopt", "adopter"),
    ("trial", "experimenter"),
    ("assess", "surveiller"),
    ("hold", "ignorer"),
    ("archive", "ignorer"),
];

/// How the fields of other people's notes map to ours.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// Per field of ours: alternatives, each of paths that are joined.
    fields: BTreeMap<&'static str, Vec<Vec<Path>>>,
    verdicts: BTreeMap<String, String>,
    default_impact: Option<String>,
}

/// The fields of a note before it gets its id and hash.
#[derive(Clone, Debug, PartialEq)]
pub struct Fields {
    /// Title, not empty.
    pub title: String,
    /// Day of the note.
    pub date: Date,
    /// Address of what was watched.
    pub url: Option<String>,
    /// Domain.
    pub domain: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// One of [`IMPACTS`].
    pub impact: String,
    /// One of [`VERDICTS`].
    pub verdict: String,
    /// The text.
    pub summary: String,
}

const NAMES: [&str; 8] = ["title", "date", "url", "domain", "tags", "impact_pv", "verdict", "summary"];

impl Mapping {
    /// A mapping from the configuration. `fields` maps our names to a path, to several joined by
    /// `+`, or to alternatives separated by `|`, of which the first that leads somewhere counts;
    /// unmapped names keep their own; a name of ours that does not exist is refused.
    pub fn new(
        fields: &BTreeMap<String, String>,
        verdicts: &BTreeMap<String, String>,
        default_impact: Option<&str>,
    ) -> Result<Self> {
        if let Some(unknown) = fields.keys().find(|k| !NAMES.contains(&k.as_str())) {
            return Err(Error::usage(tr!(
                "[veille] fields : champ inconnu {unknown:?}",
                "[veille] fields: unknown field {unknown:?}"
            ))
            .hint(NAMES.join(", ")));
        }
        let mut paths = BTreeMap::new();
        for name in NAMES {
            let spec = fields.get(name).map_or(name, String::as_str);
            let joined = |alternative: &str| alternative.split('+').map(|p| Path::parse(p.trim())).collect();
            paths.insert(name, spec.split('|').map(joined).collect::<Result<Vec<_>>>()?);
        }
        let usual = USUAL_RINGS.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        let verdicts = usual.chain(verdicts.iter().map(|(k, v)| (fold(k), fold(v)))).collect();
        Ok(Mapping { fields: paths, verdicts, default_impact: default_impact.map(fold) })
    }

    /// Maps a document. `body` is the Markdown below the front matter and serves as summary when no
    /// field does; `path` gives the date when no field does. The error says which field and why.
    pub fn apply(&self, document: &Value, body: &str, path: &str) -> Result<Fields, String> {
        let text = |name: &str| {
            self.alternatives(name).find_map(|paths| {
                let parts: Vec<String> =
                    paths.iter().filter_map(|p| p.get(document)).filter_map(tree::text).collect();
                (!parts.is_empty()).then(|| parts.join("\n\n"))
            })
        };
        let tags = self.alternatives("tags").map(|paths| {
            paths.iter().filter_map(|p| p.get(document)).flat_map(tree::list).collect::<Vec<_>>()
        });
        let title = text("title").map(|t| one_line(&t)).ok_or_else(|| missing("title"))?;
        let date = match text("date") {
            Some(given) => day(&given).ok_or_else(|| unreadable("date", &given, "YYYY-MM-DD"))?,
            None => Date::find(path).ok_or_else(|| missing("date"))?,
        };
        let verdict = text("verdict").ok_or_else(|| missing("verdict"))?;
        let folded = fold(&verdict);
        let mapped = self.verdicts.get(&folded).unwrap_or(&folded).clone();
        if !VERDICTS.contains(&mapped.as_str()) {
            return Err(unreadable("verdict", &verdict, &VERDICTS.join(", ")));
        }
        let impact = match text("impact_pv") {
            Some(given) => fold(&given),
            None => self.default_impact.clone().ok_or_else(|| missing("impact_pv"))?,
        };
        if !IMPACTS.contains(&impact.as_str()) {
            return Err(unreadable("impact_pv", &impact, &IMPACTS.join(", ")));
        }
        let summary = match text("summary") {
            Some(summary) => summary.trim().to_owned(),
            None => body.trim().to_owned(),
        };
        if summary.is_empty() {
            return Err(missing("summary"));
        }
        Ok(Fields {
            title,
            date,
            url: text("url"),
            domain: text("domain").map(|d| fold(&d)),
            tags: tags.into_iter().find(|t| !t.is_empty()).unwrap_or_default(),
            impact,
            verdict: mapped,
            summary,
        })
    }

    /// Whether a field of ours is looked for under `key` of a document.
    pub fn reads(&self, key: &str) -> bool {
        self.fields.values().flatten().flatten().any(|path| path.head() == Some(key))
    }

    /// Whether the summary of `document` comes from a field rather than from the text below.
    pub fn has_summary(&self, document: &Value) -> bool {
        self.alternatives("summary").flatten().any(|path| path.get(document).and_then(tree::text).is_some())
    }

    fn alternatives(&self, name: &str) -> impl Iterator<Item = &Vec<Path>> {
        self.fields.get(name).into_iter().flatten()
    }
}

/// A day, also as the start of an instant (`2026-03-01T10:00:00Z`, `2026-03-01 10:00`).
pub fn day(text: &str) -> Option<Date> {
    let (head, rest) = text.trim().split_at_checked(10)?;
    (rest.is_empty() || rest.starts_with(['T', ' '])).then(|| Date::parse(head)).flatten()
}

/// Accents, case and outer white space folded: `Modéré ` → `modere`.
pub fn fold(text: &str) -> String {
    use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};
    text.trim().nfd().filter(|c| !is_combining_mark(*c)).collect::<String>().to_lowercase()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn missing(field: &str) -> String {
    tr!("champ {field} absent ou vide", "field {field} is missing or empty")
}

fn unreadable(field: &str, value: &str, expected: &str) -> String {
    tr!("champ {field} : {value:?}, attendu {expected}", "field {field}: {value:?}, expected {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn own_notes_with_accents_and_case() {
        let mapping = Mapping::new(&map(&[]), &map(&[]), None).unwrap();
        let doc = json!({"title": " FAISS \n 1.x", "date": "2026-03-01", "impact_pv": "Modéré",
                         "verdict": "ADOPTER", "tags": ["a"]});
        let note = mapping.apply(&doc, "\nBody\n", "x.md").unwrap();
        assert_eq!(
            (note.title.as_str(), note.impact.as_str(), note.verdict.as_str(), note.summary.as_str()),
            ("FAISS 1.x", "modere", "adopter", "Body")
        );
        let without = json!({"title": "t", "date": "2026-03-01", "verdict": "adopter"});
        assert!(mapping.apply(&without, "b", "x.md").unwrap_err().contains("impact_pv"));
    }

    #[test]
    fn other_peoples_radar() {
        let fields = map(&[
            ("title", "title|name"),
            ("date", "blip[-1].date"),
            ("verdict", "blip[-1].ring"),
            ("summary", "description+rationale"),
        ]);
        let verdicts = map(&[("TRIAL", "surveiller")]);
        let mapping = Mapping::new(&fields, &verdicts, Some("faible")).unwrap();
        let doc = json!({"name": "Vue", "description": "D\n", "rationale": "R\n", "tags": ["web"],
            "blip": [{"date": "2019-02-26", "ring": "TRIAL"}, {"date": "2019-03-29", "ring": "HOLD"}]});
        let note = mapping.apply(&doc, "", "dev/vue.yaml").unwrap();
        assert_eq!(note.date, Date::parse("2019-03-29").unwrap());
        assert_eq!((note.verdict.as_str(), note.impact.as_str()), ("ignorer", "faible"));
        assert_eq!(note.summary, "D\n\n\nR");
        let ring = |ring: &str| {
            let doc =
                json!({"name": "V", "blip": [{"date": "2019-02-26", "ring": ring}], "description": "D"});
            mapping.apply(&doc, "", "v.yaml")
        };
        assert_eq!(ring("trial").unwrap().verdict, "surveiller");
        assert!(ring("maybe").unwrap_err().contains("maybe"));
    }

    #[test]
    fn dates_from_the_path_and_bad_dates() {
        let rings = map(&[("verdict", "ring")]);
        let mapping = Mapping::new(&rings, &map(&[("hold", "ignorer")]), Some("nul")).unwrap();
        let doc = json!({"title": "t", "ring": "hold"});
        let date = |path: &str| mapping.apply(&doc, "b", path).map(|f| f.date.to_string());
        assert_eq!(date("radar/2023-01-31/a.md").unwrap(), "2023-01-31");
        assert!(date("radar/a.md").is_err());
        let bad = json!({"title": "t", "ring": "hold", "date": "2026-02-30"});
        assert!(mapping.apply(&bad, "b", "radar/2023-01-31/a.md").unwrap_err().contains("2026-02-30"));
        assert!(Mapping::new(&map(&[("titel", "x")]), &map(&[]), None).is_err());
    }
}
