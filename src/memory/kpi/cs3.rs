//! CS-3, capitalisation of clarifications: over 30 sliding days, new stories for which step 0 found
//! at least one clarification of their domain. Target: one.
//!
//! A story is new when its first step 0 lies in the window, and counts once. Its own answers, which
//! step 0 always finds, do not count; an id that is no longer in the store counts as another's. The
//! search is bound to the story's domain, so what it found is of that domain.

use std::collections::{HashMap, HashSet};

use super::{Kpi, Measure, Status, Unit, count, real, unplaced};
use crate::memory::facts::{DAY, Facts, Window};
use crate::store::Source;

/// Days of the window.
pub const WINDOW_DAYS: i64 = 30;
/// Occurrences that meet the target.
pub const TARGET: i64 = 1;

/// CS-3 over the 30 days that end now. The window is full once measuring (the merge, else the first
/// step 0 on the trail) began 30 days ago.
pub fn measure(facts: &Facts) -> Measure {
    let window = Window::last_days(facts.now, WINDOW_DAYS);
    let first = facts.first_step0();
    let new: HashSet<&str> = first.iter().filter(|(_, at)| window.holds(**at)).map(|(s, _)| *s).collect();
    let owner: HashMap<&str, &str> =
        facts.clarifications.iter().map(|c| (c.id.as_str(), c.story.as_str())).collect();
    let found: HashSet<&str> = facts
        .within(window)
        .filter(|i| i.source == Source::Clarification && new.contains(i.story.as_str()))
        .filter(|i| i.ids.iter().any(|id| owner.get(id.as_str()) != Some(&i.story.as_str())))
        .map(|i| i.story.as_str())
        .collect();
    let began = facts.b5_merge.or_else(|| first.values().min().copied());
    let full = began.is_some_and(|at| at <= facts.now.plus(-WINDOW_DAYS * DAY));
    let numerator = count(found.len());
    let status = match full {
        false => Status::Insufficient,
        true if numerator >= TARGET => Status::Met,
        true => Status::Missed,
    };
    Measure {
        numerator: Some(numerator),
        denominator: Some(count(new.len())),
        value: Some(real(numerator)),
        status,
        window: Some(window),
        ..unplaced(Kpi::Cs3, Unit::Occurrences, Some(real(TARGET)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::facts::samples::{at, injection, nothing};
    use crate::memory::facts::{ClarificationFact, Injection};

    fn facts() -> Facts {
        let mut facts = nothing("2026-05-31T12:00:00Z");
        facts.b5_merge = Some(at("2026-04-01"));
        for story in ["PD-1", "PD-2", "PD-3"] {
            facts.clarifications.push(ClarificationFact {
                id: format!("file-of-{story}"),
                story: story.into(),
                retention_until: at("2027-12-01").date(),
            });
        }
        facts
    }

    fn shown(when: &str, story: &str, ids: &[&str]) -> Injection {
        injection(when, story, Source::Clarification, ids)
    }

    #[test]
    fn two_of_four_new_stories() {
        let mut f = facts();
        f.injections = vec![
            shown("2026-05-02T12:00:00Z", "PD-1", &["file-of-PD-2"]), // exactly 29 days ago: new
            shown("2026-05-10T12:00:00Z", "PD-1", &["file-of-PD-2"]), // again: once
            shown("2026-05-11T12:00:00Z", "PD-2", &["file-of-PD-2"]), // its own only
            shown("2026-05-12T12:00:00Z", "PD-3", &[]),               // nothing found
            shown("2026-05-13T12:00:00Z", "PD-4", &["purged-since"]), // another's, gone since
            shown("2026-04-20T12:00:00Z", "PD-5", &[]),               // not new …
            shown("2026-05-20T12:00:00Z", "PD-5", &["file-of-PD-1"]), // … so not counted
            injection("2026-05-21T12:00:00Z", "PD-4", Source::Learning, &["PD-1-8-x"]),
        ];
        let m = measure(&f);
        assert_eq!((m.numerator, m.denominator, m.value), (Some(2), Some(4), Some(2.0)));
        assert_eq!((m.target, m.status), (Some(1.0), Status::Met));
    }

    #[test]
    fn the_window_slides() {
        let mut f = facts();
        f.injections = vec![shown("2026-05-01T12:00:01Z", "PD-1", &["file-of-PD-2"])];
        assert_eq!(measure(&f).status, Status::Met);
        f.injections[0].at = at("2026-05-01T12:00:00Z"); // thirty days ago to the second: outside
        assert_eq!((measure(&f).numerator, measure(&f).status), (Some(0), Status::Missed));
    }

    #[test]
    fn a_young_trail_is_insufficient() {
        let mut f = facts();
        f.b5_merge = None;
        assert_eq!(measure(&f).status, Status::Insufficient);
        f.injections = vec![shown("2026-05-20T12:00:00Z", "PD-1", &["file-of-PD-2"])];
        let m = measure(&f);
        assert_eq!((m.numerator, m.status), (Some(1), Status::Insufficient));
        f.injections.push(shown("2026-05-01T12:00:00Z", "PD-9", &[]));
        assert_eq!(measure(&f).status, Status::Met);
    }
}
