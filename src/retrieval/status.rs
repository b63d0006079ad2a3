//! The state of an index, told without changing it; what is wrong with it; its cleaning.

use std::path::Path;

use serde::Serialize;

use super::catalog::Catalog;
use super::catalog::collections::{Collection, Size};
use super::trust::Trust;
use super::{embedding, faiss_file, semantic};
use crate::base::Result;
use crate::tr;

/// What `status` tells.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// Version of the document, 1.
    pub schema: u32,
    /// The database file.
    pub index: String,
    /// Bytes of the database.
    pub database_bytes: u64,
    /// Bytes of the FAISS file.
    pub faiss_bytes: u64,
    /// Documents.
    pub documents: i64,
    /// Chunks.
    pub chunks: i64,
    /// Bytes of text.
    pub text_bytes: i64,
    /// How documents are cut.
    pub strategy: String,
    /// How tokens are counted.
    pub tokens: String,
    /// Languages of the documents.
    pub languages: Vec<String>,
    /// Collections.
    pub collections: Vec<CollectionStatus>,
    /// Vectors.
    pub vectors: VectorStatus,
    /// What expands queries.
    pub expansion: String,
    /// What reranks.
    pub reranking: String,
}

/// A collection and what it holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CollectionStatus {
    /// The collection.
    #[serde(flatten)]
    pub collection: Collection,
    /// What it holds.
    pub size: Size,
}

/// The vectors of an index.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VectorStatus {
    /// The model, if anything is embedded.
    pub model: Option<String>,
    /// Values per vector.
    pub width: usize,
    /// Chunks that have one.
    pub count: usize,
    /// Chunks that wait for one.
    pub pending: u64,
    /// Chunks that were longer than the model's window.
    pub windowed: i64,
    /// FAISS index type.
    pub factory: Option<String>,
}

/// Tells the state of an index.
///
/// # Errors
/// Exit 65 or I/O.
pub fn status(catalog: &Catalog) -> Result<Status> {
    let _still = catalog.snapshot()?;
    let (documents, chunks, text_bytes) = catalog.totals()?;
    let collections = catalog
        .collections()?
        .into_iter()
        .map(|collection| Ok(CollectionStatus { size: catalog.size(collection.id)?, collection }))
        .collect::<Result<_>>()?;
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |m| m.len());
    let (binding, stored) = (semantic::binding(catalog)?, semantic::stored(catalog)?);
    let models = catalog.models()?;
    let windowed = catalog
        .sql(|| catalog.db.query_row("SELECT count(*) FROM embedding WHERE windows > 1", [], |r| r.get(0)))?;
    Ok(Status {
        schema: 1,
        index: catalog.path().display().to_string(),
        database_bytes: length(catalog.path()),
        faiss_bytes: length(&faiss_file::path(catalog)),
        documents,
        chunks,
        text_bytes,
        strategy: catalog.meta("strategy")?.unwrap_or_else(|| "regex".to_owned()),
        tokens: catalog.meta("tokens")?.unwrap_or_else(|| super::tokens::METHOD.to_owned()),
        languages: catalog.languages()?.iter().map(|l| l.tag().to_owned()).collect(),
        collections,
        vectors: VectorStatus {
            model: stored.as_ref().map(|(model, _)| format!("{}/{}", model.provider, model.name)),
            width: stored.as_ref().map_or(0, |(model, _)| model.width),
            count: stored.map_or(0, |(_, count)| count),
            pending: embedding::pending(catalog, &[])?.len() as u64,
            windowed,
            factory: binding.map(|b| b.factory),
        },
        expansion: models.generator.unwrap_or_else(|| "pseudo-relevance feedback".to_owned()),
        reranking: models
            .reranker_dir
            .map_or_else(|| "chunk similarity".to_owned(), |dir| dir.display().to_string()),
    })
}

/// Something that is wrong, and the command that helps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What is wrong.
    pub problem: String,
    /// What to run.
    pub command: String,
}

