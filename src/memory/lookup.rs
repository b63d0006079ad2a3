//! Finding a few records of a large file without reading every line as a record.
//!
//! One pass notes at which lines each value of a member stands. The lines found for a value are then
//! read as records and judged by the caller, so that a value in a nested object does no harm; the
//! other lines are never looked into. [`Lookup::is_complete`] says when a full load must be used
//! instead.

use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

use memchr::memmem;

use crate::base::Result;
use crate::store::jsonl::{self, Place, Scanned};
use crate::store::schema::Record;

/// Which lines hold which values of one member.
#[derive(Debug)]
pub struct Lookup {
    file: Scanned,
    /// Hash of a value and place of a line that holds it, sorted.
    places: Vec<(u64, Place)>,
    /// Lines that hold the mark.
    marked: Vec<Place>,
    complete: bool,
}

impl Lookup {
    /// Notes the values of the text member `name` in the whole lines of the file at `path`, and the
    /// lines that hold the text `"mark"` anywhere.
    ///
    /// # Errors
    /// I/O; ERR-295-15 for a file that is no record file.
    pub fn read(path: &Path, name: &str, mark: Option<&str>) -> Result<Self> {
        let quoted = format!("\"{name}\"");
        let finder = memmem::Finder::new(&quoted);
        let mark = mark.map(|mark| format!("\"{mark}\""));
        let mark = mark.as_ref().map(memmem::Finder::new);
        let (mut places, mut marked, mut complete) = (Vec::new(), Vec::new(), true);
        let file = jsonl::scan(path, |place, line| {
            let before = places.len();
            for at in finder.find_iter(line) {
                match value(&line[at + quoted.len()..]) {
                    Some(value) => places.push((hash(value), place)),
                    None => complete = false,
                }
            }
            complete &= places.len() > before || line.iter().all(u8::is_ascii_whitespace);
            if mark.as_ref().is_some_and(|mark| mark.find(line).is_some()) {
                marked.push(place);
            }
        })?;
        places.sort_unstable();
        Ok(Lookup { file, places, marked, complete })
    }

    /// Whether every line that is not blank holds the member, as text without escapes.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The first record of the lines that hold `value`, in file order, for which `accept` holds.
    ///
    /// # Errors
    /// I/O.
    pub fn first<T: Record>(&self, value: &str, accept: impl Fn(&T) -> bool) -> Result<Option<T>> {
        let wanted = hash(value.as_bytes());
        let first = self.places.partition_point(|(hash, _)| *hash < wanted);
        for (_, place) in self.places[first..].iter().take_while(|(hash, _)| *hash == wanted) {
            if let Some(record) = self.record(*place)?.filter(&accept) {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }

    /// The records of the lines that hold the mark.
    ///
    /// # Errors
    /// I/O.
    pub fn marked<T: Record>(&self) -> Result<Vec<T>> {
        self.marked.iter().filter_map(|place| self.record(*place).transpose()).collect()
    }

    fn record<T: Record>(&self, place: Place) -> Result<Option<T>> {
        let parse = |line: jsonl::Line<'_>| T::parse(line.text().ok()?).ok();
        Ok(self.file.line(place, parse)?.flatten())
    }
}

/// The text value that follows a member's name, without its quotes; `None` when it is no text or
/// holds an escape.
fn value(after: &[u8]) -> Option<&[u8]> {
    let after = after.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start().strip_prefix(b"\"")?;
    let end = memchr::memchr2(b'"', b'\\', after)?;
    (after[end] == b'"').then_some(&after[..end])
}

fn hash(value: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(value);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::schema::Score;

    fn score(id: &str, reuse: f64, more: &str) -> String {
        format!(
            "{{\"story\":\"PD-1\",\"gate\":8,\"tag_hash\":\"{}\", \"learning_id\" : \"{id}\",\
             \"reuse_score_brut\":{reuse},\"reuse_score\":{reuse},\"nb_injections\":1,\"nb_stories\":1,\
             \"nb_domains\":1,\"domains\":[\"auth\"],\"last_injected_at\":\"2026-04-11T09:42:17Z\",\
             \"computed_at\":\"2026-04-11T09:42:17Z\",\"schema_version\":3{more}}}\n",
            "a".repeat(64)
        )
    }

    fn lookup(text: &str, name: &str, mark: Option<&str>) -> Lookup {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("scores.jsonl");
        std::fs::write(&path, text).unwrap();
        Lookup::read(&path, name, mark).unwrap()
    }

    #[test]
    fn finds_records_by_a_member() {
        let nested = ",\"note\":{\"learning_id\":\"PD-1-8-bbbbbbbbbbbb\"}";
        let text = [
            score("PD-1-8-aaaaaaaaaaaa", 0.25, nested),
            "\n".into(),
            score("PD-1-8-bbbbbbbbbbbb", 0.5, ",\"note\":\"billing\""),
            score("PD-1-8-aaaaaaaaaaaa", 0.75, ""),
            score("PD-1-8-dddddddddddd", 1.0, "").trim_end().into(),
        ]
        .concat();
        let lookup = lookup(&text, "learning_id", Some("billing"));
        assert!(lookup.is_complete());
        let of = |id: &str, least: f64| {
            let accept = |s: &Score| s.learning_id == id && s.reuse_score >= least;
            lookup.first(id, accept).unwrap().map(|s| s.reuse_score)
        };
        assert_eq!(of("PD-1-8-aaaaaaaaaaaa", 0.0), Some(0.25), "the first in file order");
        assert_eq!(of("PD-1-8-aaaaaaaaaaaa", 0.5), Some(0.75), "the first that is accepted");
        assert_eq!(of("PD-1-8-bbbbbbbbbbbb", 0.0), Some(0.5), "the nested one is not its own");
        assert_eq!(of("PD-1-8-cccccccccccc", 0.0), None);
        assert_eq!(of("PD-1-8-dddddddddddd", 0.0), None, "a last line without its end");
        let marked: Vec<Score> = lookup.marked().unwrap();
        assert_eq!(marked.iter().map(|s| s.reuse_score).collect::<Vec<_>>(), [0.5]);
    }

    #[test]
    fn says_when_a_full_load_is_needed() {
        let complete = |text: &str| lookup(text, "id", None).is_complete();
        assert!(complete("{\"id\":\"a\"}\n{ \"id\" : \"b\" }\n\n"));
        assert!(!complete("{\"id\":\"a\"}\n{\"di\":\"b\"}\n"), "a line without");
        assert!(!complete("{\"id\":\"\\u0061\"}\n"), "an escape");
        assert!(!complete("{\"id\":7}\n"), "no text");
        assert!(complete(""));
    }
}
