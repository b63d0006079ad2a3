//! Gathering the facts: the record files as they stand, and the verified part of the trail.

use std::collections::HashMap;
use std::path::Path;

use rayon::prelude::*;

use super::{ClarificationFact, Facts, GateFact, Injection, LearningFact, NoteFact, Transition};
use crate::audit::{self, ChainState, Envelope, EventName, Operation, TrailPaths};
use crate::base::{Result, secret};
use crate::memory::Memory;
use crate::memory::clarifications::collect::identified;
use crate::memory::learnings::library::Library;
use crate::store::Source;
use crate::store::jsonl::Snapshot;
use crate::store::schema::{self, Clarification, Learning, Metric, Record, Scope, Score, Veille};

/// Characters of a lesson that stand for a missing title.
const TITLE_CHARS: usize = 80;

/// What is known of the trail itself.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct TrailState {
    /// Whole lines.
    pub events: u64,
    /// Lines that do not parse or do not verify.
    pub unverifiable: u64,
    /// Signed events whose count is not that of their ids; nothing counts them.
    pub inconsistent: u64,
    /// The chain.
    pub chain: ChainState,
    /// The chain's head, 64 hex digits; absent with the chain.
    pub head: Option<String>,
}

impl Default for TrailState {
    fn default() -> Self {
        TrailState { events: 0, unverifiable: 0, inconsistent: 0, chain: ChainState::Absent, head: None }
    }
}

impl TrailState {
    /// Whether every line verifies and the chain holds. An empty trail without chain is sound.
    pub fn is_sound(&self) -> bool {
        let chain = match self.chain {
            ChainState::Ok | ChainState::Unacknowledged => true,
            ChainState::Absent => self.events == 0,
            ChainState::Broken => false,
        };
        self.unverifiable == 0 && chain
    }
}

/// Gathers everything, the verified trail included.
///
/// # Errors
/// ERR-295-16 without the audit key; ERR-295-15 for a file that is no record file; I/O.
pub fn load(memory: &Memory<'_>) -> Result<Facts> {
    let keyring = memory.keyring()?;
    let mut facts = records(memory)?;
    let paths = TrailPaths::of(&memory.workspace);
    let (report, (injections, transitions)) =
        audit::verify_and_gather(&paths, keyring.as_ref(), Default::default, gather)?;
    (facts.injections, facts.transitions) = (injections, transitions);
    facts.trail = TrailState {
        events: report.events,
        unverifiable: report.events.saturating_sub(report.valid),
        inconsistent: report.inconsistent,
        chain: report.chain,
        head: report.head,
    };
    Ok(facts)
}

/// Gathers the record files alone: neither key nor trail is looked at.
///
/// # Errors
/// ERR-295-15 for a file that is no record file; I/O.
pub fn records(memory: &Memory<'_>) -> Result<Facts> {
    let workspace = &memory.workspace;
    let scores: HashMap<_, _> = read(&workspace.scores(), |s: Score| {
        let reuse = (s.reuse_score, s.nb_stories, s.nb_injections);
        ((s.story, s.gate, s.tag_hash), reuse)
    })?
    .into_iter()
    .collect();
    let learnings = Library::read(workspace)?.load().records;
    let clarifications = identified(read(&workspace.clarifications(), |c: Clarification| c)?);
    Ok(Facts {
        now: memory.clock.now(),
        b5_merge: memory.config.kpi.b5_merge,
        learnings: learnings
            .into_par_iter()
            .map(|(_, l)| learning(&l, scores.get(&(l.story.clone(), l.gate, l.recomputed_tag_hash()))))
            .collect(),
        notes: read(&workspace.veille(), |n: Veille| NoteFact {
            id: n.id,
            title: secret::mask(&n.title).into(),
            impact: n.impact_pv,
        })?,
        clarifications: clarifications
            .into_iter()
            .map(|(id, c)| ClarificationFact {
                id,
                story: c.story.to_string(),
                retention_until: c.retention_until,
            })
            .collect(),
        gates: read(&workspace.metrics(), |m: Metric| GateFact {
            story: m.story.to_string(),
            gate: m.gate,
            version: m.version,
            verdict: m.verdict,
            at: m.timestamp,
        })?,
        injections: Vec::new(),
        transitions: Vec::new(),
        trail: TrailState::default(),
    })
}

