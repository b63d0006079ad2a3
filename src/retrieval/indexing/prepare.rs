//! Reading a file and making everything the catalogue stores about it. No database here.

use std::collections::HashSet;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::retrieval::analysis::{self, Language, language};
use crate::retrieval::catalog::documents::{LARGEST_TEXT, pack};
use crate::retrieval::chunk::{self, Chunk, Strategy};
use crate::retrieval::tokens::Count;
use crate::retrieval::walk::Found;

/// SHA-256 of a content.
pub type Hash = [u8; 32];

/// What is the same for all files of a run.
pub struct Job<'c> {
    /// Root of the collection.
    pub root: PathBuf,
    /// Language of all documents; detected when absent.
    pub language: Option<Language>,
    /// How documents are cut.
    pub strategy: Strategy,
    /// How tokens are counted.
    pub count: Count<'c>,
}

/// What reading a file gave.
pub enum Outcome {
    /// A content not seen before.
    New(Box<Prepared>),
    /// A content that is stored already.
    Known(Hash),
    /// Nothing to index, and why.
    Skip(&'static str),
}

/// A document ready to be stored.
pub struct Prepared {
    /// SHA-256 of the content.
    pub hash: Hash,
    /// Bytes of the content.
    pub bytes: usize,
    /// Lines of the content.
    pub lines: usize,
    /// Its language.
    pub language: Language,
    /// How it was cut.
    pub strategy: Strategy,
    /// Its title.
    pub title: String,
    /// Its chunks.
    pub chunks: Vec<Chunk>,
    /// Its text, compressed.
    pub packed: Vec<u8>,
    /// The full-text row of every chunk.
    pub rows: Vec<WordRow>,
}

/// A row of the full-text table.
pub struct WordRow {
    /// Terms of the title.
    pub title: String,
    /// Terms of the paths.
    pub path: String,
    /// Terms of the chunk.
    pub body: String,
    /// Number of terms in the chunk.
    pub length: u16,
}

/// Prepares files on all cores, in their order.
pub fn wave<'f>(job: &Job, files: &[&'f Found], known: &HashSet<Hash>) -> Vec<(&'f Found, Outcome)> {
    files.par_iter().map(|file| (*file, read(job, file, known))).collect()
}

fn read(job: &Job, file: &Found, known: &HashSet<Hash>) -> Outcome {
    let bytes = match load(&job.root.join(&file.path)) {
        Ok(bytes) => bytes,
        Err(reason) => return Outcome::Skip(reason),
    };
    let hash: Hash = Sha256::digest(&bytes).into();
    if known.contains(&hash) {
        return Outcome::Known(hash);
    }
    if bytes.contains(&0) {
        return Outcome::Skip("binary");
    }
    let Ok(text) = String::from_utf8(bytes) else { return Outcome::Skip("not UTF-8") };
    prepare(&text, hash, &file.path, job).map_or(Outcome::Skip("too large"), |p| Outcome::New(Box::new(p)))
}

fn load(path: &Path) -> Result<Vec<u8>, &'static str> {
    let why = |e: std::io::Error| match e.kind() {
        ErrorKind::NotFound => "vanished",
        _ => "unreadable",
    };
    // A path that became a FIFO or a device since the walk must not block.
    let options = std::fs::OpenOptions::new().read(true).clone();
    let file = std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options.clone(), libc::O_NONBLOCK)
        .open(path)
        .map_err(why)?;
    let meta = file.metadata().map_err(why)?;
    if !meta.is_file() {
        return Err("not a regular file");
    }
    if meta.len() > LARGEST_TEXT as u64 {
        return Err("too large");
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0) + 1);
    // One byte past the limit shows a file that grew meanwhile.
    file.take(LARGEST_TEXT as u64 + 1).read_to_end(&mut bytes).map_err(why)?;
    if bytes.len() > LARGEST_TEXT { Err("too large") } else { Ok(bytes) }
}

/// Makes a document of `text`; `None` when it cannot be packed.
fn prepare(text: &str, hash: Hash, path: &str, job: &Job) -> Option<Prepared> {
    let language = job.language.unwrap_or_else(|| language::detect(text));
    let title = title_of(text, path);
    let chunks = chunk::cut(text, path, job.strategy, job.count);
    let rows = word_rows(text, &chunks, &title, &[path], language);
    Some(Prepared {
        hash,
        bytes: text.len(),
        lines: text.lines().count(),
        language,
        strategy: job.strategy,
        title,
        packed: pack(text).ok()?,
        chunks,
        rows,
    })
}

/// The full-text rows of a document's chunks.
pub fn word_rows(
    text: &str,
    chunks: &[Chunk],
    title: &str,
    paths: &[&str],
    language: Language,
) -> Vec<WordRow> {
    let terms = |text: &str| {
        let mut out = String::with_capacity(text.len());
        let count = analysis::terms(text, language, &mut out);
        (out, count)
    };
    let (title, _) = terms(title);
    let (path, _) = terms(&paths.join(" "));
    chunks
        .iter()
        .map(|c| {
            let (body, count) = terms(text.get(c.range()).unwrap_or_default());
            let length = u16::try_from(count).unwrap_or(u16::MAX);
            WordRow { title: title.clone(), path: path.clone(), body, length }
        })
        .collect()
}

/// The title of a document: `title:` of its front matter, its first heading, else its file name.
pub fn title_of(text: &str, path: &str) -> String {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines().take(400).peekable();
    if lines.peek().is_some_and(|l| l.trim_end() == "---") {
        lines.next();
        for line in lines.by_ref() {
            if line.trim_end() == "---" {
                break;
            }
            if let Some(value) = line.strip_prefix("title:") {
                let value = value.trim().trim_matches(['"', '\'']).trim();
                if !value.is_empty() {
                    return shorten(value);
                }
            }
        }
    }
    let mut fence = false;
    for line in lines {
        fence ^= line.trim_start().starts_with("```");
        if let Some(heading) = line.strip_prefix("# ").filter(|_| !fence) {
            let heading = heading.trim().trim_end_matches('#').trim();
            if !heading.is_empty() {
                return shorten(heading);
            }
        }
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    shorten(name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem }))
}

fn shorten(title: &str) -> String {
    title.chars().filter(|c| !c.is_control()).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles() {
        for (text, expected) in [
            ("---\ntitle: \"A: b\"\n---\n# C\n", "A: b"),
            ("---\nother: x\n---\ntext\n# C #\n", "C"),
            ("\u{feff}# With BOM\r\n", "With BOM"),
            ("```\n# not this\n```\n# This\n", "This"),
            ("no heading", "file"),
            ("---\ntitle:\n", "file"),
        ] {
            assert_eq!(title_of(text, "dir/file.md"), expected, "{text:?}");
        }
        assert_eq!(title_of("", ".env"), ".env");
    }
}
