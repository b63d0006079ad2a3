//! A leaked text and where it stands: in the lines of `learnings.jsonl`, whole or broken, and in a
//! reason. Pure.
//!
//! Lines that carry the lesson's identity, written or computed, lose the lesson, the title and every
//! string at any depth that holds either. Other lines lose the strings that certainly hold it: equal
//! to the lesson, or around a text of [`FRAGMENT`] characters. Fields that make the identity stay.

use std::collections::HashSet;

use crate::base::id::{StoryId, learning_id, tag_hash};
use crate::store::schema::{Learning, key_of};
use crate::store::strict::{Fields, Object};

/// What stands in place of a redacted text.
pub const REDACTED: &str = "[redacted]";

/// So many characters of a text in common are no coincidence.
pub const FRAGMENT: usize = 20;

/// Shorter texts are everywhere: in a line that cannot be read they say nothing.
const WORD: usize = 4;

/// Fields that place, date and identify a lesson; they are no free text.
const FIXED: [&str; 13] = [
    "story",
    "gate",
    "tags",
    "domain",
    "project",
    "created_at",
    "tag_hash",
    "learning_id",
    "scope",
    "status",
    "imported_at",
    "archived_at",
    "restored_at",
];

/// The texts to forget.
#[derive(Debug, Default)]
pub struct Leak {
    /// Lessons, white space made plain.
    lessons: Vec<String>,
    /// Titles, the same.
    titles: Vec<String>,
}

impl Leak {
    /// The texts of the lines that carry the identity `id`.
    pub fn of<'l>(lines: impl Iterator<Item = &'l [u8]>, id: &str) -> Leak {
        let mut leak = Leak::default();
        for fields in lines.filter_map(|line| read(line).map(|(_, f, _)| f)).filter(|f| carries(f, id)) {
            let text = |key: &str| fields.get(key).and_then(|v| serde_json::from_str::<String>(v).ok());
            let lesson = key_of::<Learning>(&fields, "lesson");
            for (list, key) in [(&mut leak.lessons, lesson), (&mut leak.titles, Some("title"))] {
                let found = key.and_then(text).map(|t| plain(&t));
                list.extend(found.filter(|t| !t.is_empty() && t != REDACTED));
            }
        }
        leak
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.lessons.iter().chain(&self.titles).map(String::as_str)
    }

    /// Whether a string of a line that carries the identity holds a text, or is a piece of one.
    fn holds(&self, string: &str) -> bool {
        let string = plain(string);
        let piece = string.chars().count() >= FRAGMENT;
        self.texts().any(|t| string.contains(t) || piece && t.contains(&string))
    }

    /// Whether a string of any other line holds a text.
    fn certainly_holds(&self, string: &str) -> bool {
        let string = plain(string);
        self.lessons.contains(&string)
            || self.texts().any(|t| t.chars().count() >= FRAGMENT && string.contains(t))
    }

    /// Whether bytes that cannot be read as a line share a piece with a text.
    fn shares(&self, bytes: &[u8]) -> bool {
        let quoted = |text: &str| serde_json::Value::from(text).to_string().trim_matches('"').to_owned();
        self.texts().flat_map(|t| [t.to_owned(), quoted(t)]).any(|text| {
            if text.len() < FRAGMENT {
                return text.len() >= WORD && memchr::memmem::find(bytes, text.as_bytes()).is_some();
            }
            let pieces: HashSet<&[u8]> = text.as_bytes().windows(FRAGMENT).collect();
            bytes.windows(FRAGMENT).any(|w| pieces.contains(w))
        })
    }

    /// Whether a reason says what it is to hide: a text as words of their own, or a piece of one.
    pub fn told_by(&self, reason: &str) -> bool {
        let reason = plain(reason).to_lowercase();
        let pieces = |text: &str| -> HashSet<String> {
            let chars: Vec<char> = text.chars().collect();
            chars.windows(FRAGMENT).map(|w| w.iter().collect()).collect()
        };
        let said = pieces(&reason);
        self.texts().map(str::to_lowercase).any(|text| {
            let alone = reason.match_indices(&text).any(|(at, _)| {
                let before = reason[..at].chars().next_back();
                let after = reason[at + text.len()..].chars().next();
                ![before, after].into_iter().flatten().any(char::is_alphanumeric)
            });
            alone || !pieces(&text).is_disjoint(&said)
        })
    }

    /// The line without the texts; `None` when it holds none of them.
    pub fn blot(&self, line: &[u8], id: &str) -> Option<String> {
        let Some((before, fields, after)) = read(line) else {
            return self.shares(line).then(|| REDACTED.to_owned());
        };
        let own = carries(&fields, id);
        let doomed = |s: &str| s != REDACTED && if own { self.holds(s) } else { self.certainly_holds(s) };
        let new = blot_fields(&fields, &doomed, &FIXED)?;
        Some(format!("{before}{new}{after}"))
    }
}

/// White space made plain: a text wrapped anew is the same.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The fields of a line, with a byte order mark before and a carriage return after it set apart.
fn read(line: &[u8]) -> Option<(&'static str, Fields<'_>, &'static str)> {
    let text = std::str::from_utf8(line).ok()?;
    let (before, text) = text.strip_prefix('\u{feff}').map_or(("", text), |t| ("\u{feff}", t));
    let (text, after) = text.strip_suffix('\r').map_or((text, ""), |t| (t, "\r"));
    Some((before, Fields::borrow(text).ok()?, after))
}

