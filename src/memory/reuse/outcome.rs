//! What a story is worth to the lessons it received: its last word at gate 8. Pure.
//!
//! Worth is counted in whole tenths, so that a sum does not depend on the order of its terms.

use rustc_hash::FxHashMap;

use crate::base::Instant;
use crate::store::schema::{Metric, Verdict};

/// The gate that judges a delivered story.
pub const FINAL_GATE: i64 = 8;
/// Tenths of a story that gate 8 has not judged.
pub const NOT_JUDGED: u64 = 3;

/// Tenths of a story whose last gate-8 record says `verdict` on iteration `version`.
pub fn tenths(verdict: Verdict, version: u32) -> u64 {
    match (verdict, version) {
        (Verdict::Go, 0 | 1) => 10,
        (Verdict::Go, 2) => 8,
        (Verdict::Go, _) => 5,
        (Verdict::Reserve, _) => 4,
        (Verdict::NonConforme | Verdict::Rejected, _) => 0,
    }
}

/// The last gate-8 record of each story: highest version, then latest timestamp, then last in the file.
#[derive(Clone, Debug, Default)]
pub struct Outcomes(FxHashMap<Box<str>, (u32, Instant, Verdict)>);

impl Outcomes {
    /// Takes in the next record of the file; other gates say nothing.
    pub fn record(&mut self, metric: &Metric) {
        if metric.gate != FINAL_GATE {
            return;
        }
        let new = (metric.version, metric.timestamp, metric.verdict);
        let last = self.0.entry(metric.story.as_str().into()).or_insert(new);
        if (new.0, new.1) >= (last.0, last.1) {
            *last = new;
        }
    }

    /// The tenths of `story`.
    pub fn tenths(&self, story: &str) -> u64 {
        self.0.get(story).map_or(NOT_JUDGED, |(version, _, verdict)| tenths(*verdict, *version))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::schema::Record;

    fn metric(gate: i64, version: u32, verdict: &str, second: u32) -> Metric {
        Metric::parse(&format!(
            r#"{{"story":"PD-7","gate":{gate},"version":{version},"verdict":"{verdict}","timestamp":"2026-04-11T09:42:{second:02}Z","domain":"auth","project":"api"}}"#
        ))
        .unwrap()
    }

    fn last(metrics: &[Metric]) -> u64 {
        let mut outcomes = Outcomes::default();
        metrics.iter().for_each(|m| outcomes.record(m));
        outcomes.tenths("PD-7")
    }

    #[test]
    fn every_verdict_and_version() {
        let table = [
            ("GO", 1, 10),
            ("GO", 2, 8),
            ("GO", 3, 5),
            ("GO", 4_000_000_000, 5),
            ("RESERVE", 1, 4),
            ("RESERVE", 9, 4),
            ("NON_CONFORME", 1, 0),
            ("REJECTED", 2, 0),
        ];
        for (verdict, version, expected) in table {
            assert_eq!(last(&[metric(8, version, verdict, 0)]), expected, "{verdict} at {version}");
        }
        assert_eq!(Outcomes::default().tenths("PD-7"), 3);
    }

    #[test]
    fn the_last_record_decides() {
        // Highest version, though written first and earlier.
        assert_eq!(last(&[metric(8, 2, "GO", 0), metric(8, 1, "REJECTED", 9)]), 8);
        // Same version: latest timestamp, whatever the file order.
        assert_eq!(last(&[metric(8, 1, "GO", 9), metric(8, 1, "REJECTED", 8)]), 10);
        // Same version and timestamp: last in the file.
        assert_eq!(last(&[metric(8, 1, "GO", 9), metric(8, 1, "REJECTED", 9)]), 0);
        // Other gates say nothing.
        assert_eq!(last(&[metric(7, 1, "REJECTED", 0), metric(9, 5, "GO", 0)]), 3);
    }
}
