//! What an index is configured with: models, kept in the database; YAML in and out.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::catalog::Catalog;
use super::catalog::collections::Collection;
use crate::base::config::Provider;
use crate::base::{Error, Result};
use crate::tr;

/// The models of an index.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Models {
    /// Name of an Ollama model that embeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedder: Option<String>,
    /// Directory of a local model that embeds; wins over `embedder`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedder_dir: Option<PathBuf>,
    /// Text put before queries; by the model's name when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_prefix: Option<String>,
    /// Text put before documents; by the model's name when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_prefix: Option<String>,
    /// Name of an Ollama model that expands queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generator: Option<String>,
    /// Directory of a local cross-encoder that reranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranker_dir: Option<PathBuf>,
    /// FAISS index type; `Flat` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factory: Option<String>,
    /// Weight of the search by meaning in a hybrid query, that of the search by words being 1; by how
    /// sure both are of a query when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic_weight: Option<f64>,
    /// Weight of the words fed back from the best documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback_weight: Option<f64>,
    /// Whether an Ollama model that runs elsewhere may be used.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub allow_remote_models: bool,
}

/// Keys of `config set`.
pub const KEYS: [&str; 10] = [
    "embedder",
    "embedder-dir",
    "query-prefix",
    "document-prefix",
    "generator",
    "reranker-dir",
    "factory",
    "semantic-weight",
    "feedback-weight",
    "allow-remote-models",
];

impl Models {
    /// Where the embedder runs.
    pub fn provider(&self) -> Provider {
        if self.embedder_dir.is_some() { Provider::Local } else { Provider::Ollama }
    }

    /// Sets a value by its key; `None` clears it.
    ///
    /// # Errors
    /// Usage for an unknown key or a value that cannot be one.
    pub fn set(&mut self, key: &str, value: Option<&str>) -> Result<()> {
        let text = value.map(str::to_owned);
        match key {
            "embedder" => {
                self.embedder = text;
                self.embedder_dir = None;
            }
            "embedder-dir" => self.embedder_dir = value.map(PathBuf::from),
            "query-prefix" => self.query_prefix = text,
            "document-prefix" => self.document_prefix = text,
            "generator" => self.generator = text,
            "reranker-dir" => self.reranker_dir = value.map(PathBuf::from),
            "factory" => {
                value.map(crate::vector::index::Factory::parse).transpose()?;
                self.factory = text;
            }
            "semantic-weight" => self.semantic_weight = value.map(weight).transpose()?,
            "feedback-weight" => self.feedback_weight = value.map(weight).transpose()?,
            "allow-remote-models" => match value {
                Some("true") => self.allow_remote_models = true,
                Some("false") | None => self.allow_remote_models = false,
                Some(other) => {
                    return Err(Error::usage(tr!(
                        "true ou false, pas {other:?}",
                        "true or false, not {other:?}"
                    )));
                }
            },
            _ => {
                return Err(
                    Error::usage(tr!("clé inconnue : {key:?}", "unknown key: {key:?}")).hint(KEYS.join(", "))
                );
            }
        }
        Ok(())
    }
}

fn weight(text: &str) -> Result<f64> {
    text.parse().ok().filter(|w| (0.0..=10.0).contains(w)).ok_or_else(|| {
        Error::usage(tr!(
            "un poids va de 0 à 10, pas {text:?}",
            "a weight lies between 0 and 10, not {text:?}"
        ))
    })
}

/// A context in YAML.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// `/` or `gf://collection/path`.
    pub scope: String,
    /// What it says.
    pub text: String,
}

/// The whole configuration as YAML holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Version of the document, 1.
    pub version: u32,
    /// Models; absent, they stay as they are.
    #[serde(default)]
    pub models: Option<Models>,
    /// Collections.
    #[serde(default)]
    pub collections: Vec<Collection>,
    /// Contexts.
    #[serde(default)]
    pub contexts: Vec<Note>,
}

