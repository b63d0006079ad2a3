//! Changing lessons in place: staged beside the file, signed in the trail, then renamed.

use std::collections::BTreeMap;

use crate::audit::{Event, EventName, Keyring, Place, Signed, Trail, TrailLock, TrailPaths};
use crate::base::{Error, Instant, Kind, Result};
use crate::memory::reuse::Lesson;
use crate::store::Workspace;
use crate::store::jsonl::{self, Out, Snapshot};
use crate::store::lock::Writing;
use crate::store::schema::{Learning, read_line};
use crate::store::strict::Fields;
use crate::tr;

/// The event of a change to `lesson`, at the lesson's own story, domain and project.
pub fn event(name: EventName, at: Instant, lesson: &Lesson, details: &[(&str, &str)]) -> Event {
    let place = Place { story: &lesson.story, domain: &lesson.domain, project: &lesson.project };
    details.iter().fold(Event::lifecycle(name, at, place, &lesson.id), |event, (key, value)| {
        event.with_detail(key, value)
    })
}

/// The record on line `line` (from 0) of `snapshot`, after `edit`, as a line.
///
/// # Errors
/// A line that was a lesson a moment ago and is none now: a bug (70).
pub fn edited(snapshot: &Snapshot, line: usize, edit: impl FnOnce(&mut Learning)) -> Result<String> {
    use crate::store::schema::Record;
    let line = snapshot.line(line).ok_or_else(|| gone(line))?;
    let mut learning: Learning = read_line(&line).map_err(|_| gone(line.number))?;
    edit(&mut learning);
    Ok(learning.to_line())
}

/// The line `line` (from 0) of `snapshot` with these fields set to JSON texts; the others keep theirs.
///
/// # Errors
/// As [`edited`].
pub fn with_fields(snapshot: &Snapshot, line: usize, fields: &[(&str, String)]) -> Result<String> {
    let text = snapshot.line(line).and_then(|l| l.text().ok()).ok_or_else(|| gone(line))?;
    let mut object = Fields::borrow(text).map_err(|_| gone(line + 1))?;
    fields.iter().for_each(|(key, value)| object.set(key, value.as_str()));
    Ok(object.to_line())
}

fn gone(line: usize) -> Error {
    Error::new(Kind::Bug, format!("learnings.jsonl: line {line} is no lesson"))
}

/// Replaces the lines `changed` (from 0) of `learnings.jsonl` and signs `events`: the new file is
/// written beside the old one while they are signed, they are appended at once, and only then it takes its
/// place. `before_rename` runs between the two. Lines that do not change keep their bytes.
///
/// # Errors
/// I/O; ERR-295-12, ERR-295-14 and ERR-295-16 when the events are not on disk; then the file is as it
/// was.
pub fn commit(
    target: &Target<'_>,
    snapshot: &Snapshot,
    changed: BTreeMap<usize, String>,
    events: &[Event],
    guard: &(impl Writing + Sync),
    trail: &TrailLock<'_>,
    before_rename: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let path = target.workspace.learnings();
    let mut changed = changed;
    let lines = snapshot.lines().enumerate().map(|(at, line)| match changed.remove(&at) {
        Some(new) => Out::New(new),
        None => Out::Kept(line.bytes),
    });
    let paths = TrailPaths::of(target.workspace);
    let (staged, signed) =
        rayon::join(|| jsonl::stage(&path, lines, guard), || Signed::by_current(events, target.keyring));
    let (staged, signed) = (staged?, signed?);
    Trail::open(&paths, target.keyring, target.now, trail)?.append_signed(events, signed)?;
    before_rename()?;
    if target.keep_torn && snapshot.torn().is_some() {
        // The rename would lose the torn tail: set it aside as an append does.
        jsonl::append(&path, &[] as &[&str], target.now, guard)?;
    }
    staged.commit()
}

/// Where changes go and how they are signed.
#[derive(Clone, Copy)]
pub struct Target<'t> {
    /// The workspace.
    pub workspace: &'t Workspace,
    /// The keyring.
    pub keyring: &'t dyn Keyring,
    /// The instant of the run.
    pub now: Instant,
    /// A torn tail is set aside, as an append does; else it goes.
    pub keep_torn: bool,
}

/// The error for an id that no lesson carries.
pub fn unknown(id: &str) -> Error {
    Error::usage(tr!("aucun learning {id:.200}", "no learning {id:.200}")).hint(tr!(
        "`govmem list --include-archived` les montre",
        "`govmem list --include-archived` shows them"
    ))
}
