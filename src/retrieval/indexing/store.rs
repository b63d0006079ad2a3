//! Writing an update's documents: one transaction, one writer.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use rusqlite::{OptionalExtension, Transaction, TransactionBehavior};

use super::Report;
use super::prepare::{Hash, Outcome, Prepared, WordRow, word_rows};
use crate::base::Result;
use crate::retrieval::analysis::Language;
use crate::retrieval::catalog::Catalog;
use crate::retrieval::catalog::collections::Collection;
use crate::retrieval::catalog::documents::{File, unpack};
use crate::retrieval::chunk::{self, Strategy};
use crate::retrieval::walk::Found;

/// Chunk lengths per row of the `length` table.
pub const BLOCK: i64 = 1024;

/// A write transaction.
pub struct Store<'c> {
    tx: Transaction<'c>,
    catalog: &'c Catalog,
    documents: HashMap<Hash, i64>,
    /// Documents whose stored chunks are out of date.
    recut: HashSet<i64>,
    /// Documents whose paths changed.
    moved: BTreeSet<i64>,
    /// Documents that may have no file any more.
    loose: BTreeSet<i64>,
    lengths: BTreeMap<i64, Vec<u16>>,
    next_chunk: i64,
    tokens: i64,
    chunks: i64,
}

type Sql<T> = rusqlite::Result<T>;

/// Runs `work` in one immediate transaction; its error rolls everything back.
pub fn transaction<T>(
    catalog: &mut Catalog,
    recut: &HashSet<i64>,
    work: impl FnOnce(&mut Store) -> Result<T>,
) -> Result<T> {
    let catalog: &Catalog = catalog;
    let mut store = Store::begin(catalog, recut).map_err(|e| catalog.fail(&e))?;
    let value = work(&mut store)?;
    store.finish().map_err(|e| catalog.fail(&e))?;
    Ok(value)
}

impl<'c> Store<'c> {
    fn begin(catalog: &'c Catalog, recut: &HashSet<i64>) -> Sql<Self> {
        let tx = Transaction::new_unchecked(&catalog.db, TransactionBehavior::Immediate)?;
        let documents = tx
            .prepare("SELECT hash, id FROM document")?
            .query_map([], |r| Ok((r.get::<_, Hash>(0)?, r.get(1)?)))?
            .collect::<Sql<_>>()?;
        let number = |key: &str| -> Sql<i64> {
            let sql = "SELECT value FROM meta WHERE key = ?1";
            Ok(tx.query_row(sql, [key], |r| r.get(0)).optional()?.unwrap_or(0))
        };
        let (next_chunk, tokens, chunks) =
            (number("next_chunk")?, number("tokens_total")?, number("chunks_total")?);
        Ok(Store {
            documents,
            recut: recut.clone(),
            moved: BTreeSet::new(),
            loose: BTreeSet::new(),
            lengths: BTreeMap::new(),
            next_chunk: next_chunk.max(1),
            tokens,
            chunks,
            catalog,
            tx,
        })
    }

    /// The contents that need no preparing.
    pub fn hashes(&self) -> HashSet<Hash> {
        self.documents.iter().filter(|(_, id)| !self.recut.contains(id)).map(|(hash, _)| *hash).collect()
    }

    /// Stores what reading `file` gave.
    pub fn put(
        &mut self,
        collection: i64,
        file: &Found,
        outcome: Outcome,
        known: Option<&File>,
        report: &mut Report,
    ) -> Result<()> {
        self.put_sql(collection, file, outcome, known, report).map_err(|e| self.catalog.fail(&e))
    }

