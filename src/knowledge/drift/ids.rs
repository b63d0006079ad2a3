//! Identities of content: what a page is acknowledged against.
//!
//! A file has the id git gives its bytes with LF endings; a folder or glob the SHA-256 of the sorted
//! `path NUL id LF` of its files; a symbol or lines the blob id of that text.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;
use rayon::prelude::*;
use sha1::{Digest, Sha1};

use super::reference::{Kind, Reference};
use super::{Missing, symbols};
use crate::base::id::sha256_hex;
use crate::knowledge::read;
use crate::knowledge::resolve::{Broken, Resolver};
use crate::knowledge::walk::{slashed, under};

/// git's id of a blob of these bytes.
pub fn blob_id(bytes: &[u8]) -> String {
    let mut sha = Sha1::new();
    sha.update(format!("blob {}\0", bytes.len()));
    sha.update(bytes);
    hex::encode(sha.finalize())
}

/// With LF endings, unless it is binary.
pub fn unified(bytes: Vec<u8>) -> Vec<u8> {
    if memchr::memchr(b'\r', &bytes).is_none() || memchr::memchr(0, &bytes).is_some() {
        return bytes;
    }
    let mut out = Vec::with_capacity(bytes.len());
    for (i, b) in bytes.iter().enumerate() {
        if *b != b'\r' || bytes.get(i + 1) != Some(&b'\n') {
            out.push(*b);
        }
    }
    out
}

/// A file that is there and cannot be read is not gone.
fn unread(e: &io::Error) -> Missing {
    match e.kind() {
        io::ErrorKind::NotFound => Missing::Gone,
        _ => Missing::Unreadable(e.to_string()),
    }
}

/// The identity of many files with these blob ids.
pub fn identity_of(files: &BTreeMap<String, String>) -> String {
    sha256_hex(files.iter().map(|(path, id)| format!("{path}\0{id}\n")).collect::<String>())
}

/// Content identified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The id.
    pub id: String,
    /// The files it covers, from the folder of `.rag`, sorted.
    pub files: Vec<String>,
}

/// Identifies content under one folder.
#[derive(Debug)]
pub struct Ids {
    home: PathBuf,
    files: OnceLock<Vec<String>>,
}

impl Ids {
    /// Identities under `home`.
    pub fn new(home: &Path) -> Self {
        Ids { home: home.to_owned(), files: OnceLock::new() }
    }

    /// Where a reference leads, before anything is read.
    ///
    /// # Errors
    /// Why it leads nowhere.
    pub fn locate(&self, resolver: &Resolver<'_>, reference: &Reference) -> Result<Vec<String>, Missing> {
        if reference.kind == Kind::Glob {
            let files = self.matching(&reference.path);
            return if files.is_empty() { Err(Missing::Gone) } else { Ok(files) };
        }
        match resolver.in_home(&reference.path) {
            Ok(false) => Ok(vec![reference.path.clone()]),
            Ok(true) if reference.kind == Kind::Whole => {
                let files = self.below(&reference.path);
                if files.is_empty() { Err(Missing::Gone) } else { Ok(files) }
            }
            Ok(true) => Err(Missing::Gone),
            Err(Broken::WrongCase(real)) => Err(Missing::WrongCase(real)),
            Err(Broken::Outside) => Err(Missing::Outside),
            Err(_) => Err(Missing::Gone),
        }
    }

    /// The identity of what `locate` found.
    ///
    /// # Errors
    /// [`Missing`] when a file went away meanwhile or the lines do not exist.
    pub fn identify(&self, reference: &Reference, files: &[String]) -> Result<Identity, Missing> {
        let read = |path: &str| read::bytes(under(&self.home, path)).map(unified).map_err(|e| unread(&e));
        let one = |id: String| Identity { id, files: files.to_vec() };
        match (&reference.kind, files) {
            (Kind::Whole, [file]) if *file == reference.path => Ok(one(blob_id(&read(file)?))),
            (Kind::Whole | Kind::Glob, _) => {
                Ok(one(identity_of(&self.blobs(files).map_err(|e| unread(&e))?)))
            }
            (Kind::Symbol(name), _) => {
                let bytes = read(&reference.path)?;
                let node = symbols::find(&reference.path, &bytes, name);
                Ok(one(blob_id(node.map_or(&bytes[..], |range| &bytes[range]))))
            }
            (Kind::Lines(from, to), _) => {
                let bytes = read(&reference.path)?;
                Ok(one(blob_id(lines(&bytes, *from, *to).ok_or(Missing::Lines)?)))
            }
        }
    }

