//! From settings to a model: the one place that chooses an implementation.

use std::path::PathBuf;
use std::time::Duration;

use super::embedder::unavailable;
use super::{
    Address, Embedder, Generator, LocalEmbedder, LocalReranker, OllamaEmbedder, OllamaGenerator,
    OllamaSettings, Prefixes, Reranker, known_prefixes,
};
use crate::base::config::{self, Provider};
use crate::base::{Error, ModelIdentity, Result};
use crate::tr;

/// Everything that decides which embedder is opened.
#[derive(Clone, Debug)]
pub struct EmbedderSettings {
    /// Where the model runs.
    pub provider: Provider,
    /// Ollama: the model's name.
    pub model: String,
    /// Ollama: the server, in any form of `OLLAMA_HOST`; this machine's when absent.
    pub url: Option<String>,
    /// Whether the user vouches for `url`: it comes from the environment or the user's own
    /// configuration, or was approved. Without that only this machine gets a text.
    pub trusted: bool,
    /// Local: the model directory.
    pub dir: Option<PathBuf>,
    /// Text put before queries; by the model's name when absent.
    pub query_prefix: Option<String>,
    /// Text put before documents; by the model's name when absent.
    pub document_prefix: Option<String>,
    /// Ollama: longest wait for one answer.
    pub timeout: Duration,
    /// Ollama: whether a model that sends the text elsewhere may be used: the user's own word, or the
    /// workspace's, approved.
    pub allow_remote_models: bool,
    /// Local: a file that remembers digests of weights between runs.
    pub digests: Option<PathBuf>,
}

/// What the user approved of the workspace's own file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Approved {
    /// The address that it names.
    pub url: bool,
    /// That the model it names may run on another machine.
    pub remote_model: bool,
}

impl Default for EmbedderSettings {
    fn default() -> Self {
        EmbedderSettings {
            provider: Provider::Ollama,
            model: "nomic-embed-text".to_owned(),
            url: None,
            trusted: false,
            dir: None,
            query_prefix: None,
            document_prefix: None,
            timeout: Duration::from_secs(30),
            allow_remote_models: false,
            digests: None,
        }
    }
}

impl EmbedderSettings {
    /// The settings of a configuration. What the workspace's file alone says counts when `approved`:
    /// its `url`, and its leave to use models that run elsewhere. `digests` is a file of the
    /// workspace's state.
    pub fn from_config(config: &config::Embedder, approved: Approved, digests: Option<PathBuf>) -> Self {
        let own = |origin: config::Origin| origin != config::Origin::Workspace;
        let remote = &config.allow_remote_models;
        EmbedderSettings {
            provider: config.provider,
            model: config.model.clone(),
            url: Some(config.url.value.clone()),
            trusted: approved.url || own(config.url.origin),
            dir: config.dir.clone(),
            query_prefix: config.query_prefix.clone(),
            document_prefix: config.document_prefix.clone(),
            timeout: config.timeout,
            allow_remote_models: remote.value && (approved.remote_model || own(remote.origin)),
            digests,
        }
    }

    /// How to reach the Ollama server.
    ///
    /// # Errors
    /// Exit 2 for a malformed address, or one on another machine nobody vouched for.
    pub fn ollama(&self) -> Result<OllamaSettings> {
        let address = self.url.as_deref().map(Address::parse).transpose()?.unwrap_or_default();
        if !address.is_loopback() && !self.trusted {
            return Err(Error::usage(tr!(
                "{address} est une autre machine et n'a pas été approuvée : aucun texte n'y est envoyé",
                "{address} is another machine and was not approved: no text is sent there"
            ))
            .hint(format!("govmem trust {address}")));
        }
        let model = self.model.trim().to_owned();
        if model.is_empty() {
            return Err(Error::usage(tr!("[embedder] model est vide", "[embedder] model is empty")));
        }
        Ok(OllamaSettings {
            address,
            model,
            timeout: self.timeout.max(Duration::from_millis(1)),
            allow_remote_models: self.allow_remote_models,
        })
    }

    fn prefixes(&self, known: Prefixes) -> Prefixes {
        Prefixes {
            query: self.query_prefix.clone().unwrap_or(known.query),
            document: self.document_prefix.clone().unwrap_or(known.document),
        }
    }
}

