//! Embedding the chunks: what is missing, in batches that survive a kill, then the FAISS file.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::catalog::Catalog;
use super::faiss_file::{self, Binding, Identity};
use super::plan::Plan;
use super::semantic;
use super::settings::Models;
use crate::base::error::IoContext;
use crate::base::{Error, ModelIdentity, Result};
use crate::embed::{Embedder, pooled};
use crate::tr;
use crate::vector::FaissIndex;
use crate::vector::index::Factory;

/// Chunks embedded between two commits.
const BATCH: usize = 64;
/// How long a run keeps others away before it lets them in.
const TURN: Duration = Duration::from_secs(1);

/// Chunks that a small model on two cores embeds in a second, about.
pub const A_SECOND: u64 = 20;
/// Values of such a model's vectors.
pub const SMALL: u64 = 384;

/// What an embedding run is asked to do.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Only these collections; all when empty.
    pub collections: Vec<String>,
    /// Drop vectors of another model, and embed everything again.
    pub force: bool,
    /// FAISS index type; `Flat` when absent.
    pub factory: Option<String>,
    /// The model as the user named it on the command line.
    pub asked: Option<String>,
    /// The configuration that holds once vectors of this run are there.
    pub configure: Option<Models>,
}

/// What it did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Chunks embedded now.
    pub embedded: u64,
    /// Of those, chunks longer than the model's window.
    pub windowed: u64,
    /// Chunks that had a vector.
    pub kept: u64,
    /// Chunks still without.
    pub pending: u64,
    /// The model.
    pub model: String,
}

/// Chunks that wait for a vector: text hash → chunk ids.
///
/// # Errors
/// Usage for an unknown collection; exit 65; I/O.
pub fn pending(catalog: &Catalog, collections: &[String]) -> Result<BTreeMap<[u8; 16], i64>> {
    let have = semantic::embedded(catalog)?;
    let within = if collections.is_empty() { None } else { Some(documents(catalog, collections)?) };
    let mut out = BTreeMap::new();
    for document in catalog.documents()? {
        if within.as_ref().is_some_and(|w| !w.contains(&document.id)) {
            continue;
        }
        for (id, chunk) in (document.first..).zip(catalog.chunks(document.id)?) {
            if !have.contains(&chunk.hash) {
                out.entry(chunk.hash).or_insert(id);
            }
        }
    }
    Ok(out)
}

/// What embedding the chunks of some collections (all when none is named) that wait for a vector takes;
/// `None` when none waits.
///
/// # Errors
/// As [`pending`].
pub fn plan(catalog: &Catalog, collections: &[String]) -> Result<Option<Plan>> {
    let waiting = pending(catalog, collections)?.len() as u64;
    let width = semantic::stored(catalog)?.map_or(SMALL, |(model, _)| model.width as u64);
    Ok((waiting > 0).then(|| Plan::embed(catalog.command("embed"), waiting, width, A_SECOND)))
}

fn documents(catalog: &Catalog, collections: &[String]) -> Result<HashSet<i64>> {
    let mut out = HashSet::new();
    for name in collections {
        let collection = catalog.collection(name)?;
        out.extend(catalog.files(collection.id)?.into_iter().map(|f| f.document));
    }
    Ok(out)
}

