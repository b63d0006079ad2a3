//! The generation seam: a prompt in, a short text out.

use crate::base::Result;

/// What to generate.
#[derive(Clone, Copy, Debug)]
pub struct Generation<'a> {
    /// The whole prompt.
    pub prompt: &'a str,
    /// JSON schema the answer must follow; any text when absent.
    pub schema: Option<&'a serde_json::Value>,
    /// Seed of the sampler; with the temperature at 0 the same prompt gives the same answer.
    pub seed: u32,
    /// Longest answer, in tokens.
    pub max_tokens: u32,
}

/// Something that writes text with one model, at temperature 0.
pub trait Generator: Send + Sync {
    /// Model and weights, such as `qwen3:0.6b@sha256:…`.
    fn name(&self) -> &str;

    /// The answer, whole: one cut short by its length limit is an error.
    ///
    /// # Errors
    /// Exit 69 when the model cannot be reached, 65 when its answer cannot be used.
    fn generate(&self, request: &Generation<'_>) -> Result<String>;
}
