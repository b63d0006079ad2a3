//! Reading a whole file as it stands: lines with their place, and what is wrong with them.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::base::error::IoContext;
use crate::base::{Code, Error, Result};
use crate::store::open;
use crate::tr;

/// Longest line that is looked into, in bytes. Longer ones are reported, and kept by rewrites.
pub const MAX_LINE: usize = 16 << 20;

/// Largest file that is read, in bytes: a sparse or endless one must not exhaust the memory.
pub(super) const MAX_FILE: u64 = 4 << 30;

/// The content of a JSON-lines file at one moment.
#[derive(Debug)]
pub struct Snapshot {
    path: PathBuf,
    bytes: Vec<u8>,
    lines: Vec<Range<usize>>,
    torn: Option<Range<usize>>,
}

/// One whole line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Line number, from 1.
    pub number: usize,
    /// Byte offset of its start in the file.
    pub offset: u64,
    /// Its bytes, without the final `\n`.
    pub bytes: &'a [u8],
}

/// A last line without its `\n`: an append that did not finish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torn {
    /// Line number, from 1.
    pub number: usize,
    /// Byte offset of its start in the file.
    pub offset: u64,
    /// Its length in bytes.
    pub len: usize,
}

/// Why the bytes of a line cannot be text of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Not UTF-8, at this byte of the line.
    NotUtf8(usize),
    /// Ends with `\r`.
    Crlf,
    /// Starts with a byte order mark.
    Bom,
    /// Holds a NUL byte, at this byte of the line.
    Nul(usize),
    /// Longer than [`MAX_LINE`].
    TooLong(usize),
}

impl Fault {
    /// A stable name for counts: `not_utf8`, `crlf`, `bom`, `nul`, `too_long`.
    pub fn name(self) -> &'static str {
        match self {
            Fault::NotUtf8(_) => "not_utf8",
            Fault::Crlf => "crlf",
            Fault::Bom => "bom",
            Fault::Nul(_) => "nul",
            Fault::TooLong(_) => "too_long",
        }
    }

    /// What is wrong, for people.
    pub fn message(self) -> String {
        match self {
            Fault::NotUtf8(at) => tr!("octet {at} : pas de l'UTF-8", "byte {at}: not UTF-8"),
            Fault::Crlf => tr!("fin de ligne CRLF, LF attendu", "the line ends with CRLF, LF is expected"),
            Fault::Bom => tr!("commence par une marque d'ordre (BOM)", "starts with a byte order mark"),
            Fault::Nul(at) => tr!("octet {at} : NUL", "byte {at}: NUL"),
            Fault::TooLong(n) => tr!("{n} octets, {MAX_LINE} au plus", "{n} bytes, {MAX_LINE} at most"),
        }
    }
}

impl<'a> Line<'a> {
    /// The line as text, or why it is none.
    pub fn text(&self) -> Result<&'a str, Fault> {
        if self.bytes.len() > MAX_LINE {
            return Err(Fault::TooLong(self.bytes.len()));
        }
        if self.bytes.starts_with(b"\xef\xbb\xbf") {
            return Err(Fault::Bom);
        }
        if let Some(at) = memchr::memchr(0, self.bytes) {
            return Err(Fault::Nul(at));
        }
        if self.bytes.ends_with(b"\r") {
            return Err(Fault::Crlf);
        }
        std::str::from_utf8(self.bytes).map_err(|e| Fault::NotUtf8(e.valid_up_to()))
    }

    /// Whether the line holds nothing but white space.
    pub fn is_blank(&self) -> bool {
        self.bytes.iter().all(u8::is_ascii_whitespace)
    }
}

impl Snapshot {
    /// Reads `path` as it stands now; an absent file is empty.
    ///
    /// Errors: not a regular file or not readable (74); compressed, UTF-16 or another binary format
    /// as a whole, or above 4 GiB (ERR-295-15, exit 65).
    pub fn read(path: &Path) -> Result<Snapshot> {
        let mut bytes = Vec::new();
        match open::regular(path, OpenOptions::new().read(true)) {
            Ok(file) => {
                // What is appended after this moment belongs to the next snapshot.
                let len = file.metadata().at(path)?.len();
                if len > MAX_FILE {
                    return Err(too_large(path, len));
                }
                bytes.reserve_exact(usize::try_from(len).unwrap_or(0).min(1 << 30));
                file.take(len).read_to_end(&mut bytes).at(path)?;
            }
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => return Err(Error::io(path, &e)),
        }
        Snapshot::from_bytes(path, bytes)
    }