/// Embeds what is missing and renews the FAISS file. `progress` hears chunks done and to do.
///
/// # Errors
/// Exit 2 when the vectors are another model's and `force` is off; exit 3 when the embedder fails
/// midway (what was done stays) or another run begins with another model; ERR-295-02 when it fails at
/// once; exit 75 when another process writes for 30 s; I/O.
pub fn embed(
    catalog: &mut Catalog,
    embedder: &dyn Embedder,
    settings: &Settings,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Report> {
    let model = embedder.identity().clone();
    let factory = match &settings.factory {
        Some(text) => Factory::parse(text)?,
        None => Factory::flat(),
    };
    let name = serde_json::to_string(&model).unwrap_or_default();
    let mut alone = catalog.lock("embed")?;
    begin(catalog, &model, &name, settings)?;
    let mut todo: Vec<(i64, [u8; 16])> =
        pending(catalog, &settings.collections)?.into_iter().map(|(hash, id)| (id, hash)).collect();
    todo.sort_unstable();
    let mut report = Report { model: model.name.clone(), ..Report::default() };
    let total = todo.len() as u64;
    let mut since = Instant::now();
    for (done, batch) in todo.chunks(BATCH).enumerate() {
        // A long run lets updates and other runs in between.
        if since.elapsed() >= TURN {
            alone.let_others_in();
            alone = catalog.lock("embed")?;
            since = Instant::now();
            if catalog.meta::<String>("embedding_model")?.as_ref() != Some(&name) {
                return Err(overtaken(catalog, &model));
            }
        }
        if let Err(error) = one_batch(catalog, embedder, batch, &mut report) {
            // What stopped the batch is what the user must hear of, whatever else fails because of it.
            let renewed = renew(catalog, &model, &factory);
            if report.embedded == 0 || renewed.is_err() {
                return Err(error);
            }
            let why = tr!(
                "{} segments sur {total} calculés, puis : {error}",
                "{} chunks of {total} embedded, then: {error}",
                report.embedded
            );
            return Err(Error::new(crate::base::Kind::Partial, why).hint(catalog.command("embed")));
        }
        if let Some(models) = settings.configure.as_ref().filter(|_| done == 0) {
            catalog.set_models(models)?;
        }
        progress(((done + 1) * BATCH).min(todo.len()) as u64, total);
    }
    let rows = renew(catalog, &model, &factory)?;
    if let Some(models) = &settings.configure {
        catalog.set_models(models)?;
    }
    report.kept = (rows as u64).saturating_sub(report.embedded);
    report.pending = catalog.totals()?.1.unsigned_abs().saturating_sub(rows as u64);
    catalog.checkpoint()?;
    drop(alone);
    Ok(report)
}

/// Makes the stored vectors those of `model`, or refuses.
fn begin(catalog: &Catalog, model: &ModelIdentity, name: &str, settings: &Settings) -> Result<()> {
    let stored: Option<String> = catalog.meta("embedding_model")?;
    let other = stored.as_ref().is_some_and(|stored| stored != name);
    if other && !settings.force {
        let asked = settings.asked.as_ref().map_or_else(String::new, |asked| format!(" --model {asked}"));
        return Err(Error::usage(tr!(
            "l'index tient des vecteurs d'un autre modèle que {}",
            "the index holds vectors of another model than {}",
            model.name
        ))
        .hint(catalog.command(&format!("embed --force{asked}"))));
    }
    if other || settings.force || stored.is_none() {
        catalog.sql(|| {
            let tx = catalog.db.unchecked_transaction()?;
            tx.execute("DELETE FROM embedding", [])?;
            tx.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('embedding_model', ?1)", [name])?;
            tx.commit()
        })?;
    }
    Ok(())
}

fn overtaken(catalog: &Catalog, model: &ModelIdentity) -> Error {
    let why = tr!(
        "un autre `embed` a commencé avec un autre modèle que {}",
        "another `embed` has begun with another model than {}",
        model.name
    );
    Error::new(crate::base::Kind::Partial, why).hint(catalog.command("status"))
}

/// Embeds those of `batch` that are still there and still without a vector.
fn one_batch(
    catalog: &mut Catalog,
    embedder: &dyn Embedder,
    batch: &[(i64, [u8; 16])],
    report: &mut Report,
) -> Result<()> {
    let (mut hashes, mut texts) = (Vec::with_capacity(batch.len()), Vec::with_capacity(batch.len()));
    for (id, hash) in batch {
        let Some((document, n)) = catalog.document_of_chunk(*id)? else { continue };
        let (text, chunks) = catalog.body(document.id)?;
        let Some(chunk) = chunks.get(n).filter(|chunk| chunk.hash == *hash) else { continue };
        if semantic::vector(catalog, hash)?.is_none() {
            texts.push(text.get(chunk.range()).unwrap_or_default().to_owned());
            hashes.push(hash);
        }
    }
    let slices: Vec<&str> = texts.iter().map(String::as_str).collect();
    let windows = embedder.embed_windows(&slices, &mut |_| {})?;
    let mut rows = Vec::with_capacity(hashes.len());
    for (hash, windows) in hashes.into_iter().zip(&windows) {
        let vector = crate::vector::unit(&pooled(windows)?, embedder.identity().width)?;
        let bytes: Vec<u8> = vector.iter().flat_map(|f| f.to_le_bytes()).collect();
        rows.push((hash, windows.len() as i64, bytes));
    }
    catalog.sql(|| {
        let tx = catalog.db.unchecked_transaction()?;
        for (hash, windows, bytes) in &rows {
            tx.prepare_cached(
                "INSERT OR REPLACE INTO embedding (hash, windows, vector) VALUES (?1, ?2, ?3)",
            )?
            .execute((&hash[..], windows, bytes))?;
        }
        tx.commit()
    })?;
    report.embedded += rows.len() as u64;
    report.windowed += rows.iter().filter(|(_, windows, _)| *windows > 1).count() as u64;
    Ok(())
}

/// Writes the FAISS file of all vectors there are and binds it; returns their number.
fn renew(catalog: &mut Catalog, model: &ModelIdentity, factory: &Factory) -> Result<usize> {
    let (rows, values) = semantic::all(catalog, model.width)?;
    let bytes: Vec<u8> = rows.iter().flat_map(|id| id.to_le_bytes()).collect();
    let old = semantic::binding(catalog)?;
    let index = FaissIndex::build(factory, model.width, &values)?;
    drop(values);
    let path = faiss_file::path(catalog);
    // Removed again unless it takes its place: a part of a file is of no use, and takes room.
    let temporary = tempfile::TempPath::try_from_path(path.with_extension("faiss.next")).at(&path)?;
    index.write(&temporary)?;
    let written = std::fs::File::open(&temporary).at(&temporary)?;
    let mut binding = Binding {
        generation: old.as_ref().map_or(1, |b| b.generation + 1),
        model: model.clone(),
        factory: index.factory().as_str().to_owned(),
        sha256: faiss_file::hash(&written, &temporary)?,
        rows: crate::base::id::sha256_hex(&bytes),
        place: None,
    };
    let same = old.as_ref().filter(|o| {
        (&o.sha256, &o.model, &o.rows, &o.factory)
            == (&binding.sha256, &binding.model, &binding.rows, &binding.factory)
    });
    match same {
        Some(old) => binding.generation = old.generation,
        // A kill before the file is renamed leaves one whose hash is not the bound one: it is not used.
        None => bind(catalog, &binding, &bytes)?,
    }
    temporary.persist(&path).map_err(|e| Error::io(&path, &e.error))?;
    crate::store::atomic::sync_parent(&path)?;
    binding.place = Some(Identity::of(&written.metadata().at(&path)?));
    bind(catalog, &binding, &bytes)?;
    Ok(rows.len())
}

fn bind(catalog: &Catalog, binding: &Binding, rows: &[u8]) -> Result<()> {
    catalog.sql(|| {
        let tx = catalog.db.unchecked_transaction()?;
        let sql = "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)";
        tx.execute(sql, ("vectors", serde_json::to_string(binding).unwrap_or_default()))?;
        tx.execute(sql, ("vector_rows", rows))?;
        tx.commit()
    })
}
