//! Configuration: `govmem.toml`, the user's own file, and the environment.
//!
//! `GOVMEM_<SECTION>_<KEY>` wins, then the variables of Vault and Ollama, then the workspace's file,
//! then the user's, then the defaults written here. Unknown keys are errors. Relative paths start at
//! the workspace, `~` is the home directory.

mod keys;
mod layers;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::env::Env;
use super::id::Slug;
use super::lang::Lang;
use super::{Error, Instant, Result};
use crate::tr;
use layers::{Layers, Value};

pub use layers::Origin;

/// A value and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// Where it came from.
    pub origin: Origin,
}

/// Who embeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// An Ollama server.
    Ollama,
    /// A model directory, in this process.
    Local,
}

/// Where the audit key lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyringKind {
    /// HashiCorp Vault or OpenBao, KV v2.
    Vault,
    /// A private file.
    File,
}

/// What makes two watch notes the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKey {
    /// The path: every file is a note.
    Path,
    /// The title: the latest edition counts.
    Title,
}

/// The whole configuration.
#[derive(Clone, Debug)]
pub struct Config {
    /// Language of the messages; the command line's own choice wins.
    pub lang: Option<Lang>,
    /// `[embedder]`.
    pub embedder: Embedder,
    /// `[index]`.
    pub index: Index,
    /// `[audit]`.
    pub audit: Audit,
    /// `[limits]`.
    pub limits: Limits,
    /// `[search]`.
    pub search: Search,
    /// `[veille]`.
    pub veille: Veille,
    /// `[clarifications]`.
    pub clarifications: Clarifications,
    /// `[kpi]`.
    pub kpi: Kpi,
    /// `[network_fs]`.
    pub network_fs: NetworkFs,
}

/// `[embedder]`: who embeds, with which model.
#[derive(Clone, Debug)]
pub struct Embedder {
    /// `ollama` by default.
    pub provider: Provider,
    /// The model's name; `nomic-embed-text` by default.
    pub model: String,
    /// The server, in any form that `OLLAMA_HOST` takes; `http://127.0.0.1:11434` by default.
    pub url: Setting<String>,
    /// The directory of a local model.
    pub dir: Option<PathBuf>,
    /// Text put before a query; otherwise the model's own.
    pub query_prefix: Option<String>,
    /// Text put before a document; otherwise the model's own.
    pub document_prefix: Option<String>,
    /// Time limit of one call; 30 s by default.
    pub timeout: Duration,
    /// Accept models that the server runs elsewhere; no by default.
    pub allow_remote_models: Setting<bool>,
}

/// `[index]`: the vector index.
#[derive(Clone, Debug)]
pub struct Index {
    /// A FAISS factory text; `Flat` by default.
    pub factory: String,
}

/// `[audit]`: where the key that signs the trail lies.
#[derive(Clone, Debug)]
pub struct Audit {
    /// `vault` by default.
    pub keyring: KeyringKind,
    /// The keyring file; `$XDG_CONFIG_HOME/govmem/keyring.json` by default, none without a home.
    pub keyring_path: Option<PathBuf>,
    /// The Vault server; also `VAULT_ADDR`, `BAO_ADDR`.
    pub vault_addr: Option<Setting<String>>,
    /// The mount of the KV store; `kv` by default.
    pub mount: String,
    /// The path of the key; `pd-295/memory-audit-hmac` by default.
    pub path: String,
    /// The namespace; also `VAULT_NAMESPACE`, `BAO_NAMESPACE`.
    pub namespace: Option<String>,
    /// A certificate authority; also `VAULT_CACERT`, `BAO_CACERT`.
    pub ca_cert: Option<Setting<PathBuf>>,
    /// A file that holds the AppRole's role id.
    pub role_id_file: Option<Setting<PathBuf>>,
    /// A file that holds the AppRole's secret id.
    pub secret_id_file: Option<Setting<PathBuf>>,
}

