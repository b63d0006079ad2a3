//! Ollama over HTTP: embeddings and short generations.
//!
//! The server cuts long inputs silently unless told otherwise; we always send `truncate: false` and
//! cut by ourselves. Nothing it answers is trusted: sizes, counts, widths and numbers are checked,
//! redirects are refused, and a model that runs elsewhere is refused unless the settings allow it.
//! The client blocks its thread: asynchronous callers use a blocking task.

mod address;
mod client;
mod embedder;
mod generator;
mod model;
mod windows;

pub use address::Address;
pub use embedder::OllamaEmbedder;
pub use generator::OllamaGenerator;

/// How to reach a model of an Ollama server.
#[derive(Clone, Debug)]
pub struct OllamaSettings {
    /// The server.
    pub address: Address,
    /// The model, such as `nomic-embed-text`; `:latest` when it names no tag.
    pub model: String,
    /// Longest wait for one answer. The first call, which loads the model, may take four times as
    /// long and never less than two minutes.
    pub timeout: std::time::Duration,
    /// Whether a model that sends the text to another machine may be used.
    pub allow_remote_models: bool,
}
