//! What the server says of a model: the digest of its weights, its width, where it runs.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::OllamaSettings;
use super::client::Client;
use crate::base::{Error, Result};
use crate::tr;

/// Longest list of models we read, in bytes.
const LIST_LIMIT: usize = 4 << 20;
/// Longest description we read, in bytes; it holds licence and template.
const SHOW_LIMIT: usize = 4 << 20;

/// A model of a server.
pub(super) struct Model {
    /// Name with tag.
    pub name: String,
    /// Digest of the weights behind the tag.
    pub digest: String,
    /// Whether it can think before it answers.
    pub thinks: bool,
    /// Width of its embeddings, when it says so.
    pub width: Option<usize>,
    /// Longest input in tokens, when it says so.
    pub context: Option<usize>,
}

#[derive(Deserialize)]
struct Tags {
    #[serde(default)]
    models: Vec<Tag>,
}

#[derive(Deserialize)]
struct Tag {
    #[serde(default)]
    name: String,
    #[serde(default)]
    model: String,
    #[serde(default)]
    digest: String,
    remote_host: Option<String>,
    remote_model: Option<String>,
    capabilities: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Shown {
    #[serde(default)]
    model_info: Map<String, Value>,
    remote_host: Option<String>,
    remote_model: Option<String>,
    capabilities: Option<Vec<String>>,
}

impl Model {
    /// Asks the server about the model of `settings`.
    pub fn find(client: &Client, settings: &OllamaSettings) -> Result<Model> {
        let wanted = &settings.model;
        let cloud = |name: &str| name.ends_with(":cloud") || name.ends_with("-cloud");
        // Asked before anything is sent, so that a misnamed model never sees a text.
        refuse_remote(settings, cloud(wanted))?;
        let tags: Tags = client.get("/api/tags", LIST_LIMIT)?;
        let full = match wanted.rsplit('/').next() {
            Some(last) if last.contains(':') => wanted.clone(),
            _ => format!("{wanted}:latest"),
        };
        let named = |t: &&Tag| [&t.name, &t.model].iter().any(|n| n.as_str() == full || *n == wanted);
        let tag = tags.models.iter().find(named).ok_or_else(|| client.not_pulled())?;
        let shown: Shown = client.ask("/api/show", &json!({ "model": wanted }), SHOW_LIMIT)?;
        let set = |text: &Option<String>| text.as_deref().is_some_and(|t| !t.is_empty());
        let remote = [&tag.remote_host, &tag.remote_model, &shown.remote_host, &shown.remote_model];
        refuse_remote(settings, cloud(&tag.name) || remote.into_iter().any(set))?;
        if tag.digest.is_empty() {
            return Err(client.not_pulled());
        }
        let number = |key: &str| {
            let family = shown.model_info.get("general.architecture")?.as_str()?;
            let n = shown.model_info.get(&format!("{family}.{key}"))?.as_u64()?;
            usize::try_from(n).ok().filter(|n| (1..=1 << 24).contains(n))
        };
        let abilities = shown.capabilities.as_ref().or(tag.capabilities.as_ref());
        Ok(Model {
            name: full,
            digest: tag.digest.clone(),
            thinks: abilities.is_some_and(|a| a.iter().any(|a| a == "thinking")),
            width: number("embedding_length").filter(|n| *n <= 16_384),
            context: number("context_length"),
        })
    }
}

fn refuse_remote(settings: &OllamaSettings, remote: bool) -> Result<()> {
    if !remote || settings.allow_remote_models {
        return Ok(());
    }
    Err(Error::usage(tr!(
        "le modèle {} s'exécute sur une autre machine : le texte y serait envoyé",
        "model {} runs on another machine: the text would be sent there",
        settings.model
    ))
    .hint(tr!(
        "choisissez un modèle local, ou écrivez allow_remote_models = true sous [embedder] ; dans un \
         govmem.toml, cela demande aussi : govmem trust remote-model:{}",
        "choose a local model, or write allow_remote_models = true under [embedder]; in a govmem.toml it \
         also needs: govmem trust remote-model:{}",
        settings.model
    )))
}
