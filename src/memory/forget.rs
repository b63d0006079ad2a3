//! Taking a record out of everything derived from it: index rows and vectors, replayable blocks,
//! torn tails. What holds the text of a purged or redacted record holds it no longer.

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::base::error::IoContext;
use crate::base::{Error, Instant, Kind, Result};
use crate::guard::{Done, Ledger};
use crate::store::atomic::{self, next_path};
use crate::store::lock::{Exclusive, Guard, Locks, State, Writing};
use crate::store::{Source, Workspace};
use crate::vector::{Draft, SetFiles};

/// Drops the rows and vectors of the records for which `keep` does not hold. Returns how many rows went.
///
/// A set that cannot be read cannot be sorted out: with `certain` it is removed whole (the next
/// `reindex` builds it again), else it is left alone.
///
/// # Errors
/// I/O; ERR-295-08 from FAISS.
pub fn rows(
    files: &SetFiles,
    keep: impl Fn(&str) -> bool,
    certain: bool,
    writing: &impl Writing,
) -> Result<usize> {
    files.finish(writing)?;
    let (manifest, reuse) = match files.read_manifest() {
        Ok(manifest) => {
            if manifest.rows.iter().all(|row| keep(&row.id)) {
                return Ok(0);
            }
            let reuse = files.try_reuse(&manifest.model, manifest.width)?;
            (manifest, reuse)
        }
        // A disk that fails once is no reason to throw a sound set away.
        Err(e) if certain && e.kind() == Kind::Io => return Err(e),
        Err(_) if certain => return remove_set(files).map(|()| 0),
        Err(_) => return Ok(0),
    };
    let mut draft = Draft::new(&manifest.model, manifest.width, &manifest.factory)?;
    let mut seen = HashSet::new();
    for row in manifest.rows.iter().filter(|row| keep(&row.id)) {
        if seen.insert(row.id.as_str())
            && let Some(windows) = reuse.get(&row.text)
        {
            draft.push(&row.id, &row.text, &windows)?;
        }
    }
    let dropped = manifest.rows.iter().filter(|row| !keep(&row.id)).count();
    files.prepare(writing, draft)?.commit(writing)?;
    Ok(dropped)
}

fn remove_set(files: &SetFiles) -> Result<()> {
    for path in [files.faiss(), files.npy(), files.manifest()] {
        remove(&next_path(&path))?;
        remove(&path)?;
    }
    atomic::sync_parent(&files.manifest())
}

/// Forgets the replayable blocks, and what a killed writer left of them. A block that is gone is
/// rendered anew, and signed, by the next injection. Returns whether there was any.
///
/// # Errors
/// I/O.
pub fn blocks(workspace: &Workspace, guard: &Guard<'_, State, Exclusive>) -> Result<bool> {
    let state = workspace.idempotency_state();
    let gone = remove_beside(&state, ".tmp-", |_| true)?.len();
    Ok(Ledger::clear(&state, guard)? + gone > 0)
}

/// Forgets the replayable blocks that are over, and those that show a clarification which `kept` does
/// not hold. Returns whether there was any.
///
/// # Errors
/// I/O.
pub fn outdated_blocks(
    workspace: &Workspace,
    now: Instant,
    kept: impl Fn(&str) -> bool,
    guard: &Guard<'_, State, Exclusive>,
) -> Result<bool> {
    let path = workspace.idempotency_state();
    let gone = remove_beside(&path, ".tmp-", |_| true)?.len();
    // The ids of the third source; a block whose ids cannot be told is not kept.
    let shows_kept = |done: &Done| {
        let ids = done.document.get("ids").and_then(|ids| ids.get(Source::Clarification as usize));
        let mut ids = ids.and_then(|ids| ids.as_array()).map(|ids| ids.iter());
        ids.as_mut().is_some_and(|ids| ids.all(|id| id.as_str().is_some_and(&kept)))
    };
    Ok(Ledger::sweep(&path, now, true, shows_kept, guard)? + gone > 0)
}

/// Forgets the replayable blocks that are over, at the end of a job that does something else. A state
/// that is in use or cannot be read is left to the next one.
pub fn expired_blocks(workspace: &Workspace, locks: &mut Locks, now: Instant) {
    let path = workspace.idempotency_state();
    if !path.exists() {
        return;
    }
    let swept = locks
        .begin()
        .exclusive::<State>()
        .and_then(|(guard, _)| Ledger::sweep(&path, now, false, |_| true, &guard));
    if let Err(error) = swept {
        tracing::debug!(%error, "expired blocks are left to the next job");
    }
}

