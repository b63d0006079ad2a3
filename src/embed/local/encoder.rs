//! The transformer of BERT and of XLM-RoBERTa, one text at a time.
//!
//! Both are the same post-norm encoder and differ in where positions start. candle-transformers has
//! them too, but computes batches with padding, an unfused softmax and most element-wise work on one
//! thread: this forward pass over the same candle operations is several times faster on two cores,
//! and texts run side by side instead.

use candle_core::{Result, Tensor};
use candle_nn::{LayerNorm, Module, VarBuilder, layer_norm, ops::softmax_last_dim};
use rayon::prelude::*;
use serde_json::Value;

use super::ops::{Activation, add, add_bias, turned};
use super::spec::{Family, number};
use super::weights::{Table, Weights};
use crate::base;

/// An encoder, loaded.
pub(super) struct Encoder {
    words: Table,
    positions: Tensor,
    types: Tensor,
    norm: LayerNorm,
    layers: Vec<Layer>,
    heads: usize,
    activation: Activation,
    /// Position of the first token, and the id of tokens that take no position.
    origin: (u32, Option<u32>),
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    attended_norm: LayerNorm,
    inner: Linear,
    outer: Linear,
    outer_norm: LayerNorm,
}

/// A matrix, in × out, and what is added to its products.
struct Linear {
    weight: Tensor,
    bias: Tensor,
}

impl Linear {
    fn load(root: &VarBuilder<'_>, from: usize, to: usize) -> Result<Linear> {
        Ok(Linear { weight: turned(&root.get((to, from), "weight")?)?, bias: root.get(to, "bias")? })
    }

    fn apply(&self, x: &Tensor, activation: Activation) -> Result<Tensor> {
        let y = x.matmul(&self.weight)?;
        add_bias(&y, &self.bias, activation)?;
        Ok(y)
    }
}

impl Encoder {
    /// Loads the encoder found under `prefix` (`""`, `"bert."` …) of the weights.
    pub fn load(weights: Weights, prefix: &str, family: Family, config: &Value) -> base::Result<Encoder> {
        let builder = weights.builder()?;
        let root = match prefix.strip_suffix('.') {
            Some(prefix) => builder.pp(prefix),
            None => builder,
        };
        let words = weights.table(&format!("{prefix}embeddings.word_embeddings.weight"))?;
        Self::assemble(words, &root, family, config).map_err(|e| {
            base::Error::new(
                base::Kind::Corrupt,
                crate::tr!("poids inutilisables : {e}", "unusable weights: {e}"),
            )
        })
    }

    fn assemble(words: Table, root: &VarBuilder<'_>, family: Family, config: &Value) -> Result<Encoder> {
        let need = |key: &str| match number(config, key) {
            Some(n) if n > 0 => Ok(n),
            _ => Err(candle_core::Error::Msg(format!("config.json: {key}"))),
        };
        let (width, inner, heads) =
            (need("hidden_size")?, need("intermediate_size")?, need("num_attention_heads")?);
        if !width.is_multiple_of(heads) {
            candle_core::bail!("config.json: hidden_size / num_attention_heads");
        }
        let activation = match config["hidden_act"].as_str().unwrap_or("gelu") {
            "gelu" => Activation::Gelu,
            "gelu_new" | "gelu_pytorch_tanh" => Activation::GeluTanh,
            "relu" => Activation::Relu,
            other => candle_core::bail!("config.json: hidden_act {other}"),
        };
        if config["position_embedding_type"].as_str().is_some_and(|t| t != "absolute") {
            candle_core::bail!("config.json: position_embedding_type");
        }
        let eps = config["layer_norm_eps"].as_f64().unwrap_or(1e-12);
        let embeddings = root.pp("embeddings");
        let positions =
            embeddings.get((need("max_position_embeddings")?, width), "position_embeddings.weight")?;
        let types = embeddings.get((need("type_vocab_size")?, width), "token_type_embeddings.weight")?;
        let norm = layer_norm(width, eps, embeddings.pp("LayerNorm"))?;
        let layers = (0..need("num_hidden_layers")?.min(1000))
            .into_par_iter()
            .map(|i| Layer::load(&root.pp(format!("encoder.layer.{i}")), width, inner, heads, eps))
            .collect::<Result<_>>()?;
        let origin = match family {
            Family::Roberta => {
                let pad = number(config, "pad_token_id").unwrap_or(1) as u32;
                (pad + 1, Some(pad))
            }
            _ => (0, None),
        };
        Ok(Encoder { words, positions, types, norm, layers, heads, activation, origin })
    }

