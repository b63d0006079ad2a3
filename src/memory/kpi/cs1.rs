//! CS-1, iterations at gate 8: share of stories with GO at version 1, after the merge less before it.
//!
//! A story is judged when its first gate-8 record is given; that instant puts it before or after the
//! merge, once and for all. Its first version decides; of several records of version 1 the last one
//! in time, then in file order. A story whose first recorded version is above 1 has no GO at 1.

use std::collections::HashMap;

use super::baseline::{Baseline, WINDOW};
use super::{Kpi, Measure, Status, Unit, count, real, unplaced};
use crate::base::Instant;
use crate::memory::facts::{Facts, GateFact, Window};
use crate::store::schema::Verdict;

/// The gate that CS-1 looks at.
const GATE: i64 = 8;

/// A story as CS-1 sees it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    /// The story.
    pub story: String,
    /// When its first gate-8 record was given.
    pub judged_at: Instant,
    /// GO at version 1.
    pub go_v1: bool,
}

/// The judged stories, in the order of their first judgement, then by name.
pub fn judged(gates: &[GateFact]) -> Vec<Judged> {
    /// Of one story: its first judgement, and the last one of version 1 with what it said.
    struct Seen {
        first: Instant,
        at_one: Option<(Instant, bool)>,
    }
    let mut stories: HashMap<&str, Seen> = HashMap::new();
    for record in gates.iter().filter(|g| g.gate == GATE) {
        let seen = stories.entry(&record.story).or_insert(Seen { first: record.at, at_one: None });
        seen.first = record.at.min(seen.first);
        if record.version == 1 && seen.at_one.is_none_or(|(at, _)| at <= record.at) {
            seen.at_one = Some((record.at, record.verdict == Verdict::Go));
        }
    }
    let mut judged: Vec<Judged> = stories
        .into_iter()
        .map(|(story, seen)| Judged {
            story: story.to_owned(),
            judged_at: seen.first,
            go_v1: seen.at_one.is_some_and(|(_, go)| go),
        })
        .collect();
    judged.sort_by(|a, b| (a.judged_at, &a.story).cmp(&(b.judged_at, &b.story)));
    judged
}

/// The last stories judged before `merge`, at most ten. Records after the merge are not looked at.
pub fn before(gates: &[GateFact], merge: Instant) -> Vec<Judged> {
    let early: Vec<GateFact> = gates.iter().filter(|g| g.at < merge).cloned().collect();
    let mut stories = judged(&early);
    stories.drain(..stories.len().saturating_sub(WINDOW));
    stories
}

/// The first stories judged from `merge` on, at most ten.
pub fn after(gates: &[GateFact], merge: Instant) -> Vec<Judged> {
    let mut stories = judged(gates);
    stories.retain(|s| s.judged_at >= merge);
    stories.truncate(WINDOW);
    stories
}

