//! An [`Embedder`] over an Ollama server.

use std::ops::Range;

use serde::Deserialize;
use serde_json::json;

use super::OllamaSettings;
use super::client::{Client, Failure};
use super::model::Model;
use super::windows::{estimate, halves, windows};
use crate::base::{Code, Error, Kind, ModelIdentity, Result};
use crate::embed::embedder::{invalid, unit};
use crate::embed::{Embedder, Prefixes, Window, pooled};
use crate::tr;

/// Inputs of one request at most.
const BATCH: usize = 32;
/// Bytes of text in one request, roughly at most.
const BATCH_BYTES: usize = 128 * 1024;
/// Longest window, in tokens: servers rarely keep more of a context than they were told to.
const LONGEST_WINDOW: usize = 2048;

/// Embeds with a model of an Ollama server.
pub struct OllamaEmbedder {
    client: Client,
    identity: ModelIdentity,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    embeddings: Vec<Vec<f64>>,
}

/// A piece of one of the texts.
type Piece = (usize, Range<usize>);

impl OllamaEmbedder {
    /// Asks the server for the model's digest, width and context; sends no text.
    ///
    /// # Errors
    /// `ERR-295-02` exit 69 when the server is away or the model not pulled, 65 when it answers
    /// nonsense; exit 2 for a remote model that is not allowed.
    pub fn open(settings: &OllamaSettings, prefixes: Prefixes) -> Result<OllamaEmbedder> {
        let client = Client::new(settings).map_err(as_embedding)?;
        let model = Model::find(&client, settings).map_err(as_embedding)?;
        let width = model.width.ok_or_else(|| {
            invalid(tr!(
                "{} ne dit pas la largeur de ses vecteurs",
                "{} does not tell the width of its vectors",
                model.name
            ))
            .hint(tr!("choisissez un modèle d'embedding", "choose an embedding model"))
        })?;
        let window = model.context.unwrap_or(512).min(LONGEST_WINDOW);
        let identity = ModelIdentity {
            provider: "ollama".to_owned(),
            name: model.name,
            digest: model.digest,
            width,
            query_prefix: prefixes.query,
            document_prefix: prefixes.document,
            window,
        };
        Ok(OllamaEmbedder { client, identity })
    }

    /// The windows of one text, before the server has seen them.
    fn pieces(&self, prefix: &str, text: &str) -> Vec<Range<usize>> {
        // Room for the prefix and for the special tokens of any model.
        let budget = self.identity.window.saturating_sub(estimate(prefix) + 4).max(16);
        windows(text, budget)
    }

    fn embed(
        &self,
        prefix: &str,
        texts: &[&str],
        progress: &mut dyn FnMut(usize),
    ) -> Result<Vec<Vec<Window>>> {
        let mut out: Vec<Vec<Window>> = texts.iter().map(|_| Vec::new()).collect();
        let mut batch: Vec<Piece> = Vec::new();
        let mut bytes = 0;
        for (i, text) in texts.iter().enumerate() {
            for range in self.pieces(prefix, text) {
                if batch.len() == BATCH || (bytes + range.len() > BATCH_BYTES && !batch.is_empty()) {
                    self.request(prefix, texts, &batch, &mut out)?;
                    (bytes, batch) = (0, Vec::new());
                    progress(i);
                }
                bytes += range.len();
                batch.push((i, range));
            }
        }
        if !batch.is_empty() {
            self.request(prefix, texts, &batch, &mut out)?;
        }
        progress(texts.len());
        // Halved windows come after their neighbours.
        out.iter_mut().for_each(|windows| windows.sort_by_key(|w| w.bytes.start));
        Ok(out)
    }

    /// Embeds a batch; one that is refused as too long is halved, first the batch, then the text.
    fn request(&self, prefix: &str, texts: &[&str], batch: &[Piece], out: &mut [Vec<Window>]) -> Result<()> {
        let inputs: Vec<String> =
            batch.iter().map(|(i, range)| format!("{prefix}{}", &texts[*i][range.clone()])).collect();
        let body = json!({ "model": self.identity.name, "input": inputs, "truncate": false });
        // A number is at most 25 bytes long, with its comma.
        let limit = (1 << 16) + batch.len() * self.identity.width * 32;
        match self.client.run::<Answer>("/api/embed", &body, limit) {
            Ok(answer) => self.keep(batch, &answer, out),
            Err(Failure::TooLong) => match batch {
                [(i, range)] => {
                    let halves = halves(texts[*i], range).ok_or_else(|| {
                        invalid(tr!(
                            "le modèle {} refuse même un texte court comme trop long",
                            "model {} refuses even a short text as too long",
                            self.identity.name
                        ))
                    })?;
                    halves.into_iter().try_for_each(|half| self.request(prefix, texts, &[(*i, half)], out))
                }
                _ => {
                    let (left, right) = batch.split_at(batch.len() / 2);
                    self.request(prefix, texts, left, out)?;
                    self.request(prefix, texts, right, out)
                }
            },
            Err(failure) => Err(as_embedding(failure.into())),
        }
    }

    fn keep(&self, batch: &[Piece], answer: &Answer, out: &mut [Vec<Window>]) -> Result<()> {
        let (got, want) = (answer.embeddings.len(), batch.len());
        if got != want {
            return Err(invalid(tr!(
                "Ollama a rendu {got} vecteurs pour {want} textes",
                "Ollama returned {got} vectors for {want} texts"
            )));
        }
        for ((i, range), vector) in batch.iter().zip(&answer.embeddings) {
            if vector.len() != self.identity.width {
                return Err(invalid(tr!(
                    "Ollama a rendu un vecteur de {} valeurs, {} attendues",
                    "Ollama returned a vector of {} numbers, {} expected",
                    vector.len(),
                    self.identity.width
                )));
            }
            out[*i].push(Window { bytes: range.clone(), vector: unit(vector)? });
        }
        Ok(())
    }
}

impl Embedder for OllamaEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>> {
        let windows = self.embed(&self.identity.query_prefix, &[text], &mut |_| {})?;
        pooled(&windows.concat())
    }

    fn embed_windows(&self, texts: &[&str], progress: &mut dyn FnMut(usize)) -> Result<Vec<Vec<Window>>> {
        self.embed(&self.identity.document_prefix, texts, progress)
    }
}

/// The same failure under the contract's code for embedders.
fn as_embedding(error: Error) -> Error {
    if !matches!(error.kind(), Kind::Corrupt | Kind::Unavailable) {
        return error;
    }
    let renamed = Error::memory(Code::EmbeddingInvalid, error.message()).exit_with(error.exit());
    match error.hint_text() {
        Some(hint) => renamed.hint(hint),
        None => renamed,
    }
}