/// Removes the files named like `path` with `mark` and more behind it, such as `.torn-…`, whose bytes
/// `doomed` holds for. Returns them.
///
/// # Errors
/// I/O.
pub fn remove_beside(path: &Path, mark: &str, doomed: impl Fn(&[u8]) -> bool) -> Result<Vec<PathBuf>> {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name().and_then(|n| n.to_str())) else {
        return Ok(Vec::new());
    };
    let prefix = format!("{name}{mark}");
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Error::io(dir, &e)),
    };
    let mut removed = Vec::new();
    for entry in entries {
        let entry = entry.at(dir)?;
        let path = entry.path();
        let ours = entry.file_name().to_str().is_some_and(|n| n.starts_with(&prefix));
        if !ours || !entry.file_type().at(&path)?.is_file() {
            continue;
        }
        if doomed(&fs::read(&path).at(&path)?) {
            remove(&path)?;
            removed.push(path);
        }
    }
    removed.sort();
    if !removed.is_empty() {
        atomic::sync_parent(path)?;
    }
    Ok(removed)
}

/// Removes a file; one that is not there is gone already.
///
/// # Errors
/// I/O.
pub fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(Error::io(path, &e)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ModelIdentity;
    use crate::base::id::sha256_hex;
    use crate::store::lock::{LockSettings, Single};

    fn model() -> ModelIdentity {
        ModelIdentity {
            provider: "local".into(),
            name: "m".into(),
            digest: "d".into(),
            width: 3,
            query_prefix: String::new(),
            document_prefix: String::new(),
            window: 8,
        }
    }

    #[test]
    fn rows_and_vectors_go_and_the_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let guard = Single::take(&dir.path().join("l"), &LockSettings::default()).unwrap();
        let files = SetFiles::new(dir.path(), "clarifications");
        let mut draft = Draft::new(&model(), 4, "Flat").unwrap();
        draft.push("a", &sha256_hex("a"), &[[1.0f32, 0.0, 0.0]]).unwrap();
        draft.push("b", &sha256_hex("b"), &[[0.0f32, 1.0, 0.0], [0.0, 0.6, 0.8]]).unwrap();
        draft.push("c", &sha256_hex("a"), &[[1.0f32, 0.0, 0.0]]).unwrap();
        let _ = files.prepare(&guard, draft).unwrap().commit(&guard).unwrap();
        let before = fs::read(files.npy()).unwrap();
        assert_eq!(rows(&files, |_| true, true, &guard).unwrap(), 0);
        assert_eq!(fs::read(files.npy()).unwrap(), before);

        assert_eq!(rows(&files, |id| id != "b", true, &guard).unwrap(), 2);
        let set = files.open().unwrap();
        let left: Vec<&str> = set.manifest().rows.iter().map(|r| r.id.as_str()).collect();
        assert_eq!(left, ["a", "c"]);
        for path in [files.npy(), files.faiss()] {
            let bytes = fs::read(&path).unwrap();
            assert!(memchr::memmem::find(&bytes, &0.8f32.to_le_bytes()).is_none(), "{}", path.display());
        }
        // A set that cannot be read goes as a whole, but only when something must be forgotten.
        fs::write(files.manifest(), "rubbish").unwrap();
        rows(&files, |_| false, false, &guard).unwrap();
        assert!(files.npy().exists());
        rows(&files, |_| false, true, &guard).unwrap();
        assert!(!files.npy().exists() && !files.faiss().exists() && !files.manifest().exists());
    }

    #[test]
    fn files_beside_go_by_their_content() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f.jsonl");
        for name in ["f.jsonl", "f.jsonl.torn-1", "f.jsonl.torn-2", "g.jsonl.torn-1"] {
            fs::write(dir.path().join(name), name).unwrap();
        }
        let gone = remove_beside(&file, ".torn-", |bytes| bytes.ends_with(b"2")).unwrap();
        assert_eq!(gone, [dir.path().join("f.jsonl.torn-2")]);
        assert_eq!(remove_beside(&file, ".torn-", |_| true).unwrap().len(), 1);
        assert!(file.exists());
    }
}
