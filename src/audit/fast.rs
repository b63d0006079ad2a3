//! A quick reader for lines laid out exactly as we write them.
//!
//! It accepts a subset of what the strict parser accepts and reads it the same; whatever it does not
//! recognise goes to that parser. A property test holds the two together.

use std::borrow::Cow;

use super::envelope::{Details, Envelope, Stamp};
use super::text::Text;
use super::vocabulary::{EventName, Operation, Source};

/// Reads a line in our own layout; `None` says nothing about its validity.
pub(super) fn parse(line: &str) -> Option<Envelope<'_>> {
    let mut r = Reader(line);
    let event = EventName::parse(&r.string("{\"event\":\"")?)?;
    let timestamp_iso8601 = Stamp::parse(r.string(",\"timestamp_iso8601\":\"")?)?;
    let story_id = r.string(",\"story_id\":\"")?;
    r.literal(",\"step\":")?;
    let step = match r.literal("-1") {
        Some(()) => -1,
        None => i32::try_from(r.integer("")?).ok()?,
    };
    let source = Source::parse(&r.string(",\"source\":\"")?)?;
    let domain = r.string(",\"domain\":\"")?;
    let project = r.string(",\"project\":\"")?;
    let operation = Operation::parse(&r.string(",\"operation\":\"")?)?;
    let timestamp_bucket = Stamp::parse(r.string(",\"timestamp_bucket\":\"")?)?;
    let query = r.string(",\"query\":\"")?;
    let query_hash = r.string(",\"query_hash\":\"")?;
    let count = r.integer(",\"count\":")?;
    let result_ids = r.strings(",\"result_ids\":[", usize::try_from(count.min(64)).ok()?)?;
    let key_version = r.integer(",\"key_version\":")?;
    let signature_hmac_sha256 = r.string(",\"signature_hmac_sha256\":\"")?;
    let schema_version = r.integer(",\"schema_version\":")?;
    let details = match r.literal(",\"details\":{") {
        Some(()) => Some(r.details()?),
        None => None,
    };
    r.literal("}")?;
    r.0.is_empty().then_some(Envelope {
        event,
        timestamp_iso8601,
        story_id,
        step,
        source,
        domain,
        project,
        operation,
        timestamp_bucket,
        query,
        query_hash,
        count,
        result_ids,
        key_version,
        signature_hmac_sha256,
        schema_version,
        details,
    })
}

struct Reader<'a>(&'a str);

impl<'a> Reader<'a> {
    // Inlined, so that the length is known where the text is compared.
    #[inline(always)]
    fn literal(&mut self, text: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(text)?;
        Some(())
    }

    /// A decimal integer of at most 15 digits without sign or leading zero, after `lead`.
    #[inline(always)]
    fn integer(&mut self, lead: &str) -> Option<u64> {
        self.literal(lead)?;
        self.digits()
    }

    fn digits(&mut self) -> Option<u64> {
        let digits = self.0.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 || digits > 15 || (digits > 1 && self.0.starts_with('0')) {
            return None;
        }
        let (number, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        Some(number.bytes().fold(0, |n, b| n * 10 + u64::from(b - b'0')))
    }

    /// A string whose opening quote ends `lead`.
    #[inline(always)]
    fn string(&mut self, lead: &str) -> Option<Text<'a>> {
        self.literal(lead)?;
        self.rest_of_string()
    }

