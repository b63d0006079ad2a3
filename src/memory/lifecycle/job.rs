//! `learnings-promote`: migration, promotion and archival, one step a run.
//!
//! Everything is decided anew from the verified trail under the exclusive locks of lessons and
//! scores, so that no stale score and no concurrent injection can decide. One line that cannot be
//! verified and nothing moves: a forged or lost event could tip any decision.

use std::collections::BTreeMap;

use super::change::{self, Target};
use super::git;
use super::plan::{Move, Plan};
use crate::audit::{Event, EventName, Keyring};
use crate::base::{Clock, Error, Instant, Kind, Result};
use crate::memory::reuse::job::Gates;
use crate::memory::reuse::lessons::{Lesson, Lessons};
use crate::memory::reuse::{self, Figures};
use crate::store::Workspace;
use crate::store::jsonl::Snapshot;
use crate::store::lock::{Learnings, Locks, Scores, Trail};
use crate::store::schema::{Scope, Status};
use crate::tr;

/// What the operator allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Only say what would be done.
    pub dry_run: bool,
    /// More than a fifth of the active lessons may be archived at once.
    pub yes: bool,
}

/// What a run did, or would do.
#[derive(Debug, Default)]
pub struct Promotion {
    /// Lessons that received the scope `story`.
    pub migrated: usize,
    /// Lessons that reach further.
    pub promoted: Vec<Move>,
    /// Lessons that retired.
    pub archived: Vec<Move>,
    /// Active lessons before the run.
    pub active: usize,
    /// What scoring left out.
    pub scoring: reuse::Report,
    /// Of a dry run: why the real one would refuse.
    pub refusal: Option<Error>,
}

/// Runs one step.
///
/// # Errors
/// ERR-295-09 for a lock; ERR-295-16 without the key; corrupt data (65) when a line of the trail
/// cannot be verified; ERR-295-07 when the migration needs a commit; partial (3) when more than a
/// fifth would be archived without consent; ERR-295-12, ERR-295-14, I/O. Each leaves the file as it was.
pub fn promote(
    workspace: &Workspace,
    locks: &mut Locks,
    keyring: &dyn Keyring,
    clock: &dyn Clock,
    options: Options,
) -> Result<Promotion> {
    let gate = locks.begin().gate()?;
    let (learnings, gate) = gate.exclusive::<Learnings>()?;
    let (_scores, gate) = gate.exclusive::<Scores>()?;
    let order = gate.leave();
    let now = clock.now();

    let read = || Snapshot::read(&workspace.learnings()).map(|s| (Lessons::read(&s), s));
    let (read, gates) = rayon::join(read, || Gates::read(workspace));
    let ((lessons, snapshot), gates) = (read?, gates?);
    let mut scoring = reuse::Report { learnings: lessons.read, ..reuse::Report::default() };
    scoring.leave_out("learnings.jsonl", &lessons.excluded);
    let migrates = lessons.kept.iter().any(|lesson| lesson.scope.is_none());
    // Git is asked while the trail is read.
    let (measured, committed) = rayon::join(
        || reuse::job::measure(workspace, keyring, &lessons.kept, &gates, &mut scoring),
        || if migrates { git::require_committed(&workspace.learnings()) } else { Ok(()) },
    );
    let (measured, trail) = measured?;
    if trail.unverifiable() > 0 {
        return Err(unverifiable(trail.unverifiable()));
    }

    let figures = measured.figures;
    let plan = Plan::new(&lessons.kept, &figures, now);
    let refusal = committed.err().or_else(|| refusal(&plan, options));
    let mut done =
        Promotion { migrated: plan.migrated.len(), active: plan.active, scoring, ..Promotion::default() };
    match refusal {
        Some(error) if !options.dry_run => return Err(error),
        refusal => done.refusal = refusal,
    }
    if !options.dry_run && !plan.is_empty() {
        let changed = changed(&snapshot, &lessons.kept, &plan, now)?;
        let events = events(&lessons.kept, &figures, &plan, now);
        let target = Target { workspace, keyring, now, keep_torn: true };
        let (trail, _) = order.exclusive::<Trail>()?;
        change::commit(&target, &snapshot, changed, &events, &learnings, &trail, || Ok(()))?;
    }
    (done.promoted, done.archived) = (plan.promoted, plan.archived);
    Ok(done)
}

