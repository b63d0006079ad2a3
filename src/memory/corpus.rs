//! Records ↔ vectors of one source: what must be embedded, and what a search may return.
//!
//! The index is a cache bound to the records by id and by SHA-256 of the embedded text. A row whose
//! record is gone or changed never reaches a result; a record without a row is *pending*.

use std::collections::{HashMap, HashSet};

use crate::base::Result;
use crate::base::id::sha256_hex;
use crate::embed::Embedder;
use crate::embed::PD295_WIDTH;
use crate::store::Source;
use crate::store::layout::Workspace;
use crate::vector::{Draft, IndexSet, Manifest, RecordHit, SetFiles};

/// A record to index: its id and the text that stands for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Record id.
    pub id: String,
    /// The text to embed, without role prefix.
    pub text: String,
}

impl Entry {
    /// SHA-256 hex of the text.
    pub fn hash(&self) -> String {
        sha256_hex(&self.text)
    }
}

/// What an indexing run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Indexed {
    /// Records in the index.
    pub records: usize,
    /// Texts embedded in this run.
    pub embedded: usize,
    /// Texts whose vectors were kept.
    pub reused: usize,
    /// Rows, one per window.
    pub rows: usize,
}

/// Where the index of `source` lives.
pub fn files(workspace: &Workspace, source: Source) -> SetFiles {
    SetFiles::new(workspace.data(), source.stem())
}

/// Builds the index of `entries`: vectors of unchanged texts are kept, unless `full`; the others are
/// embedded. Takes no lock; nothing is written.
///
/// # Errors
/// ERR-295-02 from the embedder.
pub fn draft(
    files: &SetFiles,
    entries: &[Entry],
    embedder: &dyn Embedder,
    factory: &str,
    full: bool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(Draft, Indexed)> {
    let model = embedder.identity();
    let reuse = if full { Default::default() } else { files.reuse(model, PD295_WIDTH) };
    let hashes: Vec<String> = entries.iter().map(Entry::hash).collect();
    let mut seen = HashSet::new();
    let missing: Vec<usize> = (0..entries.len())
        .filter(|i| reuse.get(&hashes[*i]).is_none() && seen.insert(hashes[*i].as_str()))
        .collect();
    let texts: Vec<&str> = missing.iter().map(|i| entries[*i].text.as_str()).collect();
    let total = texts.len();
    let vectors = if texts.is_empty() {
        Vec::new()
    } else {
        embedder.embed_documents(&texts, &mut |done| progress(done, total))?
    };
    let fresh: HashMap<&str, &Vec<Vec<f32>>> =
        missing.iter().map(|i| hashes[*i].as_str()).zip(&vectors).collect();
    let mut draft = Draft::new(model, PD295_WIDTH, factory)?;
    for (entry, hash) in entries.iter().zip(&hashes) {
        match (fresh.get(hash.as_str()), reuse.get(hash)) {
            (Some(windows), _) => draft.push(&entry.id, hash, windows)?,
            (None, Some(windows)) => draft.push(&entry.id, hash, &windows)?,
            (None, None) => {}
        }
    }
    let done = Indexed {
        records: entries.len(),
        embedded: total,
        reused: entries.len()
            - entries.iter().zip(&hashes).filter(|(_, h)| fresh.contains_key(h.as_str())).count(),
        rows: draft.len(),
    };
    Ok((draft, done))
}

/// The nearest `wanted` records for which `text` gives the text that should be embedded, with every
/// further one tied with the last of them in thousandths; the caller settles ties and cuts.
///
/// `text` gives `None` for a record that is gone or filtered out. A hit whose text differs from
/// the embedded one is left out and the search fetches on.
///
/// # Errors
/// ERR-295-02 and ERR-295-08 from the index; those of `text`.
pub fn nearest(
    set: &IndexSet,
    query: &[f32],
    wanted: usize,
    allowed: impl Fn(&str) -> bool,
    text: impl Fn(&str) -> Result<Option<String>>,
) -> Result<Vec<RecordHit>> {
    let mut stale: HashSet<String> = HashSet::new();
    loop {
        let rows = set.rows(|row| !stale.contains(&row.id) && allowed(&row.id));
        let hits = set.search(query, wanted, &rows)?;
        let before = stale.len();
        for hit in &hits {
            if text(&hit.id)?.is_none_or(|t| sha256_hex(&t) != hit.text) {
                stale.insert(hit.id.clone());
            }
        }
        if stale.len() == before {
            return Ok(hits);
        }
    }
}

/// How many of `entries` have no row that stands for their present text.
pub fn pending(manifest: &Manifest, entries: &[Entry]) -> usize {
    let rows: HashSet<(&str, &str)> =
        manifest.rows.iter().map(|r| (r.id.as_str(), r.text.as_str())).collect();
    entries.iter().filter(|e| !rows.contains(&(e.id.as_str(), e.hash().as_str()))).count()
}
