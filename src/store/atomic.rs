//! Whole-file replacement: old bytes or new bytes, never a mix.
//!
//! A replacement is a temporary file in the same directory → write → fsync → rename → fsync of the
//! directory. A file that is staged but not committed leaves the old one untouched.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::lock::Writing;
use super::open;
use crate::base::Result;
use crate::base::error::IoContext;

/// Replaces the content of `path`, keeping its mode, under the exclusive lock that guards it.
pub fn replace(path: &Path, bytes: &[u8], guard: &impl Writing) -> Result<()> {
    Staged::new(path, bytes, guard)?.commit()
}

/// Replaces the content of `path`, readable by its owner alone (0600). For files outside the
/// workspace's locks, such as a keyring, whose writers agree by other means.
pub fn replace_private(path: &Path, bytes: &[u8]) -> Result<()> {
    whole(path, bytes, Some(0o600))?.commit()
}

/// Replaces the content of `path` where it needs no lock of the workspace: configuration, reports and
/// other files with one writer at a time.
pub fn replace_unlocked(path: &Path, bytes: &[u8]) -> Result<()> {
    whole(path, bytes, None)?.commit()
}

/// New content, durable under a temporary name, not yet in place. Dropped, it is removed.
#[derive(Debug)]
#[must_use = "a staged file is in place only after `commit`"]
pub struct Staged {
    temporary: PathBuf,
    path: PathBuf,
    done: bool,
}

impl Staged {
    /// Writes and fsyncs the new content of `path` beside it.
    pub fn new(path: &Path, bytes: &[u8], _guard: &impl Writing) -> Result<Staged> {
        whole(path, bytes, None)
    }

    /// Writes and fsyncs what `fill` gives as the new content of `path` beside it, piece by piece.
    pub fn fill(
        path: &Path,
        _guard: &impl Writing,
        fill: impl FnOnce(&mut BufWriter<&File>) -> Result<()>,
    ) -> Result<Staged> {
        stage(path, None, fill)
    }

    /// Puts the new content in place and makes that durable.
    pub fn commit(mut self) -> Result<()> {
        // Opened first: what may fail does so while the old content stands.
        let dir = parent(&self.path);
        let handle = File::open(dir).at(dir)?;
        fs::rename(&self.temporary, &self.path).at(&self.path)?;
        self.done = true;
        handle.sync_all().at(dir)
    }

    /// The temporary file.
    pub fn temporary(&self) -> &Path {
        &self.temporary
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.done && fs::remove_file(&self.temporary).is_err() {
            tracing::debug!(path = %self.temporary.display(), "temporary file left behind");
        }
    }
}

fn whole(path: &Path, bytes: &[u8], mode: Option<u32>) -> Result<Staged> {
    stage(path, mode, |out| out.write_all(bytes).at(path))
}

/// Writes what `fill` gives into a temporary file beside `path` and fsyncs it.
fn stage(
    path: &Path,
    mode: Option<u32>,
    fill: impl FnOnce(&mut BufWriter<&File>) -> Result<()>,
) -> Result<Staged> {
    let old = existing(path).at(path)?;
    remove_abandoned(path);
    let (file, temporary) = create_temporary(path).at(path)?;
    let staged = Staged { temporary, path: path.to_owned(), done: false };
    set_mode(&file, mode, old.as_ref()).at(&staged.temporary)?;
    let mut out = BufWriter::with_capacity(1 << 16, &file);
    fill(&mut out)?;
    out.flush().and_then(|()| file.sync_all()).at(&staged.temporary)?;
    drop(out);
    Ok(staged)
}

/// Gives a new file the mode `mode`, else that of the file it replaces, else the usual one.
fn set_mode(file: &File, mode: Option<u32>, old: Option<&fs::Metadata>) -> io::Result<()> {
    let keep = mode.is_none();
    let mode = match (mode, old) {
        (Some(mode), _) => mode,
        (None, Some(old)) => old.mode() & 0o7777,
        // The umask decides, as for any new file: only the temporary file was private.
        (None, None) => 0o666 & !umask(),
    };
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    if let Some(old) = old.filter(|_| keep) {
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            // Only the superuser can give a file back; for others the new owner stands.
            let _ = fchown(file, Some(old.uid()), Some(old.gid()));
        }
    }
    Ok(())
}

/// `X` with `.next` added: the name of a new version before its commit.
pub fn next_path(path: &Path) -> PathBuf {
    with_suffix(path, ".next")
}

/// Writes and fsyncs the new content of `path` as its `.next` file, replacing an older one.
pub fn write_next(path: &Path, bytes: &[u8], guard: &impl Writing) -> Result<PathBuf> {
    let next = next_path(path);
    replace(&next, bytes, guard)?;
    Ok(next)
}

