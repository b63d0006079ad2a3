//! Updating the catalogue: only files whose length or time changed are read, only contents that are
//! new are analysed.
//!
//! Preparing documents (reading, chunking, analysing, compressing) runs on all cores; one writer
//! stores them in path order, so that the same files give the same database. Every few thousand
//! files are one transaction: a kill leaves the last complete one, and the next update goes on.

mod prepare;
mod store;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::Serialize;

use super::analysis::Language;
use super::catalog::Catalog;
use super::catalog::collections::Collection;
use super::catalog::documents::File;
use super::chunk::Strategy;
use super::tokens::{self, Count};
use super::walk::{Found, Skipped, walk};
use crate::base::{Clock, Error, Result};
use crate::tr;

pub use store::remove_collection;

/// A way to count tokens, and its name.
#[derive(Clone)]
pub struct Counter<'c> {
    /// The name, kept in the index.
    pub name: String,
    /// The count.
    pub count: Count<'c>,
}

/// What an update is asked to do.
#[derive(Clone, Default)]
pub struct Settings<'c> {
    /// Only these collections; all when empty.
    pub collections: Vec<String>,
    /// How documents are cut; as the index says when absent.
    pub strategy: Option<Strategy>,
    /// How tokens are counted, if not by the estimate. An index keeps the way of its first update.
    pub counter: Option<Counter<'c>>,
    /// Nothing is cut yet: another way of counting may take the place of one that cannot be had.
    pub recount: bool,
}

/// What an update did to one collection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The collection.
    pub collection: String,
    /// Files found.
    pub files: u64,
    /// Files that were not indexed before.
    pub added: u64,
    /// Files with another content than before.
    pub changed: u64,
    /// Files that are gone or hold no text any more.
    pub removed: u64,
    /// Files left as they are.
    pub unchanged: u64,
    /// Files left out, by reason.
    pub skipped: Skipped,
}

/// Files per transaction.
const BATCH: usize = 8192;
/// Files prepared at once.
const WAVE: usize = 128;

/// Updates the collections of `settings`. `progress` hears files done and files to do.
///
/// # Errors
/// Usage for an unknown collection; I/O when a root cannot be read; exit 65.
pub fn update(
    catalog: &mut Catalog,
    settings: &Settings,
    clock: &dyn Clock,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Vec<Report>> {
    // What is known of the files must not change between the walk and the writing.
    let _alone = catalog.lock("update")?;
    let strategy = adopt_strategy(catalog, settings.strategy)?;
    let count = adopt_counter(catalog, settings.counter.as_ref(), settings.recount)?;
    let mut collections = Vec::new();
    if settings.collections.is_empty() {
        collections = catalog.collections()?;
    }
    for name in &settings.collections {
        collections.push(catalog.collection(name)?);
    }
    let mut reports = Vec::new();
    let mut wrote = false;
    for collection in &collections {
        let report = one(catalog, collection, strategy, count, progress)?;
        let changed = report.added + report.changed + report.removed > 0;
        if changed || collection.updated.is_none() {
            store::mark_updated(catalog, collection.id, clock.now().unix())?;
            wrote = true;
        }
        reports.push(report);
    }
    if wrote {
        store::refresh_languages(catalog)?;
        catalog.checkpoint()?;
    }
    Ok(reports)
}

/// The strategy in force; a new one is stored, and documents cut by another are cut again.
fn adopt_strategy(catalog: &Catalog, wanted: Option<Strategy>) -> Result<Strategy> {
    let stored = catalog.meta::<String>("strategy")?.and_then(|tag| Strategy::from_tag(&tag));
    let strategy = wanted.or(stored).unwrap_or_default();
    if stored != Some(strategy) {
        catalog.set_meta("strategy", strategy.tag())?;
    }
    Ok(strategy)
}

/// The way tokens are counted in this index: the one of its first update, or the offered one when that
/// cannot be had and nothing is cut yet.
fn adopt_counter<'c>(catalog: &Catalog, offered: Option<&Counter<'c>>, recount: bool) -> Result<Count<'c>> {
    let known = |name: &String| name == tokens::METHOD || offered.is_some_and(|c| c.name == *name);
    let stored = catalog.meta::<String>("tokens")?.filter(|name| !recount || known(name));
    let name = stored.clone().unwrap_or_else(|| offered.map_or(tokens::METHOD, |c| &c.name).to_owned());
    if stored.is_none() {
        catalog.set_meta("tokens", &name)?;
    }
    if name == tokens::METHOD {
        return Ok(&tokens::estimate);
    }
    match offered.filter(|c| c.name == name) {
        Some(counter) => Ok(counter.count),
        None => Err(Error::usage(tr!(
            "cet index compte en jetons de {name}, qui n'est pas le modèle configuré",
            "this index counts in tokens of {name}, which is not the configured model"
        ))
        .hint(catalog.command("update --rebuild"))),
    }
}

fn one(
    catalog: &mut Catalog,
    collection: &Collection,
    strategy: Strategy,
    count: Count,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Report> {
    let found = walk(collection)?;
    let unread = |path: &str| found.unread.iter().any(|u| Path::new(path).starts_with(u));
    let known: HashMap<String, File> =
        catalog.files(collection.id)?.into_iter().map(|f| (f.path.clone(), f)).collect();
    let recut = store::cut_otherwise(catalog, collection.id, strategy)?;
    let mut report = Report {
        collection: collection.name.clone(),
        files: found.files.len() as u64,
        skipped: found.skipped.clone(),
        ..Report::default()
    };
    let current = |f: &Found| {
        known
            .get(&f.path)
            .is_some_and(|k| (k.size, k.mtime) == (f.size, f.mtime) && !recut.contains(&k.document))
    };
    let there: HashSet<&str> = found.files.iter().map(|f| f.path.as_str()).collect();
    let gone: Vec<File> =
        known.values().filter(|k| !there.contains(k.path.as_str()) && !unread(&k.path)).cloned().collect();
    let todo: Vec<&Found> = found.files.iter().filter(|f| !current(f)).collect();
    report.unchanged = (found.files.len() - todo.len()) as u64;
    report.removed = gone.len() as u64;
    if !gone.is_empty() {
        store::transaction(catalog, &recut, |store| store.remove_files(&gone))?;
    }

    let language = collection.language.as_deref().and_then(Language::from_tag);
    let job = prepare::Job { root: collection.root.clone().into(), language, strategy, count };
    let total = todo.len() as u64;
    let mut done = 0;
    for batch in todo.chunks(BATCH) {
        store::transaction(catalog, &recut, |store| {
            let hashes = store.hashes();
            std::thread::scope(|scope| {
                let (sender, receiver) = std::sync::mpsc::sync_channel(2);
                let (job, hashes) = (&job, &hashes);
                scope.spawn(move || {
                    for wave in batch.chunks(WAVE) {
                        // The writer gave up: its error is the one to report.
                        if sender.send(prepare::wave(job, wave, hashes)).is_err() {
                            break;
                        }
                    }
                });
                for wave in receiver {
                    for (file, outcome) in wave {
                        store.put(collection.id, file, outcome, known.get(&file.path), &mut report)?;
                        done += 1;
                    }
                    progress(done, total);
                }
                Ok(())
            })
        })?;
    }
    Ok(report)
}