    /// The blob id of each of `files`.
    ///
    /// # Errors
    /// The first file that cannot be read.
    pub fn blobs(&self, files: &[String]) -> io::Result<BTreeMap<String, String>> {
        let id = |path: &String| {
            let bytes = read::bytes(under(&self.home, path))?;
            Ok((path.clone(), blob_id(&unified(bytes))))
        };
        files.par_iter().map(id).collect()
    }

    /// The bytes of a file, with LF endings.
    pub fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        read::bytes(under(&self.home, path)).map(unified).ok()
    }

    /// The text a reference identifies, for comparing with an older one; `None` for many files.
    pub fn content(&self, reference: &Reference) -> Option<Vec<u8>> {
        let bytes = read::bytes(under(&self.home, &reference.path)).map(unified).ok()?;
        match &reference.kind {
            Kind::Whole => Some(bytes),
            Kind::Glob => None,
            Kind::Symbol(name) => {
                let range = symbols::find(&reference.path, &bytes, name).unwrap_or(0..bytes.len());
                Some(bytes[range].to_vec())
            }
            Kind::Lines(from, to) => lines(&bytes, *from, *to).map(<[u8]>::to_vec),
        }
    }

    /// Every file of the repository that git does not ignore, sorted.
    pub fn all(&self) -> &[String] {
        self.files.get_or_init(|| list(&self.home, &self.home))
    }

    fn below(&self, folder: &str) -> Vec<String> {
        list(&self.home, &under(&self.home, folder))
    }

    fn matching(&self, pattern: &str) -> Vec<String> {
        let Some(glob) = matcher(pattern) else { return Vec::new() };
        self.all().iter().filter(|f| glob.is_match(f)).cloned().collect()
    }
}

/// What a pattern matches; `None` when it is none.
pub(super) fn matcher(pattern: &str) -> Option<GlobMatcher> {
    GlobBuilder::new(pattern).literal_separator(true).build().ok().map(|glob| glob.compile_matcher())
}

fn list(home: &Path, from: &Path) -> Vec<String> {
    let walker = WalkBuilder::new(from)
        .hidden(false)
        .require_git(false)
        .git_global(false)
        .git_exclude(false)
        .ignore(false)
        .filter_entry(|e| e.file_name() != ".git")
        .build();
    let mut out: Vec<String> = walker
        .flatten()
        .filter(|e| e.file_type().is_some_and(|t| t.is_file()))
        .filter_map(|e| slashed(e.path().strip_prefix(home).ok()?))
        .collect();
    out.sort_unstable();
    out
}

/// Lines `from` to `to`, from 1, with their endings.
fn lines(bytes: &[u8], from: usize, to: usize) -> Option<&[u8]> {
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', bytes).map(|i| i + 1).collect();
    let start = if from == 1 { 0 } else { *ends.get(from - 2)? };
    let end = ends.get(to - 1).copied().unwrap_or(bytes.len());
    let count = ends.len() + usize::from(ends.last().copied().unwrap_or(0) < bytes.len());
    (to <= count && start < end).then(|| &bytes[start..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_git_s() {
        // `printf 'hello\n' | git hash-object --stdin`
        assert_eq!(blob_id(b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
        assert_eq!(blob_id(b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(blob_id(&unified(b"hello\r\n".to_vec())), blob_id(b"hello\n"));
        assert_eq!(unified(b"a\r\0\r\n".to_vec()), b"a\r\0\r\n");
    }

    #[test]
    fn lines_exist_or_not() {
        assert_eq!(lines(b"a\nb\nc", 2, 3), Some(&b"b\nc"[..]));
        assert_eq!(lines(b"a\nb\n", 1, 1), Some(&b"a\n"[..]));
        assert_eq!(lines(b"a\nb\n", 2, 3), None);
        assert_eq!(lines(b"", 1, 1), None);
    }
}
