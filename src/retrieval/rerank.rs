//! Reranking: the best candidates again, by a cross-encoder, else by the similarity of their chunks.

use super::hit::{Maker, Place};
use crate::base::Result;
use crate::embed::Reranker;

/// Candidates that are judged.
pub const DEPTH: usize = 20;

/// Relevance of each place in [0, 1] by a cross-encoder. The intent joins the query; a context joins
/// the passages under its scope alone.
///
/// # Errors
/// As the reranker's; exit 65; I/O.
pub fn by_model(
    reranker: &dyn Reranker,
    maker: &Maker,
    query: &str,
    intent: Option<&str>,
    places: &[Place],
) -> Result<Vec<f64>> {
    let query = match intent {
        Some(intent) => format!("{query} ({intent})"),
        None => query.to_owned(),
    };
    let mut passages = Vec::with_capacity(places.len());
    for place in places {
        let (passage, contexts) = maker.passage(*place)?;
        let mut text = String::new();
        for context in contexts {
            text.push_str(&context.text);
            text.push('\n');
        }
        text.push_str(&passage);
        passages.push(text);
    }
    let slices: Vec<&str> = passages.iter().map(String::as_str).collect();
    Ok(reranker.score(&query, &slices)?.into_iter().map(|s| f64::from(s).clamp(0.0, 1.0)).collect())
}
