//! One line of the trail: the sixteen fields of PD-295 and the optional seventeenth, `details`.
//!
//! Parsing is strict: duplicate or unknown keys, wrong types, floats, words outside the vocabulary,
//! inexact instants and another schema version make the line invalid. What was parsed borrows from
//! the line.

use std::fmt;

use super::text::Text;
use super::vocabulary::{EventName, Operation, Source};
use crate::base::Instant;

/// Largest integer that canonical JSON can carry exactly (2^53 − 1).
pub const MAX_INTEGER: u64 = (1 << 53) - 1;
/// The schema version of every event.
pub const SCHEMA_VERSION: u64 = 3;

/// A parsed line, its texts borrowed from it where possible.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope<'a> {
    /// What happened.
    pub event: EventName,
    /// When, exact form `YYYY-MM-DDTHH:MM:SSZ`.
    #[serde(borrow)]
    pub timestamp_iso8601: Stamp<'a>,
    /// The story, or `-` for a workspace-wide event.
    #[serde(borrow)]
    pub story_id: Text<'a>,
    /// 0 at step 0, −1 elsewhere.
    pub step: i32,
    /// Where the subject lives.
    pub source: Source,
    /// The domain, or `-`.
    #[serde(borrow)]
    pub domain: Text<'a>,
    /// The project, or `-`.
    #[serde(borrow)]
    pub project: Text<'a>,
    /// What was being done.
    pub operation: Operation,
    /// Start of the five-minute bucket.
    #[serde(borrow)]
    pub timestamp_bucket: Stamp<'a>,
    /// The query text, empty where there is none.
    #[serde(borrow)]
    pub query: Text<'a>,
    /// `sha256:` and the hex of the query text.
    #[serde(borrow)]
    pub query_hash: Text<'a>,
    /// Number of results; unequal to `result_ids.len()` means an inconsistent trace.
    pub count: u64,
    /// The ids shown.
    #[serde(borrow)]
    pub result_ids: Vec<Text<'a>>,
    /// The key version that signed.
    pub key_version: u64,
    /// HMAC-SHA256, 64 lower-case hex digits.
    #[serde(borrow)]
    pub signature_hmac_sha256: Text<'a>,
    /// Always 3.
    pub schema_version: u64,
    /// Before, after, reason …
    #[serde(borrow, default, deserialize_with = "present")]
    pub details: Option<Details<'a>>,
}

impl<'a> Envelope<'a> {
    /// Parses a line without its newline. The error is a short reason, never the line's content.
    pub fn parse(line: &'a [u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(line).map_err(|_| "not UTF-8".to_owned())?;
        let envelope = match super::fast::parse(text) {
            Some(envelope) => envelope,
            None => Self::parse_strictly(text)?,
        };
        if envelope.schema_version != SCHEMA_VERSION {
            return Err("schema_version is not 3".to_owned());
        }
        Ok(envelope)
    }

    /// The parser that decides; the quick reader only spares it lines in our own layout.
    pub(super) fn parse_strictly(text: &'a str) -> Result<Self, String> {
        if !text.starts_with('{') || !text.ends_with('}') {
            return Err("not one JSON object".to_owned());
        }
        let envelope: Envelope<'a> = serde_json::from_str(text).map_err(|e| reason(&e))?;
        if envelope.count > MAX_INTEGER || envelope.key_version > MAX_INTEGER {
            return Err("integer above 2^53 - 1".to_owned());
        }
        Ok(envelope)
    }

    /// Whether `count` is the number of ids.
    pub fn is_consistent(&self) -> bool {
        usize::try_from(self.count) == Ok(self.result_ids.len())
    }

    /// When it happened.
    pub fn instant(&self) -> Instant {
        self.timestamp_iso8601.at
    }
}

/// `details` is an object or absent, never `null`.
fn present<'de: 'a, 'a, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Details<'a>>, D::Error> {
    serde::Deserialize::deserialize(d).map(Some)
}

/// serde_json's message without the position, which would only say where in the line; quoted input
/// (an unknown key's name) is kept short.
fn reason(e: &serde_json::Error) -> String {
    let text = e.to_string();
    let text = text.split(" at line ").next().unwrap_or("").to_owned();
    match text.char_indices().nth(80) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

/// An instant in exactly the form the trail writes, with its text.
#[derive(Clone, PartialEq, Eq)]
pub struct Stamp<'a> {
    /// As written.
    pub text: Text<'a>,
    /// As a point in time.
    pub at: Instant,
}

impl<'a> Stamp<'a> {
    /// Reads `YYYY-MM-DDTHH:MM:SSZ` and nothing else.
    pub fn parse(text: Text<'a>) -> Option<Self> {
        let at = exact_instant(&text)?;
        Some(Stamp { text, at })
    }

    /// The stamp of an instant.
    pub fn new(at: Instant) -> Stamp<'static> {
        Stamp { text: Text(at.to_string().into()), at }
    }
}

impl fmt::Debug for Stamp<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<'de: 'a, 'a> serde::Deserialize<'de> for Stamp<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Stamp::parse(Text::deserialize(d)?)
            .ok_or_else(|| serde::de::Error::custom("an instant is not YYYY-MM-DDTHH:MM:SSZ"))
    }
}

