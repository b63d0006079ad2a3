//! `redact --id --reason`: a leaked text leaves the memory, the lesson and its history stay.
//!
//! The text becomes `[redacted]`, wherever in the file it stands; its vectors and replayable blocks go,
//! and so does what no append or rewrite finished: torn tails and temporary files were never
//! acknowledged, and a cut text is not told from another. The file changes last, so that a run that was
//! killed is simply run again; a later run finishes what an earlier one left. Version control and copies
//! elsewhere keep what they have: that is the operator's to clean.

use std::collections::{BTreeMap, HashSet};

use rayon::prelude::*;

use super::change::{self, Target};
use super::leak::Leak;
use crate::audit::{EventName, Keyring};
use crate::base::{Clock, Error, Result, secret};
use crate::memory::forget;
use crate::memory::reuse::lessons::Lessons;
use crate::store::atomic::next_path;
use crate::store::jsonl::{self, Out, Snapshot};
use crate::store::lock::{Learnings, Locks, Reindex, State, Trail};
use crate::store::{Source, Workspace};
use crate::tr;
use crate::vector::SetFiles;

pub use super::leak::REDACTED;

/// What a redaction did.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Redaction {
    /// The lesson.
    pub id: String,
    /// No line held the text any more; nothing was signed now.
    pub already: bool,
    /// Lines that held the text.
    pub lines: usize,
    /// Index rows dropped.
    pub rows: usize,
    /// Replayable blocks were dropped.
    pub blocks: bool,
    /// Torn tails of `learnings.jsonl` dropped, the file's own and those set aside before.
    pub torn: usize,
}

/// Redacts the lesson `id`.
///
/// # Errors
/// Usage (2) for an unknown id, an empty reason, or one that holds a secret or the text; ERR-295-09,
/// ERR-295-12, ERR-295-14, ERR-295-16, I/O.
pub fn redact(
    workspace: &Workspace,
    locks: &mut Locks,
    keyring: &dyn Keyring,
    clock: &dyn Clock,
    id: &str,
    reason: &str,
) -> Result<Redaction> {
    if reason.trim().is_empty() {
        return Err(Error::usage(tr!("une raison est attendue", "a reason is needed"))
            .hint(tr!("--reason \"…\" ; elle est signée", "--reason \"…\"; it is signed")));
    }
    if let Some(found) = secret::scan(reason).first() {
        let rule = found.rule;
        return Err(telling(tr!(
            "la raison contient un secret ({rule})",
            "the reason holds a secret ({rule})"
        )));
    }
    let (_reindex, order) = locks.begin().exclusive::<Reindex>()?;
    let (learnings, gate) = order.gate()?.exclusive::<Learnings>()?;
    let (state, order) = gate.leave().exclusive::<State>()?;
    let now = clock.now();
    let path = workspace.learnings();
    let snapshot = Snapshot::read(&path)?;
    let lessons = Lessons::read(&snapshot).kept;
    let lesson = lessons.iter().find(|l| l.id == id).ok_or_else(|| change::unknown(id))?;
    let leak = Leak::of(snapshot.lines().map(|l| l.bytes), id);
    if leak.told_by(reason) {
        return Err(telling(tr!(
            "la raison répète le texte à expurger",
            "the reason repeats the text that is to be redacted"
        )));
    }

    let all: Vec<_> = snapshot.lines().collect();
    let changed: BTreeMap<usize, String> = all
        .par_iter()
        .filter_map(|line| leak.blot(line.bytes, id).map(|new| (line.number - 1, new)))
        .collect();
    // The lesson itself first, then others that held its text.
    let mut touched = vec![lesson];
    touched.extend(lessons.iter().filter(|l| l.id != id && changed.contains_key(&l.line)));
    let ids: HashSet<&str> = touched.iter().map(|l| l.id.as_str()).collect();
    let events: Vec<_> = touched
        .iter()
        .map(|l| change::event(EventName::LearningRedacted, now, l, &[("reason", reason.trim())]))
        .collect();
    let mut done = Redaction {
        id: id.to_owned(),
        already: changed.is_empty(),
        lines: changed.len(),
        rows: 0,
        blocks: false,
        torn: usize::from(snapshot.torn().is_some()),
    };
    // Whoever holds the lock is the only writer: every temporary file is that of a killed one.
    forget::remove_beside(&path, ".tmp-", |_| true)?;
    let mut clean = || -> Result<()> {
        let files = SetFiles::of(workspace, Source::Learning);
        for file in [files.faiss(), files.npy(), files.manifest()] {
            forget::remove_beside(&file, ".tmp-", |_| true)?;
            forget::remove_beside(&next_path(&file), ".tmp-", |_| true)?;
        }
        done.rows = forget::rows(&files, |row| !ids.contains(row), true, &learnings)?;
        done.blocks = forget::blocks(workspace, &state)?;
        done.torn += forget::remove_beside(&path, ".torn-", |_| true)?.len();
        Ok(())
    };
    if changed.is_empty() {
        clean()?;
        if snapshot.torn().is_some() {
            jsonl::rewrite(&path, snapshot.lines().map(|l| Out::Kept(l.bytes)), &learnings)?;
        }
        return Ok(done);
    }
    let target = Target { workspace, keyring, now, keep_torn: false };
    let (trail, _) = order.exclusive::<Trail>()?;
    change::commit(&target, &snapshot, changed, &events, &learnings, &trail, clean)?;
    Ok(done)
}

fn telling(what: String) -> Error {
    Error::usage(format!("{what} ; {}", tr!("rien n'a été signé", "nothing was signed"))).hint(tr!(
        "la raison reste dans la trace : dites de quelle sorte est le texte, par exemple « nom d'un client »",
        "the reason stays in the trail: say what kind of text it is, such as \"customer name\""
    ))
}
