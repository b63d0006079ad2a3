//! `redact --id --reason`: a leaked text leaves the memory, the lesson and its history stay.
//!
//! The text becomes `[redacted]`, wherever in its line it stands; its vectors, replayable blocks and
//! torn tails go. The record changes last, so that a run that was killed is simply run again. Version
//! control and copies elsewhere keep what they have: that is the operator's to clean.

use super::change::{self, Target};
use crate::audit::{EventName, Keyring};
use crate::base::{Clock, Error, Result};
use crate::memory::forget;
use crate::memory::reuse::lessons::Lessons;
use crate::store::jsonl::Snapshot;
use crate::store::lock::{Learnings, Locks, Reindex, State, Trail};
use crate::store::schema::Learning;
use crate::store::{Source, Workspace};
use crate::tr;
use crate::vector::SetFiles;

/// What stands in place of a redacted text.
pub const REDACTED: &str = "[redacted]";

/// What a redaction did.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Redaction {
    /// The lesson.
    pub id: String,
    /// It was redacted before; nothing was signed now.
    pub already: bool,
    /// Index rows dropped.
    pub rows: usize,
    /// Replayable blocks were dropped.
    pub blocks: bool,
}

/// Redacts the lesson `id`.
///
/// # Errors
/// Usage (2) for an unknown id or an empty reason; ERR-295-09, ERR-295-12, ERR-295-14, ERR-295-16, I/O.
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
    let (_reindex, order) = locks.begin().exclusive::<Reindex>()?;
    let (learnings, gate) = order.gate()?.exclusive::<Learnings>()?;
    let (state, order) = gate.leave().exclusive::<State>()?;
    let now = clock.now();
    let snapshot = Snapshot::read(&workspace.learnings())?;
    let lessons = Lessons::read(&snapshot).kept;
    let lesson = lessons.iter().find(|l| l.id == id).ok_or_else(|| change::unknown(id))?;

    let mut texts = Vec::new();
    let line = change::edited(&snapshot, lesson.line, |learning| texts = blot(learning))?;
    let already = snapshot.line(lesson.line).is_some_and(|old| old.bytes == line.as_bytes());
    let mut done = Redaction { id: id.to_owned(), already, rows: 0, blocks: false };
    let mut clean = || -> Result<()> {
        let files = SetFiles::of(workspace, Source::Learning);
        done.rows = forget::rows(&files, |row| row != id, true, &learnings)?;
        done.blocks = forget::blocks(workspace, &state)?;
        let leaks = |bytes: &[u8]| texts.iter().any(|t| memchr::memmem::find(bytes, t.as_bytes()).is_some());
        forget::remove_beside(&workspace.learnings(), ".torn-", leaks)?;
        Ok(())
    };
    if already {
        clean()?;
        return Ok(done);
    }
    let event = change::event(EventName::LearningRedacted, now, lesson, &[("reason", reason.trim())]);
    let target = Target { workspace, keyring, now };
    let (trail, _) = order.exclusive::<Trail>()?;
    let changed = [(lesson.line, line)].into();
    change::commit(&target, &snapshot, changed, &[event], &learnings, &trail, clean)?;
    Ok(done)
}

/// Replaces the texts of a lesson: the lesson, its title, and every other field of its line that
/// holds the lesson. Returns what it replaced as it stands in files: inside JSON quotes.
fn blot(learning: &mut Learning) -> Vec<String> {
    let quoted = |text: &str| {
        let json = serde_json::Value::from(text).to_string();
        json.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(&json).to_owned()
    };
    let lesson = std::mem::replace(&mut learning.lesson, REDACTED.to_owned());
    let mut texts = Vec::new();
    if lesson != REDACTED {
        texts.push(quoted(&lesson));
        let keys: Vec<String> = learning
            .source
            .iter()
            .filter(|(_, value)| {
                serde_json::from_str::<String>(value).is_ok_and(|v| v.contains(lesson.trim()))
            })
            .map(|(key, _)| key.to_owned())
            .collect();
        for key in keys {
            learning.source.set(&key, format!("\"{REDACTED}\""));
        }
    }
    if let Some(title) = &mut learning.title
        && title != REDACTED
    {
        texts.push(quoted(title));
        *title = REDACTED.to_owned();
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::schema::Record;

    #[test]
    fn no_field_keeps_the_text() {
        let line = r#"{"story":"PD-19","gate":3,"tags":["a"],"takeaway":"key \"s3cr3t\"","title":"s3cr3t","note":"see: key \"s3cr3t\"","n":1e2,"domain":"auth","project":"api","created_at":"2026-03-12T17:14:00Z"}"#;
        let mut learning = Learning::parse(line).unwrap();
        let id = learning.id();
        let texts = blot(&mut learning);
        assert_eq!(texts, [r#"key \"s3cr3t\""#, "s3cr3t"]);
        let new = learning.to_line();
        assert!(!new.contains("s3cr3t"), "{new}");
        assert!(new.contains("\"takeaway\":\"[redacted]\"") && new.contains("\"n\":1e2"), "{new}");
        let mut again = Learning::parse(&new).unwrap();
        assert_eq!(again.id(), id);
        assert!(blot(&mut again).is_empty());
        assert_eq!(again.to_line(), new);
    }
}
