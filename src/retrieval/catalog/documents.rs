//! Documents, their text and chunks, and the files that hold them.
//!
//! A document is a content: two files with the same bytes are one document with two paths. Its text
//! is stored once, compressed.

use std::path::{Component, Path, PathBuf};

use rusqlite::{OptionalExtension, Row};

use super::Catalog;
use crate::base::{Error, Result};
use crate::retrieval::analysis::Language;
use crate::retrieval::chunk::{self, Chunk};
use crate::tr;

/// Longest stored text in bytes.
pub const LARGEST_TEXT: usize = 64 << 20;

/// A document without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Row id.
    pub id: i64,
    /// SHA-256 hex of the content.
    pub hash: String,
    /// Length of the content in bytes.
    pub bytes: i64,
    /// Lines of the content.
    pub lines: i64,
    /// Its language.
    pub language: Language,
    /// Title from front matter, first heading or file name.
    pub title: String,
    /// Id of its first chunk; the others follow.
    pub first: i64,
    /// Number of chunks.
    pub count: i64,
}

impl Document {
    /// The short id, first six hex digits of the hash.
    pub fn docid(&self) -> &str {
        self.hash.get(..6).unwrap_or(&self.hash)
    }
}

/// An indexed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Row id.
    pub id: i64,
    /// Its collection.
    pub collection: i64,
    /// Path relative to the collection's root, with `/`.
    pub path: String,
    /// Its document.
    pub document: i64,
    /// Length when indexed.
    pub size: i64,
    /// Modification time when indexed, nanoseconds since the epoch.
    pub mtime: i64,
}

const DOCUMENT: &str = "id, hash, bytes, lines, language, title, first, count";
const FILE: &str = "id, collection, path, document, size, mtime";

fn document(row: &Row) -> rusqlite::Result<Document> {
    let hash: Vec<u8> = row.get(1)?;
    let language: String = row.get(4)?;
    Ok(Document {
        id: row.get(0)?,
        hash: hex::encode(hash),
        bytes: row.get(2)?,
        lines: row.get(3)?,
        language: Language::from_tag(&language).unwrap_or_default(),
        title: row.get(5)?,
        first: row.get(6)?,
        count: row.get(7)?,
    })
}

fn file(row: &Row) -> rusqlite::Result<File> {
    Ok(File {
        id: row.get(0)?,
        collection: row.get(1)?,
        path: row.get(2)?,
        document: row.get(3)?,
        size: row.get(4)?,
        mtime: row.get(5)?,
    })
}

