//! Reading files of a repository that may hold anything: a regular file or an error, never a wait.
//!
//! A FIFO or device at a name of ours would hang a plain read; a file far too large would fill the
//! memory. Links are followed where the caller does not rule them out; in place of a page they are not.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use crate::base::{Error, Result};
use crate::markdown::decode::{self, MAX_BYTES, Undecodable};
use crate::tr;

/// The bytes of a regular file.
///
/// # Errors
/// Those of `open` and `read`, and [`ErrorKind::InvalidInput`] for anything that is no regular file.
pub fn bytes(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let (mut file, size) = open(path.as_ref(), 0)?;
    let mut out = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    file.read_to_end(&mut out)?;
    Ok(out)
}

/// The text of a regular file.
///
/// # Errors
/// As [`bytes`], and [`ErrorKind::InvalidData`] for what is not UTF-8.
pub fn text(path: impl AsRef<Path>) -> io::Result<String> {
    String::from_utf8(bytes(path)?).map_err(|e| io::Error::new(ErrorKind::InvalidData, e))
}

/// The text of a file that may be absent, for writing it anew: empty when there is none.
///
/// # Errors
/// An input error for anything that is there and is no text: it would be lost.
pub fn text_or_empty(path: &Path) -> Result<String> {
    match text(path) {
        Ok(text) => Ok(text),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(String::new()),
        Err(e) => Err(Error::io(path, &e)),
    }
}

/// The text of a page; a page larger than [`MAX_BYTES`] and one behind a symbolic link are not read.
///
/// # Errors
/// Why it cannot be read.
pub fn page(path: &Path) -> std::result::Result<String, Undecodable> {
    let unread = |e: io::Error| match e.raw_os_error() {
        Some(libc::ELOOP) => Undecodable::Link,
        _ => Undecodable::Unreadable(e.to_string()),
    };
    let (mut file, size) = open(path, libc::O_NOFOLLOW).map_err(unread)?;
    if size > MAX_BYTES {
        return Err(Undecodable::TooLarge(size));
    }
    let mut out = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    // A file that grows meanwhile is cut off just above the limit, where decoding refuses it.
    file.by_ref().take(MAX_BYTES + 1).read_to_end(&mut out).map_err(unread)?;
    decode::text(out)
}

/// What stands at a name where a file of ours belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nothing.
    Free,
    /// A regular file, not a link, with these bytes.
    File(Vec<u8>),
    /// Something else, or a file that cannot be read.
    Other,
}

/// Looks at a name where a file of ours belongs.
pub fn place(path: &Path) -> Place {
    match fs::symlink_metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => Place::Free,
        Ok(meta) if meta.is_file() => bytes(path).map_or(Place::Other, Place::File),
        _ => Place::Other,
    }
}

fn open(path: &Path, flags: libc::c_int) -> io::Result<(fs::File, u64)> {
    let flags = flags | libc::O_NONBLOCK | libc::O_CLOEXEC;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let meta = file.metadata()?;
    let kind = meta.file_type();
    if kind.is_file() {
        return Ok((file, meta.len()));
    }
    let what = if kind.is_dir() {
        tr!("un répertoire", "a directory")
    } else if kind.is_fifo() {
        tr!("un tube nommé", "a FIFO")
    } else {
        tr!("un périphérique", "a device")
    };
    Err(io::Error::new(
        ErrorKind::InvalidInput,
        tr!("est {what}, un fichier ordinaire est attendu", "is {what}, a regular file is expected"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("a"), "text").unwrap();
        let made = std::process::Command::new("mkfifo").arg(at("f")).status().unwrap();
        assert!(made.success());
        std::os::unix::fs::symlink("a", at("l")).unwrap();
        assert_eq!(bytes(at("a")).unwrap(), b"text");
        assert_eq!(text(at("l")).unwrap(), "text");
        assert_eq!(page(&at("l")), Err(Undecodable::Link));
        for odd in [at("f"), dir.path().to_owned(), "/dev/zero".into()] {
            assert_eq!(bytes(&odd).unwrap_err().kind(), ErrorKind::InvalidInput, "{odd:?}");
            assert!(matches!(page(&odd), Err(Undecodable::Unreadable(_))));
            assert_eq!(place(&odd), Place::Other);
        }
        assert_eq!(place(&at("none")), Place::Free);
        assert_eq!(place(&at("l")), Place::Other);
        assert_eq!(place(&at("a")), Place::File(b"text".to_vec()));
    }

    #[test]
    fn a_page_above_the_limit_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.md");
        // A hole: no byte of it is written.
        fs::File::create(&path).unwrap().set_len(100 << 20).unwrap();
        assert_eq!(page(&path), Err(Undecodable::TooLarge(100 << 20)));
    }
}
