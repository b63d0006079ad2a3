//! The two files of a trail on disk: opening, reading at a place, setting torn bytes aside.
//!
//! Only regular files are opened, never through a symlink, and never one that was replaced meanwhile.
//! Torn bytes are kept beside the file before it is cut.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::base::error::IoContext;
use crate::base::{Error, Instant, Kind, Result};
use crate::store::{Workspace, atomic, open};

/// Where a trail and its chain lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrailPaths {
    /// `learnings-injections.jsonl`.
    pub trail: PathBuf,
    /// `learnings-injections.chain.jsonl`.
    pub chain: PathBuf,
    /// The note of a rotation under way, without a secret.
    pub rotation: PathBuf,
}

impl TrailPaths {
    /// The trail of a workspace.
    pub fn of(workspace: &Workspace) -> Self {
        TrailPaths {
            trail: workspace.trail(),
            chain: workspace.chain(),
            rotation: workspace.state_dir().join("rotation.json"),
        }
    }
}

/// Opens `path` for reading; `None` when it does not exist.
pub(super) fn open_read(path: &Path) -> Result<Option<File>> {
    match open::regular(path, OpenOptions::new().read(true)) {
        Ok(file) => Ok(Some(file)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::io(path, &e)),
    }
}

/// Opens `path` for reading and appending, creating it durably when absent. To be called under the
/// lock, so that a file replaced meanwhile is noticed.
pub(super) fn open_append(path: &Path) -> Result<File> {
    let existed = path.symlink_metadata().is_ok();
    let file = open::regular(path, OpenOptions::new().read(true).append(true).create(true)).at(path)?;
    if !open::same_file(&file, path).at(path)? {
        return Err(Error::new(
            Kind::Io,
            crate::tr!(
                "{} a été remplacé pendant son ouverture",
                "{} was replaced while it was being opened",
                path.display()
            ),
        ));
    }
    if !existed {
        atomic::sync_parent(path)?;
    }
    Ok(file)
}

/// Size in bytes.
pub(super) fn size(file: &File, path: &Path) -> Result<u64> {
    Ok(file.metadata().at(path)?.len())
}

/// Exactly the bytes `from..to`.
pub(super) fn read_range(file: &File, path: &Path, from: u64, to: u64) -> Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(to.saturating_sub(from)).unwrap_or(usize::MAX)];
    file.read_exact_at(&mut bytes, from).at(path)?;
    Ok(bytes)
}

/// Keeps the bytes of `file` from `from` on in `PATH.torn-<time>`, durably, then cuts them off.
pub(super) fn set_aside(file: &File, path: &Path, from: u64, now: Instant) -> Result<PathBuf> {
    let bytes = read_range(file, path, from, size(file, path)?)?;
    let kept = write_beside(path, &format!("torn-{}", now.compact()), &bytes)?;
    file.set_len(from).at(path)?;
    file.sync_all().at(path)?;
    Ok(kept)
}

/// Writes `bytes` durably to a new file `PATH.<suffix>`, or `PATH.<suffix>.2` … if that exists.
pub(super) fn write_beside(path: &Path, suffix: &str, bytes: &[u8]) -> Result<PathBuf> {
    let mut n = 1;
    loop {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{suffix}"));
        if n > 1 {
            name.push(format!(".{n}"));
        }
        let kept = PathBuf::from(name);
        match OpenOptions::new().write(true).create_new(true).open(&kept) {
            Ok(mut out) => {
                out.write_all(bytes).at(&kept)?;
                out.sync_all().at(&kept)?;
                atomic::sync_parent(&kept)?;
                return Ok(kept);
            }
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists && n < 10_000 => n += 1,
            Err(e) => return Err(Error::io(&kept, &e)),
        }
    }
}

/// The last whole line of a file, without newline.
pub(super) fn last_line(file: &File, path: &Path) -> Result<Option<Vec<u8>>> {
    let size = size(file, path)?;
    let mut window = 8 << 10;
    loop {
        let start = size.saturating_sub(window);
        let bytes = read_range(file, path, start, size)?;
        let Some(end) = memchr::memrchr(b'\n', &bytes) else {
            if start == 0 {
                return Ok(None);
            }
            window *= 8;
            continue;
        };
        match memchr::memrchr(b'\n', &bytes[..end]) {
            Some(before) => return Ok(Some(bytes[before + 1..end].to_vec())),
            None if start == 0 => return Ok(Some(bytes[..end].to_vec())),
            None => window *= 8,
        }
    }
}
