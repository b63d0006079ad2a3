//! Paths that come out of records, kept inside their root.
//!
//! A record's path is relative, has no `..`, no NUL, and is opened by the kernel's own
//! `RESOLVE_BENEATH`, so that a link swapped in between cannot lead outside.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use crate::base::error::IoContext;
use crate::base::{Error, Result};
use crate::tr;

/// Whether `path` is a plain relative path: not empty, no `..`, no leading `/`, no control character.
pub fn is_plain(path: &str) -> bool {
    !path.is_empty()
        && path.len() < 4096
        && !path.chars().any(char::is_control)
        && Path::new(path).components().all(|c| matches!(c, Component::Normal(_)))
}

/// `root` joined with `path`, by its text alone (exit 2 when `path` is not [`is_plain`]).
pub fn join(root: &Path, path: &str) -> Result<PathBuf> {
    if is_plain(path) {
        return Ok(root.join(path));
    }
    Err(Error::usage(tr!("chemin refusé : {path:?}", "refused path: {path:?}"))
        .hint(tr!("un chemin relatif sans « .. » est attendu", "a relative path without `..` is expected")))
}

/// Opens the regular file `path` under `root` for reading, never leaving `root`: not by `..`, not by
/// an absolute path, not by a link, not by one swapped in meanwhile. Links that stay inside are followed.
pub fn open(root: &Path, path: &str) -> Result<File> {
    let full = join(root, path)?;
    let dir = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_DIRECTORY | libc::O_CLOEXEC)
        .open(root)
        .at(root)?;
    let file = open_beneath(&dir, path).at(&full)?;
    if file.metadata().at(&full)?.is_file() {
        return Ok(file);
    }
    let full = full.display();
    Err(Error::usage(tr!("{full} n'est pas un fichier ordinaire", "{full} is not a regular file")))
}

/// Reads the regular file `path` under `root` as [`open`] does; above `limit` bytes it is refused.
pub fn read(root: &Path, path: &str, limit: u64) -> Result<Vec<u8>> {
    let file = open(root, path)?;
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).at(root.join(path))?;
    if bytes.len() as u64 > limit {
        return Err(Error::usage(tr!(
            "{path} dépasse {limit} octets",
            "{path} is longer than {limit} bytes"
        )));
    }
    Ok(bytes)
}

fn open_beneath(dir: &File, path: &str) -> io::Result<File> {
    let path = CString::new(path)?;
    let flags = libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NONBLOCK | libc::O_NOCTTY;
    // SAFETY: `open_how` is plain data for which all zeroes is the documented default.
    let mut how: libc::open_how = unsafe { std::mem::zeroed() };
    how.flags = u64::from(flags.unsigned_abs());
    how.resolve = libc::RESOLVE_BENEATH | libc::RESOLVE_NO_MAGICLINKS;
    // SAFETY: the path is NUL-terminated, the struct outlives the call, its true size is passed.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_openat2,
            dir.as_raw_fd(),
            path.as_ptr(),
            &raw const how,
            std::mem::size_of::<libc::open_how>(),
        )
    };
    let fd = i32::try_from(fd).unwrap_or(-1);
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just returned to us and nobody else owns it.
    Ok(unsafe { File::from_raw_fd(fd) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn text_that_could_escape_is_refused() {
        for bad in ["", "/etc/passwd", "../x", "a/../../x", "a/..", ".", "./a", "a\0b", "a\nb", "a/./../b"] {
            assert!(!is_plain(bad), "{bad:?}");
            assert_eq!(join(Path::new("/w"), bad).unwrap_err().exit(), 2);
        }
        for good in ["a", "docs/veille/x.md", "é/日本.md", "a..b", "..a/b"] {
            assert!(is_plain(good), "{good:?}");
        }
    }

    #[test]
    fn links_do_not_lead_outside() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        std::fs::create_dir_all(root.join("sub")).unwrap();
        std::fs::write(dir.path().join("secret"), "outside").unwrap();
        std::fs::write(root.join("sub/file"), "inside").unwrap();
        symlink("../secret", root.join("up")).unwrap();
        symlink(dir.path().join("secret"), root.join("absolute")).unwrap();
        symlink("..", root.join("parent")).unwrap();
        symlink("sub/file", root.join("within")).unwrap();
        symlink("/proc/self/root", root.join("magic")).unwrap();
        for bad in ["up", "absolute", "parent/secret", "magic/etc/passwd", "sub", "absent"] {
            assert!(read(&root, bad, 100).is_err(), "{bad}");
        }
        assert_eq!(read(&root, "sub/file", 100).unwrap(), b"inside");
        assert_eq!(read(&root, "within", 6).unwrap(), b"inside");
        assert!(read(&root, "within", 5).is_err());
    }
}
