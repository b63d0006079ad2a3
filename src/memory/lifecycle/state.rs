//! The states of a lesson and the only ways between them (PD-295 §5.4). Pure.
//!
//! Four moves exist; every other pair is ERR-295-13. Nothing is ever downgraded, and only an
//! operator brings an archived lesson back.

use std::fmt;

use crate::base::{Code, Error, Result};
use crate::store::schema::Scope;
use crate::tr;

/// Least score for the move from story to domain.
pub const DOMAIN_SCORE: f64 = 0.30;
/// Least number of domains for the move from story to domain.
pub const DOMAIN_DOMAINS: u64 = 1;
/// Least score for the move from domain to global.
pub const GLOBAL_SCORE: f64 = 0.60;
/// Least number of domains for the move from domain to global.
pub const GLOBAL_DOMAINS: u64 = 2;
/// Age above which a lesson that was never injected is archived, in seconds: 56 days.
pub const STALE_AFTER_S: i64 = 56 * 86_400;

/// Where a lesson stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    /// Reaches its own story.
    StoryActive,
    /// Reaches its domain.
    DomainActive,
    /// Reaches everyone.
    GlobalActive,
    /// Retired.
    Archived,
}

impl State {
    /// Every state.
    pub const ALL: [State; 4] =
        [State::StoryActive, State::DomainActive, State::GlobalActive, State::Archived];

    /// The state of a lesson; one without scope stands where the migration will put it.
    pub fn of(scope: Option<Scope>, active: bool) -> State {
        match (active, scope) {
            (false, _) => State::Archived,
            (true, None | Some(Scope::Story)) => State::StoryActive,
            (true, Some(Scope::Domain)) => State::DomainActive,
            (true, Some(Scope::Global)) => State::GlobalActive,
        }
    }

    /// The word of events and reports: `story`, `domain`, `global`, `archived`.
    pub fn word(self) -> &'static str {
        match self {
            State::StoryActive => "story",
            State::DomainActive => "domain",
            State::GlobalActive => "global",
            State::Archived => "archived",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            State::StoryActive => "STORY_ACTIVE",
            State::DomainActive => "DOMAIN_ACTIVE",
            State::GlobalActive => "GLOBAL_ACTIVE",
            State::Archived => "ARCHIVED",
        })
    }
}

/// What the job knows of a lesson.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// `reuse_score`.
    pub score: f64,
    /// `nb_domains`.
    pub domains: u64,
    /// `nb_injections`.
    pub injections: u64,
    /// Seconds since the latest of created, imported and restored; negative in the future.
    pub age_s: i64,
}

/// Who moves a lesson.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum By {
    /// `learnings-promote`, on these facts.
    Job(Facts),
    /// An operator, by `restore --id`.
    Operator,
}

/// Whether the move `from` → `to` is allowed to `by`.
///
/// # Errors
/// ERR-295-13, with what the machine would allow.
pub fn check(from: State, to: State, by: By) -> Result<()> {
    let allowed = match (from, to, by) {
        (State::StoryActive, State::DomainActive, By::Job(f)) => {
            f.score >= DOMAIN_SCORE && f.domains >= DOMAIN_DOMAINS
        }
        (State::DomainActive, State::GlobalActive, By::Job(f)) => {
            f.score >= GLOBAL_SCORE && f.domains >= GLOBAL_DOMAINS
        }
        (State::StoryActive, State::Archived, By::Job(f)) => f.injections == 0 && f.age_s > STALE_AFTER_S,
        (State::Archived, State::StoryActive, By::Operator) => true,
        _ => false,
    };
    if allowed {
        return Ok(());
    }
    Err(Error::memory(
        Code::TransitionForbidden,
        tr!("transition {from} → {to} interdite", "transition {from} → {to} is forbidden"),
    )
    .hint(match from {
        State::StoryActive => tr!(
            "STORY_ACTIVE mène à DOMAIN_ACTIVE (score ≥ 0,30, un domaine) ou à ARCHIVED (0 injection, plus de 56 jours), par learnings-promote",
            "STORY_ACTIVE leads to DOMAIN_ACTIVE (score ≥ 0.30, one domain) or ARCHIVED (0 injections, more than 56 days), by learnings-promote"
        ),
        State::DomainActive => tr!(
            "DOMAIN_ACTIVE ne mène qu'à GLOBAL_ACTIVE (score ≥ 0,60, deux domaines), par learnings-promote",
            "DOMAIN_ACTIVE only leads to GLOBAL_ACTIVE (score ≥ 0.60, two domains), by learnings-promote"
        ),
        State::GlobalActive => tr!("GLOBAL_ACTIVE ne mène nulle part", "GLOBAL_ACTIVE leads nowhere"),
        State::Archived => tr!(
            "seul `govmem restore --id` ramène un learning archivé, à STORY_ACTIVE",
            "only `govmem restore --id` brings an archived learning back, to STORY_ACTIVE"
        ),
    }))
}

