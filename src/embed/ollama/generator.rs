//! A [`Generator`] over an Ollama server.

use serde::Deserialize;
use serde_json::json;

use super::OllamaSettings;
use super::client::Client;
use super::model::Model;
use crate::base::{Error, Kind, Result};
use crate::embed::{Generation, Generator};
use crate::tr;

/// Longest answer we read, in bytes.
const ANSWER_LIMIT: usize = 4 << 20;

/// Writes with a model of an Ollama server, at temperature 0.
pub struct OllamaGenerator {
    client: Client,
    model: String,
    name: String,
    thinks: bool,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    response: String,
    #[serde(default)]
    done: bool,
    #[serde(default)]
    done_reason: String,
}

impl OllamaGenerator {
    /// Asks the server for the model's digest; sends no text.
    ///
    /// # Errors
    /// Exit 69 when the server is away or the model not pulled; exit 2 for a remote model that is
    /// not allowed.
    pub fn open(settings: &OllamaSettings) -> Result<OllamaGenerator> {
        let client = Client::new(settings)?;
        let model = Model::find(&client, settings)?;
        let name = format!("{}@{}", model.name, model.digest);
        Ok(OllamaGenerator { client, model: model.name, name, thinks: model.thinks })
    }
}

impl Generator for OllamaGenerator {
    fn name(&self) -> &str {
        &self.name
    }

    fn generate(&self, request: &Generation<'_>) -> Result<String> {
        let mut body = json!({
            "model": self.model,
            "prompt": request.prompt,
            "stream": false,
            "options": { "temperature": 0, "seed": request.seed, "num_predict": request.max_tokens },
        });
        if let Some(schema) = request.schema {
            body["format"] = schema.clone();
        }
        if self.thinks {
            // Thoughts would use up the tokens of the answer.
            body["think"] = json!(false);
        }
        let answer: Answer = self.client.run("/api/generate", &body, ANSWER_LIMIT).map_err(Error::from)?;
        let fault = if answer.done_reason == "length" || !answer.done {
            tr!("réponse coupée", "answer cut short")
        } else if answer.response.trim().is_empty() {
            tr!("réponse vide", "empty answer")
        } else {
            return Ok(answer.response);
        };
        Err(Error::new(Kind::Corrupt, tr!("{} : {fault}", "{}: {fault}", self.name)))
    }
}
