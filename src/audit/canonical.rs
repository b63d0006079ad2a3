//! Canonical JSON (RFC 8785) of an event: the bytes that are signed.
//!
//! Events hold strings, integers within ±(2^53 − 1), arrays and one flat object, never a float, so
//! that canonical form is: keys sorted by UTF-16 units, no white space, the shortest escapes. Pure.

use std::io::Write;

use super::envelope::{Details, Envelope};

/// Appends the canonical form of `e` without its signature.
pub fn write_signed_part(out: &mut Vec<u8>, e: &Envelope<'_>) {
    out.push(b'{');
    integer(out, "count", e.count);
    if let Some(details) = &e.details {
        out.extend_from_slice(b",\"details\":");
        write_details(out, details);
    }
    text(out, ",\"domain\":", &e.domain);
    text(out, ",\"event\":", e.event.as_str());
    out.push(b',');
    integer(out, "key_version", e.key_version);
    text(out, ",\"operation\":", e.operation.as_str());
    text(out, ",\"project\":", &e.project);
    text(out, ",\"query\":", &e.query);
    text(out, ",\"query_hash\":", &e.query_hash);
    out.extend_from_slice(b",\"result_ids\":");
    write_ids(out, e);
    out.push(b',');
    integer(out, "schema_version", e.schema_version);
    text(out, ",\"source\":", e.source.as_str());
    step(out, e.step);
    text(out, ",\"story_id\":", &e.story_id);
    text(out, ",\"timestamp_bucket\":", &e.timestamp_bucket.text);
    text(out, ",\"timestamp_iso8601\":", &e.timestamp_iso8601.text);
    out.push(b'}');
}

/// Appends the line as it stands in the trail, in the order PD-295 prints the fields, no newline.
pub fn write_line(out: &mut Vec<u8>, e: &Envelope<'_>) {
    text(out, "{\"event\":", e.event.as_str());
    text(out, ",\"timestamp_iso8601\":", &e.timestamp_iso8601.text);
    text(out, ",\"story_id\":", &e.story_id);
    step(out, e.step);
    text(out, ",\"source\":", e.source.as_str());
    text(out, ",\"domain\":", &e.domain);
    text(out, ",\"project\":", &e.project);
    text(out, ",\"operation\":", e.operation.as_str());
    text(out, ",\"timestamp_bucket\":", &e.timestamp_bucket.text);
    text(out, ",\"query\":", &e.query);
    text(out, ",\"query_hash\":", &e.query_hash);
    out.push(b',');
    integer(out, "count", e.count);
    out.extend_from_slice(b",\"result_ids\":");
    write_ids(out, e);
    out.push(b',');
    integer(out, "key_version", e.key_version);
    text(out, ",\"signature_hmac_sha256\":", &e.signature_hmac_sha256);
    out.push(b',');
    integer(out, "schema_version", e.schema_version);
    if let Some(details) = &e.details {
        out.extend_from_slice(b",\"details\":");
        write_details(out, details);
    }
    out.push(b'}');
}

fn step(out: &mut Vec<u8>, step: i32) {
    match step {
        0 => out.extend_from_slice(b",\"step\":0"),
        // `write!` into a Vec cannot fail.
        _ => _ = write!(out, ",\"step\":{step}"),
    }
}

fn integer(out: &mut Vec<u8>, key: &str, value: u64) {
    out.push(b'"');
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":");
    let (mut digits, mut at, mut rest) = ([0u8; 20], 20, value);
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

fn text(out: &mut Vec<u8>, lead: &str, value: &str) {
    out.extend_from_slice(lead.as_bytes());
    write_string(out, value);
}

fn write_ids(out: &mut Vec<u8>, e: &Envelope<'_>) {
    out.push(b'[');
    for (i, id) in e.result_ids.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write_string(out, id);
    }
    out.push(b']');
}

fn write_details(out: &mut Vec<u8>, details: &Details<'_>) {
    let mut pairs: Vec<_> = details.0.iter().collect();
    pairs.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    out.push(b'{');
    for (i, (key, value)) in pairs.into_iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write_string(out, key);
        out.push(b':');
        write_string(out, value);
    }
    out.push(b'}');
}

/// Appends `value` as a JSON string with RFC 8785's escapes.
pub fn write_string(out: &mut Vec<u8>, value: &str) {
    out.push(b'"');
    let bytes = value.as_bytes();
    // Without a branch in the loop this is done 32 bytes at a time.
    let odd = bytes.iter().fold(0u8, |odd, &b| odd | u8::from(b < 0x20) | u8::from(b == b'"' || b == b'\\'));
    if odd == 0 {
        out.extend_from_slice(bytes);
        out.push(b'"');
        return;
    }
    let mut done = 0;
    for (i, &b) in bytes.iter().enumerate() {
        if b >= 0x20 && b != b'"' && b != b'\\' {
            continue;
        }
        out.extend_from_slice(&bytes[done..i]);
        done = i + 1;
        let short = match b {
            b'"' => b'"',
            b'\\' => b'\\',
            0x08 => b'b',
            0x09 => b't',
            0x0a => b'n',
            0x0c => b'f',
            0x0d => b'r',
            _ => {
                let _ = write!(out, "\\u{b:04x}");
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', short]);
    }
    out.extend_from_slice(&bytes[done..]);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(line: &str) -> (String, String) {
        let e = Envelope::parse(line.as_bytes()).expect("line");
        let (mut canonical, mut again) = (Vec::new(), Vec::new());
        write_signed_part(&mut canonical, &e);
        write_line(&mut again, &e);
        (String::from_utf8(canonical).expect("utf-8"), String::from_utf8(again).expect("utf-8"))
    }

    proptest! {
        #[test]
        fn agrees_with_an_independent_canonicalizer(
            query in any::<String>(), ids in proptest::collection::vec(any::<String>(), 0..4),
            details in proptest::option::of(proptest::collection::btree_map(any::<String>(), any::<String>(), 0..5)),
            step in -1i32..2, count in 0u64..=9_007_199_254_740_991,
        ) {
            let mut value = serde_json::json!({
                "event": "source_unavailable", "timestamp_iso8601": "2026-04-11T09:42:17Z",
                "story_id": "PD-1", "step": step, "source": "veille", "domain": "a", "project": "-",
                "operation": "step0_injection", "timestamp_bucket": "2026-04-11T09:40:00Z",
                "query": query, "query_hash": "sha256:", "count": count, "result_ids": ids,
                "key_version": 1, "signature_hmac_sha256": "ab", "schema_version": 3,
            });
            if let Some(details) = details {
                value["details"] = serde_json::json!(details);
            }
            let (canonical, line) = parts(&value.to_string());
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&line).expect("json"), value.clone());
            value.as_object_mut().expect("object").shift_remove("signature_hmac_sha256");
            prop_assert_eq!(canonical, serde_json_canonicalizer::to_string(&value).expect("canonical"));
        }
    }
}