    /// A snapshot of `bytes`; `path` is what messages name. Errors as [`Snapshot::read`].
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Snapshot> {
        foreign(path, &bytes)?;
        let mut lines = Vec::new();
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', &bytes) {
            lines.push(start..end);
            start = end + 1;
        }
        let torn = (start < bytes.len()).then_some(start..bytes.len());
        Ok(Snapshot { path: path.to_owned(), bytes, lines, torn })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The whole lines, in file order; blank ones included.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = Line<'_>> {
        (0..self.lines.len()).map(|i| self.at(i))
    }

    /// The whole line `index`, from 0.
    pub fn line(&self, index: usize) -> Option<Line<'_>> {
        (index < self.lines.len()).then(|| self.at(index))
    }

    /// How many whole lines there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is no whole line.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The torn last line, if there is one.
    pub fn torn(&self) -> Option<Torn> {
        self.torn.as_ref().map(|r| Torn {
            number: self.lines.len() + 1,
            offset: r.start as u64,
            len: r.len(),
        })
    }

    /// The bytes of the torn last line; empty when there is none.
    pub fn torn_bytes(&self) -> &[u8] {
        self.torn.clone().map_or(&[], |r| &self.bytes[r])
    }

    /// The whole file, torn tail included.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn at(&self, index: usize) -> Line<'_> {
        let range = self.lines[index].clone();
        Line { number: index + 1, offset: range.start as u64, bytes: &self.bytes[range] }
    }
}

/// Refuses a file that starts as no text does. Errors: ERR-295-15.
pub(super) fn foreign(path: &Path, bytes: &[u8]) -> Result<()> {
    let Some(what) = foreign_format(bytes) else { return Ok(()) };
    let path = path.display();
    Err(Error::memory(
        Code::SchemaInvalid,
        tr!("{path} est {what}, pas du JSONL", "{path} is {what}, not JSON lines"),
    )
    .hint(tr!(
        "remettez le fichier texte d'origine, par exemple depuis git",
        "put the original text file back, from git for instance"
    )))
}

pub(super) fn too_large(path: &Path, len: u64) -> Error {
    let path = path.display();
    Error::memory(
        Code::SchemaInvalid,
        tr!("{path} : {len} octets, {MAX_FILE} au plus", "{path}: {len} bytes, {MAX_FILE} at most"),
    )
}

/// Formats that are told by their first bytes and that are no JSON lines at any line.
fn foreign_format(bytes: &[u8]) -> Option<&'static str> {
    const FORMATS: [(&[u8], &str); 7] = [
        (b"\x1f\x8b", "gzip"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"PK\x03\x04", "zip"),
        (b"\xfd7zXZ\x00", "xz"),
        (b"\xff\xfe", "UTF-16"),
        (b"\xfe\xff", "UTF-16"),
        (b"SQLite format 3\x00", "SQLite"),
    ];
    FORMATS.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snap(bytes: &[u8]) -> Snapshot {
        Snapshot::from_bytes(Path::new("f.jsonl"), bytes.to_vec()).unwrap()
    }

    #[test]
    fn lines_have_their_place() {
        let s = snap("{}\n\n{\"é\":1}\n{\"to".as_bytes());
        let places: Vec<_> = s.lines().map(|l| (l.number, l.offset, l.bytes.len())).collect();
        assert_eq!(places, [(1, 0, 2), (2, 3, 0), (3, 4, 8)]);
        assert!(s.line(1).unwrap().is_blank());
        assert_eq!(s.torn(), Some(Torn { number: 4, offset: 13, len: 4 }));
        assert_eq!(s.torn_bytes(), b"{\"to");
        assert_eq!(snap(b"").torn(), None);
        assert_eq!(snap(b"\n\n\n").len(), 3);
    }

    #[test]
    fn faults() {
        let s = snap(b"\xef\xbb\xbf{}\n{}\r\n{\"a\":\"\0\"}\n{\"a\":\"\xff\"}\n\"\xc0\xaf\"\n{}\n");
        let faults: Vec<_> = s.lines().map(|l| l.text().err()).collect();
        assert_eq!(
            faults,
            [
                Some(Fault::Bom),
                Some(Fault::Crlf),
                Some(Fault::Nul(6)),
                Some(Fault::NotUtf8(6)),
                Some(Fault::NotUtf8(1)),
                None
            ]
        );
        let long = snap(&[vec![b'x'; MAX_LINE + 1], b"\n".to_vec()].concat());
        assert_eq!(long.line(0).unwrap().text(), Err(Fault::TooLong(MAX_LINE + 1)));
    }

    #[test]
    fn whole_files_of_other_formats_are_refused() {
        for magic in [&b"\x1f\x8b\x08\x00"[..], b"\xff\xfe{\0", b"PK\x03\x04"] {
            let error = Snapshot::from_bytes(Path::new("f"), magic.to_vec()).unwrap_err();
            assert_eq!((error.code(), error.exit()), (Some(Code::SchemaInvalid), 65));
        }
    }

    #[test]
    fn absent_is_empty_and_odd_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Snapshot::read(&dir.path().join("none")).unwrap().is_empty());
        assert_eq!(Snapshot::read(dir.path()).unwrap_err().exit(), 74);
        let sparse = dir.path().join("sparse");
        std::fs::File::create(&sparse).unwrap().set_len(MAX_FILE + 1).unwrap();
        assert_eq!(Snapshot::read(&sparse).unwrap_err().exit(), 65);
    }
}