/// Looks for problems of the configuration and the index. Nothing is changed.
///
/// # Errors
/// I/O. Damage is a finding.
pub fn doctor(catalog: &Catalog, trust: &Trust) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut add = |problem: String, command: String| findings.push(Finding { problem, command });
    let rebuild = catalog.command("update --rebuild");
    if let Err(e) = catalog.check_integrity() {
        add(e.to_string(), rebuild);
        return Ok(findings);
    }
    let words = "INSERT INTO words (words) VALUES ('integrity-check')";
    if catalog.sql(|| catalog.db.execute(words, [])).is_err_and(|e| e.exit() == 65) {
        add(tr!("index des mots abîmé", "the word index is damaged"), rebuild.clone());
    }
    for document in catalog.documents()? {
        let sound = catalog
            .body(document.id)
            .is_ok_and(|(text, _)| crate::base::id::sha256_hex(text.as_bytes()) == document.hash);
        if !sound {
            add(tr!("document #{} abîmé", "document #{} is damaged", document.docid()), rebuild.clone());
        }
    }
    for collection in catalog.collections()? {
        let name = &collection.name;
        if !Path::new(&collection.root).is_dir() {
            add(
                tr!("{name} : racine absente {}", "{name}: the root is gone: {}", collection.root),
                catalog.command(&format!("collection remove {name}")),
            );
        }
        if collection.updated.is_none() {
            add(tr!("{name} : jamais indexée", "{name}: never indexed"), catalog.command("update"));
        }
        if !trust.approves(catalog, &collection) {
            add(
                tr!("{name} : hook non approuvé", "{name}: the hook was not approved"),
                catalog.command(&format!("trust {name}")),
            );
        }
    }
    let pending = embedding::pending(catalog, &[])?.len();
    match semantic::open_hashed(catalog) {
        Ok(Some(vectors)) => {
            if !vectors.indexed {
                add(
                    tr!("index FAISS absent ou différent", "the FAISS file is absent or differs"),
                    catalog.command("embed"),
                );
            }
            if pending > 0 {
                add(
                    tr!("{pending} segments sans vecteur", "{pending} chunks have no vector"),
                    catalog.command("embed"),
                );
            }
        }
        Ok(None) => {}
        Err(e) => add(e.to_string(), catalog.command("embed --force")),
    }
    Ok(findings)
}

/// What a cleaning removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cleaned {
    /// Vectors of texts that are gone.
    pub vectors: u64,
    /// Bytes the database was shortened by.
    pub bytes: u64,
}

/// Removes vectors of texts that are gone, merges the word index and shortens the file.
///
/// # Errors
/// Exit 65, exit 75 when another process writes, I/O.
pub fn cleanup(catalog: &Catalog) -> Result<Cleaned> {
    let _alone = catalog.lock("cleanup")?;
    let length = || std::fs::metadata(catalog.path()).map_or(0, |m| m.len());
    let before = length();
    let live: std::collections::HashSet<[u8; 16]> = semantic::chunk_hashes(catalog)?.into_values().collect();
    let stored: Vec<[u8; 16]> = catalog
        .sql(|| catalog.db.prepare("SELECT hash FROM embedding")?.query_map([], |r| r.get(0))?.collect())?;
    let dead: Vec<_> = stored.into_iter().filter(|h| !live.contains(h)).collect();
    catalog.sql(|| {
        let tx = catalog.db.unchecked_transaction()?;
        for hash in &dead {
            tx.prepare_cached("DELETE FROM embedding WHERE hash = ?1")?.execute([&hash[..]])?;
        }
        tx.execute("INSERT INTO words (words) VALUES ('optimize')", [])?;
        tx.commit()?;
        catalog.db.execute_batch("VACUUM")
    })?;
    catalog.checkpoint()?;
    Ok(Cleaned { vectors: dead.len() as u64, bytes: before.saturating_sub(length()) })
}