fn unverifiable(lines: u64) -> Error {
    Error::new(
        Kind::Corrupt,
        tr!(
            "{lines} ligne(s) de la trace ne se vérifient pas : aucune promotion, aucun archivage",
            "{lines} line(s) of the trail cannot be verified: nothing is promoted or archived"
        ),
    )
    .hint(tr!("situez-les avec `govmem audit verify`", "locate them with `govmem audit verify`"))
}

/// Why this plan may not be carried out.
fn refusal(plan: &Plan, options: Options) -> Option<Error> {
    if plan.needs_consent() && !options.yes {
        let (archived, active) = (plan.archived.len(), plan.active);
        let error = Error::new(
            Kind::Partial,
            tr!(
                "{archived} learnings actifs sur {active} seraient archivés, plus d'un cinquième : rien n'est fait",
                "{archived} of {active} active learnings would be archived, more than a fifth: nothing is done"
            ),
        );
        return Some(error.hint(tr!(
            "relisez avec `learnings-promote --dry-run`, puis `learnings-promote --yes`",
            "review with `learnings-promote --dry-run`, then `learnings-promote --yes`"
        )));
    }
    None
}

/// The new lines, by index in the snapshot.
fn changed(
    snapshot: &Snapshot,
    lessons: &[Lesson],
    plan: &Plan,
    now: Instant,
) -> Result<BTreeMap<usize, String>> {
    use rayon::prelude::*;
    let mut edits: BTreeMap<usize, (Option<Scope>, bool)> =
        plan.migrated.iter().map(|at| (*at, (Some(Scope::Story), false))).collect();
    for moved in &plan.promoted {
        edits.entry(moved.lesson).or_default().0 = Scope::parse(moved.to);
    }
    for moved in &plan.archived {
        edits.entry(moved.lesson).or_default().1 = true;
    }
    edits
        .into_par_iter()
        .map(|(at, (scope, archived))| {
            let line = lessons[at].line;
            let mut fields: Vec<(&str, String)> = Vec::new();
            let text = |word: &str| format!("\"{word}\"");
            fields.extend(scope.map(|scope| ("scope", text(scope.as_str()))));
            if archived {
                fields.push(("status", text(Status::Archived.as_str())));
                fields.push(("archived_at", text(&now.to_string())));
            }
            let new = change::with_fields(snapshot, line, &fields)?;
            Ok((line, new))
        })
        .collect()
}

/// The signed events of a plan: lesson by lesson, the migration first.
fn events(lessons: &[Lesson], figures: &[Figures], plan: &Plan, now: Instant) -> Vec<Event> {
    use rayon::prelude::*;
    let migrated =
        |&at: &usize| (at, change::event(EventName::ScopeMigrated, now, &lessons[at], &[("after", "story")]));
    let moved = |moved: &Move| {
        let (lesson, figures) = (&lessons[moved.lesson], &figures[moved.lesson]);
        let (name, reason) = if moved.to == "archived" {
            let days = (now.unix() - lesson.age_from.unix()) / 86_400;
            (EventName::LearningArchived, format!("nb_injections=0 age_days={days}"))
        } else {
            let (score, domains) = (figures.score(), figures.domains.len());
            (EventName::LearningPromoted, format!("reuse_score={score} nb_domains={domains}"))
        };
        let details = [("before", moved.from), ("after", moved.to), ("reason", reason.as_str())];
        (moved.lesson, change::event(name, now, lesson, &details))
    };
    let migrated = plan.migrated.par_iter().map(migrated);
    let promoted = plan.promoted.par_iter().map(moved);
    let archived = plan.archived.par_iter().map(moved);
    let mut events: Vec<(usize, Event)> = migrated.chain(promoted).chain(archived).collect();
    events.sort_by_key(|(at, _)| *at);
    events.into_iter().map(|(_, event)| event).collect()
}