    /// What stands before the closing quote, which is passed.
    fn rest_of_string(&mut self) -> Option<Text<'a>> {
        let bytes = self.0.as_bytes();
        let plain = plain_prefix(bytes);
        match bytes.get(plain)? {
            b'"' => {
                let text = self.0.get(..plain)?;
                self.0 = self.0.get(plain + 1..)?;
                Some(Text(Cow::Borrowed(text)))
            }
            b'\\' => {
                let mut end = plain;
                while *bytes.get(end)? != b'"' {
                    end += if bytes[end] == b'\\' { 2 } else { 1 };
                }
                // The quotes around it are one byte each: the opening one stands before.
                let mut quoted = String::with_capacity(end + 2);
                quoted.push('"');
                quoted.push_str(self.0.get(..=end)?);
                let text: String = serde_json::from_str(&quoted).ok()?;
                self.0 = self.0.get(end + 1..)?;
                Some(Text(Cow::Owned(text)))
            }
            _ => None,
        }
    }

    /// The strings of a list whose opening bracket ends `lead`, room made for so many.
    #[inline(always)]
    fn strings(&mut self, lead: &str, room: usize) -> Option<Vec<Text<'a>>> {
        self.literal(lead)?;
        let mut list = Vec::with_capacity(room);
        if self.literal("]").is_some() {
            return Some(list);
        }
        list.push(self.string("\"")?);
        while self.literal("]").is_none() {
            list.push(self.string(",\"")?);
        }
        Some(list)
    }

    /// The rest of a details object; an odd one is left to the strict parser.
    fn details(&mut self) -> Option<Details<'a>> {
        let mut pairs: Vec<(Text<'a>, Text<'a>)> = Vec::new();
        loop {
            let key = self.string(if pairs.is_empty() { "\"" } else { ",\"" })?;
            let value = self.string(":\"")?;
            if pairs.len() == 16 || pairs.iter().any(|(k, _)| *k == key) {
                return None;
            }
            pairs.push((key, value));
            if self.literal("}").is_some() {
                return Some(Details(pairs));
            }
        }
    }
}

/// How many leading bytes are neither a quote, a backslash nor a control character. Eight at a time.
fn plain_prefix(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let zero_in = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let mut at = 0;
    for chunk in bytes.chunks_exact(8) {
        let word = u64::from_le_bytes([
            chunk[0], chunk[1], chunk[2], chunk[3], chunk[4], chunk[5], chunk[6], chunk[7],
        ]);
        let quote = zero_in(word ^ (ONES * u64::from(b'"')));
        let slash = zero_in(word ^ (ONES * u64::from(b'\\')));
        // Below 0x20: the subtraction borrows into the high bit, and the byte is ASCII.
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        // The lowest marked byte is exact; borrows only disturb those above it.
        let found = quote | slash | control;
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let rest = &bytes[at..];
    at + rest.iter().position(|b| *b < 0x20 || *b == b'"' || *b == b'\\').unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn plain_prefix_is_exact(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let slow = bytes.iter().position(|b| *b < 0x20 || *b == b'"' || *b == b'\\');
            prop_assert_eq!(plain_prefix(&bytes), slow.unwrap_or(bytes.len()));
        }

        #[test]
        fn reads_what_the_strict_parser_reads(
            query in any::<String>(), ids in proptest::collection::vec(any::<String>(), 0..4),
            details in proptest::option::of(proptest::collection::btree_map(any::<String>(), any::<String>(), 1..5)),
            step in -1i64..3, count in 0u64..1_000_000_000_000_000, at in 0usize..600, byte in any::<u8>(),
        ) {
            let mut value = serde_json::json!({
                "event": "clock_reset", "timestamp_iso8601": "2026-04-11T09:42:17Z", "story_id": "PD-1",
                "step": step, "source": "audit", "domain": "a", "project": "-", "operation": "audit",
                "timestamp_bucket": "2026-04-11T09:40:00Z", "query": query, "query_hash": "sha256:",
                "count": count, "result_ids": ids, "key_version": 1, "signature_hmac_sha256": "ab",
                "schema_version": 3,
            });
            if let Some(details) = details {
                value["details"] = serde_json::json!(details);
            }
            let line = value.to_string();
            let fast = parse(&line);
            prop_assert!(fast.is_some(), "{}", line);
            prop_assert_eq!(format!("{fast:?}"), format!("{:?}", Envelope::parse_strictly(&line).ok()));
            // One byte changed: what the quick reader takes, the strict one takes alike.
            let mut bytes = line.into_bytes();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Ok(text) = std::str::from_utf8(&bytes)
                && let Some(fast) = parse(text)
            {
                let strict = Envelope::parse_strictly(text).expect("strict");
                prop_assert_eq!(format!("{fast:?}"), format!("{strict:?}"));
            }
        }
    }
}