    fn put_sql(
        &mut self,
        collection: i64,
        file: &Found,
        outcome: Outcome,
        known: Option<&File>,
        report: &mut Report,
    ) -> Sql<()> {
        let document = match outcome {
            Outcome::Skip(reason) => {
                *report.skipped.entry(reason).or_default() += 1;
                // What cannot be read now may be read next time: it stays as it was.
                if let Some(known) = known.filter(|_| reason != "unreadable") {
                    report.removed += 1;
                    self.remove_file(known)?;
                }
                return Ok(());
            }
            Outcome::New(prepared) => self.document(&prepared)?,
            Outcome::Known(hash) => match self.documents.get(&hash) {
                Some(id) => *id,
                None => return Ok(()),
            },
        };
        match known {
            Some(known) if known.document == document => report.unchanged += 1,
            Some(known) => {
                report.changed += 1;
                self.loose.insert(known.document);
                self.moved.insert(known.document);
                self.linked(document)?;
            }
            None => {
                report.added += 1;
                self.linked(document)?;
            }
        }
        // Plain statements throughout: one that may have to undo itself (an upsert, a REPLACE) opens a
        // savepoint, and FTS5 writes out everything it holds at each savepoint.
        match known {
            Some(known) => self
                .tx
                .prepare_cached("UPDATE file SET document = ?2, size = ?3, mtime = ?4 WHERE id = ?1")?
                .execute((known.id, document, file.size, file.mtime))?,
            None => self
                .tx
                .prepare_cached(
                    "INSERT INTO file (collection, path, document, size, mtime) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute((collection, &file.path, document, file.size, file.mtime))?,
        };
        Ok(())
    }

    /// Notes that a document gets one more path: its path terms change unless it is the first one.
    fn linked(&mut self, document: i64) -> Sql<()> {
        let sql = "SELECT EXISTS (SELECT 1 FROM file WHERE document = ?1)";
        if self.tx.prepare_cached(sql)?.query_row([document], |r| r.get(0))? {
            self.moved.insert(document);
        }
        Ok(())
    }

    /// Stores a document, or its new chunks; returns its id.
    fn document(&mut self, p: &Prepared) -> Sql<i64> {
        let old = self.documents.get(&p.hash).copied();
        if let Some(id) = old {
            // Two files of one wave may hold one content.
            if !self.recut.remove(&id) {
                return Ok(id);
            }
            self.remove_words(id)?;
        }
        let first = self.next_chunk;
        let count = p.rows.len() as i64;
        self.next_chunk += count;
        let narrow = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        let id = match old {
            Some(id) => {
                self.tx
                    .prepare_cached(
                        "UPDATE document SET language = ?2, title = ?3, first = ?4, count = ?5, strategy = ?6
                         WHERE id = ?1",
                    )?
                    .execute((id, p.language.tag(), &p.title, first, count, p.strategy.tag()))?;
                self.tx.prepare_cached("DELETE FROM body WHERE document = ?1")?.execute([id])?;
                id
            }
            None => {
                self.tx
                    .prepare_cached(
                        "INSERT INTO document (hash, bytes, lines, language, title, first, count, strategy)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                    )?
                    .execute((
                        &p.hash[..],
                        narrow(p.bytes),
                        narrow(p.lines),
                        p.language.tag(),
                        &p.title,
                        first,
                        count,
                        p.strategy.tag(),
                    ))?;
                self.tx.last_insert_rowid()
            }
        };
        self.documents.insert(p.hash, id);
        self.tx
            .prepare_cached("INSERT INTO body (document, chunks, text) VALUES (?1, ?2, ?3)")?
            .execute((id, chunk::encode(&p.chunks), &p.packed))?;
        self.add_words(first, &p.rows)?;
        Ok(id)
    }

    fn add_words(&mut self, first: i64, rows: &[WordRow]) -> Sql<()> {
        for (id, row) in (first..).zip(rows) {
            self.tx
                .prepare_cached("INSERT INTO words (rowid, title, path, body) VALUES (?1, ?2, ?3, ?4)")?
                .execute((id, &row.title, &row.path, &row.body))?;
            self.set_length(id, row.length)?;
            self.tokens += i64::from(row.length);
        }
        self.chunks += rows.len() as i64;
        Ok(())
    }

    /// Removes the full-text rows of a document.
    fn remove_words(&mut self, document: i64) -> Sql<()> {
        let sql = "SELECT first, count FROM document WHERE id = ?1";
        let (first, count): (i64, i64) =
            self.tx.prepare_cached(sql)?.query_row([document], |r| Ok((r.get(0)?, r.get(1)?)))?;
        for id in first..first + count {
            self.tx.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([id])?;
            self.tokens -= i64::from(self.length(id)?);
            self.set_length(id, 0)?;
        }
        self.chunks -= count;
        Ok(())
    }

    fn block(&mut self, id: i64) -> Sql<&mut Vec<u16>> {
        let block = id / BLOCK;
        if !self.lengths.contains_key(&block) {
            let sql = "SELECT counts FROM length WHERE block = ?1";
            let bytes: Option<Vec<u8>> =
                self.tx.prepare_cached(sql)?.query_row([block], |r| r.get(0)).optional()?;
            let mut counts: Vec<u16> =
                bytes.unwrap_or_default().chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
            counts.resize(BLOCK as usize, 0);
            self.lengths.insert(block, counts);
        }
        Ok(self.lengths.entry(block).or_default())
    }

    fn length(&mut self, id: i64) -> Sql<u16> {
        let slot = (id % BLOCK) as usize;
        Ok(self.block(id)?.get(slot).copied().unwrap_or(0))
    }

    fn set_length(&mut self, id: i64, length: u16) -> Sql<()> {
        let slot = (id % BLOCK) as usize;
        if let Some(cell) = self.block(id)?.get_mut(slot) {
            *cell = length;
        }
        Ok(())
    }

    /// Forgets files.
    pub fn remove_files(&mut self, files: &[File]) -> Result<()> {
        files.iter().try_for_each(|f| self.remove_file(f)).map_err(|e| self.catalog.fail(&e))
    }

    fn remove_file(&mut self, file: &File) -> Sql<()> {
        self.tx.prepare_cached("DELETE FROM file WHERE id = ?1")?.execute([file.id])?;
        self.loose.insert(file.document);
        self.moved.insert(file.document);
        Ok(())
    }

    /// Drops documents without files, renews path terms, writes the counters, commits.
    fn finish(mut self) -> Sql<()> {
        for document in std::mem::take(&mut self.loose) {
            let sql = "SELECT EXISTS (SELECT 1 FROM file WHERE document = ?1)";
            if self.tx.prepare_cached(sql)?.query_row([document], |r| r.get(0))? {
                continue;
            }
            self.moved.remove(&document);
            self.remove_words(document)?;
            self.tx.prepare_cached("DELETE FROM body WHERE document = ?1")?.execute([document])?;
            self.tx.prepare_cached("DELETE FROM document WHERE id = ?1")?.execute([document])?;
        }
        for document in std::mem::take(&mut self.moved) {
            self.renew_words(document)?;
        }
        for (block, counts) in &self.lengths {
            let bytes: Vec<u8> = counts.iter().flat_map(|n| n.to_le_bytes()).collect();
            self.tx
                .prepare_cached("INSERT OR REPLACE INTO length (block, counts) VALUES (?1, ?2)")?
                .execute((block, bytes))?;
        }
        for (key, value) in
            [("next_chunk", self.next_chunk), ("tokens_total", self.tokens), ("chunks_total", self.chunks)]
        {
            self.tx
                .prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)")?
                .execute((key, value))?;
        }
        self.tx.commit()
    }

    /// Writes a document's full-text rows again, with the paths it has now.
    fn renew_words(&mut self, document: i64) -> Sql<()> {
        let sql = "SELECT d.first, d.title, d.language, b.chunks, b.text
                   FROM document AS d JOIN body AS b ON b.document = d.id WHERE d.id = ?1";
        let found = self
            .tx
            .prepare_cached(sql)?
            .query_row([document], |r| {
                Ok((
                    r.get::<_, i64>(0)?,
                    r.get::<_, String>(1)?,
                    r.get::<_, String>(2)?,
                    r.get::<_, Vec<u8>>(3)?,
                    r.get::<_, Vec<u8>>(4)?,
                ))
            })
            .optional()?;
        let Some((first, title, language, chunks, text)) = found else { return Ok(()) };
        let (Some(chunks), Some(text)) = (chunk::decode(&chunks), unpack(&text)) else {
            return Err(rusqlite::Error::InvalidQuery);
        };
        let paths: Vec<String> = self
            .tx
            .prepare_cached("SELECT path FROM file WHERE document = ?1 ORDER BY collection, path")?
            .query_map([document], |r| r.get(0))?
            .collect::<Sql<_>>()?;
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let language = Language::from_tag(&language).unwrap_or_default();
        let rows = word_rows(&text, &chunks, &title, &paths, language);
        self.remove_words(document)?;
        self.add_words(first, &rows)
    }
}

/// Documents of a collection that were cut by another strategy.
pub fn cut_otherwise(catalog: &Catalog, collection: i64, strategy: Strategy) -> Result<HashSet<i64>> {
    catalog.sql(|| {
        catalog
            .db
            .prepare_cached(
                "SELECT DISTINCT d.id FROM file AS f JOIN document AS d ON d.id = f.document
                 WHERE f.collection = ?1 AND d.strategy <> ?2",
            )?
            .query_map((collection, strategy.tag()), |r| r.get(0))?
            .collect()
    })
}

/// Notes when a collection was last updated.
pub fn mark_updated(catalog: &Catalog, collection: i64, now: i64) -> Result<()> {
    catalog
        .db
        .execute("UPDATE collection SET updated = ?1 WHERE id = ?2", (now, collection))
        .map(drop)
        .map_err(|e| catalog.fail(&e))
}

/// Notes the languages of the documents, most frequent first.
pub fn refresh_languages(catalog: &Catalog) -> Result<()> {
    let run = || -> Sql<Vec<String>> {
        catalog
            .db
            .prepare("SELECT language FROM document GROUP BY language ORDER BY count(*) DESC, language")?
            .query_map([], |r| r.get(0))?
            .collect()
    };
    let tags = run().map_err(|e| catalog.fail(&e))?;
    catalog.set_meta("languages", tags.join(" "))
}

/// Removes a collection with its files and the documents only it holds.
///
/// # Errors
/// I/O; exit 65.
pub fn remove_collection(catalog: &mut Catalog, collection: &Collection) -> Result<()> {
    // An update or an embedding at work counts on what it has read.
    let _alone = catalog.lock("collection remove")?;
    let files = catalog.files(collection.id)?;
    transaction(catalog, &HashSet::new(), |store| {
        store.remove_files(&files)?;
        let run = || -> Sql<()> {
            store.tx.execute("DELETE FROM collection WHERE id = ?1", [collection.id])?;
            let own = format!("gf://{}/", collection.name);
            store.tx.execute("DELETE FROM context WHERE substr(scope, 1, length(?1)) = ?1", [own])?;
            Ok(())
        };
        run().map_err(|e| store.catalog.fail(&e))
    })?;
    refresh_languages(catalog)?;
    catalog.checkpoint()
}
