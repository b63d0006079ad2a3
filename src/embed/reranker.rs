//! The reranking seam: a query and passages in, one relevance each out.

use crate::base::Result;

/// Something that judges how well passages answer a query.
pub trait Reranker: Send + Sync {
    /// Model and weights, such as `ms-marco-MiniLM-L-6-v2@<sha256>`.
    fn name(&self) -> &str;

    /// The relevance of each passage, in their order, in [0, 1]; comparable between queries. A
    /// passage longer than the model's window counts by its best window.
    ///
    /// # Errors
    /// Exit 65 when the model gives numbers that are not finite.
    fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>>;
}
