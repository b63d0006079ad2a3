//! Instants and calendar days, and the only source of "now".
//!
//! An [`Instant`] is UTC with whole seconds and prints as RFC 3339 `Z`; a [`Date`] is a calendar
//! day. Time always comes in through a [`Clock`], so that the same input gives the same bytes.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, Datelike, Months, NaiveDate, NaiveDateTime, TimeDelta, Utc};

/// A source of the current instant.
pub trait Clock: Send + Sync {
    /// The current instant, UTC, whole seconds.
    fn now(&self) -> Instant;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Instant {
        #[expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]
        let now = Utc::now();
        Instant(now.timestamp())
    }
}

/// A clock that stands still until told otherwise.
#[derive(Debug)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// A clock that shows `instant`.
    pub fn new(instant: Instant) -> Self {
        FixedClock(AtomicI64::new(instant.0))
    }

    /// Moves the clock by `seconds`, backwards when negative.
    pub fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Instant {
        Instant(self.0.load(Ordering::SeqCst))
    }
}

/// Seconds since the Unix epoch, UTC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(i64);

impl Instant {
    /// From seconds since the Unix epoch; years outside 0–9999 are clamped to their bounds.
    pub fn from_unix(seconds: i64) -> Self {
        Instant(seconds.clamp(-62_167_219_200, 253_402_300_799))
    }

    /// Seconds since the Unix epoch.
    pub fn unix(self) -> i64 {
        self.0
    }

    /// Reads RFC 3339 with any offset, seconds optional (`2026-03-12T17:14Z`), fraction dropped,
    /// `:60` read as the last second of its minute. A value without zone is refused.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if !text.is_ascii() {
            return None;
        }
        if let Ok(t) = DateTime::parse_from_rfc3339(text) {
            return Some(Instant::from_unix(t.timestamp()));
        }
        // Without seconds: insert them before the zone.
        let (head, zone) = text.split_at_checked(16)?;
        if head.as_bytes()[10] != b'T' && head.as_bytes()[10] != b' ' {
            return None;
        }
        let t = DateTime::parse_from_rfc3339(&format!("{head}:00{zone}")).ok()?;
        Some(Instant::from_unix(t.timestamp()))
    }

    /// The start of the 5-minute bucket that holds this instant.
    pub fn bucket(self) -> Self {
        Instant(self.0 - self.0.rem_euclid(300))
    }

    /// The calendar day, UTC.
    pub fn date(self) -> Date {
        Date(self.utc().date_naive())
    }

    /// This instant moved by `seconds`.
    #[must_use]
    pub fn plus(self, seconds: i64) -> Self {
        Instant::from_unix(self.0.saturating_add(seconds))
    }

    /// A form without `:` that is safe in file names, `20260411T094217Z`.
    pub fn compact(self) -> String {
        self.utc().format("%Y%m%dT%H%M%SZ").to_string()
    }

    fn utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp(self.0, 0).unwrap_or(DateTime::UNIX_EPOCH)
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.utc().to_rfc3339_opts(chrono::SecondsFormat::Secs, true))
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl serde::Serialize for Instant {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Instant {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(d)?;
        Instant::parse(&text)
            .ok_or_else(|| serde::de::Error::custom(format!("not an RFC 3339 instant: {text:?}")))
    }
}

/// A calendar day, `YYYY-MM-DD`, years 1 to 9999.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(NaiveDate);

impl Date {
    /// The day, if it exists.
    pub fn new(year: i32, month: u32, day: u32) -> Option<Self> {
        if !(1..=9999).contains(&year) {
            return None;
        }
        NaiveDate::from_ymd_opt(year, month, day).map(Date)
    }

    /// Reads exactly `YYYY-MM-DD`, ASCII digits only.
    pub fn parse(text: &str) -> Option<Self> {
        let b = text.as_bytes();
        if b.len() != 10 || b[4] != b'-' || b[7] != b'-' {
            return None;
        }
        let number = |range: std::ops::Range<usize>| {
            b[range].iter().try_fold(0u32, |n, c| c.is_ascii_digit().then(|| n * 10 + u32::from(c - b'0')))
        };
        Date::new(i32::try_from(number(0..4)?).ok()?, number(5..7)?, number(8..10)?)
    }

    /// The first `YYYY-MM-DD` that stands in `text` between non-digits and is a real day.
    pub fn find(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        (0..bytes.len().saturating_sub(9)).find_map(|i| {
            let before = i == 0 || !bytes[i - 1].is_ascii_digit();
            let after = bytes.get(i + 10).is_none_or(|c| !c.is_ascii_digit());
            if before && after { text.get(i..i + 10).and_then(Date::parse) } else { None }
        })
    }

    /// `months` calendar months later, the day clamped to the month's end.
    #[must_use]
    pub fn plus_months(self, months: u32) -> Self {
        Date(self.0.checked_add_months(Months::new(months)).unwrap_or(NaiveDate::MAX))
    }

    /// `days` days later, earlier when negative.
    #[must_use]
    pub fn plus_days(self, days: i64) -> Self {
        let delta = TimeDelta::try_days(days).unwrap_or_default();
        Date(self.0.checked_add_signed(delta).unwrap_or(self.0))
    }

    /// Days from `earlier` to this day, negative when it lies after.
    pub fn days_since(self, earlier: Date) -> i64 {
        self.0.signed_duration_since(earlier.0).num_days()
    }

    /// Midnight UTC at the start of this day.
    pub fn midnight(self) -> Instant {
        Instant::from_unix(NaiveDateTime::from(self.0).and_utc().timestamp())
    }

    /// Year, month, day.
    pub fn ymd(self) -> (i32, u32, u32) {
        (self.0.year(), self.0.month(), self.0.day())
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.format("%Y-%m-%d"))
    }
}

impl fmt::Debug for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl serde::Serialize for Date {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Date {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(d)?;
        Date::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("not a YYYY-MM-DD day: {text:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Instant {
        Instant::parse(text).expect("instant")
    }

    #[test]
    fn instants() {
        assert_eq!(at("2026-04-11T09:42:17Z").bucket().to_string(), "2026-04-11T09:40:00Z");
        assert_eq!(at("2026-04-11T11:42:17.9+02:00").to_string(), "2026-04-11T09:42:17Z");
        assert_eq!(at("2026-03-12T17:14Z").to_string(), "2026-03-12T17:14:00Z");
        assert_eq!(Instant::from_unix(-1).bucket().unix(), -300);
        for bad in ["2026-04-11T09:42:17", "2026-04-11", "", "2026-02-30T00:00:00Z", "２０26-04-11T09:42Z"]
        {
            assert_eq!(Instant::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn calendar_months_are_clamped() {
        let add = |d: &str| Date::parse(d).expect("day").plus_months(18).to_string();
        assert_eq!(add("2026-03-15"), "2027-09-15");
        assert_eq!(add("2026-08-31"), "2028-02-29");
    }

    #[test]
    fn days() {
        for bad in ["2026-02-30", "2026-7-1", "2026-07-01 ", "０026-01-01", "0000-01-01"] {
            assert_eq!(Date::parse(bad), None, "{bad}");
        }
        assert_eq!(Date::find("radar/2023-01-31/vite.md"), Date::parse("2023-01-31"));
        assert_eq!(Date::find("12023-01-31 é 2024-02-30 2024-02-29"), Date::parse("2024-02-29"));
        assert_eq!(Date::parse("2026-03-01").unwrap().days_since(Date::parse("2026-02-01").unwrap()), 28);
    }
}
