//! Opening a file of ours without surprises: a regular file, no symbolic link, no waiting.
//!
//! A path in a shared workspace may have become a directory, a link, a FIFO or a device. Each is
//! refused by name, and none can make the caller hang.

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use crate::base::error::IoContext;
use crate::base::{Error, Result};
use crate::tr;

/// Opens `path` with `options`, refusing everything but a regular file reached without a final link.
///
/// Errors: those of `open`, and a clear refusal for directories, links, FIFOs, sockets and devices.
pub fn regular(path: &Path, options: &OpenOptions) -> io::Result<File> {
    // Asked first for a clear message; the flags and the second look close the race.
    match path.symlink_metadata() {
        Ok(meta) => refuse_odd(meta.file_type())?,
        Err(e) if e.kind() == ErrorKind::NotFound => {}
        Err(e) => return Err(e),
    }
    let mut options = options.clone();
    let file = options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC).open(path)?;
    refuse_odd(file.metadata()?.file_type())?;
    Ok(file)
}

/// Reads the file that a user named, through links, when it is a regular one of at most `limit` bytes.
///
/// # Errors
/// I/O, also for a directory, a FIFO, a socket or a device, none of which is waited for; exit 2 above
/// the limit.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>> {
    // Asked first, so that no device is opened; asked again of what was opened.
    refuse_odd(path.metadata().at(path)?.file_type()).at(path)?;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC);
    let file = options.open(path).at(path)?;
    refuse_odd(file.metadata().at(path)?.file_type()).at(path)?;
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).at(path)?;
    if bytes.len() as u64 > limit {
        let path = path.display();
        return Err(Error::usage(tr!(
            "{path} dépasse {limit} octets",
            "{path} is longer than {limit} bytes"
        )));
    }
    Ok(bytes)
}

/// Reads a text as [`read`] reads bytes.
///
/// # Errors
/// Those of [`read`]; I/O when it is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> Result<String> {
    String::from_utf8(read(path, limit)?).map_err(|e| io::Error::new(ErrorKind::InvalidData, e)).at(path)
}

/// Whether `file` is still what `path` names: same device, same inode.
pub fn same_file(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    match path.symlink_metadata() {
        Ok(there) => Ok(ours.dev() == there.dev() && ours.ino() == there.ino()),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
    }
}

fn refuse_odd(kind: FileType) -> io::Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    let (error, what) = if kind.is_dir() {
        (ErrorKind::IsADirectory, tr!("un répertoire", "a directory"))
    } else if kind.is_symlink() {
        (ErrorKind::InvalidInput, tr!("un lien symbolique", "a symbolic link"))
    } else if kind.is_fifo() {
        (ErrorKind::InvalidInput, tr!("un tube nommé", "a FIFO"))
    } else if kind.is_socket() {
        (ErrorKind::InvalidInput, tr!("une socket", "a socket"))
    } else {
        (ErrorKind::InvalidInput, tr!("un périphérique", "a device"))
    };
    Err(io::Error::new(
        error,
        tr!("est {what}, un fichier ordinaire est attendu", "is {what}, a regular file is expected"),
    ))
}
