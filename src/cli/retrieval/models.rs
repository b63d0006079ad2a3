//! The models of an index, each opened when a query first needs it.

use std::cell::OnceCell;
use std::path::PathBuf;

use crate::base::env::Env;
use crate::base::{Error, Kind, Result};
use crate::embed::{self, Embedder, EmbedderSettings, Generator, Reranker};
use crate::retrieval::query;
use crate::retrieval::settings::Models as Settings;
use crate::tr;

/// Models opened on first use.
pub struct Lazy {
    settings: Settings,
    server: EmbedderSettings,
    embedder: OnceCell<Box<dyn Embedder>>,
    generator: OnceCell<Box<dyn Generator>>,
    reranker: OnceCell<Box<dyn Reranker>>,
}

impl Lazy {
    /// The models that `settings` name. The Ollama server is `OLLAMA_HOST`, else this machine's.
    pub fn new(settings: Settings, env: &Env) -> Self {
        let digests = env.xdg("CACHE", ".cache").map(|dir| dir.join("govfind/digests.json"));
        let server = server(&settings, env, digests);
        Lazy {
            settings,
            server,
            embedder: OnceCell::new(),
            generator: OnceCell::new(),
            reranker: OnceCell::new(),
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

fn get<T>(cell: &OnceCell<T>, open: impl FnOnce() -> Result<T>) -> Result<&T> {
    if cell.get().is_none() {
        let opened = open()?;
        return Ok(cell.get_or_init(|| opened));
    }
    cell.get().ok_or_else(|| Error::new(Kind::Bug, "empty cell"))
}
