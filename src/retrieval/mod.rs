//! Local document search, `govfind`: collections of files, found by words and by meaning.
//!
//! ```text
//! walk → chunk (+ syntax trees) → analysis → indexing → catalog (SQLite)
//! lexical, semantic, fusion (pure), expand, rerank → query; fetch; bench
//! ```
//!
//! Readers change no row. Nothing is added, embedded or refreshed without being asked: what needs it
//! fails with the exact command ([`plan`]).

pub mod analysis;
pub mod bench;
pub mod catalog;
pub mod chunk;
pub mod embedding;
pub mod expand;
pub mod faiss_file;
pub mod fetch;
pub mod fusion;
pub mod hit;
pub mod indexing;
pub mod lexical;
pub mod plan;
pub mod query;
pub mod rerank;
pub mod semantic;
pub mod settings;
pub mod status;
pub mod tokens;
pub mod trust;
pub mod walk;

pub use catalog::Catalog;
pub use hit::{Hit, Response};
