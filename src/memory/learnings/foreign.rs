//! Other people's lessons: a file of any of the three shapes → items → lessons. Pure but for reading.
//!
//! Shapes: JSON lines, one JSON document (an array or an object keyed by id, perhaps below
//! `--items`), Markdown with front matter. Fields are mapped by paths.

use std::path::Path;

use serde_json::Value;

use crate::base::clock::Date;
use crate::base::id::{Slug, StoryId};
use crate::base::{Error, Instant, Result};
use crate::memory::document;
use crate::memory::excluded::Excluded;
use crate::memory::field_map::{FieldMap, Known};
use crate::memory::tree::Path as Field;
use crate::tr;

/// Where a lesson's text stands when nothing is mapped.
const LESSON_ALIASES: [&str; 6] = ["lesson", "text", "learning", "takeaway", "content", "message"];

/// The fields that `--map` may name.
pub const FIELDS: [Known; 10] = [
    ("lesson", &LESSON_ALIASES),
    ("title", &["title"]),
    ("tags", &["tags"]),
    ("created_at", &["created_at"]),
    ("story", &["story"]),
    ("gate", &["gate"]),
    ("domain", &["domain"]),
    ("project", &["project"]),
    ("id", &["id"]),
    ("refs", &["refs"]),
];

/// What items that do not say so get.
#[derive(Clone, Debug)]
pub struct Defaults {
    /// Story.
    pub story: Option<StoryId>,
    /// Gate.
    pub gate: Option<i64>,
    /// Domain.
    pub domain: Option<Slug>,
    /// Project.
    pub project: Option<Slug>,
    /// The instant of the import.
    pub now: Instant,
}

/// A lesson before its tags are settled.
#[derive(Clone, Debug, PartialEq)]
pub struct Incoming {
    /// Story.
    pub story: StoryId,
    /// Gate.
    pub gate: i64,
    /// Domain.
    pub domain: Slug,
    /// Project.
    pub project: Slug,
    /// Tags, not empty.
    pub tags: Vec<String>,
    /// Title.
    pub title: Option<String>,
    /// Text.
    pub lesson: String,
    /// When it was learnt.
    pub created_at: Instant,
    /// Code paths.
    pub refs: Vec<String>,
    /// File and line it comes from.
    pub origin: (String, Option<u64>),
}

/// The items of one file, each with its line where lines count; unreadable ones are excluded.
///
/// # Errors
/// I/O; usage when the whole file has none of the shapes or `items` leads nowhere.
pub fn items(
    path: &Path,
    at: Option<&Field>,
    excluded: &mut Vec<Excluded>,
) -> Result<Vec<(Option<u64>, Value)>> {
    let text = document::read_text(path)?;
    let shown = path.display().to_string();
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    if matches!(extension.as_str(), "md" | "markdown") {
        let (front, body) = document::markdown(&text)
            .map_err(|e| unreadable(&shown, &e))?
            .ok_or_else(|| unreadable(&shown, &tr!("pas de front matter", "no front matter")))?;
        return Ok(vec![(None, with_body(front, body))]);
    }
    if let Ok(whole) = serde_json::from_str::<Value>(&text)
        && (extension != "jsonl" || whole.is_array())
    {
        let empty = Field::parse("")?;
        let list = at
            .unwrap_or(&empty)
            .get(&whole)
            .ok_or_else(|| unreadable(&shown, &tr!("--items ne mène nulle part", "--items leads nowhere")))?;
        return match list {
            Value::Array(items) => Ok(items.iter().map(|i| (None, i.clone())).collect()),
            Value::Object(map) if map.values().all(Value::is_object) && !map.is_empty() => {
                Ok(map.iter().map(|(key, item)| (None, with_id(key, item.clone()))).collect())
            }
            Value::Object(_) => Ok(vec![(None, list.clone())]),
            _ => Err(unreadable(&shown, &tr!("ni liste ni objet", "neither a list nor an object"))),
        };
    }
    let mut found = Vec::new();
    for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let number = i as u64 + 1;
        match serde_json::from_str::<Value>(line) {
            Ok(item @ Value::Object(_)) => found.push((Some(number), item)),
            Ok(_) => excluded.push(Excluded {
                origin: shown.clone(),
                line: Some(number),
                reason: tr!("la ligne n'est pas un objet", "the line is not an object"),
            }),
            Err(e) => {
                excluded.push(Excluded { origin: shown.clone(), line: Some(number), reason: e.to_string() })
            }
        }
    }
    Ok(found)
}

fn unreadable(shown: &str, why: &str) -> Error {
    Error::usage(format!("{shown}: {why}")).hint(tr!(
        "formes lues : JSONL, JSON (liste ou objet par identifiant, voir --items), Markdown avec front matter",
        "shapes read: JSON lines, JSON (list or object by id, see --items), Markdown with front matter"
    ))
}

fn with_body(mut front: Value, body: &str) -> Value {
    if let Some(map) = front.as_object_mut()
        && !LESSON_ALIASES.iter().any(|a| map.contains_key(*a))
    {
        map.insert("content".into(), Value::String(body.trim().to_owned()));
    }
    front
}

/// The key of an object keyed by id stands for an `id` that the item does not have.
fn with_id(key: &str, mut item: Value) -> Value {
    if let Some(map) = item.as_object_mut() {
        map.entry("id").or_insert_with(|| Value::String(key.to_owned()));
    }
    item
}