/// Renames the `.next` file of `path` over it and fsyncs the directory.
pub fn promote_next(path: &Path, _guard: &impl Writing) -> Result<()> {
    existing(path).at(path)?;
    let dir = parent(path);
    let handle = File::open(dir).at(dir)?;
    fs::rename(next_path(path), path).at(path)?;
    handle.sync_all().at(dir)
}

/// Makes a file that another library wrote durable.
pub fn sync_file(path: &Path) -> Result<()> {
    let file = open::regular(path, OpenOptions::new().read(true)).at(path)?;
    file.sync_all().at(path)
}

/// Makes renames, creations and removals in the directory of `path` durable.
pub fn sync_parent(path: &Path) -> Result<()> {
    sync_parent_of(path).at(parent(path))
}

/// As [`sync_parent`], for callers that have something to undo.
pub(super) fn sync_parent_of(path: &Path) -> io::Result<()> {
    File::open(parent(path))?.sync_all()
}

/// `path` with `suffix` added to its file name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The directory that holds `path`.
fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    }
}

/// What stands at `path`: nothing, or a regular file; anything else is refused.
fn existing(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match path.symlink_metadata() {
        // Opening is the one place that knows how to refuse; it also works on write-only files.
        Ok(meta) if meta.is_file() => Ok(Some(meta)),
        Ok(_) => open::regular(path, OpenOptions::new().read(true)).map(|_| None),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

static COUNTER: AtomicU32 = AtomicU32::new(0);

fn create_temporary(path: &Path) -> io::Result<(File, PathBuf)> {
    loop {
        let n = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = with_suffix(path, &format!(".tmp-{}-{n}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&name) {
            Ok(file) => return Ok((file, name)),
            Err(e) if e.kind() == ErrorKind::AlreadyExists && n < 10_000 => {}
            Err(e) => return Err(e),
        }
    }
}

/// Removes temporary files of `path` whose process is gone: the traces of a kill.
fn remove_abandoned(path: &Path) {
    let Some(prefix) = path.file_name().and_then(|n| n.to_str()).map(|n| format!("{n}.tmp-")) else { return };
    let Ok(entries) = fs::read_dir(parent(path)) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|n| n.strip_prefix(&prefix)).and_then(|n| n.split('-').next());
        let Some(pid) = pid.and_then(|p| p.parse::<u32>().ok()) else { continue };
        if pid != std::process::id() && !Path::new(&format!("/proc/{pid}")).exists() {
            // Litter only: nothing depends on its going.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn umask() -> u32 {
    // Reading it through `umask(2)` would change it for other threads for a moment.
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("Umask:"));
    line.and_then(|v| u32::from_str_radix(v.trim(), 8).ok()).unwrap_or(0o022)
}

#[cfg(test)]
mod tests {
    use super::super::lock::{LockSettings, Single};
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn replaces_and_keeps_the_mode() {
        let dir = tempfile::tempdir().unwrap();
        let guard = Single::take(&dir.path().join("l"), &LockSettings::default()).unwrap();
        let path = dir.path().join("f");
        replace(&path, b"one", &guard).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        replace(&path, b"two", &guard).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o640);
        replace_private(&path, b"key").unwrap();
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(names(dir.path()), ["f", "l"]);
    }

    #[test]
    fn a_staged_file_changes_nothing_until_committed() {
        let dir = tempfile::tempdir().unwrap();
        let guard = Single::take(&dir.path().join("l"), &LockSettings::default()).unwrap();
        let path = dir.path().join("f");
        replace(&path, b"old", &guard).unwrap();
        let staged = Staged::new(&path, b"new", &guard).unwrap();
        assert_eq!(fs::read(staged.temporary()).unwrap(), b"new");
        drop(staged);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(dir.path()), ["f", "l"]);
        write_next(&path, b"next", &guard).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        promote_next(&path, &guard).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"next");
        assert_eq!(names(dir.path()), ["f", "l"]);
    }

    #[test]
    fn odd_targets_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("elsewhere", dir.path().join("link")).unwrap();
        fs::create_dir(dir.path().join("sub")).unwrap();
        for name in ["link", "sub"] {
            assert_eq!(replace_unlocked(&dir.path().join(name), b"x").unwrap_err().exit(), 74, "{name}");
        }
        assert!(!dir.path().join("elsewhere").exists());
    }

    #[test]
    fn the_dead_leave_no_litter() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        // Above the largest process number of any Linux.
        fs::write(dir.path().join("f.tmp-4999999-0"), "half").unwrap();
        fs::write(dir.path().join("f.tmp-1-0"), "alive").unwrap();
        fs::write(dir.path().join("f.tmp-note"), "not ours").unwrap();
        replace_unlocked(&path, b"x").unwrap();
        assert_eq!(names(dir.path()), ["f", "f.tmp-1-0", "f.tmp-note"]);
    }
}
