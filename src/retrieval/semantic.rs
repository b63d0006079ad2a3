//! Search by meaning: the vectors in the database, through the FAISS file beside it.
//!
//! The FAISS file is an index of the vectors, bound to them by generation, model and hash. When it
//! is absent or differs, the vectors themselves are searched one by one: slower, never wrong.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::base::{Error, ModelIdentity, Result};
use crate::tr;
use crate::vector::{Hit, Rows, VectorIndex};

use super::catalog::Catalog;
use super::faiss_file::{self, Binding, Check};
use super::fusion::vector_score;
use super::lexical::Found;
use super::lexical::score::Statistics;

/// Chunks looked at to know what chance similarity is.
const SAMPLE: usize = 500;

/// Vectors ready to be searched.
pub struct Vectors {
    /// What made them.
    pub binding: Binding,
    /// Whether the FAISS file could be used.
    pub indexed: bool,
    rows: Vec<i64>,
    index: Box<dyn VectorIndex>,
}

/// The binding of the stored vectors; `None` when nothing was ever embedded.
///
/// # Errors
/// Exit 65 when it is damaged; I/O.
pub fn binding(catalog: &Catalog) -> Result<Option<Binding>> {
    let text: Option<String> = catalog.meta("vectors")?;
    text.map(|t| serde_json::from_str(&t).map_err(|e| catalog.damaged(&e.to_string()))).transpose()
}

/// The chunks that the rows of the FAISS file stand for.
///
/// # Errors
/// Exit 65 when they are damaged; I/O.
pub fn rows(catalog: &Catalog) -> Result<Vec<i64>> {
    let bytes: Vec<u8> = catalog.meta("vector_rows")?.unwrap_or_default();
    let (rows, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(catalog.damaged("vector_rows"));
    }
    Ok(rows.iter().map(|b| i64::from_le_bytes(*b)).collect())
}

/// The model of the stored vectors and how many chunks have one; `None` when nothing is embedded. While
/// a first embedding, or one with another model, is under way or was killed, these are its vectors.
///
/// # Errors
/// Exit 65 when the database is damaged; I/O.
pub fn stored(catalog: &Catalog) -> Result<Option<(ModelIdentity, usize)>> {
    let Some(model) = stored_model(catalog)? else { return Ok(None) };
    let have = embedded(catalog)?;
    let count = chunk_hashes(catalog)?.values().filter(|hash| have.contains(*hash)).count();
    Ok((count > 0).then_some((model, count)))
}

/// The text hashes that have a vector.
///
/// # Errors
/// Exit 65 or I/O.
pub fn embedded(catalog: &Catalog) -> Result<HashSet<[u8; 16]>> {
    catalog.sql(|| catalog.db.prepare("SELECT hash FROM embedding")?.query_map([], |r| r.get(0))?.collect())
}

fn stored_model(catalog: &Catalog) -> Result<Option<ModelIdentity>> {
    let text: Option<String> = catalog.meta("embedding_model")?;
    text.map(|t| serde_json::from_str(&t).map_err(|e| catalog.damaged(&e.to_string()))).transpose()
}

/// Opens the vectors, or takes those that the catalogue's process keeps open; `None` when nothing is
/// embedded.
///
/// # Errors
/// Exit 65 when the database is damaged; I/O.
pub fn open(catalog: &Catalog) -> Result<Option<Arc<Vectors>>> {
    // Binding, rows and vectors of one state.
    let _still = catalog.snapshot()?;
    let Some(binding) = binding(catalog)? else { return Ok(plain(catalog, None)?.map(Arc::new)) };
    let fresh = || open_as(catalog, binding.clone(), Check::WhenChanged);
    match catalog.kept() {
        Some(kept) => kept.or_open(catalog, &binding, fresh),
        None => Ok(fresh()?.map(Arc::new)),
    }
}

/// Opens the vectors after hashing the FAISS file, whatever is known of it.
///
/// # Errors
/// As [`open`].
pub fn open_hashed(catalog: &Catalog) -> Result<Option<Vectors>> {
    let _still = catalog.snapshot()?;
    match binding(catalog)? {
        Some(binding) => open_as(catalog, binding, Check::Always),
        None => plain(catalog, None),
    }
}

