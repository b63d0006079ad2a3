//! The questions a client may ask and their answers: the same defaults, limits and JSON as the
//! command line.
//!
//! Every question opens the index anew, so that an update is seen at once; models stay open, and the
//! vectors as long as they are the same. The work blocks, so it runs beside the event loop, on a bounded number of threads.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::base::{Error, Kind, Result};
use crate::retrieval::Catalog;
use crate::retrieval::catalog::Location;
use crate::retrieval::faiss_file::Kept;
use crate::retrieval::fetch::{self, Fetched, Listed, MAX_BYTES, MAX_LINES, Options};
use crate::retrieval::query::{self, Models, Request};
use crate::retrieval::settings::Models as ModelSettings;
use crate::retrieval::status::{self, Status};
use crate::tr;

/// Questions answered at the same time.
pub const SLOTS: usize = 4;

/// Models that several threads may share.
pub type SharedModels = Arc<dyn Models + Send + Sync>;
/// Makes the models that an index is configured with. Nothing is opened before a question needs it.
pub type MakeModels = Arc<dyn Fn(ModelSettings) -> SharedModels + Send + Sync>;

/// `get`: a document, or some lines of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Get {
    /// `gf://collection/path`, a path or `#docid`, with `:from[:count]` after it or not.
    pub document: String,
    /// First line, from 1.
    #[serde(default)]
    pub from: Option<usize>,
    /// Number of lines.
    #[serde(default)]
    pub lines: Option<usize>,
    /// Whether the path on the disk is named.
    #[serde(default)]
    pub full_path: bool,
}

/// `multi_get`: several documents.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MultiGet {
    /// A glob, or names separated by commas.
    pub pattern: String,
    /// Files of more lines are left out.
    #[serde(default = "max_lines")]
    pub max_lines: usize,
    /// Files of more bytes are left out.
    #[serde(default = "max_bytes")]
    pub max_bytes: usize,
    /// Whether paths on the disk are named.
    #[serde(default)]
    pub full_path: bool,
}

fn max_lines() -> usize {
    MAX_LINES
}

fn max_bytes() -> usize {
    MAX_BYTES
}

/// An index, its models and the threads that answer. Copies share everything.
#[derive(Clone)]
pub struct Backend {
    location: Location,
    cwd: PathBuf,
    make: MakeModels,
    models: Arc<Mutex<Option<(ModelSettings, SharedModels)>>>,
    kept: Kept,
    slots: Arc<Semaphore>,
}

impl Backend {
    /// A backend over the index at `location`; relative paths that clients name start at `cwd`.
    pub fn new(location: Location, cwd: PathBuf, make: MakeModels) -> Self {
        Backend {
            location,
            cwd,
            make,
            models: Arc::default(),
            kept: Kept::default(),
            slots: Arc::new(Semaphore::new(SLOTS)),
        }
    }

    /// Runs blocking work when one of the [`SLOTS`] is free, which it keeps until it ends, even when
    /// nobody waits for its answer any more.
    ///
    /// # Errors
    /// Those of the work; a bug when it panics.
    pub async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Backend) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let bug = |e: &dyn std::fmt::Display| Error::new(Kind::Bug, e.to_string());
        let slot = Arc::clone(&self.slots).acquire_owned().await.map_err(|e| bug(&e))?;
        let backend = self.clone();
        let task = tokio::task::spawn_blocking(move || {
            let _slot = slot;
            work(&backend)
        });
        task.await.map_err(|e| bug(&e))?
    }

    /// The index, opened for reading.
    ///
    /// # Errors
    /// As [`Catalog::open`].
    pub fn catalog(&self) -> Result<Catalog> {
        Ok(Catalog::open(&self.location)?.keeping(self.kept.clone()))
    }

    /// The models of the index; those already open when the configuration is the same.
    fn models(&self, catalog: &Catalog) -> Result<SharedModels> {
        let settings = catalog.models()?;
        let mut kept = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((before, models)) = &*kept
            && *before == settings
        {
            return Ok(Arc::clone(models));
        }
        let models = (self.make)(settings.clone());
        *kept = Some((settings, Arc::clone(&models)));
        Ok(models)
    }

    /// Answers a query: the document of `govfind query --json`.
    ///
    /// # Errors
    /// As [`query::run`].
    pub fn query(&self, request: &Request) -> Result<Value> {
        request.check()?;
        query::syntax::Query::parse(&request.query)?;
        let catalog = self.catalog()?;
        let models = self.models(&catalog)?;
        let response = query::run(&catalog, request, models.as_ref())?;
        Ok(json!(response))
    }

    /// Reads a document.
    ///
    /// # Errors
    /// As [`fetch::resolve`] and [`fetch::get`]; usage for line 0 or lines given twice.
    pub fn get(&self, request: &Get) -> Result<Fetched> {
        if request.from == Some(0) || request.lines == Some(0) {
            return Err(Error::usage(tr!(
                "les lignes se comptent à partir de 1",
                "lines are counted from 1"
            )));
        }
        let catalog = self.catalog()?;
        let _still = catalog.snapshot()?;
        let mut target = fetch::resolve(&catalog, &request.document, &self.cwd)?;
        let given = request.from.is_some() || request.lines.is_some();
        if given && (target.from.is_some() || target.count.is_some()) {
            return Err(Error::usage(tr!("les lignes sont données deux fois", "the lines are given twice")));
        }
        if given {
            target.from = Some(request.from.unwrap_or(1));
            target.count = request.lines;
        }
        fetch::get(&catalog, &target, Options { disk: false, full_path: request.full_path })
    }

    /// Reads several documents: the document of `govfind multi-get --json`.
    ///
    /// # Errors
    /// As [`fetch::multi_get`].
    pub fn multi_get(&self, request: &MultiGet) -> Result<Value> {
        let options = Options { disk: false, full_path: request.full_path };
        let limits = (request.max_lines, request.max_bytes);
        let many = fetch::multi_get(&self.catalog()?, &request.pattern, &self.cwd, limits, options)?;
        Ok(json!(many))
    }

    /// Tells the state of the index.
    ///
    /// # Errors
    /// As [`status::status`].
    pub fn status(&self) -> Result<Status> {
        status::status(&self.catalog()?)
    }

    /// All indexed files.
    ///
    /// # Errors
    /// As [`fetch::ls`].
    pub fn list(&self) -> Result<Vec<Listed>> {
        fetch::ls(&self.catalog()?, None)
    }
}

/// The document of `govfind get --json`.
pub fn document(fetched: &Fetched) -> Value {
    json!({"schema": 1, "document": fetched})
}

/// The document that tells an error, as `--json` prints it.
pub fn trouble(error: &Error) -> Value {
    json!({"error": error})
}
