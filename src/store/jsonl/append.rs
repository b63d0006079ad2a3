//! Appending whole lines: on disk when the call returns, or undone.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::base::error::IoContext;
use crate::base::{Error, Instant, Kind, Result};
use crate::store::atomic;
use crate::store::lock::Writing;
use crate::store::open;
use crate::tr;

/// What an append did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// Byte offset of the first appended line.
    pub offset: u64,
    /// Length of the file after the append, in bytes.
    pub end: u64,
    /// Where a torn tail that stood before was moved to.
    pub torn: Option<PathBuf>,
}

/// Appends `lines` (without `\n`) to `path`, creating it when absent, in one write, fsynced.
///
/// A torn tail is first moved to `NAME.torn-<now>`. When the write or its fsync fails, the file is cut
/// back to what it was; if even that fails, the error says that the tail is not acknowledged.
/// Errors: I/O (74); a line that is empty or holds a line break (70, nothing written).
pub fn append<S: AsRef<str>>(
    path: &Path,
    lines: &[S],
    now: Instant,
    _guard: &impl Writing,
) -> Result<Appended> {
    let mut block = Vec::new();
    for line in lines {
        let line = line.as_ref();
        if line.is_empty() || line.contains(['\n', '\r', '\0']) {
            return Err(Error::new(Kind::Bug, format!("{}: not one line: {line:.40?}", path.display())));
        }
        block.extend_from_slice(line.as_bytes());
        block.push(b'\n');
    }
    let (mut file, created) = open_for_append(path).at(path)?;
    let torn = repair(&mut file, path, now)?;
    let offset = file.metadata().at(path)?.len();
    let end = offset + block.len() as u64;
    let name_too = || if created { atomic::sync_parent_of(path) } else { Ok(()) };
    if let Err(e) = write_block(&mut file, &block, offset).and_then(|()| name_too()) {
        return Err(undo(&file, path, offset, &e));
    }
    Ok(Appended { offset, end, torn })
}

fn open_for_append(path: &Path) -> io::Result<(File, bool)> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    let (file, created) = match open::regular(path, &options) {
        Err(e) if e.kind() == ErrorKind::NotFound => {
            (open::regular(path, options.clone().create_new(true))?, true)
        }
        other => (other?, false),
    };
    // The lock was taken before: nobody of ours can have renamed another file here meanwhile.
    if !open::same_file(&file, path)? {
        return Err(io::Error::other(tr!(
            "le fichier a été remplacé pendant l'ouverture",
            "the file was replaced while it was opened"
        )));
    }
    Ok((file, created))
}

fn write_block(file: &mut File, block: &[u8], offset: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    let written = loop {
        match file.write(block) {
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            other => break other?,
        }
    };
    if written != block.len() {
        // The disk is full or a limit was met: the rest says which.
        file.write_all(&block[written..])?;
    }
    file.sync_data()
}

fn undo(file: &File, path: &Path, offset: u64, cause: &io::Error) -> Error {
    let error = Error::io(path, cause);
    match file.set_len(offset).and_then(|()| file.sync_data()) {
        Ok(()) => error,
        Err(again) => {
            let path = path.display();
            Error::new(
                Kind::Io,
                tr!(
                    "{path} : {cause} ; l'annulation a échoué aussi ({again}) : ce qui suit l'octet {offset} n'est pas acquitté",
                    "{path}: {cause}; undoing failed too ({again}): what follows byte {offset} is not acknowledged"
                ),
            )
        }
    }
}

/// Moves a tail without `\n` aside and cuts it off. Returns where it is kept.
fn repair(file: &mut File, path: &Path, now: Instant) -> Result<Option<PathBuf>> {
    let len = file.metadata().at(path)?.len();
    let whole = whole_length(file, len).at(path)?;
    if whole == len {
        return Ok(None);
    }
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(whole)).at(path)?;
    file.take(len - whole).read_to_end(&mut tail).at(path)?;
    let kept = keep_tail(path, &tail, now)?;
    file.set_len(whole).and_then(|()| file.sync_all()).at(path)?;
    Ok(Some(kept))
}

/// The length of the whole lines: up to and with the last `\n` of the first `len` bytes.
fn whole_length(file: &File, len: u64) -> io::Result<u64> {
    let mut end = len;
    let mut buffer = vec![0; 64 << 10];
    while end > 0 {
        let size = usize::try_from(end).map_or(buffer.len(), |n| n.min(buffer.len()));
        // The last byte tells in nearly every case: look at it alone first.
        let size = if end == len { 1 } else { size };
        let start = end - size as u64;
        file.read_exact_at(&mut buffer[..size], start)?;
        if let Some(at) = memchr::memrchr(b'\n', &buffer[..size]) {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

fn keep_tail(path: &Path, tail: &[u8], now: Instant) -> Result<PathBuf> {
    let stamp = now.compact();
    for n in 1..10_000 {
        let number = if n == 1 { String::new() } else { format!("-{n}") };
        let kept = atomic::with_suffix(path, &format!(".torn-{stamp}{number}"));
        match OpenOptions::new().write(true).create_new(true).open(&kept) {
            Ok(mut file) => {
                file.write_all(tail).and_then(|()| file.sync_all()).at(&kept)?;
                atomic::sync_parent(&kept)?;
                return Ok(kept);
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(Error::io(kept, &e)),
        }
    }
    let path = path.display();
    Err(Error::new(
        Kind::Io,
        tr!("{path} : trop de fichiers .torn-{stamp}", "{path}: too many .torn-{stamp} files"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::jsonl::Snapshot;
    use crate::store::lock::{LockSettings, Single};

    #[test]
    fn appends_and_repairs() {
        let dir = tempfile::tempdir().unwrap();
        let guard = Single::take(&dir.path().join("l"), &LockSettings::default()).unwrap();
        let path = dir.path().join("f.jsonl");
        let now = Instant::from_unix(1_775_900_537);
        let first = append(&path, &["{\"n\":1}", "{\"n\":2}"], now, &guard).unwrap();
        assert_eq!(first, Appended { offset: 0, end: 16, torn: None });
        std::fs::write(&path, b"{\"n\":1}\n{\"n\":").unwrap();
        let kept = dir.path().join("f.jsonl.torn-20260411T094217Z");
        let second = append(&path, &["{}"], now, &guard).unwrap();
        assert_eq!(second, Appended { offset: 8, end: 11, torn: Some(kept.clone()) });
        assert_eq!(std::fs::read(&kept).unwrap(), b"{\"n\":");
        assert_eq!(Snapshot::read(&path).unwrap().len(), 2);
        // A file without any whole line, longer than the buffer, at the same instant.
        std::fs::write(&path, vec![b'x'; 70_000]).unwrap();
        let third = append(&path, &["{}"], now, &guard).unwrap();
        assert_eq!(third.torn, Some(dir.path().join("f.jsonl.torn-20260411T094217Z-2")));
        assert_eq!(std::fs::read(&path).unwrap(), b"{}\n");
    }

    #[test]
    fn refuses_what_is_not_one_line() {
        let dir = tempfile::tempdir().unwrap();
        let guard = Single::take(&dir.path().join("l"), &LockSettings::default()).unwrap();
        let path = dir.path().join("f.jsonl");
        for bad in ["", "a\nb", "a\r", "\0"] {
            assert!(append(&path, &["{}", bad], Instant::from_unix(0), &guard).is_err());
        }
        assert!(!path.exists());
    }
}