/// `[limits]`.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Longest wait for a lock; 30 s by default.
    pub lock_timeout: Duration,
    /// Injections per story in any 300 s; 10 by default.
    pub story_per_300s: usize,
    /// Injections per workspace in any 300 s; 60 by default.
    pub workspace_per_300s: usize,
    /// Longest text of an item, in characters; 1,200 by default.
    pub item_chars: usize,
    /// Longest block, in characters; 16,000 by default.
    pub block_chars: usize,
    /// Most learnings of one story in a list; 0, the default, means no limit.
    pub max_per_story: usize,
}

/// `[search]`.
#[derive(Clone, Debug)]
pub struct Search {
    /// Least reuse score of a learning, from 0 to 0.99; 0 by default.
    pub min_score_default: f64,
}

/// `[veille]`: where watch notes lie and how they are read.
#[derive(Clone, Debug)]
pub struct Veille {
    /// Directories; `docs/veille` by default.
    pub roots: Vec<PathBuf>,
    /// Which files are notes; `**/*.md` by default.
    pub glob: String,
    /// Where a field is found in other people's files, such as `verdict` → `blip[-1].ring`.
    pub fields: BTreeMap<String, String>,
    /// Other people's verdicts, such as `adopt` → `adopter`.
    pub verdicts: BTreeMap<String, String>,
    /// The impact of notes that name none.
    pub default_impact: Option<String>,
    /// What makes two notes the same; the path by default.
    pub key: NoteKey,
}

/// `[clarifications]`.
#[derive(Clone, Debug)]
pub struct Clarifications {
    /// Directories; `docs/epics` by default.
    pub roots: Vec<PathBuf>,
    /// The domain of files that name none.
    pub domain: Option<Slug>,
    /// The project of files that name none.
    pub project: Option<Slug>,
}

/// `[kpi]`.
#[derive(Clone, Debug)]
pub struct Kpi {
    /// When unified injection was merged: the border of the before and after windows.
    pub b5_merge: Option<Instant>,
}

/// `[network_fs]`.
#[derive(Clone, Debug)]
pub struct NetworkFs {
    /// Accept NFS, SMB, 9p and sshfs; no by default.
    pub allow: bool,
}

impl Config {
    /// Reads `text`, the `govmem.toml` of the workspace at `root`. Errors are usage errors (exit 2)
    /// that name the line and, for an unknown key, the nearest known one.
    pub fn load(root: &Path, text: &str, env: &Env) -> Result<Config> {
        Config::load_layers(root, Some(text), None, env)
    }

    /// Reads the workspace's file and the user's own (`name`, `text`), either of which may be absent.
    pub fn load_layers(
        root: &Path,
        workspace: Option<&str>,
        user: Option<(&str, &str)>,
        env: &Env,
    ) -> Result<Config> {
        let mut layers = Layers::new(env);
        if let Some(text) = workspace {
            layers = layers.file(Origin::Workspace, "govmem.toml", text)?;
        }
        if let Some((name, text)) = user {
            layers = layers.file(Origin::User, name, text)?;
        }
        Reader { layers, root, env }.config()
    }

    /// The user's own configuration file, `$XDG_CONFIG_HOME/govmem/config.toml`; none without a home.
    pub fn user_file(env: &Env) -> Option<PathBuf> {
        env.xdg("CONFIG", ".config").map(|dir| dir.join("govmem/config.toml"))
    }

    /// Where local models lie that are known by name, `$XDG_CACHE_HOME/govmem/models`; none without
    /// a home.
    pub fn model_cache(env: &Env) -> Option<PathBuf> {
        env.xdg("CACHE", ".cache").map(|cache| cache.join("govmem/models"))
    }
}

struct Reader<'a> {
    layers: Layers<'a>,
    root: &'a Path,
    env: &'a Env,
}

