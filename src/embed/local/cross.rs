//! A [`Reranker`] over a cross-encoder directory: BERT or XLM-RoBERTa with a classification head.

use std::path::Path;

use candle_core::Tensor;
use candle_nn::{Linear, Module, VarBuilder, linear};
use rayon::prelude::*;

use super::digest::digest;
use super::net::Net;
use super::spec::{Family, Spec};
use super::tokens::{Piece, Tokens};
use super::weights::{Weights, corrupt};
use crate::base::{Error, Kind, Result};
use crate::embed::Reranker;
use crate::tr;

/// Longest pair we compute, in tokens; longer passages count by their best window.
const LONGEST_PAIR: usize = 512;

/// Scores passages with the cross-encoder of a directory, in this process.
pub struct LocalReranker {
    name: String,
    window: usize,
    tokens: Tokens,
    net: Net,
    head: Head,
}

/// From the first token's vector to the logits.
struct Head {
    dense: Option<Linear>,
    out: Linear,
}

impl LocalReranker {
    /// Loads the cross-encoder of `dir`; `digests` as for
    /// [`LocalEmbedder::open`](super::LocalEmbedder::open).
    ///
    /// # Errors
    /// Exit 69 when the directory holds no model, 65 when it holds no cross-encoder we can run.
    pub fn open(dir: &Path, digests: Option<&Path>) -> Result<LocalReranker> {
        let spec = Spec::read(dir)?;
        let head = Head::load(&spec)?;
        let name = format!("{}@{}", spec.name(), digest(dir, digests)?);
        let (tokens, net) = rayon::join(|| Tokens::load(&spec), || Net::load(&spec));
        let window = spec.window.min(LONGEST_PAIR);
        Ok(LocalReranker { name, window, tokens: tokens?, net: net?, head })
    }

    fn relevance(&self, piece: &Piece) -> Result<f32> {
        let hidden = self.net.forward(&piece.ids, &piece.types)?;
        let logits = self.head.logits(&hidden).map_err(|e| Error::new(Kind::Bug, e.to_string()))?;
        let logit = match logits[..] {
            [one] => one,
            // Two labels: "not relevant" and "relevant"; their softmax is the sigmoid of the difference.
            [no, yes] => yes - no,
            _ => f32::NAN,
        };
        if !logit.is_finite() {
            return Err(Error::new(
                Kind::Corrupt,
                tr!("{} : note inutilisable", "{}: unusable score", self.name),
            ));
        }
        Ok(1.0 / (1.0 + (-logit).exp()))
    }
}

impl Reranker for LocalReranker {
    fn name(&self) -> &str {
        &self.name
    }

    fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>> {
        passages
            .par_iter()
            .with_max_len(1)
            .map(|passage| {
                let pieces = self.tokens.pairs(query, passage, self.window)?;
                pieces.iter().try_fold(0f32, |best, piece| Ok(best.max(self.relevance(piece)?)))
            })
            .collect()
    }
}

impl Head {
    fn load(spec: &Spec) -> Result<Head> {
        let path = spec.dir.join("model.safetensors");
        let weights = Weights::open(&path)?;
        let (dense, out) = match spec.family {
            Family::Bert if weights.has("bert.pooler.dense.weight") => {
                (Some("bert.pooler.dense"), "classifier")
            }
            Family::Bert => (None, "classifier"),
            Family::Roberta => (Some("classifier.dense"), "classifier.out_proj"),
            Family::Nomic => (None, ""),
        };
        let labels = weights.shape(&format!("{out}.weight")).and_then(|s| s.first().copied());
        let labels = labels.filter(|n| (1..=2).contains(n)).ok_or_else(|| {
            spec.unusable(tr!(
                "pas de tête de classement à une ou deux étiquettes",
                "no classification head of one or two labels"
            ))
            .hint(tr!("choisissez un modèle « cross-encoder »", "choose a cross-encoder model"))
        })?;
        let builder = weights.builder()?;
        let load = |name: &str, rows: usize, root: &VarBuilder<'_>| {
            linear(spec.width, rows, root.pp(name)).map_err(|e| corrupt(&path, e))
        };
        let dense = dense.map(|name| load(name, spec.width, &builder)).transpose()?;
        Ok(Head { dense, out: load(out, labels, &builder)? })
    }

    fn logits(&self, hidden: &Tensor) -> candle_core::Result<Vec<f32>> {
        let mut first = hidden.narrow(0, 0, 1)?.contiguous()?;
        if let Some(dense) = &self.dense {
            first = dense.forward(&first)?.tanh()?;
        }
        self.out.forward(&first)?.squeeze(0)?.to_vec1()
    }
}