impl Catalog {
    /// The models of this index.
    ///
    /// # Errors
    /// Exit 65 when they are damaged; I/O.
    pub fn models(&self) -> Result<Models> {
        match self.meta::<String>("models")? {
            Some(text) => serde_json::from_str(&text).map_err(|e| self.damaged(&e.to_string())),
            None => Ok(Models::default()),
        }
    }

    /// Stores the models of this index.
    ///
    /// # Errors
    /// I/O.
    pub fn set_models(&self, models: &Models) -> Result<()> {
        self.set_meta("models", serde_json::to_string(models).unwrap_or_default())
    }

    /// The configuration as YAML.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn export(&self) -> Result<String> {
        let document = Document {
            version: 1,
            models: Some(self.models()?),
            collections: self.collections()?,
            contexts: self.contexts()?.into_iter().map(|c| Note { scope: c.scope, text: c.text }).collect(),
        };
        serde_saphyr::to_string(&document)
            .map_err(|e| Error::new(crate::base::Kind::Bug, format!("YAML: {e}")))
    }

    /// Takes over a configuration: collections and contexts are added or replaced by name, nothing
    /// is removed, indexed or run. Returns the names of the collections that are new.
    ///
    /// # Errors
    /// Usage when the YAML is none of ours; I/O.
    pub fn import(&self, yaml: &str) -> Result<Vec<String>> {
        let document: Document = serde_saphyr::from_str(yaml)
            .map_err(|e| Error::usage(tr!("YAML refusé : {e}", "the YAML is refused: {e}")))?;
        if document.version != 1 {
            return Err(Error::usage(tr!(
                "version {} inconnue, attendue 1",
                "version {} is unknown, expected 1",
                document.version
            )));
        }
        // Everything is looked at before anything is taken over.
        for collection in &document.collections {
            super::walk::masks(collection)?;
            if !collection.root.starts_with('/') {
                return Err(Error::usage(tr!(
                    "{} : la racine doit être un chemin absolu",
                    "{}: the root must be an absolute path",
                    collection.name
                )));
            }
        }
        let mut added = Vec::new();
        let known: Vec<Collection> = self.collections()?;
        for collection in &document.collections {
            match known.iter().find(|k| k.name == collection.name) {
                Some(old) => self.replace_collection(old.id, collection)?,
                None => {
                    self.add_collection(collection)?;
                    added.push(collection.name.clone());
                }
            }
        }
        for note in &document.contexts {
            self.set_context(&note.scope, &note.text)?;
        }
        document.models.as_ref().map_or(Ok(()), |models| self.set_models(models))?;
        Ok(added)
    }

    fn replace_collection(&self, id: i64, c: &Collection) -> Result<()> {
        super::walk::masks(c)?;
        let ignores = serde_json::to_string(&c.ignore).unwrap_or_default();
        self.sql(|| {
            self.db
                .execute(
                    "UPDATE collection SET root = ?2, mask = ?3, ignores = ?4, hook = ?5, included = ?6,
                     language = ?7, hidden = ?8, follow = ?9 WHERE id = ?1",
                    (
                        id,
                        &c.root,
                        &c.mask,
                        ignores,
                        &c.update_cmd,
                        c.included,
                        &c.language,
                        c.hidden,
                        c.follow,
                    ),
                )
                .map(drop)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        let mut m = Models::default();
        for key in KEYS {
            let value = match key {
                "factory" => "SQ8",
                "semantic-weight" | "feedback-weight" => "0.5",
                _ => "true",
            };
            m.set(key, Some(value)).unwrap();
        }
        assert_eq!(m.provider(), Provider::Local);
        m.set("embedder", Some("nomic-embed-text")).unwrap();
        assert_eq!(m.provider(), Provider::Ollama, "naming a model leaves the directory");
        for (key, value) in [
            ("nope", "x"),
            ("factory", "PQ8"),
            ("allow-remote-models", "maybe"),
            ("semantic-weight", "-1"),
            ("feedback-weight", "NaN"),
        ] {
            assert_eq!(m.set(key, Some(value)).unwrap_err().exit(), 2);
        }
    }
}
