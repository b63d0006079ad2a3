//! Finding a few records of a large file without reading every line as a record.
//!
//! Our identifiers are plain ASCII, so a line that holds a record holds its quoted identifier
//! literally. The lines that hold it are parsed and judged; the others are never looked into.

use memchr::memmem;

use crate::store::jsonl::Snapshot;
use crate::store::schema::Record;

/// The records of the lines that hold `"text"`, in file order, for which `accept` holds.
pub fn records<'s, T: Record + 's>(
    snapshot: &'s Snapshot,
    text: &str,
    accept: impl Fn(&T) -> bool + 's,
) -> impl Iterator<Item = T> + 's {
    lines(snapshot.bytes(), &format!("\"{text}\"")).into_iter().filter_map(move |line| {
        let record = T::parse(std::str::from_utf8(line).ok()?).ok()?;
        accept(&record).then_some(record)
    })
}

/// How often `needle` stands in the file.
pub fn count(snapshot: &Snapshot, needle: &str) -> usize {
    memmem::find_iter(snapshot.bytes(), needle).count()
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
    use super::*;

    #[test]
    fn whole_lines_once_each() {
        let bytes = b"{\"a\":\"x\",\"b\":\"x\"}\n{\"a\":\"y\"}\n{\"a\":\"x\"}\n{\"a\":\"x\"";
        assert_eq!(lines(bytes, "\"x\""), [&b"{\"a\":\"x\",\"b\":\"x\"}"[..], b"{\"a\":\"x\"}"]);
        assert!(lines(b"", "\"x\"").is_empty());
    }
}
