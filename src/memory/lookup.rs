//! Finding a few records of a large file without reading every line as a record.
//!
//! One pass notes on which lines each value of a member stands. The lines found for a value are then
//! read as records and judged by the caller, so that a value in a nested object does no harm; the
//! other lines are never looked into. [`Lookup::is_complete`] says when a full load must be used
//! instead.

use std::hash::{DefaultHasher, Hasher};

use memchr::memmem;

use crate::store::jsonl::Snapshot;
use crate::store::schema::Record;

/// Which lines hold which values of one member.
#[derive(Debug)]
pub struct Lookup {
    /// Hash of a value and index of a line that holds it, sorted.
    places: Vec<(u64, usize)>,
    complete: bool,
}

impl Lookup {
    /// Notes the values of the text member `name` in the whole lines of `snapshot`.
    pub fn new(snapshot: &Snapshot, name: &str) -> Self {
        let quoted = format!("\"{name}\"");
        let finder = memmem::Finder::new(&quoted);
        let mut places = Vec::with_capacity(snapshot.len());
        let mut complete = true;
        for (i, line) in snapshot.lines().enumerate() {
            let before = places.len();
            for at in finder.find_iter(line.bytes) {
                match value(&line.bytes[at + quoted.len()..]) {
                    Some(value) => places.push((hash(value), i)),
                    None => complete = false,
                }
            }
            complete &= places.len() > before || line.is_blank();
        }
        places.sort_unstable();
        Lookup { places, complete }
    }

    /// Whether every line that is not blank holds the member, as text without escapes.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The records of the lines that hold `value`, in file order, for which `accept` holds.
    pub fn records<'s, T: Record + 's>(
        &'s self,
        snapshot: &'s Snapshot,
        value: &str,
        accept: impl Fn(&T) -> bool + 's,
    ) -> impl Iterator<Item = T> + 's {
        let wanted = hash(value.as_bytes());
        let first = self.places.partition_point(|(hash, _)| *hash < wanted);
        let mut last = None;
        self.places[first..]
            .iter()
            .take_while(move |(hash, _)| *hash == wanted)
            .filter(move |(_, line)| last.replace(*line) != Some(*line))
            .filter_map(move |(_, line)| {
                let record = T::parse(snapshot.line(*line)?.text().ok()?).ok()?;
                accept(&record).then_some(record)
            })
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

/// The records of the lines that hold `"text"` anywhere, each line once, in file order, for which
/// `accept` holds.
pub fn records_with<'s, T: Record + 's>(
    snapshot: &'s Snapshot,
    text: &str,
    accept: impl Fn(&T) -> bool + 's,
) -> impl Iterator<Item = T> + 's {
    lines(snapshot.bytes(), &format!("\"{text}\"")).into_iter().filter_map(move |line| {
        let record = T::parse(std::str::from_utf8(line).ok()?).ok()?;
        accept(&record).then_some(record)
    })
}

/// The whole lines that hold `needle`, each once.
fn lines<'b>(bytes: &'b [u8], needle: &str) -> Vec<&'b [u8]> {
    let mut found = Vec::new();
    let mut from = 0;
    let finder = memmem::Finder::new(needle);
    while let Some(at) = finder.find(&bytes[from..]).map(|i| from + i) {
        let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |i| i + 1);
        // A last line without its end was never acknowledged.
        let Some(end) = memchr::memchr(b'\n', &bytes[at..]).map(|i| at + i) else { break };
        found.push(&bytes[start..end]);
        from = end + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::store::schema::Score;

    #[test]
    fn whole_lines_once_each() {
        let bytes = b"{\"a\":\"x\",\"b\":\"x\"}\n{\"a\":\"y\"}\n{\"a\":\"x\"}\n{\"a\":\"x\"";
        assert_eq!(lines(bytes, "\"x\""), [&b"{\"a\":\"x\",\"b\":\"x\"}"[..], b"{\"a\":\"x\"}"]);
        assert!(lines(b"", "\"x\"").is_empty());
    }

    fn score(id: &str, reuse: f64, more: &str) -> String {
        format!(
            "{{\"story\":\"PD-1\",\"gate\":8,\"tag_hash\":\"{}\", \"learning_id\" : \"{id}\",\
             \"reuse_score_brut\":{reuse},\"reuse_score\":{reuse},\"nb_injections\":1,\"nb_stories\":1,\
             \"nb_domains\":1,\"domains\":[\"auth\"],\"last_injected_at\":\"2026-04-11T09:42:17Z\",\
             \"computed_at\":\"2026-04-11T09:42:17Z\",\"schema_version\":3{more}}}\n",
            "a".repeat(64)
        )
    }

    fn snapshot(text: &str) -> Snapshot {
        Snapshot::from_bytes(Path::new("scores.jsonl"), text.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn finds_records_by_a_member() {
        let nested = ",\"note\":{\"learning_id\":\"PD-1-8-bbbbbbbbbbbb\"}";
        let text = [
            score("PD-1-8-aaaaaaaaaaaa", 0.25, nested),
            "\n".into(),
            score("PD-1-8-bbbbbbbbbbbb", 0.5, ""),
            score("PD-1-8-aaaaaaaaaaaa", 0.75, ""),
        ]
        .concat();
        let snapshot = snapshot(&text);
        let lookup = Lookup::new(&snapshot, "learning_id");
        assert!(lookup.is_complete());
        let of = |id: &'static str| -> Vec<f64> {
            let accept = move |s: &Score| s.learning_id == id;
            lookup.records(&snapshot, id, accept).map(|s| s.reuse_score).collect()
        };
        assert_eq!(of("PD-1-8-aaaaaaaaaaaa"), [0.25, 0.75]);
        assert_eq!(of("PD-1-8-bbbbbbbbbbbb"), [0.5], "the nested one is not its own");
        assert!(of("PD-1-8-cccccccccccc").is_empty());
    }

    #[test]
    fn says_when_a_full_load_is_needed() {
        let complete = |text: &str| Lookup::new(&snapshot(text), "id").is_complete();
        assert!(complete("{\"id\":\"a\"}\n{ \"id\" : \"b\" }\n\n"));
        assert!(!complete("{\"id\":\"a\"}\n{\"di\":\"b\"}\n"), "a line without");
        assert!(!complete("{\"id\":\"\\u0061\"}\n"), "an escape");
        assert!(!complete("{\"id\":7}\n"), "no text");
        assert!(complete(""));
    }
}
