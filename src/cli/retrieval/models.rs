//! The models of an index, each opened when a query first needs it.

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::base::env::Env;
use crate::base::{Error, Kind, Result};
use crate::embed::{self, Embedder, EmbedderSettings, Generator, Reranker};
use crate::retrieval::query;
use crate::retrieval::settings::Models as Settings;
use crate::tr;

/// Models opened on first use, by any thread.
pub struct Lazy {
    settings: Settings,
    server: EmbedderSettings,
    embedder: OnceLock<Box<dyn Embedder>>,
    generator: OnceLock<Box<dyn Generator>>,
    reranker: OnceLock<Box<dyn Reranker>>,
}

impl Lazy {
    /// The models that `settings` name. The Ollama server is `OLLAMA_HOST`, else this machine's.
    pub fn new(settings: Settings, env: &Env) -> Self {
        let digests = env.xdg("CACHE", ".cache").map(|dir| dir.join("govfind/digests.json"));
        let server = server(&settings, env, digests);
        Lazy {
            settings,
            server,
            embedder: OnceLock::new(),
            generator: OnceLock::new(),
            reranker: OnceLock::new(),
        }
    }
}

fn server(settings: &Settings, env: &Env, digests: Option<PathBuf>) -> EmbedderSettings {
    let default = EmbedderSettings::default();
    EmbedderSettings {
        provider: settings.provider(),
        model: settings.embedder.clone().unwrap_or_default(),
        url: env.get("OLLAMA_HOST").map(str::to_owned),
        // The environment is the user's own word.
        trusted: true,
        dir: settings.embedder_dir.clone(),
        query_prefix: settings.query_prefix.clone(),
        document_prefix: settings.document_prefix.clone(),
        allow_remote_models: settings.allow_remote_models,
        digests,
        ..default
    }
}

impl query::Models for Lazy {
    fn embedder(&self) -> Result<&dyn Embedder> {
        if self.settings.embedder.is_none() && self.settings.embedder_dir.is_none() {
            return Err(Error::new(
                Kind::Partial,
                tr!("aucun modèle d'embedding configuré", "no embedding model is configured"),
            )
            .hint("govfind embed --model NAME|DIR"));
        }
        get(&self.embedder, || embed::open(&self.server)).map(Box::as_ref)
    }

    fn generator(&self) -> Result<Option<&dyn Generator>> {
        let Some(model) = &self.settings.generator else { return Ok(None) };
        get(&self.generator, || embed::open_generator(&self.server, model)).map(|g| Some(g.as_ref()))
    }

    fn reranker(&self) -> Result<Option<&dyn Reranker>> {
        let Some(dir) = &self.settings.reranker_dir else { return Ok(None) };
        get(&self.reranker, || embed::open_reranker(dir, self.server.digests.as_deref()))
            .map(|r| Some(r.as_ref()))
    }
}

/// The model in `cell`, opened now when it is not there yet.
fn get<T>(cell: &OnceLock<T>, open: impl FnOnce() -> Result<T>) -> Result<&T> {
    match cell.get() {
        Some(model) => Ok(model),
        None => {
            // Two threads may both open it; the first one stays.
            let opened = open()?;
            Ok(cell.get_or_init(|| opened))
        }
    }
}
