//! Models run in this process: BERT, XLM-RoBERTa and NomicBERT directories, read with candle.
//!
//! A directory holds `config.json`, `tokenizer.json` and `model.safetensors`, as published for
//! sentence-transformers. Every text is computed alone, never beside padding, so that its vector
//! is a function of the text and the weights only: the same bytes whatever was embedded with it.

mod cross;
mod digest;
mod embedder;
mod encoder;
mod net;
mod ops;
mod spec;
mod tokens;
mod weights;

pub use cross::LocalReranker;
pub use embedder::LocalEmbedder;
