//! What the reports and indicators are computed from: plain values, gathered once by [`load()`].
//!
//! Injections are those of step 0 whose signature verifies and whose count is that of their ids;
//! nothing else of the trail is counted. Every figure of a report comes from one set of facts, so
//! that two figures of one page never disagree.

mod load;

pub use load::{TrailState, load, records};

use std::collections::{BTreeMap, HashMap};

use crate::audit::EventName;
use crate::base::{Date, Instant};
use crate::store::Source;
use crate::store::schema::{Impact, Scope, Verdict};

/// Seconds of a day.
pub const DAY: i64 = 86_400;

/// Everything a report may speak of, at one instant.
#[derive(Clone, Debug)]
pub struct Facts {
    /// When the facts were gathered.
    pub now: Instant,
    /// When step 0 began to inject, if the configuration says so.
    pub b5_merge: Option<Instant>,
    /// The learnings, in file order, first line of each id.
    pub learnings: Vec<LearningFact>,
    /// The watch notes.
    pub notes: Vec<NoteFact>,
    /// The clarifications.
    pub clarifications: Vec<ClarificationFact>,
    /// Gate results, in file order.
    pub gates: Vec<GateFact>,
    /// Verified step-0 events of the three sources, in the order of the trail.
    pub injections: Vec<Injection>,
    /// Verified lifecycle events, in the order of the trail.
    pub transitions: Vec<Transition>,
    /// State of the trail.
    pub trail: TrailState,
}

/// A learning with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct LearningFact {
    /// Its identity.
    pub id: String,
    /// Its title, else the start of its lesson.
    pub title: String,
    /// The story that left it.
    pub story: String,
    /// The domain of that story.
    pub domain: String,
    /// How far it reaches.
    pub scope: Scope,
    /// Retired.
    pub archived: bool,
    /// When it was written.
    pub created_at: Instant,
    /// From 0 to 1; 0 without a score.
    pub reuse_score: f64,
    /// Stories that received it, its own excluded, as last scored.
    pub nb_stories: u64,
    /// Injections, as last scored.
    pub nb_injections: u64,
}

/// A watch note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteFact {
    /// Its identity.
    pub id: String,
    /// Its title.
    pub title: String,
    /// How much it matters.
    pub impact: Impact,
}

/// The clarifications of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClarificationFact {
    /// The identity under which it is found.
    pub id: String,
    /// Its story.
    pub story: String,
    /// The last day on which it is kept.
    pub retention_until: Date,
}

/// The verdict of a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateFact {
    /// The judged story.
    pub story: String,
    /// The gate.
    pub gate: i64,
    /// The judged iteration, from 1.
    pub version: u32,
    /// The verdict.
    pub verdict: Verdict,
    /// When it was given.
    pub at: Instant,
}

/// One source's event of one step 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injection {
    /// When.
    pub at: Instant,
    /// For which story.
    pub story: String,
    /// Of which domain.
    pub domain: String,
    /// From which source.
    pub source: Source,
    /// The source could not be searched; `ids` is empty.
    pub unavailable: bool,
    /// What was shown, best first.
    pub ids: Vec<String>,
}

/// A change in the life of a learning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// When.
    pub at: Instant,
    /// What happened to it.
    pub name: EventName,
    /// The learning.
    pub id: String,
}

/// A half-open span of time, `from` included, `to` excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Window {
    /// First instant inside.
    pub from: Instant,
    /// First instant after.
    pub to: Instant,
}

impl Window {
    /// The `days` days that end with `now`, `now` itself included.
    pub fn last_days(now: Instant, days: i64) -> Self {
        Window { from: now.plus(1 - days * DAY), to: now.plus(1) }
    }

    /// Whether `at` lies inside.
    pub fn holds(&self, at: Instant) -> bool {
        self.from <= at && at < self.to
    }
}

impl Facts {
    /// The injections inside `window`, in the order of the trail.
    pub fn within(&self, window: Window) -> impl Iterator<Item = &Injection> {
        self.injections.iter().filter(move |i| window.holds(i.at))
    }

    /// When each story first came to step 0, by story.
    pub fn first_step0(&self) -> BTreeMap<&str, Instant> {
        let mut first: BTreeMap<&str, Instant> = BTreeMap::new();
        for injection in &self.injections {
            let at = first.entry(&injection.story).or_insert(injection.at);
            *at = injection.at.min(*at);
        }
        first
    }

    /// The learnings by id.
    pub fn learnings_by_id(&self) -> HashMap<&str, &LearningFact> {
        self.learnings.iter().map(|l| (l.id.as_str(), l)).collect()
    }

    /// The best `n` learnings by reuse score; those that nobody reused and archived ones are left
    /// out. Ties: more stories first, then id.
    pub fn top(&self, n: usize) -> Vec<&LearningFact> {
        let mut best: Vec<_> = self.learnings.iter().filter(|l| !l.archived && l.reuse_score > 0.0).collect();
        best.sort_by(|a, b| {
            b.reuse_score
                .total_cmp(&a.reuse_score)
                .then(b.nb_stories.cmp(&a.nb_stories))
                .then(a.id.cmp(&b.id))
        });
        best.truncate(n);
        best
    }
}

/// Facts made by hand, for tests.
#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    /// An instant from its text.
    pub fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap_or_else(|| Date::parse(text).expect("day").midnight())
    }

    /// No fact at all, at `now`.
    pub fn nothing(now: &str) -> Facts {
        Facts {
            now: at(now),
            b5_merge: None,
            learnings: Vec::new(),
            notes: Vec::new(),
            clarifications: Vec::new(),
            gates: Vec::new(),
            injections: Vec::new(),
            transitions: Vec::new(),
            trail: TrailState::default(),
        }
    }

    /// An injection of `ids`.
    pub fn injection(when: &str, story: &str, source: Source, ids: &[&str]) -> Injection {
        Injection {
            at: at(when),
            story: story.into(),
            domain: "auth".into(),
            source,
            unavailable: false,
            ids: ids.iter().map(|i| (*i).to_owned()).collect(),
        }
    }

    /// A learning of `PD-1` with a score.
    pub fn learning(id: &str, created: &str, score: f64) -> LearningFact {
        LearningFact {
            id: id.into(),
            title: format!("Title of {id}"),
            story: "PD-1".into(),
            domain: "auth".into(),
            scope: Scope::Story,
            archived: false,
            created_at: at(created),
            reuse_score: score,
            nb_stories: 0,
            nb_injections: 0,
        }
    }

    /// A gate-8 record.
    pub fn gate8(story: &str, version: u32, verdict: Verdict, when: &str) -> GateFact {
        GateFact { story: story.into(), gate: 8, version, verdict, at: at(when) }
    }
}
