//! CS-4, activation of the watch: of the first five stories that came to step 0 after the merge,
//! those that were shown a watch note of strong or moderate impact. Target: five of five.
//!
//! The impact is that of the note as it is today; a note that is gone counts for nothing and is
//! counted apart.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Kpi, Measure, Status, Unit, count, real, unplaced};
use crate::base::Instant;
use crate::memory::facts::{Facts, Window};
use crate::store::Source;
use crate::store::schema::Impact;

/// Stories looked at, all of which must be served.
pub const STORIES: usize = 5;

/// CS-4. Without a merge, or before five stories, the data are insufficient.
pub fn measure(facts: &Facts) -> Measure {
    let empty = unplaced(Kpi::Cs4, Unit::Stories, Some(real(count(STORIES))));
    let Some(merge) = facts.b5_merge else { return empty };
    let mut stories: Vec<(Instant, &str)> =
        facts.first_step0().into_iter().filter(|(_, at)| *at >= merge).map(|(s, at)| (at, s)).collect();
    stories.sort_unstable();
    stories.truncate(STORIES);
    let looked_at: HashSet<&str> = stories.iter().map(|(_, s)| *s).collect();
    let impact: HashMap<&str, Impact> = facts.notes.iter().map(|n| (n.id.as_str(), n.impact)).collect();
    let (mut served, mut gone) = (HashSet::new(), BTreeSet::new());
    for injection in facts.injections.iter().filter(|i| i.source == Source::Veille) {
        if !looked_at.contains(injection.story.as_str()) {
            continue;
        }
        for id in &injection.ids {
            match impact.get(id.as_str()) {
                Some(Impact::Fort | Impact::Modere) => _ = served.insert(injection.story.as_str()),
                Some(Impact::Faible | Impact::Nul) => {}
                None => _ = gone.insert(id.as_str()),
            }
        }
    }
    let numerator = count(served.len());
    let status = match (stories.len() < STORIES, served.len() >= STORIES) {
        (true, _) => Status::Insufficient,
        (false, true) => Status::Met,
        (false, false) => Status::Missed,
    };
    let last = stories.last().map_or(facts.now, |(at, _)| *at).max(merge);
    Measure {
        numerator: Some(numerator),
        denominator: Some(count(stories.len())),
        value: Some(real(numerator)),
        status,
        window: Some(Window { from: merge, to: last.plus(1) }),
        details: if gone.is_empty() { Vec::new() } else { vec![("notes_gone", count(gone.len()))] },
        ..empty
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::facts::NoteFact;
    use crate::memory::facts::samples::{at, injection, nothing};

    fn facts() -> Facts {
        let mut f = nothing("2026-06-01");
        f.b5_merge = Some(at("2026-04-01"));
        for (id, impact) in [
            ("strong", Impact::Fort),
            ("medium", Impact::Modere),
            ("weak", Impact::Faible),
            ("none", Impact::Nul),
        ] {
            f.notes.push(NoteFact { id: id.into(), title: id.into(), impact });
        }
        let v = Source::Veille;
        f.injections = vec![
            injection("2026-03-31T00:00:00Z", "PD-0", v, &["strong"]), // before the merge
            injection("2026-04-01T00:00:00Z", "PD-1", v, &["strong"]),
            injection("2026-04-02T00:00:00Z", "PD-2", v, &["weak", "medium"]),
            injection("2026-04-03T00:00:00Z", "PD-0", v, &["strong"]), // not a first story
            injection("2026-04-03T00:00:00Z", "PD-3", v, &["weak", "none"]),
            injection("2026-04-04T00:00:00Z", "PD-4", v, &[]),
            injection("2026-04-05T00:00:00Z", "PD-4", v, &["medium"]), // at its second step 0
            injection("2026-04-06T00:00:00Z", "PD-5", Source::Learning, &["x"]),
            injection("2026-04-06T00:00:00Z", "PD-5", v, &["gone"]),
            injection("2026-04-07T00:00:00Z", "PD-6", v, &["strong"]), // the sixth
        ];
        f
    }

    #[test]
    fn three_of_five() {
        let m = measure(&facts());
        assert_eq!((m.numerator, m.denominator, m.value), (Some(3), Some(5), Some(3.0)));
        assert_eq!((m.target, m.status), (Some(5.0), Status::Missed));
        assert_eq!(m.details, [("notes_gone", 1)]);
    }

    #[test]
    fn five_of_five() {
        let mut f = facts();
        f.injections[4].ids.push("strong".into());
        f.injections[8].ids = vec!["medium".into()];
        assert_eq!((measure(&f).numerator, measure(&f).status), (Some(5), Status::Met));
    }

    #[test]
    fn four_stories_are_insufficient() {
        let mut f = facts();
        f.injections.truncate(7);
        let m = measure(&f);
        assert_eq!((m.numerator, m.denominator, m.status), (Some(3), Some(4), Status::Insufficient));
        f.b5_merge = None;
        assert_eq!(measure(&f).status, Status::Insufficient);
    }
}
