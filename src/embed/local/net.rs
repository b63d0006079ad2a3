//! The network of a model directory, whichever its architecture.

use candle_core::{DType, Device, Tensor};
use candle_transformers::models::nomic_bert::{Config, NomicBertModel};

use super::encoder::Encoder;
use super::spec::{Family, Spec};
use super::weights::{Weights, corrupt};
use crate::base::{Error, Kind, Result};
use crate::tr;

/// A loaded network.
pub(super) enum Net {
    /// BERT and XLM-RoBERTa.
    Encoder(Box<Encoder>),
    /// NomicBERT.
    Nomic(Box<NomicBertModel>),
}

impl Net {
    /// Loads the network of `spec`.
    pub fn load(spec: &Spec) -> Result<Net> {
        let path = spec.dir.join("model.safetensors");
        let weights = Weights::open(&path)?;
        if spec.family == Family::Nomic {
            let config: Config = serde_json::from_value(spec.config.clone()).map_err(|e| spec.unusable(e))?;
            if config.n_head == 0 || !config.n_embd.is_multiple_of(config.n_head) {
                return Err(spec.unusable("n_embd / n_head"));
            }
            if config.activation_function != "swiglu" || config.rotary_emb_fraction != 1.0 {
                return Err(spec.unusable("activation_function, rotary_emb_fraction"));
            }
            // The rotary table is as long as the positions: only our window of it is used.
            let config = Config { n_positions: spec.window, ..config };
            let model = NomicBertModel::load(weights.builder()?, &config).map_err(|e| corrupt(&path, e))?;
            return Ok(Net::Nomic(Box::new(model)));
        }
        let prefix = ["", "bert.", "roberta.", "camembert."]
            .into_iter()
            .find(|p| weights.has(&format!("{p}embeddings.word_embeddings.weight")))
            .ok_or_else(|| corrupt(&path, tr!("pas de table de mots", "no word table")))?;
        Ok(Net::Encoder(Box::new(Encoder::load(weights, prefix, spec.family, &spec.config)?)))
    }

    /// The vectors of the tokens, one row each.
    pub fn forward(&self, ids: &[u32], types: &[u32]) -> Result<Tensor> {
        match self {
            Net::Encoder(net) => net.forward(ids, types),
            Net::Nomic(net) => nomic(net, ids, types)
                .map_err(|e| Error::new(Kind::Bug, tr!("calcul du modèle : {e}", "model computation: {e}"))),
        }
    }
}

fn nomic(net: &NomicBertModel, ids: &[u32], types: &[u32]) -> candle_core::Result<Tensor> {
    let row = |ids: &[u32]| Tensor::new(ids, &Device::Cpu)?.unsqueeze(0);
    net.forward(&row(ids)?, Some(&row(types)?), None)?.squeeze(0)?.to_dtype(DType::F32)
}