/// Opens the embedder the settings name; no other one takes its place.
///
/// # Errors
/// `ERR-295-02` exit 69 when there is none to open, 65 when it cannot be used; exit 2 for settings
/// that send texts where nobody allowed.
pub fn open(settings: &EmbedderSettings) -> Result<Box<dyn Embedder>> {
    match settings.provider {
        Provider::Ollama => {
            let ollama = settings.ollama()?;
            let prefixes = settings.prefixes(known_prefixes(&ollama.model));
            Ok(Box::new(OllamaEmbedder::open(&ollama, prefixes)?))
        }
        Provider::Local => {
            let dir = settings.dir.as_deref().ok_or_else(|| {
                unavailable(tr!("[embedder] dir manque", "[embedder] dir is missing")).hint(tr!(
                    "indiquez le dossier du modèle sous [embedder] dir",
                    "name the model's directory under [embedder] dir"
                ))
            })?;
            let prefixes = settings.prefixes(LocalEmbedder::prefixes_of(dir));
            let digests = settings.digests.as_deref();
            Ok(Box::new(LocalEmbedder::open(dir, prefixes, digests)?))
        }
    }
}

/// The identity of the model that [`open`] would open, found in at most `within`: for reports, which
/// would rather say that a server is slow than wait for it. Sends no text.
///
/// # Errors
/// As [`open`]; `ERR-295-02` exit 69 when there is no answer in time.
pub fn probe(settings: &EmbedderSettings, within: Duration) -> Result<ModelIdentity> {
    if settings.provider == Provider::Local {
        return Ok(open(settings)?.identity().clone());
    }
    let hasty = EmbedderSettings { timeout: settings.timeout.min(within), ..settings.clone() };
    let (sender, answer) = std::sync::mpsc::channel();
    // Several requests and the pauses of a busy server may add up: the whole is bounded here. A thread
    // that is left behind ends with its own time-outs, and its answer finds nobody.
    std::thread::spawn(move || {
        let _ = sender.send(open(&hasty).map(|embedder| embedder.identity().clone()));
    });
    answer.recv_timeout(within).unwrap_or_else(|_| {
        let seconds = within.as_secs_f32();
        Err(unavailable(tr!("pas de réponse en {seconds} s", "no answer within {seconds} s"))
            .hint(tr!("vérifiez le serveur de modèles et sa charge", "check the model server and its load")))
    })
}

/// Opens the generator of the same server, under the name `model`.
///
/// # Errors
/// As [`OllamaGenerator::open`].
pub fn open_generator(settings: &EmbedderSettings, model: &str) -> Result<Box<dyn Generator>> {
    let settings = EmbedderSettings { model: model.to_owned(), ..settings.clone() };
    Ok(Box::new(OllamaGenerator::open(&settings.ollama()?)?))
}

/// Opens the cross-encoder of a directory.
///
/// # Errors
/// As [`LocalReranker::open`].
pub fn open_reranker(dir: &std::path::Path, digests: Option<&std::path::Path>) -> Result<Box<dyn Reranker>> {
    Ok(Box::new(LocalReranker::open(dir, digests)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_vouched_for_machines_get_texts() {
        let mut settings = EmbedderSettings { url: Some("gpu-box".into()), ..Default::default() };
        assert_eq!(settings.ollama().unwrap_err().exit(), 2);
        settings.trusted = true;
        assert_eq!(settings.ollama().unwrap().address.as_str(), "http://gpu-box:11434");
        let loopback = EmbedderSettings { url: Some("127.0.0.1:9".into()), ..Default::default() };
        assert!(loopback.ollama().is_ok());
    }

    #[test]
    fn prefixes_follow_the_name_and_yield_to_the_settings() {
        let mut settings = EmbedderSettings::default();
        let of = |settings: &EmbedderSettings| settings.prefixes(known_prefixes("nomic-embed-text"));
        assert_eq!(of(&settings).query, "search_query: ");
        settings.query_prefix = Some(String::new());
        assert_eq!(of(&settings).query, "");
        assert_eq!(of(&settings).document, "search_document: ");
    }

    #[test]
    fn a_missing_directory_is_no_embedder() {
        let local = EmbedderSettings { provider: Provider::Local, ..Default::default() };
        assert_eq!(open(&local).err().unwrap().exit(), 69);
        let absent = EmbedderSettings { dir: Some("/nonexistent/model".into()), ..local };
        let error = open(&absent).err().unwrap();
        assert_eq!((error.code_text().as_str(), error.exit()), ("ERR-295-02", 69));
    }
}
