//! Model clients behind traits: embedding, generation, reranking.
//!
//! [`Embedder`] turns text into unit vectors, [`Generator`] writes short texts, [`Reranker`] scores
//! passages against a query. Everything that talks to a model lives in this room and nowhere else;
//! no implementation ever changes model by itself, and the [`crate::base::ModelIdentity`] of every
//! vector is known.

mod cache;
mod embedder;
mod generator;
mod local;
mod ollama;
mod open;
mod reranker;
mod roles;

pub use cache::{CACHED_QUERIES, Cached, QueryCache, QueryKey};
pub use embedder::{Embedder, PD295_WIDTH, Window, check_vector, pad, pooled};
pub use generator::{Generation, Generator};
pub use local::{LocalEmbedder, LocalReranker};
pub use ollama::{Address, OllamaEmbedder, OllamaGenerator, OllamaSettings};
pub use open::{Approved, EmbedderSettings, open, open_generator, open_reranker, probe};
pub use reranker::Reranker;
pub use roles::{Prefixes, known_prefixes};
