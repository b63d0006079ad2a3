//! What makes two vectors comparable: the identity of the model that made them.

/// Identity of an embedding model. Vectors of different identities are never compared; an index
/// records the identity that filled it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ModelIdentity {
    /// `ollama` or `local`.
    pub provider: String,
    /// The model's name, such as `nomic-embed-text:latest` or a directory's `all-MiniLM-L6-v2`.
    pub name: String,
    /// What identifies the weights: Ollama's digest, or SHA-256 over config, tokenizer and weights.
    pub digest: String,
    /// Width of the model's own vectors, before any padding.
    pub width: usize,
    /// Text put before a query.
    pub query_prefix: String,
    /// Text put before a document.
    pub document_prefix: String,
    /// Longest input in tokens; longer texts are embedded in windows.
    pub window: usize,
}