/// The one step that the job takes from `from` on these facts, if any.
pub fn step(from: State, facts: Facts) -> Option<State> {
    State::ALL.into_iter().find(|to| check(from, *to, By::Job(facts)).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use State::{Archived, DomainActive, GlobalActive, StoryActive};

    const DAY: i64 = 86_400;

    fn facts(score: f64, domains: u64, injections: u64, days: i64) -> Facts {
        Facts { score, domains, injections, age_s: days * DAY }
    }

    /// Every pair of states, under the most permissive facts of each kind, for both movers.
    #[test]
    fn only_four_moves_exist() {
        let reused = facts(1.0, 9, 9, 999);
        let stale = facts(0.0, 0, 0, 999);
        // Impossible together, but it opens every numeric guard at once.
        let everything = facts(1.0, 9, 0, 999);
        for from in State::ALL {
            for to in State::ALL {
                let ok = |by| check(from, to, by).is_ok();
                assert_eq!(
                    ok(By::Job(reused)),
                    matches!((from, to), (StoryActive, DomainActive) | (DomainActive, GlobalActive)),
                    "{from} → {to}, reused"
                );
                assert_eq!(ok(By::Job(stale)), (from, to) == (StoryActive, Archived), "{from} → {to}, stale");
                assert_eq!(
                    ok(By::Operator),
                    (from, to) == (Archived, StoryActive),
                    "{from} → {to}, operator"
                );
                if !(ok(By::Job(everything)) || ok(By::Operator)) {
                    let error = check(from, to, By::Job(everything)).unwrap_err();
                    assert_eq!((error.code(), error.exit()), (Some(Code::TransitionForbidden), 2));
                    assert!(error.hint_text().is_some());
                }
            }
        }
    }

    #[test]
    fn thresholds_to_the_letter() {
        let below = |x: f64| x - 1e-12;
        assert_eq!(step(StoryActive, facts(0.30, 1, 1, 0)), Some(DomainActive));
        assert_eq!(step(StoryActive, facts(below(0.30), 1, 1, 0)), None);
        assert_eq!(step(StoryActive, facts(0.99, 0, 1, 0)), None);
        assert_eq!(step(DomainActive, facts(0.60, 2, 1, 0)), Some(GlobalActive));
        assert_eq!(step(DomainActive, facts(below(0.60), 2, 1, 0)), None);
        assert_eq!(step(DomainActive, facts(0.99, 1, 1, 0)), None);
        // One step a run, whatever the score.
        assert_eq!(step(StoryActive, facts(0.99, 9, 9, 0)), Some(DomainActive));
        assert_eq!(step(StoryActive, facts(0.0, 0, 0, 56)), None);
        assert_eq!(step(StoryActive, Facts { age_s: 56 * DAY + 1, ..facts(0.0, 0, 0, 0) }), Some(Archived));
        assert_eq!(step(StoryActive, facts(0.0, 0, 1, 999)), None);
        assert_eq!(step(StoryActive, facts(0.0, 0, 0, -999)), None);
        for state in [DomainActive, GlobalActive, Archived] {
            assert_eq!(step(state, facts(0.0, 0, 0, 999)), None, "{state}");
        }
        assert_eq!(step(StoryActive, Facts { score: f64::NAN, ..facts(0.0, 9, 1, 0) }), None);
    }

    #[test]
    fn states_of_records() {
        for (scope, active, state) in [
            (None, true, StoryActive),
            (Some(Scope::Story), true, StoryActive),
            (Some(Scope::Domain), true, DomainActive),
            (Some(Scope::Global), true, GlobalActive),
            (None, false, Archived),
            (Some(Scope::Global), false, Archived),
        ] {
            assert_eq!(State::of(scope, active), state);
        }
    }
}