fn exact_instant(text: &str) -> Option<Instant> {
    let b: &[u8; 20] = text.as_bytes().try_into().ok()?;
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'Z')];
    if marks.iter().any(|(i, mark)| b[*i] != *mark) {
        return None;
    }
    let two = |i: usize| {
        let (tens, units) = (b[i].wrapping_sub(b'0'), b[i + 1].wrapping_sub(b'0'));
        (tens < 10 && units < 10).then(|| i64::from(tens) * 10 + i64::from(units))
    };
    let (year, month, day) = (two(0)? * 100 + two(2)?, two(5)?, two(8)?);
    let (hour, minute, second) = (two(11)?, two(14)?, two(17)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if year < 1 || day < 1 || day > length || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    // Days since 1970-01-01, in years that begin in March (H. Hinnant's days_from_civil).
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * month + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some(Instant::from_unix(days * 86_400 + hour * 3600 + minute * 60 + second))
}

/// The `details` object, in the order of the line, keys unique.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details<'a>(pub Vec<(Text<'a>, Text<'a>)>);

impl Details<'_> {
    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(k, _)| &**k == key).map(|(_, v)| &**v)
    }
}

impl<'de: 'a, 'a> serde::Deserialize<'de> for Details<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Details<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of strings")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs: Vec<(Text<'de>, Text<'de>)> = Vec::new();
                while let Some((key, value)) = map.next_entry::<Text<'de>, Text<'de>>()? {
                    if pairs.iter().any(|(k, _)| *k == key) {
                        return Err(serde::de::Error::custom("duplicate key in details"));
                    }
                    // Quadratic above: a line made to stall the reader stays bounded.
                    if pairs.len() == 64 {
                        return Err(serde::de::Error::custom("more than 64 details"));
                    }
                    pairs.push((key, value));
                }
                Ok(Details(pairs))
            }
        }
        d.deserialize_map(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"event":"learning_injected","timestamp_iso8601":"2026-04-11T09:42:17Z","story_id":"PD-295","step":0,"source":"learning","domain":"auth-identity","project":"backend","operation":"step0_injection","timestamp_bucket":"2026-04-11T09:40:00Z","query":"mfa","query_hash":"sha256:00","count":1,"result_ids":["PD-19-3-a1b2c3d4e5f6"],"key_version":12,"signature_hmac_sha256":"00","schema_version":3}"#;

    #[test]
    fn parses_the_source_example() {
        let e = Envelope::parse(LINE.as_bytes()).expect("valid");
        assert_eq!(e.instant(), Instant::parse("2026-04-11T09:42:17Z").expect("instant"));
        assert!(matches!(e.result_ids[0].0, std::borrow::Cow::Borrowed(_)));
        assert!(e.is_consistent());
    }

    #[test]
    fn exact_instants_agree_with_the_calendar() {
        for days in (0..3_652_059).step_by(37) {
            let day = crate::base::Date::new(1, 1, 1).expect("day").plus_days(days);
            let at = day.midnight().plus(86_399 - days % 1000);
            assert_eq!(exact_instant(&at.to_string()), Some(at));
        }
        for bad in
            ["2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "0000-01-01T00:00:00Z"]
        {
            assert_eq!(exact_instant(bad), None);
        }
        assert!(exact_instant("2024-02-29T00:00:00Z").is_some());
    }

    #[test]
    fn refuses_everything_else() {
        let mutations = [
            (r#""count":1"#, r#""count":1,"count":1"#),
            (r#""count":1"#, r#""count":1.0"#),
            (r#""count":1"#, r#""count":"1""#),
            (r#""count":1"#, r#""count":-1"#),
            (r#""count":1"#, r#""count":9007199254740992"#),
            (r#""count":1,"#, ""),
            (r#""schema_version":3"#, r#""schema_version":4"#),
            (r#""schema_version":3"#, r#""schema_version":3,"extra":1"#),
            (r#""schema_version":3"#, r#""schema_version":3,"details":{"a":"1","a":"2"}"#),
            (r#""schema_version":3"#, r#""schema_version":3,"details":{"a":1}"#),
            (r#""schema_version":3"#, r#""schema_version":3,"details":null"#),
            ("learning_injected", "learning_injekted"),
            (r#""source":"learning""#, r#""source":{"learning":null}"#),
            ("09:42:17Z", "09:42:17+00:00"),
            ("09:42:17Z", "09:42:61Z"),
            ("2026-04-11T09:42", "2026-02-30T09:42"),
            (r#""query":"mfa""#, "\"query\":\"\\ud800\""),
            (r#""query":"mfa""#, "\"query\":\"\u{0}\""),
            (r#"["PD-19-3-a1b2c3d4e5f6"]"#, r#"[["PD-19-3-a1b2c3d4e5f6"]]"#),
        ];
        for (from, to) in mutations {
            assert!(LINE.contains(from), "{from}");
            let bad = LINE.replacen(from, to, 1);
            assert!(Envelope::parse(bad.as_bytes()).is_err(), "{to}");
        }
        for bad in ["", "{}", "[]", &format!("{LINE}{LINE}"), &format!(" {LINE}"), &format!("{LINE}\r")] {
            assert!(Envelope::parse(bad.as_bytes()).is_err());
        }
        assert!(Envelope::parse(b"\xff").is_err());
        assert!(Envelope::parse("[".repeat(200_000).as_bytes()).is_err());
    }
}
