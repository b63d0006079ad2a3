//! One query over one source: the query's vector, the search under shared locks, the traced event.

use crate::audit::{Event, Trail, TrailPaths};
use crate::base::id::{Slug, StoryId};
use crate::base::{Date, Error, ModelIdentity, Result, secret};
use crate::embed::{PD295_WIDTH, QueryCache, QueryKey, pad};
use crate::memory::block::Item;
use crate::memory::learnings::lessons::Lessons;
use crate::memory::learnings::library::{self, Library};
use crate::memory::{Memory, clarifications, corpus, learnings, query, veille};
use crate::store::Source;
use crate::store::lock::{Clarifications, Learnings, Scores, Trail as TrailLock, Veille};
use crate::tr;
use crate::vector::{Ahead, IndexSet};

/// A search of one source.
#[derive(Clone, Debug)]
pub struct Search {
    /// The query as typed.
    pub text: String,
    /// The most results.
    pub top_k: usize,
    /// Source and filter.
    pub within: Scope,
}

/// Which source, with its filter.
#[derive(Clone, Debug)]
pub enum Scope {
    /// Lessons.
    Learnings {
        /// What may be returned.
        filter: learnings::search::Filter,
        /// Archived lessons too; they are not in the index and are embedded for this search.
        archived: bool,
    },
    /// Watch notes.
    Veille(veille::search::Filter),
    /// Clarifications.
    Clarifications(clarifications::search::Filter),
}

impl Scope {
    /// The source.
    pub fn source(&self) -> Source {
        match self {
            Scope::Learnings { .. } => Source::Learning,
            Scope::Veille(_) => Source::Veille,
            Scope::Clarifications(_) => Source::Clarification,
        }
    }

    fn place(&self) -> (Option<&Slug>, Option<&Slug>) {
        match self {
            Scope::Learnings { filter, .. } => (filter.domain.as_ref(), filter.project.as_ref()),
            Scope::Veille(_) => (None, None),
            Scope::Clarifications(filter) => (Some(&filter.domain), Some(&filter.project)),
        }
    }
}

/// Searches, and signs an event when `trace` names the story the search is for. Gives the query as
/// it was searched, and the results in order.
///
/// # Errors
/// Usage and ERR-295-17 for the query; ERR-295-02, -08, -09; with a trace ERR-295-16 before
/// anything is searched, and ERR-295-12.
pub fn run(memory: &Memory<'_>, search: &Search, trace: Option<&StoryId>) -> Result<(String, Vec<Item>)> {
    let query = query::normalise(&search.text)?;
    refuse_secret(&query)?;
    let signing =
        trace.map(|story| memory.keyring().and_then(|k| k.current().map(|_| (story, k)))).transpose()?;
    let vector = query_vector(memory, &query)?;
    let today = memory.clock.now().date();
    let mut locks = memory.locks();
    let gate = locks.begin().gate()?;
    let (_learnings, gate) = gate.shared::<Learnings>()?;
    let (_scores, gate) = gate.shared::<Scores>()?;
    let (_veille, gate) = gate.shared::<Veille>()?;
    let (_clarifications, gate) = gate.shared::<Clarifications>()?;
    let order = gate.leave();
    let items = find(memory, &search.within, &vector, search.top_k, today, None)?;
    if let Some((story, keyring)) = signing {
        let (guard, _) = order.exclusive::<TrailLock>()?;
        let now = memory.clock.now();
        let mut trail = Trail::open(&TrailPaths::of(&memory.workspace), keyring.as_ref(), now, &guard)?;
        let ids = items.iter().map(|i| i.id.clone()).collect();
        let (domain, project) = search.within.place();
        trail.append(&[Event::search(search.within.source(), now, story, domain, project, &query, ids)])?;
    }
    Ok((query, items))
}

