//! What one run of `learnings-promote` would change. Pure.

use super::state::{Facts, State, step};
use crate::base::Instant;
use crate::memory::reuse::{Figures, Lesson};

/// One lesson that moves.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Move {
    /// Its place in the list of lessons.
    #[serde(skip)]
    pub lesson: usize,
    /// Its identity.
    pub id: String,
    /// The scope it leaves: `story` or `domain`.
    pub from: &'static str,
    /// Where it goes: `domain`, `global` or `archived`.
    pub to: &'static str,
}

/// The changes of one run, in the order of the lessons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Lessons that receive the scope `story`, by place.
    pub migrated: Vec<usize>,
    /// Lessons that reach further.
    pub promoted: Vec<Move>,
    /// Lessons that retire.
    pub archived: Vec<Move>,
    /// Active lessons before the run.
    pub active: usize,
}

impl Plan {
    /// The plan for `lessons`, whose figures stand in the same order. The migration is no step of the
    /// state machine: a lesson may receive its scope and move in one run.
    pub fn new(lessons: &[Lesson], figures: &[Figures], now: Instant) -> Plan {
        let mut plan = Plan::default();
        for (at, (lesson, figures)) in lessons.iter().zip(figures).enumerate() {
            let from = State::of(lesson.scope, lesson.active);
            plan.active += usize::from(lesson.active);
            if lesson.scope.is_none() {
                plan.migrated.push(at);
            }
            let facts = Facts {
                score: figures.score(),
                domains: figures.domains.len() as u64,
                injections: figures.injections,
                age_s: now.unix().saturating_sub(lesson.age_from.unix()),
            };
            let Some(to) = step(from, facts) else { continue };
            let moved = Move { lesson: at, id: lesson.id.clone(), from: from.word(), to: to.word() };
            match to {
                State::Archived => plan.archived.push(moved),
                _ => plan.promoted.push(moved),
            }
        }
        plan
    }

    /// Whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.migrated.is_empty() && self.promoted.is_empty() && self.archived.is_empty()
    }

    /// Whether more than a fifth of the active lessons would retire at once.
    pub fn needs_consent(&self) -> bool {
        self.archived.len() * 5 > self.active
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::schema::Scope;

    const NOW: i64 = 1_775_900_537;

    fn lesson(n: usize, scope: Option<Scope>, active: bool, days: i64) -> Lesson {
        let age_from = Instant::from_unix(NOW - days * 86_400 - 1);
        Lesson { scope, active, age_from, ..Lesson::sample(&format!("L{n}"), "PD-1") }
    }

    fn figures(tenths: u64, domains: &[u32]) -> Figures {
        Figures { tenths, injections: tenths, domains: domains.into(), ..Figures::default() }
    }

    #[test]
    fn migration_promotion_and_archival_in_one_run() {
        let lessons = [
            lesson(0, None, true, 0),
            lesson(1, None, true, 56),
            lesson(2, None, true, 9),
            lesson(3, Some(Scope::Domain), true, 99),
            lesson(4, Some(Scope::Domain), true, 99),
            lesson(5, Some(Scope::Story), false, 99),
        ];
        let none = figures(0, &[]);
        // tanh(0.31) = 0.3004, tanh(0.7) = 0.6044.
        let figures = [
            none.clone(),
            none.clone(),
            figures(31, &[0]),
            figures(70, &[0, 1]),
            none.clone(),
            figures(70, &[0]),
        ];
        let plan = Plan::new(&lessons, &figures, Instant::from_unix(NOW));
        assert_eq!(plan.migrated, [0, 1, 2]);
        let moves = |list: &[Move]| list.iter().map(|m| (m.lesson, m.from, m.to)).collect::<Vec<_>>();
        assert_eq!(moves(&plan.promoted), [(2, "story", "domain"), (3, "domain", "global")]);
        assert_eq!(moves(&plan.archived), [(1, "story", "archived")]);
        assert_eq!(plan.active, 5);
        assert!(!plan.needs_consent());
    }

    #[test]
    fn a_fifth_is_not_more_than_a_fifth() {
        let run = |stale: usize, fresh: usize| {
            let mut lessons: Vec<Lesson> =
                (0..stale).map(|n| lesson(n, Some(Scope::Story), true, 57)).collect();
            lessons.extend((0..fresh).map(|n| lesson(n, Some(Scope::Story), true, 0)));
            let figures = vec![Figures::default(); lessons.len()];
            Plan::new(&lessons, &figures, Instant::from_unix(NOW)).needs_consent()
        };
        assert!(!run(2, 8));
        assert!(run(2, 7));
        assert!(!run(0, 0));
        assert!(run(1, 0));
    }
}