fn open_as(catalog: &Catalog, binding: Binding, check: Check) -> Result<Option<Vectors>> {
    let rows = rows(catalog)?;
    match faiss_file::open(catalog, &binding, rows.len(), check) {
        Ok(index) => Ok(Some(Vectors { binding, indexed: true, rows, index: Box::new(index) })),
        Err(error) => {
            tracing::info!("{error}: searching the vectors one by one");
            plain(catalog, Some(binding))
        }
    }
}

/// The stored vectors without a FAISS file: of every chunk that has one.
fn plain(catalog: &Catalog, binding: Option<Binding>) -> Result<Option<Vectors>> {
    let stored = stored_model(catalog)?;
    let Some(model) = stored.or_else(|| binding.as_ref().map(|b| b.model.clone())) else { return Ok(None) };
    let (rows, values) = all(catalog, model.width)?;
    if rows.is_empty() {
        return Ok(None);
    }
    let index = Box::new(Plain { width: model.width, values });
    let binding = match binding {
        Some(binding) => Binding { model, ..binding },
        None => Binding::none(model),
    };
    Ok(Some(Vectors { binding, indexed: false, rows, index }))
}

/// Every chunk that has a vector, by id, and these vectors of `width` values one after the other.
///
/// # Errors
/// Exit 65 when one has another width; I/O.
pub fn all(catalog: &Catalog, width: usize) -> Result<(Vec<i64>, Vec<f32>)> {
    let mut hashes: Vec<(i64, [u8; 16])> = chunk_hashes(catalog)?.into_iter().collect();
    hashes.sort_unstable();
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    for (id, hash) in hashes {
        let Some(vector) = vector(catalog, &hash)? else { continue };
        if vector.len() != width {
            return Err(catalog.damaged("embedding"));
        }
        rows.push(id);
        values.extend(vector);
    }
    Ok((rows, values))
}

/// The stored vector of a text.
///
/// # Errors
/// Exit 65 or I/O.
pub fn vector(catalog: &Catalog, hash: &[u8; 16]) -> Result<Option<Vec<f32>>> {
    use rusqlite::OptionalExtension;
    let sql = "SELECT vector FROM embedding WHERE hash = ?1";
    let bytes: Option<Vec<u8>> =
        catalog.sql(|| catalog.db.prepare_cached(sql)?.query_row([&hash[..]], |r| r.get(0)).optional())?;
    Ok(bytes.map(|b| b.chunks_exact(4).map(|f| f32::from_le_bytes([f[0], f[1], f[2], f[3]])).collect()))
}

/// The text hash of every chunk there is, by chunk id.
///
/// # Errors
/// Exit 65 or I/O.
pub fn chunk_hashes(catalog: &Catalog) -> Result<HashMap<i64, [u8; 16]>> {
    let mut out = HashMap::new();
    let sql = "SELECT d.first, b.chunks FROM document AS d JOIN body AS b ON b.document = d.id";
    let all: Vec<(i64, Vec<u8>)> =
        catalog.sql(|| catalog.db.prepare(sql)?.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?.collect())?;
    for (first, bytes) in all {
        let chunks = super::chunk::decode(&bytes).ok_or_else(|| catalog.damaged("chunks"))?;
        out.extend((first..).zip(chunks.iter().map(|c| c.hash)));
    }
    Ok(out)
}

impl Vectors {
    /// Refuses another model than the one that made the vectors.
    ///
    /// # Errors
    /// Exit 2 with the command that embeds again.
    pub fn check_model(&self, catalog: &Catalog, model: &ModelIdentity) -> Result<()> {
        other_model(catalog, &self.binding.model, model).map_or(Ok(()), Err)
    }