/// The best items of one source; the caller holds its shared lock. `ahead` is the hash of its index
/// when it was begun before.
///
/// # Errors
/// ERR-295-02, ERR-295-08, ERR-295-15; I/O.
pub fn find(
    memory: &Memory<'_>,
    within: &Scope,
    query: &QueryVector,
    top_k: usize,
    today: Date,
    ahead: Option<Ahead>,
) -> Result<Vec<Item>> {
    let workspace = &memory.workspace;
    let vector = query.values.as_slice();
    let files = corpus::files(workspace, within.source());
    let ahead = ahead.unwrap_or_else(|| files.hash_ahead());
    let set = || -> Result<IndexSet> {
        let set = files.open_ahead(ahead)?;
        if !set.manifest().rows.is_empty() {
            set.manifest().check_model(&query.model)?;
        }
        Ok(set)
    };
    match within {
        Scope::Veille(filter) => veille::search::search(workspace, &set()?, vector, top_k, filter),
        Scope::Clarifications(filter) => {
            clarifications::search::search(workspace, &set()?, vector, top_k, filter, today)
        }
        Scope::Learnings { filter, archived } => {
            // The index is hashed by its thread while the records are looked through here.
            let lessons = Lessons::open(workspace, filter)?;
            let set = set()?;
            let mut items = learnings::search::search(&lessons, &set, vector, top_k, filter)?;
            if *archived {
                items.extend(archived_items(memory, &Library::read(workspace)?, vector, filter)?);
                items.sort_by(|a, b| {
                    let thousandths = |i: &Item| (f64::from(i.distance) * 1000.0).round();
                    (thousandths(a).total_cmp(&thousandths(b)))
                        .then_with(|| b.reuse_score.unwrap_or(0.0).total_cmp(&a.reuse_score.unwrap_or(0.0)))
                        .then_with(|| a.id.cmp(&b.id))
                });
                items.truncate(top_k);
            }
            Ok(items)
        }
    }
}

/// The archived lessons that pass the filter, embedded now: the active index does not hold them.
fn archived_items(
    memory: &Memory<'_>,
    library: &Library,
    query: &[f32],
    filter: &learnings::search::Filter,
) -> Result<Vec<Item>> {
    let loaded = library.load();
    let chosen: Vec<_> = loaded
        .values()
        .filter(|l| !l.is_active())
        .map(|l| (l, library.score(l)))
        .filter(|(l, score)| filter.accepts(l, *score))
        .collect();
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    let texts: Vec<String> = chosen.iter().map(|(l, _)| library::text(l)).collect();
    let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = memory.embedder()?.embed_documents(&refs, &mut |_| {})?;
    let nearest = |windows: &Vec<Vec<f32>>| {
        let products = windows.iter().map(|w| w.iter().zip(query).map(|(a, b)| a * b).sum::<f32>());
        1.0 - products.fold(f32::NEG_INFINITY, f32::max)
    };
    Ok(chosen
        .iter()
        .zip(&vectors)
        .map(|((learning, score), windows)| learnings::search::item(learning, *score, nearest(windows)))
        .collect())
}

/// Refuses a query that holds a secret: it would be signed and kept for ever.
///
/// # Errors
/// Usage, naming the rule and never the value.
pub fn refuse_secret(query: &str) -> Result<()> {
    match secret::scan(query).first() {
        None => Ok(()),
        Some(found) => {
            let rule = found.rule;
            Err(Error::usage(tr!(
                "la requête contient un secret ({rule})",
                "the query holds a secret ({rule})"
            ))
            .hint(tr!("retirez-le et révoquez-le", "remove it and revoke it")))
        }
    }
}

/// A query's unit vector of 768 values, and the model that made it.
#[derive(Clone, Debug)]
pub struct QueryVector {
    /// The values.
    pub values: Vec<f32>,
    /// The model; an index of another one is refused.
    pub model: ModelIdentity,
}

/// The vector of `query`: from the cache, else from the embedder.
///
/// # Errors
/// ERR-295-02 when no embedder answers or its vector is unusable.
pub fn query_vector(memory: &Memory<'_>, query: &str) -> Result<QueryVector> {
    let embedder = memory.embedder()?;
    let model = embedder.identity().clone();
    let cache = QueryCache::new(memory.workspace.query_cache(), model.width);
    let key = QueryKey::new(&model, query);
    let vector = match cache.get(&key) {
        Some(vector) => vector,
        None => {
            let vector = embedder.embed_query(query)?;
            // A cache that cannot be written costs time, nothing else.
            let _ = cache.put(&key, &vector);
            vector
        }
    };
    Ok(QueryVector { values: pad(vector, PD295_WIDTH)?, model })
}
