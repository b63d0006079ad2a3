//! What kind of model a directory holds, read from its small JSON files alone.
//!
//! Opening a directory costs no weights: the identity of a model is known before it is loaded.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::base::{Error, Kind, Result};
use crate::embed::Prefixes;
use crate::tr;

/// Longest window we compute, in tokens: attention grows with its square (2048² × 16 heads is
/// 270 MB), and models trained on shorter texts gain nothing beyond.
const LONGEST_WINDOW: usize = 2048;

/// An architecture we can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// BERT: learned positions from 0, segment types.
    Bert,
    /// XLM-RoBERTa, RoBERTa, CamemBERT: learned positions from the padding id + 1.
    Roberta,
    /// NomicBERT: rotary positions, gated feed-forward.
    Nomic,
}

/// How the vectors of the tokens become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pooling {
    /// Their mean.
    Mean,
    /// The first one.
    First,
}

/// A model directory, described.
#[derive(Clone, Debug)]
pub(super) struct Spec {
    pub dir: PathBuf,
    pub family: Family,
    pub config: Value,
    /// Numbers per vector.
    pub width: usize,
    /// Longest input in tokens, special ones included.
    pub window: usize,
    pub pooling: Pooling,
}

impl Spec {
    /// Reads the directory's description.
    ///
    /// # Errors
    /// Exit 69 when a file is missing, 65 when the model is of a kind we cannot run.
    pub fn read(dir: &Path) -> Result<Spec> {
        for name in ["config.json", "tokenizer.json", "model.safetensors"] {
            if !dir.join(name).is_file() {
                return Err(Error::new(
                    Kind::Unavailable,
                    tr!(
                        "{} : pas de modèle ici ({name} manque)",
                        "{}: no model here ({name} is missing)",
                        dir.display()
                    ),
                )
                .hint(tr!(
                    "indiquez un dossier avec config.json, tokenizer.json et model.safetensors",
                    "name a directory with config.json, tokenizer.json and model.safetensors"
                )));
            }
        }
        let config = json(&dir.join("config.json"))?.unwrap_or_default();
        let kind = config["model_type"].as_str().unwrap_or("bert").to_owned();
        let family = match kind.as_str() {
            "bert" => Family::Bert,
            "xlm-roberta" | "roberta" | "camembert" => Family::Roberta,
            "nomic_bert" => Family::Nomic,
            other => {
                return Err(unusable(
                    dir,
                    tr!("architecture inconnue « {other} »", "unknown architecture {other:?}"),
                )
                .hint(tr!(
                    "les architectures BERT, XLM-RoBERTa et NomicBERT sont lues ; pour les autres, Ollama",
                    "BERT, XLM-RoBERTa and NomicBERT are read; use Ollama for the others"
                )));
            }
        };
        let width_key = if family == Family::Nomic { "n_embd" } else { "hidden_size" };
        let width = number(&config, width_key).filter(|w| (1..=16_384).contains(w));
        let width =
            width.ok_or_else(|| unusable(dir, tr!("{width_key} manque", "{width_key} is missing")))?;
        let mut window = match family {
            Family::Bert => number(&config, "max_position_embeddings"),
            Family::Roberta => number(&config, "max_position_embeddings")
                .map(|n| n.saturating_sub(number(&config, "pad_token_id").unwrap_or(1).saturating_add(1))),
            Family::Nomic => number(&config, "max_trained_positions").or(Some(LONGEST_WINDOW)),
        }
        .unwrap_or(512)
        .min(number(&config, "n_positions").unwrap_or(usize::MAX));
        // What the model was tuned for is shorter than what it can take.
        if let Some(n) =
            json(&dir.join("sentence_bert_config.json"))?.and_then(|c| number(&c, "max_seq_length"))
        {
            window = window.min(n);
        } else if let Some(n) =
            json(&dir.join("tokenizer_config.json"))?.and_then(|c| number(&c, "model_max_length"))
        {
            window = window.min(n);
        }
        window = window.min(LONGEST_WINDOW);
        if window < 16 {
            return Err(unusable(dir, tr!("fenêtre de {window} jetons", "a window of {window} tokens")));
        }
        modules(dir)?;
        let pooling = pooling(dir)?;
        Ok(Spec { dir: dir.to_owned(), family, config, width, window, pooling })
    }

    /// The directory's name, which names the model.
    pub fn name(&self) -> String {
        name(&self.dir)
    }

    /// A corrupt or unusable directory: exit 65.
    pub fn unusable(&self, what: impl std::fmt::Display) -> Error {
        unusable(&self.dir, what)
    }
}

/// The name of the directory a path leads to; `org/model` for a snapshot of the Hugging Face cache
/// (`models--org--model/snapshots/<revision>`).
pub(super) fn name(dir: &Path) -> String {
    let resolved = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let last = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let hub = resolved.parent().filter(|p| last(p) == "snapshots").and_then(Path::parent).map(last);
    match hub.as_deref().and_then(|h| h.strip_prefix("models--")) {
        Some(model) => model.replacen("--", "/", 1),
        None => last(&resolved),
    }
}

/// The prompts that `config_sentence_transformers.json` names, if it names any.
pub(super) fn prompts(dir: &Path) -> Option<Prefixes> {
    let config = json(&dir.join("config_sentence_transformers.json")).ok()??;
    let prompt = |names: &[&str]| names.iter().find_map(|n| config["prompts"][n].as_str());
    let (query, document) = (prompt(&["query"]), prompt(&["document", "passage"]));
    Some(Prefixes {
        query: query.unwrap_or_default().to_owned(),
        document: document.unwrap_or_default().to_owned(),
    })
}

/// Refuses pipelines with a step we do not compute, such as a dense layer after pooling.
fn modules(dir: &Path) -> Result<()> {
    let Some(Value::Array(modules)) = json(&dir.join("modules.json"))? else { return Ok(()) };
    for module in &modules {
        let name = module["type"].as_str().unwrap_or("");
        let last = name.rsplit('.').next().unwrap_or("");
        if !matches!(last, "Transformer" | "Pooling" | "Normalize") {
            return Err(unusable(dir, tr!("étape inconnue « {last} »", "unknown step {last:?}")));
        }
    }
    Ok(())
}

fn pooling(dir: &Path) -> Result<Pooling> {
    let Some(config) = json(&dir.join("1_Pooling/config.json"))? else { return Ok(Pooling::Mean) };
    let on = |key: &str| config[key].as_bool() == Some(true);
    let named = config["pooling_mode"].as_str();
    if on("pooling_mode_mean_tokens") || named == Some("mean") {
        Ok(Pooling::Mean)
    } else if on("pooling_mode_cls_token") || named == Some("cls") {
        Ok(Pooling::First)
    } else {
        Err(unusable(dir, tr!("pooling inconnu", "unknown pooling")))
    }
}

/// A positive whole number of `config`; huge floats (`1e30` for "no limit") do not count.
pub(super) fn number(config: &Value, key: &str) -> Option<usize> {
    config[key].as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| *n <= 1 << 32)
}

fn json(path: &Path) -> Result<Option<Value>> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::io(path, &e)),
    };
    serde_json::from_slice(&text).map(Some).map_err(|e| unusable(path, e))
}

fn unusable(path: &Path, what: impl std::fmt::Display) -> Error {
    Error::new(
        Kind::Corrupt,
        tr!("{} : modèle inutilisable : {what}", "{}: unusable model: {what}", path.display()),
    )
}