    /// Number of vectors.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The `limit` documents nearest to `query`, each by its best chunk, among `allowed`.
    ///
    /// # Errors
    /// ERR-295-02 when the query is no vector; exit 65; I/O.
    pub fn search(
        &self,
        statistics: &Statistics,
        query: &[f32],
        allowed: Option<&HashSet<i64>>,
        limit: usize,
    ) -> Result<Vec<Found>> {
        let usable = |row: usize| {
            self.rows
                .get(row)
                .and_then(|chunk| statistics.locate(*chunk))
                .is_some_and(|(document, _)| allowed.is_none_or(|a| a.contains(&document)))
        };
        let selected = Rows::from_fn(self.rows.len(), usable);
        let mut k = limit.saturating_mul(3).min(selected.count());
        loop {
            let hits = self.index.search(query, k, Some(&selected))?;
            let found = self.documents(&hits, statistics, limit);
            if found.len() >= limit || k >= selected.count() || hits.len() < k {
                return Ok(found);
            }
            k = k.saturating_mul(2).min(selected.count());
        }
    }

    /// Whether `best`, a score, is more than chance: above what the best of as many unrelated chunks
    /// would reach, by the spread of the query's similarity to chunks taken evenly.
    ///
    /// # Errors
    /// As [`Vectors::search`].
    pub fn is_relevant(&self, query: &[f32], best: f64) -> Result<bool> {
        let step = (self.rows.len() / SAMPLE).max(1);
        let sample = Rows::from_fn(self.rows.len(), |row| row % step == 0);
        let scores: Vec<f64> = self
            .index
            .search(query, sample.count(), Some(&sample))?
            .iter()
            .map(|hit| vector_score(hit.distance))
            .collect();
        let n = scores.len().max(1) as f64;
        let mean = scores.iter().sum::<f64>() / n;
        let deviation = (scores.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / n).sqrt();
        // The expected maximum of N normal values lies at √(2 ln N) deviations.
        let chance = (2.0 * (self.rows.len().max(2) as f64).ln()).sqrt();
        Ok(best > mean + chance * deviation + 1e-3)
    }

    fn documents(&self, hits: &[Hit], statistics: &Statistics, limit: usize) -> Vec<Found> {
        let mut seen = HashSet::new();
        hits.iter()
            .filter_map(|hit| {
                let (document, chunk) = statistics.locate(*self.rows.get(hit.row)?)?;
                seen.insert(document).then(|| Found { document, chunk, score: vector_score(hit.distance) })
            })
            .take(limit)
            .collect()
    }
}

/// Why vectors of the model `stored` cannot be compared with those of `model`, with the command that
/// embeds again; `None` when they can.
pub fn other_model(catalog: &Catalog, stored: &ModelIdentity, model: &ModelIdentity) -> Option<Error> {
    if stored == model {
        return None;
    }
    let named = |m: &ModelIdentity| format!("{} ({})", m.name, m.digest.get(..12).unwrap_or_default());
    let same = (&stored.name, &stored.digest, stored.width) == (&model.name, &model.digest, model.width);
    let why = if same {
        // What differs is how texts are given to it.
        let given =
            |m: &ModelIdentity| format!("{:?}, {:?}, {}", m.query_prefix, m.document_prefix, m.window);
        let (stored, now) = (given(stored), given(model));
        tr!(
            "les vecteurs ont été faits avec d'autres préfixes ou une autre fenêtre : {stored} ; configurés : {now}",
            "the vectors were made with other prefixes or another window: {stored}; configured: {now}"
        )
    } else {
        let (stored, now) = (named(stored), named(model));
        tr!(
            "les vecteurs viennent de {stored}, le modèle est {now}",
            "the vectors were made by {stored}, the model is {now}"
        )
    };
    Some(Error::usage(why).hint(catalog.command("embed --force")))
}

/// The vectors themselves, compared one by one.
struct Plain {
    width: usize,
    values: Vec<f32>,
}

impl VectorIndex for Plain {
    fn len(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }

    fn width(&self) -> usize {
        self.width
    }

    fn search(&self, query: &[f32], k: usize, allowed: Option<&Rows>) -> Result<Vec<Hit>> {
        let mut hits: Vec<Hit> = self
            .values
            .chunks_exact(self.width.max(1))
            .enumerate()
            .filter(|(row, _)| allowed.is_none_or(|a| a.contains(*row)))
            .map(|(row, v)| {
                let ip: f32 = v.iter().zip(query).map(|(a, b)| a * b).sum();
                Hit { row, distance: (1.0 - ip).clamp(0.0, 2.0) }
            })
            .collect();
        hits.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.row.cmp(&b.row)));
        hits.truncate(k);
        Ok(hits)
    }
}
