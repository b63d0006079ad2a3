//! Passing over a file once without keeping it: where its lines stand, to read a few of them later.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::Line;
use super::snapshot::{MAX_FILE, foreign, too_large};
use crate::base::Result;
use crate::base::error::IoContext;
use crate::store::open;

/// Bytes read at a time: small enough to stay in the processor's cache.
const CHUNK: usize = 256 << 10;

/// Where a whole line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Byte offset of its start.
    pub offset: u64,
    /// Its length in bytes, without the final `\n`.
    pub len: usize,
}

/// A file that was passed over. Rewrites replace a file and appends come after what was seen, so the
/// lines stay readable at their places.
#[derive(Debug)]
pub struct Scanned {
    path: PathBuf,
    file: Option<File>,
}

/// Shows every whole line of `path` to `see`, in file order; an absent file has none, and a torn last
/// line is not shown.
///
/// Errors: those of [`Snapshot::read`](super::Snapshot::read).
pub fn scan(path: &Path, mut see: impl FnMut(Place, &[u8])) -> Result<Scanned> {
    let file = match open::regular(path, OpenOptions::new().read(true)) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => {
            return Ok(Scanned { path: path.to_owned(), file: None });
        }
        other => other.at(path)?,
    };
    // What is appended after this moment belongs to the next look.
    let len = file.metadata().at(path)?.len();
    if len > MAX_FILE {
        return Err(too_large(path, len));
    }
    let mut rest = (&file).take(len);
    let mut buffer = vec![0; CHUNK];
    // Of the buffer, `held` bytes are filled; the first of them stands at `offset` of the file.
    let (mut held, mut offset) = (0, 0u64);
    loop {
        let read = match rest.read(&mut buffer[held..]) {
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            other => other.at(path)?,
        };
        if offset == 0 && held == 0 {
            foreign(path, &buffer[..read])?;
        }
        if read == 0 {
            return Ok(Scanned { path: path.to_owned(), file: Some(file) });
        }
        let filled = &buffer[..held + read];
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', &filled[held..]).map(|i| held + i) {
            see(Place { offset: offset + start as u64, len: end - start }, &filled[start..end]);
            start = end + 1;
        }
        held += read;
        offset += start as u64;
        buffer.copy_within(start..held, 0);
        held -= start;
        if held == buffer.len() {
            buffer.resize(buffer.len() * 2, 0);
        }
    }
}

impl Scanned {
    /// Reads the line at `place` and hands it to `work`.
    ///
    /// Errors: I/O.
    pub fn line<T>(&self, place: Place, work: impl FnOnce(Line<'_>) -> T) -> Result<Option<T>> {
        let Some(file) = &self.file else { return Ok(None) };
        let mut bytes = vec![0; place.len];
        file.read_exact_at(&mut bytes, place.offset).at(&self.path)?;
        Ok(Some(work(Line { number: 0, offset: place.offset, bytes: &bytes })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::jsonl::Snapshot;

    #[test]
    fn sees_what_a_snapshot_sees() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f.jsonl");
        // Lines around the size of a chunk and over it, empty ones, and a torn end.
        let lengths = [0, 1, CHUNK - 3, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK, 0, 7, 2 * CHUNK - 20, 9];
        let mut text: Vec<u8> = Vec::new();
        for (i, n) in lengths.iter().enumerate() {
            text.extend(std::iter::repeat_n(b'a' + i as u8, *n));
            text.push(b'\n');
        }
        text.extend(b"torn");
        std::fs::write(&path, &text).unwrap();
        let mut seen = Vec::new();
        let scanned = scan(&path, |place, bytes| seen.push((place, bytes.to_vec()))).unwrap();
        let snapshot = Snapshot::read(&path).unwrap();
        let expected: Vec<_> = snapshot.lines().map(|l| (l.offset, l.bytes.to_vec())).collect();
        assert_eq!(seen.iter().map(|(p, b)| (p.offset, b.clone())).collect::<Vec<_>>(), expected);
        // Each can be read again, whatever is renamed over the file or appended to it.
        std::fs::rename(&path, dir.path().join("old")).unwrap();
        std::fs::write(&path, "other\n").unwrap();
        for (place, bytes) in seen {
            assert!(scanned.line(place, |line| line.bytes == bytes).unwrap().unwrap());
        }
    }

    #[test]
    fn absent_empty_and_foreign_files() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f.jsonl");
        let count = |path: &Path| {
            let mut n = 0;
            scan(path, |_, _| n += 1).map(|_| n)
        };
        assert_eq!(count(&path).unwrap(), 0);
        std::fs::write(&path, "").unwrap();
        assert_eq!(count(&path).unwrap(), 0);
        std::fs::write(&path, b"\x1f\x8b\x08\n").unwrap();
        assert_eq!(count(&path).unwrap_err().code_text(), "ERR-295-15");
        assert_eq!(count(dir.path()).unwrap_err().exit(), 74);
    }
}