/// What is wanted of each record of a file; whole records of a long file would take much memory.
fn read<T: Record, F: Send>(path: &Path, of: impl Fn(T) -> F + Sync) -> Result<Vec<F>> {
    let snapshot = Snapshot::read(path)?;
    let lines: Vec<_> = snapshot.lines().filter(|line| !line.is_blank()).collect();
    Ok(lines.par_iter().with_min_len(64).filter_map(|line| schema::read_line(line).ok().map(&of)).collect())
}

/// Of a score: its worth, stories and injections.
type Reuse = (f64, u64, u64);

fn learning(l: &Learning, reuse: Option<&Reuse>) -> LearningFact {
    let title = l.title.as_deref().filter(|t| !t.trim().is_empty()).unwrap_or(&l.lesson);
    let (reuse_score, nb_stories, nb_injections) = reuse.copied().unwrap_or_default();
    LearningFact {
        id: l.id(),
        title: shortened(&secret::mask(title)),
        story: l.story.to_string(),
        domain: l.domain.to_string(),
        scope: l.scope.unwrap_or(Scope::Story),
        archived: !l.is_active(),
        created_at: l.created_at,
        reuse_score,
        nb_stories,
        nb_injections,
    }
}

/// `text` on one line, cut after [`TITLE_CHARS`] characters with an ellipsis.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TITLE_CHARS) {
        Some((cut, _)) => format!("{}…", line[..cut].trim_end()),
        None => line,
    }
}

/// Injections and transitions, in the order of the trail.
type Gathered = (Vec<Injection>, Vec<Transition>);

fn gather((injections, transitions): &mut Gathered, e: &Envelope<'_>) {
    if let Some(injection) = injection(e) {
        injections.push(injection);
    } else if e.operation == Operation::Lifecycle {
        let ids = e.result_ids.iter().map(|id| id.to_string());
        transitions.extend(ids.map(|id| Transition { at: e.instant(), name: e.event, id }));
    }
}

/// The event as an injection of step 0, if it is one.
fn injection(e: &Envelope<'_>) -> Option<Injection> {
    if e.operation != Operation::Step0Injection {
        return None;
    }
    let source = match e.source {
        audit::Source::Learning => Source::Learning,
        audit::Source::Veille => Source::Veille,
        audit::Source::Clarification => Source::Clarification,
        _ => return None,
    };
    Some(Injection {
        at: e.instant(),
        story: e.story_id.to_string(),
        domain: e.domain.to_string(),
        source,
        unavailable: e.event == EventName::SourceUnavailable,
        ids: e.result_ids.iter().map(|id| id.to_string()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_one_short_line() {
        assert_eq!(shortened(" a\n b\tc "), "a b c");
        let long = "é".repeat(81);
        assert_eq!(shortened(&long), format!("{}…", "é".repeat(80)));
        assert_eq!(shortened(&long[2..]), "é".repeat(80));
    }

    #[test]
    fn soundness() {
        let sound = TrailState::default();
        assert!(sound.is_sound());
        assert!(!TrailState { events: 1, ..sound.clone() }.is_sound());
        assert!(TrailState { events: 1, chain: ChainState::Unacknowledged, ..sound.clone() }.is_sound());
        assert!(
            !TrailState { events: 1, unverifiable: 1, chain: ChainState::Ok, ..sound.clone() }.is_sound()
        );
        assert!(!TrailState { chain: ChainState::Broken, ..sound }.is_sound());
    }
}