/// Whether a line carries the identity `id`: written, or computed from story, gate and tags.
fn carries(fields: &Fields<'_>, id: &str) -> bool {
    fn value<T: serde::de::DeserializeOwned>(fields: &Fields<'_>, key: &str) -> Option<T> {
        serde_json::from_str(fields.get(key)?).ok()
    }
    if value::<String>(fields, "learning_id").is_some_and(|stored| stored == id) {
        return true;
    }
    let computed = || {
        let (story, gate) = (value::<StoryId>(fields, "story")?, value::<i64>(fields, "gate")?);
        Some(learning_id(&story, gate, &tag_hash(&value::<Vec<String>>(fields, "tags")?)))
    };
    computed().is_some_and(|computed| computed == id)
}

/// An object with the doomed strings replaced, keys included; the values of `fixed` stay.
fn blot_fields(fields: &Fields<'_>, doomed: &impl Fn(&str) -> bool, fixed: &[&str]) -> Option<String> {
    let mut out = Object::default();
    let mut changed = false;
    for (n, (key, value)) in fields.iter().enumerate() {
        if fixed.contains(&key) {
            out.set(key, value);
            continue;
        }
        let new = blot_value(value, doomed);
        // Two keys may hold the text: each gets a name of its own.
        let name = if doomed(key) { format!("{REDACTED} {n}") } else { key.to_owned() };
        changed |= new.is_some() || name != key;
        out.set(&name, new.unwrap_or_else(|| value.to_owned()));
    }
    changed.then(|| out.to_line())
}

/// A JSON text with the doomed strings replaced, at any depth; `None` when there are none.
fn blot_value(value: &str, doomed: &impl Fn(&str) -> bool) -> Option<String> {
    match value.as_bytes().first()? {
        b'"' => {
            let text: String = serde_json::from_str(value).ok()?;
            doomed(&text).then(|| format!("\"{REDACTED}\""))
        }
        b'{' => blot_fields(&Fields::borrow(value).ok()?, doomed, &[]),
        b'[' => {
            let items: Vec<&serde_json::value::RawValue> = serde_json::from_str(value).ok()?;
            let new: Vec<Option<String>> = items.iter().map(|item| blot_value(item.get(), doomed)).collect();
            let changed = new.iter().any(Option::is_some);
            let texts: Vec<String> =
                items.iter().zip(new).map(|(old, new)| new.unwrap_or_else(|| old.get().to_owned())).collect();
            changed.then(|| format!("[{}]", texts.join(",")))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"story":"PD-19","gate":3,"tags":["a"],"takeaway":"key \"s3cr3t\"","title":"s3cr3t","note":"see: key \"s3cr3t\"","n":1e2,"meta":{"orig":["x",{"key  \"s3cr3t\"":"s3cr3t!"}],"n":12345678901234567890123},"domain":"auth","project":"api","created_at":"2026-03-12T17:14:00Z"}"#;

    fn leak(id: &str) -> Leak {
        Leak::of([LINE.as_bytes()].into_iter(), id)
    }

    fn id() -> String {
        learning_id(&"PD-19".parse().unwrap(), 3, &tag_hash(&["a"]))
    }

    #[test]
    fn no_field_keeps_the_text_at_any_depth() {
        let new = leak(&id()).blot(LINE.as_bytes(), &id()).unwrap();
        assert!(!new.contains("s3cr3t"), "{new}");
        for kept in ["\"takeaway\":\"[redacted]\"", "\"n\":1e2", "12345678901234567890123", "[\"x\",{"] {
            assert!(new.contains(kept), "{kept} {new}");
        }
        assert_eq!(leak(&id()).blot(new.as_bytes(), &id()), None);
        assert!(leak("PD-19-3-000000000000").texts().next().is_none());
    }

    #[test]
    fn copies_in_other_dress_go_and_other_lessons_stay() {
        let leak = leak(&id());
        let crlf = format!("\u{feff}{LINE}\r");
        let new = leak.blot(crlf.as_bytes(), &id()).unwrap();
        assert!(!new.contains("s3cr3t") && new.starts_with('\u{feff}') && new.ends_with('\r'), "{new}");
        // A short title in another lesson is a coincidence, the whole lesson is none.
        let other = LINE.replace("[\"a\"]", "[\"b\"]");
        let new = leak.blot(other.as_bytes(), &id()).unwrap();
        assert!(new.contains("\"takeaway\":\"[redacted]\"") && new.contains("\"title\":\"s3cr3t\""), "{new}");
        assert_eq!(leak.blot(br#"{"lesson":"s3cr3t and more"}"#, &id()), None);
        // What cannot be read goes whole.
        assert_eq!(leak.blot(&LINE.as_bytes()[..90], &id()).as_deref(), Some(REDACTED));
        assert_eq!(leak.blot(b"<<<<<<< HEAD", &id()), None);
    }

    #[test]
    fn a_reason_must_not_tell() {
        let leak =
            Leak { lessons: vec!["the key of Mr Holm is under the mat".into()], titles: vec!["Holm".into()] };
        for bad in [
            "it named HOLM",
            "Holm",
            "text: of Mr  Holm is under it",
            "is under the mat of Mr Hol, key of mr holm is",
        ] {
            assert!(leak.told_by(bad), "{bad}");
        }
        for good in ["a customer's name", "Holmes", "the key of a customer"] {
            assert!(!leak.told_by(good), "{good}");
        }
    }
}
