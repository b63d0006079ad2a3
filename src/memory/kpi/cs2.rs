//! CS-2, reuse of learnings: learnings injected at least once from the merge to T + 90 days, in per
//! cent of the learnings created before the merge. Target: 30 %. Alert: below 20 % from T + 60 days on.
//!
//! The numerator is every learning of the store that was injected, as the specification has it, not
//! only those from before the merge; how many of them are is given beside it.

use std::collections::{HashMap, HashSet};

use super::{Kpi, Measure, Status, Unit, count, real, unplaced};
use crate::base::Instant;
use crate::memory::facts::{DAY, Facts, Window};
use crate::store::Source;

/// Days of the window.
pub const WINDOW_DAYS: i64 = 90;
/// Days after the merge from which the alert is given.
pub const ALERT_DAYS: i64 = 60;
/// Per cent that meet the target.
pub const TARGET: i64 = 30;
/// Per cent below which the alert is given.
pub const ALERT_BELOW: i64 = 20;

/// CS-2 over the `days` days from the merge. Without a merge, or without learnings before it, the
/// data are insufficient.
pub fn measure(facts: &Facts, days: i64) -> Measure {
    let empty = unplaced(Kpi::Cs2, Unit::Percent, Some(real(TARGET)));
    let Some(merge) = facts.b5_merge else { return empty };
    let window = Window { from: merge, to: merge.plus(days * DAY) };
    let created: HashMap<&str, Instant> =
        facts.learnings.iter().map(|l| (l.id.as_str(), l.created_at)).collect();
    let injected: HashSet<&str> = facts
        .within(window)
        .filter(|i| i.source == Source::Learning)
        .flat_map(|i| i.ids.iter().map(String::as_str))
        .filter(|id| created.contains_key(id))
        .collect();
    let numerator = count(injected.len());
    let denominator = count(created.values().filter(|at| **at < merge).count());
    let before = count(injected.iter().filter(|id| created[*id] < merge).count());
    let full = facts.now >= window.to;
    let status = match (denominator, full) {
        (0, _) | (_, false) => Status::Insufficient,
        _ if numerator * 100 >= TARGET * denominator => Status::Met,
        _ => Status::Missed,
    };
    Measure {
        numerator: Some(numerator),
        denominator: Some(denominator),
        value: (denominator > 0).then(|| real(numerator) * 100.0 / real(denominator)),
        status,
        window: Some(window),
        alert: denominator > 0
            && facts.now >= merge.plus(ALERT_DAYS * DAY)
            && numerator * 100 < ALERT_BELOW * denominator,
        details: vec![("injected_created_before", before)],
        ..empty
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::facts::samples::{at, injection, learning, nothing};

    /// Ten learnings before the merge of 2026-04-01, two after; three of the old ones and one of the
    /// new ones injected within 90 days.
    fn facts(now: &str) -> Facts {
        let mut facts = nothing(now);
        facts.b5_merge = Some(at("2026-04-01"));
        for i in 0..10 {
            facts.learnings.push(learning(&format!("PD-{i}"), "2026-03-31T23:59:59Z", 0.0));
        }
        facts.learnings.push(learning("NEW-1", "2026-04-01", 0.0));
        facts.learnings.push(learning("NEW-2", "2026-05-01", 0.0));
        let l = Source::Learning;
        facts.injections = vec![
            injection("2026-03-31T23:59:59Z", "S-1", l, &["PD-9"]), // before the window
            injection("2026-04-01T00:00:00Z", "S-2", l, &["PD-0", "PD-1"]),
            injection("2026-04-02T00:00:00Z", "S-3", l, &["PD-0", "GONE-1"]), // twice; unknown
            injection("2026-04-03T00:00:00Z", "S-3", Source::Veille, &["PD-7"]), // another source
            injection("2026-06-29T23:59:59Z", "S-4", l, &["PD-2", "NEW-2"]),  // the window's last second
            injection("2026-06-30T00:00:00Z", "S-5", l, &["PD-8"]),           // after it
        ];
        facts
    }

    #[test]
    fn four_of_ten_at_the_end_of_the_window() {
        let measure = measure(&facts("2026-06-30T00:00:00Z"), 90);
        assert_eq!((measure.numerator, measure.denominator, measure.value), (Some(4), Some(10), Some(40.0)));
        assert_eq!((measure.target, measure.status, measure.alert), (Some(30.0), Status::Met, false));
        assert_eq!(measure.details, [("injected_created_before", 3)]);
    }

    #[test]
    fn a_second_earlier_the_data_are_insufficient() {
        let measure = measure(&facts("2026-06-29T23:59:59Z"), 90);
        assert_eq!((measure.value, measure.status), (Some(40.0), Status::Insufficient));
    }

    #[test]
    fn a_shorter_window() {
        // Two of ten within 30 days.
        let measure = measure(&facts("2026-06-30T00:00:00Z"), 30);
        assert_eq!((measure.value, measure.status), (Some(20.0), Status::Missed));
    }

    #[test]
    fn thirty_meets_and_the_alert_is_below_twenty_from_day_sixty() {
        let mut f = facts("2026-07-01T00:00:00Z");
        f.injections[4].ids = vec!["PD-2".into()];
        assert_eq!(measure(&f, 90).status, Status::Met); // 3 of 10
        f.injections.truncate(4); // 2 of 10: 20 % is not below 20 %
        assert_eq!((measure(&f, 90).status, measure(&f, 90).alert), (Status::Missed, false));
        f.injections[1].ids.pop(); // 1 of 10
        assert!(measure(&f, 90).alert);
        f.now = at("2026-05-31T00:00:00Z"); // T + 60 d
        assert!(measure(&f, 90).alert);
        f.now = at("2026-05-30T23:59:59Z");
        assert!(!measure(&f, 90).alert);
    }

    #[test]
    fn nothing_to_divide_by() {
        let mut f = facts("2026-07-01T00:00:00Z");
        f.learnings.drain(..10);
        let none = measure(&f, 90);
        assert_eq!((none.denominator, none.value, none.status), (Some(0), None, Status::Insufficient));
        assert!(!none.alert);
        f.b5_merge = None;
        assert_eq!(measure(&f, 90).status, Status::Insufficient);
    }
}