/// CS-1 against the frozen `baseline`. Without one, or before ten stories were judged after the
/// merge, the data are insufficient. The specification sets no target.
pub fn measure(facts: &Facts, baseline: Option<&Baseline>) -> Measure {
    let empty = unplaced(Kpi::Cs1, Unit::Rate, None);
    let Some(baseline) = baseline else { return empty };
    let stories = after(&facts.gates, baseline.b5_merge);
    let go = count(stories.iter().filter(|s| s.go_v1).count());
    let details = vec![
        ("before_go_v1", count(baseline.go_v1())),
        ("before_stories", count(baseline.stories.len())),
        ("after_go_v1", go),
        ("after_stories", count(stories.len())),
    ];
    let last = stories.last().map_or(facts.now, |s| s.judged_at);
    let window = Some(Window { from: baseline.b5_merge, to: last.max(baseline.b5_merge).plus(1) });
    if stories.len() < WINDOW {
        return Measure { details, window, ..empty };
    }
    let difference = go - count(baseline.go_v1());
    Measure {
        numerator: Some(difference),
        denominator: Some(count(WINDOW)),
        value: Some(real(difference) / real(count(WINDOW))),
        status: Status::Measured,
        details,
        window,
        ..empty
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::facts::samples::{at, gate8, nothing};

    /// Ten stories `{prefix}-1` … judged from `day` of `month` on, the first `go` of them GO at 1.
    fn ten(prefix: &str, month: u32, go: usize) -> Vec<GateFact> {
        (1..=10)
            .map(|i| {
                let verdict = if i <= go { Verdict::Go } else { Verdict::Reserve };
                gate8(&format!("{prefix}-{i}"), 1, verdict, &format!("2026-{month:02}-{i:02}T10:00:00Z"))
            })
            .collect()
    }

    #[test]
    fn seven_of_ten_after_four_of_ten_is_thirty_points() {
        let mut facts = nothing("2026-06-01T00:00:00Z");
        facts.gates = ten("OLD", 1, 4);
        facts.gates.extend(ten("NEW", 5, 7));
        let merge = at("2026-04-01");
        let baseline = Baseline::of(before(&facts.gates, merge), merge, at("2026-04-02")).unwrap();
        let measure = measure(&facts, Some(&baseline));
        assert_eq!((measure.numerator, measure.denominator, measure.value), (Some(3), Some(10), Some(0.3)));
        assert_eq!((measure.target, measure.status), (None, Status::Measured));
        facts.gates.pop();
        let nine = super::measure(&facts, Some(&baseline));
        assert_eq!((nine.value, nine.status), (None, Status::Insufficient));
        assert_eq!(nine.details[3], ("after_stories", 9));
        assert_eq!(super::measure(&facts, None).status, Status::Insufficient);
    }

    #[test]
    fn the_last_ten_before_and_the_first_ten_after() {
        let mut gates = ten("OLD", 1, 10);
        gates.extend(ten("MID", 2, 0));
        gates.push(gate8("EDGE-1", 1, Verdict::Go, "2026-04-01T00:00:00Z"));
        gates.extend(ten("NEW", 5, 0));
        let merge = at("2026-04-01");
        let early = before(&gates, merge);
        assert_eq!(early.len(), 10);
        assert!(early.iter().all(|s| s.story.starts_with("MID") && !s.go_v1));
        let late = after(&gates, merge);
        assert_eq!(late.len(), 10);
        assert_eq!((late[0].story.as_str(), late[0].go_v1), ("EDGE-1", true));
        assert_eq!(late[9].story, "NEW-9");
    }

    #[test]
    fn the_first_version_decides_and_the_first_judgement_places() {
        let merge = at("2026-04-01");
        let gates = [
            // Judged before, accepted after: before, not GO at 1.
            gate8("A-1", 1, Verdict::NonConforme, "2026-03-31T23:59:59Z"),
            gate8("A-1", 2, Verdict::Go, "2026-04-02T10:00:00Z"),
            // Version 1 recorded twice: the later one counts, in time, not in file order.
            gate8("B-1", 1, Verdict::Go, "2026-03-02T10:00:00Z"),
            gate8("B-1", 1, Verdict::Reserve, "2026-03-01T10:00:00Z"),
            // Same instant: file order.
            gate8("C-1", 1, Verdict::Go, "2026-03-03T10:00:00Z"),
            gate8("C-1", 1, Verdict::Reserve, "2026-03-03T10:00:00Z"),
            // No version 1.
            gate8("D-1", 2, Verdict::Go, "2026-03-04T10:00:00Z"),
            // Another gate.
            GateFact { gate: 7, ..gate8("E-1", 1, Verdict::Go, "2026-03-05T10:00:00Z") },
        ];
        let seen: Vec<_> = before(&gates, merge).into_iter().map(|s| (s.story, s.go_v1)).collect();
        let want = [("B-1", true), ("C-1", false), ("D-1", false), ("A-1", false)];
        assert_eq!(seen, want.map(|(s, go)| (s.to_owned(), go)));
        assert!(after(&gates, merge).is_empty());
    }
}