impl Reader<'_> {
    fn config(&self) -> Result<Config> {
        let word = |section, name| Ok::<_, Error>(self.text(section, name)?.unwrap_or_default());
        let url = self.setting("embedder", "url", &["OLLAMA_HOST"])?;
        Ok(Config {
            lang: self.text("", "lang")?.and_then(|l| Lang::from_locale(&l)),
            embedder: Embedder {
                provider: if word("embedder", "provider")? == "local" {
                    Provider::Local
                } else {
                    Provider::Ollama
                },
                model: self.text("embedder", "model")?.unwrap_or_else(|| "nomic-embed-text".into()),
                url: url
                    .unwrap_or(Setting { value: "http://127.0.0.1:11434".into(), origin: Origin::Default }),
                dir: self.model_dir()?,
                query_prefix: self.text("embedder", "query_prefix")?,
                document_prefix: self.text("embedder", "document_prefix")?,
                timeout: self.seconds("embedder", "timeout_s", 30)?,
                allow_remote_models: match self.layers.get("embedder", "allow_remote_models", &[])? {
                    Some((value, origin)) => Setting { value: value == Value::Bool(true), origin },
                    None => Setting { value: false, origin: Origin::Default },
                },
            },
            index: Index { factory: self.text("index", "factory")?.unwrap_or_else(|| "Flat".into()) },
            audit: self.audit()?,
            limits: Limits {
                lock_timeout: self.seconds("limits", "lock_timeout_s", 30)?,
                story_per_300s: self.count("story_per_300s", 10)?,
                workspace_per_300s: self.count("workspace_per_300s", 60)?,
                item_chars: self.count("item_chars", 1200)?,
                block_chars: self.count("block_chars", 16_000)?,
                max_per_story: self.count("max_per_story", 0)?,
            },
            search: Search {
                min_score_default: match self.value("search", "min_score_default")? {
                    Some(Value::Float(n)) => n,
                    _ => 0.0,
                },
            },
            veille: Veille {
                roots: self.roots("veille", "docs/veille")?,
                glob: self.text("veille", "glob")?.unwrap_or_else(|| "**/*.md".into()),
                fields: self.map("veille", "fields")?,
                verdicts: self.map("veille", "verdicts")?,
                default_impact: self.text("veille", "default_impact")?,
                key: if word("veille", "key")? == "title" { NoteKey::Title } else { NoteKey::Path },
            },
            clarifications: Clarifications {
                roots: self.roots("clarifications", "docs/epics")?,
                domain: self.slug("clarifications", "domain")?,
                project: self.slug("clarifications", "project")?,
            },
            kpi: Kpi {
                b5_merge: match self.value("kpi", "b5_merge")? {
                    Some(Value::Time(t)) => Some(t),
                    _ => None,
                },
            },
            network_fs: NetworkFs { allow: self.flag("network_fs", "allow")? },
        })
    }

    fn audit(&self) -> Result<Audit> {
        let file = self.text("audit", "keyring")?.as_deref() == Some("file");
        let keyring_path = match self.path("audit", "keyring_path", &[])? {
            Some(path) => Some(path),
            None => self.env.xdg("CONFIG", ".config").map(|dir| dir.join("govmem/keyring.json")),
        };
        let namespace = self.setting("audit", "namespace", &["VAULT_NAMESPACE", "BAO_NAMESPACE"])?;
        Ok(Audit {
            keyring: if file { KeyringKind::File } else { KeyringKind::Vault },
            keyring_path,
            vault_addr: self.setting("audit", "vault_addr", &["VAULT_ADDR", "BAO_ADDR"])?,
            mount: self.text("audit", "mount")?.unwrap_or_else(|| "kv".into()),
            path: self.text("audit", "path")?.unwrap_or_else(|| "pd-295/memory-audit-hmac".into()),
            namespace: namespace.map(|s| s.value),
            ca_cert: self.place("audit", "ca_cert", &["VAULT_CACERT", "BAO_CACERT"])?,
            role_id_file: self.place("audit", "role_id_file", &[])?,
            secret_id_file: self.place("audit", "secret_id_file", &[])?,
        })
    }

    fn value(&self, section: &'static str, name: &'static str) -> Result<Option<Value>> {
        Ok(self.layers.get(section, name, &[])?.map(|(value, _)| value))
    }

    fn setting(
        &self,
        section: &'static str,
        name: &'static str,
        variables: &[&str],
    ) -> Result<Option<Setting<String>>> {
        Ok(match self.layers.get(section, name, variables)? {
            Some((Value::Text(value), origin)) => Some(Setting { value, origin }),
            _ => None,
        })
    }

    fn text(&self, section: &'static str, name: &'static str) -> Result<Option<String>> {
        Ok(self.setting(section, name, &[])?.map(|s| s.value))
    }

    fn path(&self, section: &'static str, name: &'static str, variables: &[&str]) -> Result<Option<PathBuf>> {
        Ok(self.place(section, name, variables)?.map(|s| s.value))
    }

    fn place(
        &self,
        section: &'static str,
        name: &'static str,
        variables: &[&str],
    ) -> Result<Option<Setting<PathBuf>>> {
        let found = self.setting(section, name, variables)?;
        Ok(found.map(|s| Setting { value: self.resolve(&s.value), origin: s.origin }))
    }

    /// The directory of the local model: `dir`, else the one that `model` names in the model cache.
    fn model_dir(&self) -> Result<Option<PathBuf>> {
        if let Some(dir) = self.path("embedder", "dir", &[])? {
            return Ok(Some(dir));
        }
        let local = self.text("embedder", "provider")?.as_deref() == Some("local");
        let Some(name) = self.text("embedder", "model")?.filter(|_| local) else { return Ok(None) };
        let plain = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains('\0');
        if !name.split('/').all(plain) {
            return Err(Error::usage(tr!(
                "embedder.model : {name:?} n'est pas le nom d'un modèle du cache",
                "embedder.model: {name:?} is not the name of a model in the cache"
            ))
            .hint(tr!("un chemin se donne par embedder.dir", "a path is given by embedder.dir")));
        }
        Ok(Config::model_cache(self.env).map(|cache| cache.join(name)))
    }

    fn resolve(&self, path: &str) -> PathBuf {
        let tail = path.strip_prefix("~/").or((path == "~").then_some(""));
        match (tail, self.env.home()) {
            (Some(tail), Some(home)) => home.join(tail),
            _ => self.root.join(path),
        }
    }

    fn roots(&self, section: &'static str, default: &str) -> Result<Vec<PathBuf>> {
        Ok(match self.value(section, "roots")? {
            Some(Value::List(list)) => list.iter().map(|p| self.resolve(p)).collect(),
            _ => vec![self.root.join(default)],
        })
    }

    fn map(&self, section: &'static str, name: &'static str) -> Result<BTreeMap<String, String>> {
        Ok(match self.value(section, name)? {
            Some(Value::Map(map)) => map,
            _ => BTreeMap::new(),
        })
    }

    fn flag(&self, section: &'static str, name: &'static str) -> Result<bool> {
        Ok(self.value(section, name)? == Some(Value::Bool(true)))
    }

    fn int(&self, section: &'static str, name: &'static str) -> Result<Option<u64>> {
        Ok(match self.value(section, name)? {
            Some(Value::Int(n)) => u64::try_from(n).ok(),
            _ => None,
        })
    }

    fn count(&self, name: &'static str, default: usize) -> Result<usize> {
        Ok(self.int("limits", name)?.and_then(|n| usize::try_from(n).ok()).unwrap_or(default))
    }

    fn seconds(&self, section: &'static str, name: &'static str, default: u64) -> Result<Duration> {
        Ok(Duration::from_secs(self.int(section, name)?.unwrap_or(default)))
    }

    fn slug(&self, section: &'static str, name: &'static str) -> Result<Option<Slug>> {
        let Some(text) = self.text(section, name)? else { return Ok(None) };
        match Slug::parse(&text) {
            Some(slug) => Ok(Some(slug)),
            None => Err(Error::usage(tr!(
                "{section}.{name} : {text:?} n'est pas un nom de minuscules, chiffres et tirets",
                "{section}.{name}: {text:?} is not a name of lower-case letters, digits and hyphens"
            ))),
        }
    }
}

#[cfg(test)]
mod tests;
