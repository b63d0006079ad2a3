//! The full-text table: term frequencies of every row that matches, in one pass.
//!
//! FTS5 ranks with an idf it clamps, and computes it by further passes. Here an auxiliary function of
//! our own hears each matching row once and notes how often each term occurs in each column; ranking
//! happens outside, over plain numbers.

use std::ffi::c_int;

use rusqlite::{OptionalExtension, ffi};

use super::Catalog;
use crate::base::{Error, Kind, Result};

/// Columns of the table: title, path, body.
pub const COLUMNS: usize = 3;

/// How often one term occurs in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    /// Index into [`Matches::rows`].
    pub row: u32,
    /// Index of the term in the query.
    pub term: u32,
    /// Occurrences in title, path and body.
    pub counts: [u16; COLUMNS],
}

/// All rows that hold at least one term.
#[derive(Debug, Default)]
pub struct Matches {
    /// Row ids, ascending.
    pub rows: Vec<i64>,
    /// Their postings, by row.
    pub postings: Vec<Posting>,
}

/// A term to look for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    /// The analysed term.
    pub text: String,
    /// Whether any term that starts with it counts.
    pub prefix: bool,
}

impl Catalog {
    /// Looks up `terms`; the postings name them by their place in the slice.
    ///
    /// # Errors
    /// Exit 65 when the table is damaged; I/O.
    pub fn matches(&self, terms: &[Term]) -> Result<Matches> {
        if terms.is_empty() {
            return Ok(Matches::default());
        }
        let mut found = Box::new(Matches::default());
        register(&self.db, &raw mut *found)?;
        // Quotes are no token characters, and analysed terms hold none.
        let query: Vec<String> = terms
            .iter()
            .map(|t| format!("\"{}\"{}", t.text.replace('"', ""), if t.prefix { "*" } else { "" }))
            .collect();
        let run = || {
            let mut statement =
                self.db.prepare("SELECT collect(words) FROM words WHERE words MATCH ?1 ORDER BY rowid")?;
            let mut rows = statement.query([query.join(" OR ")])?;
            while rows.next()?.is_some() {}
            Ok(())
        };
        let done = run();
        // The function must not outlive what it writes to.
        register(&self.db, std::ptr::null_mut())?;
        done.map_err(|e| self.fail(&e))?;
        Ok(*found)
    }
}

impl Catalog {
    /// In how many rows each term occurs, without visiting the rows.
    ///
    /// # Errors
    /// Exit 65 when the table is damaged; I/O.
    pub fn row_counts<'t>(&self, terms: impl Iterator<Item = &'t str>) -> Result<Vec<u32>> {
        // A view of the word index that lies in memory and belongs to this connection alone.
        let view =
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words', 'row')";
        self.sql(|| {
            self.db.execute_batch(view)?;
            let mut statement = self.db.prepare("SELECT doc FROM temp.vocabulary WHERE term = ?1")?;
            terms.map(|term| Ok(statement.query_row([term], |r| r.get(0)).optional()?.unwrap_or(0))).collect()
        })
    }
}

/// (Re-)registers the auxiliary function with `target` as where it notes postings.
fn register(db: &rusqlite::Connection, target: *mut Matches) -> Result<()> {
    let failed = |what: &str| Error::new(Kind::Bug, format!("FTS5: {what}"));
    // SAFETY: the handle is valid while `db` lives. The statement is finalised here. The API pointer
    // is FTS5's own, which lives as long as the connection.
    unsafe {
        let handle = db.handle();
        let mut statement = std::ptr::null_mut();
        let sql = c"SELECT fts5(?1)";
        if ffi::sqlite3_prepare_v2(handle, sql.as_ptr(), -1, &raw mut statement, std::ptr::null_mut())
            != ffi::SQLITE_OK
        {
            return Err(failed("absent"));
        }
        let mut api: *mut ffi::fts5_api = std::ptr::null_mut();
        let kind = c"fts5_api_ptr";
        ffi::sqlite3_bind_pointer(statement, 1, (&raw mut api).cast(), kind.as_ptr(), None);
        ffi::sqlite3_step(statement);
        ffi::sqlite3_finalize(statement);
        let create = api.as_ref().and_then(|a| a.xCreateFunction).ok_or_else(|| failed("no API"))?;
        let name = c"collect";
        if create(api, name.as_ptr(), target.cast(), Some(collect), None) != ffi::SQLITE_OK {
            return Err(failed("collect"));
        }
    }
    Ok(())
}

/// Notes the current row. Called by FTS5 once per matching row.
unsafe extern "C" fn collect(
    api: *const ffi::Fts5ExtensionApi,
    fts: *mut ffi::Fts5Context,
    context: *mut ffi::sqlite3_context,
    _count: c_int,
    _values: *mut *mut ffi::sqlite3_value,
) {
    // SAFETY: FTS5 hands valid pointers; the user data is the `Matches` of the running `matches`
    // call, or null outside of one.
    let noted = unsafe { note(api, fts) };
    if noted.is_none() {
        // SAFETY: as above.
        unsafe { ffi::sqlite3_result_error_code(context, ffi::SQLITE_ERROR) };
    }
}

unsafe fn note(api: *const ffi::Fts5ExtensionApi, fts: *mut ffi::Fts5Context) -> Option<()> {
    // SAFETY: see `collect`; every function is called as FTS5's documentation says.
    unsafe {
        let api = api.as_ref()?;
        let found = api.xUserData?(fts).cast::<Matches>().as_mut()?;
        let row = u32::try_from(found.rows.len()).ok()?;
        found.rows.push(api.xRowid?(fts));
        let (first, next) = (api.xPhraseFirst?, api.xPhraseNext?);
        for term in 0..api.xPhraseCount?(fts) {
            let mut iter = ffi::Fts5PhraseIter { a: std::ptr::null(), b: std::ptr::null() };
            let (mut column, mut offset) = (0, 0);
            if first(fts, term, &raw mut iter, &raw mut column, &raw mut offset) != ffi::SQLITE_OK {
                return None;
            }
            let mut counts = [0u16; COLUMNS];
            let mut any = false;
            while column >= 0 {
                if let Some(count) = counts.get_mut(usize::try_from(column).ok()?) {
                    *count = count.saturating_add(1);
                    any = true;
                }
                next(fts, &raw mut iter, &raw mut column, &raw mut offset);
            }
            if any {
                found.postings.push(Posting { row, term: u32::try_from(term).ok()?, counts });
            }
        }
        Some(())
    }
}
