//! Model clients behind traits: embedding, generation, reranking.
//!
//! [`Embedder`] turns text into unit vectors, [`Generator`] writes short texts, [`Reranker`] scores
//! passages against a query. Everything that talks to a model lives in this room and nowhere else;
//! no implementation ever changes model by itself, and the [`crate::base::ModelIdentity`] of every
//! vector is known.

mod embedder;
mod generator;
mod reranker;
mod roles;

pub use embedder::{Embedder, PD295_WIDTH, Window, check_vector, pad, pooled};
pub use generator::{Generation, Generator};
pub use reranker::Reranker;
pub use roles::{Prefixes, known_prefixes};