/// Maps an item; the reason when it cannot be a lesson.
pub fn map(
    item: &Value,
    fields: &FieldMap,
    defaults: &Defaults,
    origin: (String, Option<u64>),
) -> Result<Incoming, String> {
    let missing = |name: &str| {
        tr!("champ {name} absent (--map ou --{name})", "field {name} is missing (--map or --{name})")
    };
    let parsed = |name: &str| fields.text(name, item);
    let lesson = parsed("lesson").map(|t| t.trim().to_owned()).ok_or_else(|| missing("lesson"))?;
    let title = parsed("title").map(|t| t.split_whitespace().collect::<Vec<_>>().join(" "));
    let story = match parsed("story") {
        Some(text) => text.parse::<StoryId>()?,
        None => defaults.story.clone().ok_or_else(|| missing("story"))?,
    };
    let gate = match parsed("gate") {
        Some(text) => text
            .parse::<i64>()
            .map_err(|_| tr!("gate {text:?} n'est pas un entier", "gate {text:?} is not an integer"))?,
        None => defaults.gate.ok_or_else(|| missing("gate"))?,
    };
    let slug = |name: &str, default: &Option<Slug>| match parsed(name) {
        Some(text) => text.parse::<Slug>(),
        None => default.clone().ok_or_else(|| missing(name)),
    };
    let mut tags = fields.list("tags", item);
    tags.retain(|t| !t.trim().is_empty());
    if tags.is_empty() {
        tags.push(title_slug(title.as_deref()).unwrap_or_else(|| text_tag(&lesson)));
    }
    let created_at = match parsed("created_at") {
        Some(text) => instant(&text).ok_or_else(|| {
            tr!(
                "created_at {text:?} n'est ni un instant ni un jour",
                "created_at {text:?} is neither an instant nor a day"
            )
        })?,
        None => parsed("id").and_then(|id| ulid_time(&id)).unwrap_or(defaults.now),
    };
    Ok(Incoming {
        story,
        gate,
        domain: slug("domain", &defaults.domain)?,
        project: slug("project", &defaults.project)?,
        tags,
        title,
        lesson,
        created_at,
        refs: fields.list("refs", item),
        origin,
    })
}

/// The title as a tag, if anything of it remains.
pub fn title_slug(title: Option<&str>) -> Option<String> {
    Some(crate::base::id::ascii_slug(title?)).filter(|s| !s.is_empty())
}

/// The first 12 hex digits of the text's SHA-256, the tag of last resort.
pub fn text_tag(lesson: &str) -> String {
    crate::base::id::sha256_hex(lesson)[..12].to_owned()
}

fn instant(text: &str) -> Option<Instant> {
    Instant::parse(text).or_else(|| Date::parse(text.trim()).map(Date::midnight))
}

/// The time of an id that is a ULID.
fn ulid_time(id: &str) -> Option<Instant> {
    let ulid = ulid::Ulid::from_string(id).ok()?;
    Some(Instant::from_unix(i64::try_from(ulid.timestamp_ms() / 1000).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn defaults() -> Defaults {
        Defaults {
            story: StoryId::parse("LEG-1"),
            gate: Some(8),
            domain: Slug::parse("tools"),
            project: Slug::parse("lessons"),
            now: Instant::parse("2026-11-30T12:00:00Z").unwrap(),
        }
    }

    #[test]
    fn mapped_fields_and_times() {
        let fields =
            FieldMap::parse(&FIELDS, &["lesson=problem+fix".into(), "created_at=ts|at".into()]).unwrap();
        let item = json!({"id": "x", "ts": "2026-03-12T17:14Z", "title": "A  b", "problem": "P", "fix": "F", "tags": ["t", 1]});
        let got = map(&item, &fields, &defaults(), (String::new(), None)).unwrap();
        assert_eq!((got.lesson.as_str(), got.title.as_deref()), ("P\n\nF", Some("A b")));
        assert_eq!(got.created_at.to_string(), "2026-03-12T17:14:00Z");
        assert_eq!(got.tags, ["t", "1"]);
        let keyed = json!({"id": "01ARYZ6S41TSV4RRFFQ69G5FAV", "problem": "P", "title": "Été !"});
        let got = map(&keyed, &fields, &defaults(), (String::new(), None)).unwrap();
        // The example of the ULID specification: 1469918176385 ms.
        assert_eq!(got.created_at.unix(), 1_469_918_176);
        assert_eq!(got.tags, ["ete"]);
        let bare = json!({"problem": "P", "title": "日本"});
        let got = map(&bare, &fields, &defaults(), (String::new(), None)).unwrap();
        assert_eq!(got.created_at, defaults().now);
        assert_eq!(got.tags, [text_tag("P")]);
        assert!(map(&json!({"fix": "", "gate": "x"}), &fields, &defaults(), (String::new(), None)).is_err());
        assert!(FieldMap::parse(&FIELDS, &["lessn=x".into()]).is_err());
    }

    #[test]
    fn shapes() {
        let dir = tempfile::tempdir().unwrap();
        let read = |name: &str, text: &str, at: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            let mut excluded = Vec::new();
            let found = items(&path, Some(&Field::parse(at).unwrap()), &mut excluded);
            found.map(|f| (f.len(), excluded.len()))
        };
        assert_eq!(read("a.jsonl", "{\"a\":1}\n\n{\"a\":\n[1]\n{\"b\":2}", "").unwrap(), (2, 2));
        assert_eq!(read("one.jsonl", "{\"a\":1}\n", "").unwrap(), (1, 0));
        assert_eq!(read("a.json", "{\"lessons\": {\"k1\": {}, \"k2\": {}}}", "lessons").unwrap(), (2, 0));
        assert_eq!(read("b.json", "[{}, {}, {}]", "").unwrap(), (3, 0));
        assert_eq!(read("c.md", "---\ntitle: T\n---\nBody\n", "").unwrap(), (1, 0));
        assert!(read("d.md", "Body\n", "").is_err());
        assert!(read("e.json", "{\"x\": 1}", "lessons").is_err());
    }
}
