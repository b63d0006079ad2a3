//! `restore --id`: an operator brings an archived lesson back, to the scope `story`.
//!
//! Its age starts again, so that the next run of `learnings-promote` does not undo the act.

use super::change::{self, Target};
use super::state::{self, By, State};
use crate::audit::{EventName, Keyring};
use crate::base::{Clock, Instant, Result};
use crate::memory::reuse::lessons::Lessons;
use crate::store::Workspace;
use crate::store::jsonl::Snapshot;
use crate::store::lock::{Learnings, Locks, Trail};
use crate::store::schema::{Scope, Status};

/// What was restored.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Restored {
    /// The lesson.
    pub id: String,
    /// The state it left.
    pub from: &'static str,
    /// The scope it has now.
    pub to: &'static str,
    /// When.
    pub restored_at: Instant,
}

/// Restores the lesson `id`.
///
/// # Errors
/// Usage (2) for an unknown id; ERR-295-13 when it is not archived; ERR-295-09, ERR-295-12,
/// ERR-295-14, ERR-295-16, I/O. Each leaves the file as it was.
pub fn restore(
    workspace: &Workspace,
    locks: &mut Locks,
    keyring: &dyn Keyring,
    clock: &dyn Clock,
    id: &str,
) -> Result<Restored> {
    let (learnings, gate) = locks.begin().gate()?.exclusive::<Learnings>()?;
    let order = gate.leave();
    let now = clock.now();
    let snapshot = Snapshot::read(&workspace.learnings())?;
    let lessons = Lessons::read(&snapshot).kept;
    let lesson = lessons.iter().find(|l| l.id == id).ok_or_else(|| change::unknown(id))?;
    let (from, to) = (State::of(lesson.scope, lesson.active), State::StoryActive);
    state::check(from, to, By::Operator)?;

    let line = change::edited(&snapshot, lesson.line, |learning| {
        learning.scope = Some(Scope::Story);
        learning.status = Some(Status::Active);
        learning.restored_at = Some(now);
    })?;
    let details = [("before", from.word()), ("after", to.word())];
    let event = change::event(EventName::LearningRestored, now, lesson, &details);
    let target = Target { workspace, keyring, now, keep_torn: true };
    let (trail, _) = order.exclusive::<Trail>()?;
    let changed = [(lesson.line, line)].into();
    change::commit(&target, &snapshot, changed, &[event], &learnings, &trail, || Ok(()))?;
    Ok(Restored { id: id.to_owned(), from: from.word(), to: to.word(), restored_at: now })
}