    /// The vectors of the tokens, `ids.len()` × width. `types` is the segment of each token.
    pub fn forward(&self, ids: &[u32], types: &[u32]) -> base::Result<Tensor> {
        let words = self.words.rows(ids)?;
        self.run(words, ids, types).map_err(|e| {
            base::Error::new(base::Kind::Bug, crate::tr!("calcul du modèle : {e}", "model computation: {e}"))
        })
    }

    fn run(&self, words: Tensor, ids: &[u32], types: &[u32]) -> Result<Tensor> {
        let device = words.device();
        let types = self.types.index_select(&Tensor::new(types, device)?, 0)?;
        let positions = self.positions.index_select(&Tensor::new(self.places(ids), device)?, 0)?;
        add(&words, &types)?;
        add(&words, &positions)?;
        let mut x = self.norm.forward(&words)?;
        let (n, width) = x.dims2()?;
        let size = width / self.heads;
        let split = |t: Tensor| t.reshape((n, self.heads, size))?.transpose(0, 1)?.contiguous();
        for layer in &self.layers {
            let query = split(layer.query.apply(&x, Activation::None)?)?;
            let key = split(layer.key.apply(&x, Activation::None)?)?;
            let value = split(layer.value.apply(&x, Activation::None)?)?;
            let weights = softmax_last_dim(&query.matmul(&key.t()?)?)?;
            let mixed = weights.matmul(&value)?.transpose(0, 1)?.contiguous()?.reshape((n, width))?;
            let attended = layer.attended.apply(&mixed, Activation::None)?;
            add(&attended, &x)?;
            let attended = layer.attended_norm.forward(&attended)?;
            let inner = layer.inner.apply(&attended, self.activation)?;
            let outer = layer.outer.apply(&inner, Activation::None)?;
            add(&outer, &attended)?;
            x = layer.outer_norm.forward(&outer)?;
        }
        Ok(x)
    }

    fn places(&self, ids: &[u32]) -> Vec<u32> {
        let (mut next, skipped) = self.origin;
        let place = |id: &u32| match skipped {
            Some(pad) if *id == pad => pad,
            _ => {
                next += 1;
                next - 1
            }
        };
        ids.iter().map(place).collect()
    }
}

impl Layer {
    fn load(root: &VarBuilder<'_>, width: usize, inner: usize, heads: usize, eps: f64) -> Result<Layer> {
        let attention = root.pp("attention");
        let square = |name| Linear::load(&attention.pp(name), width, width);
        let mut query = square("self.query")?;
        // The attention's scale, once here instead of on every product.
        let scale = 1.0 / ((width / heads) as f64).sqrt();
        query = Linear { weight: (query.weight * scale)?, bias: (query.bias * scale)? };
        Ok(Layer {
            query,
            key: square("self.key")?,
            value: square("self.value")?,
            attended: square("output.dense")?,
            attended_norm: layer_norm(width, eps, attention.pp("output.LayerNorm"))?,
            inner: Linear::load(&root.pp("intermediate.dense"), width, inner)?,
            outer: Linear::load(&root.pp("output.dense"), inner, width)?,
            outer_norm: layer_norm(width, eps, root.pp("output.LayerNorm"))?,
        })
    }
}