impl Catalog {
    /// The files of a collection, by path.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn files(&self, collection: i64) -> Result<Vec<File>> {
        let sql = format!("SELECT {FILE} FROM file WHERE collection = ?1 ORDER BY path");
        self.sql(|| self.db.prepare_cached(&sql)?.query_map([collection], file)?.collect())
    }

    /// The files of a document, by collection and path.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn files_of(&self, document: i64) -> Result<Vec<File>> {
        let sql = format!(
            "SELECT {FILE} FROM file WHERE document = ?1
             ORDER BY (SELECT name FROM collection WHERE id = collection), path"
        );
        self.sql(|| self.db.prepare_cached(&sql)?.query_map([document], file)?.collect())
    }

    /// The file at `path` of a collection.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn file(&self, collection: i64, path: &str) -> Result<Option<File>> {
        let sql = format!("SELECT {FILE} FROM file WHERE collection = ?1 AND path = ?2");
        self.sql(|| self.db.prepare_cached(&sql)?.query_row((collection, path), file).optional())
    }

    /// The document with this row id.
    ///
    /// # Errors
    /// Exit 65 when there is none; I/O.
    pub fn document(&self, id: i64) -> Result<Document> {
        let sql = format!("SELECT {DOCUMENT} FROM document WHERE id = ?1");
        self.sql(|| self.db.prepare_cached(&sql)?.query_row([id], document))
    }

    /// The document that holds a chunk, and which of its chunks it is; `None` when the chunk is gone.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn document_of_chunk(&self, chunk: i64) -> Result<Option<(Document, usize)>> {
        let sql = format!("SELECT {DOCUMENT} FROM document WHERE first <= ?1 ORDER BY first DESC LIMIT 1");
        let run = || self.db.prepare_cached(&sql)?.query_row([chunk], document).optional();
        let found = run().map_err(|e| self.fail(&e))?;
        Ok(found.and_then(|d| {
            let n = usize::try_from(chunk - d.first).ok()?;
            (chunk < d.first + d.count).then_some((d, n))
        }))
    }

    /// The documents whose hash starts with `prefix` (lower-case hex), by hash.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn documents_by_hash(&self, prefix: &str) -> Result<Vec<Document>> {
        let sql = format!(
            "SELECT {DOCUMENT} FROM document WHERE hash >= ?1 AND hash <= ?2 AND lower(hex(hash)) LIKE ?3
             ORDER BY hash"
        );
        let bound = |fill: char| {
            let mut text = prefix.to_owned();
            text.extend(std::iter::repeat_n(fill, 64usize.saturating_sub(prefix.len())));
            hex::decode(text).unwrap_or_default()
        };
        let like = format!("{prefix}%");
        self.sql(|| {
            self.db.prepare_cached(&sql)?.query_map((bound('0'), bound('f'), like), document)?.collect()
        })
    }

    /// Every document, by row id.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn documents(&self) -> Result<Vec<Document>> {
        let sql = format!("SELECT {DOCUMENT} FROM document ORDER BY id");
        self.sql(|| self.db.prepare_cached(&sql)?.query_map([], document)?.collect())
    }

    /// The chunks of a document.
    ///
    /// # Errors
    /// Exit 65 when they are damaged; I/O.
    pub fn chunks(&self, document: i64) -> Result<Vec<Chunk>> {
        let run = || {
            self.db
                .prepare_cached("SELECT chunks FROM body WHERE document = ?1")?
                .query_row([document], |r| r.get::<_, Vec<u8>>(0))
        };
        let bytes = run().map_err(|e| self.fail(&e))?;
        chunk::decode(&bytes).ok_or_else(|| self.damaged("chunks"))
    }

    /// The text of a document, and its chunks.
    ///
    /// # Errors
    /// Exit 65 when they are damaged; I/O.
    pub fn body(&self, document: i64) -> Result<(String, Vec<Chunk>)> {
        let run = || {
            self.db
                .prepare_cached("SELECT text, chunks FROM body WHERE document = ?1")?
                .query_row([document], |r| Ok((r.get::<_, Vec<u8>>(0)?, r.get::<_, Vec<u8>>(1)?)))
        };
        let (packed, chunks) = run().map_err(|e| self.fail(&e))?;
        let text = unpack(&packed).ok_or_else(|| self.damaged("text"))?;
        let chunks = chunk::decode(&chunks).ok_or_else(|| self.damaged("chunks"))?;
        let fits = |c: &Chunk| text.get(c.range()).is_some();
        if !chunks.iter().all(fits) {
            return Err(self.damaged("chunks"));
        }
        Ok((text, chunks))
    }

    /// Number of documents, chunks and bytes.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn totals(&self) -> Result<(i64, i64, i64)> {
        let sql = "SELECT count(*), coalesce(sum(count), 0), coalesce(sum(bytes), 0) FROM document";
        self.db.query_row(sql, [], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?))).map_err(|e| self.fail(&e))
    }

    /// The languages of the indexed documents.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn languages(&self) -> Result<Vec<Language>> {
        let tags: Option<String> = self.meta("languages")?;
        Ok(tags.unwrap_or_default().split(' ').filter_map(Language::from_tag).collect())
    }

    /// Where a file lies on the disk.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn disk_path(&self, file: &File) -> Result<PathBuf> {
        let root: String = self
            .db
            .prepare_cached("SELECT root FROM collection WHERE id = ?1")
            .and_then(|mut s| s.query_row([file.collection], |r| r.get(0)))
            .map_err(|e| self.fail(&e))?;
        let path = Path::new(&file.path);
        // An index that came from elsewhere must not name files outside its roots.
        if !path.components().all(|c| matches!(c, Component::Normal(_))) {
            return Err(self.damaged(&file.path));
        }
        Ok(PathBuf::from(root).join(path))
    }

    /// Whether the disk no longer holds what was indexed: the file is gone, or its length or time
    /// differ.
    ///
    /// # Errors
    /// Exit 65 or I/O on the database, never on the file.
    pub fn is_stale(&self, file: &File) -> Result<bool> {
        Ok(match std::fs::metadata(self.disk_path(file)?) {
            Ok(meta) => stamp(&meta) != (file.size, file.mtime),
            Err(_) => true,
        })
    }
}

/// Length and modification time as the catalogue keeps them.
pub fn stamp(meta: &std::fs::Metadata) -> (i64, i64) {
    use std::os::unix::fs::MetadataExt;
    let size = i64::try_from(meta.size()).unwrap_or(i64::MAX);
    (size, meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec()))
}

/// Compresses a text.
///
/// # Errors
/// When memory runs out.
pub fn pack(text: &str) -> Result<Vec<u8>> {
    let mut packed = u32::try_from(text.len())
        .map_err(|_| Error::usage(tr!("texte trop long", "the text is too long")))?
        .to_le_bytes()
        .to_vec();
    let body = zstd::bulk::compress(text.as_bytes(), 3)
        .map_err(|e| Error::new(crate::base::Kind::Bug, format!("zstd: {e}")))?;
    packed.extend(body);
    Ok(packed)
}

/// Reads [`pack`]'s form; `None` when it is damaged.
pub fn unpack(packed: &[u8]) -> Option<String> {
    let (length, body) = packed.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    if length > LARGEST_TEXT {
        return None;
    }
    let text = zstd::bulk::decompress(body, length).ok()?;
    (text.len() == length).then_some(String::from_utf8(text).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_survive_packing_and_damage_is_seen() {
        for text in ["", "a", "é".repeat(10_000).as_str()] {
            assert_eq!(unpack(&pack(text).unwrap()).as_deref(), Some(text));
        }
        let packed = pack("some text").unwrap();
        assert_eq!(unpack(&packed[..packed.len() - 1]), None);
        assert_eq!(unpack(&[255; 40]), None);
        assert_eq!(unpack(&[]), None);
    }
}
