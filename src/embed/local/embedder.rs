//! An [`Embedder`] over a model directory.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::digest::digest;
use super::net::Net;
use super::spec::{Pooling, Spec, name, prompts};
use super::tokens::{Piece, Tokens};
use crate::base::{Code, Error, Kind, ModelIdentity, Result};
use crate::embed::embedder::unit;
use crate::embed::{Embedder, Prefixes, Window, known_prefixes, pooled};
use crate::tr;

/// Windows computed between two calls of the progress.
const GROUP: usize = 32;

/// Embeds with the model of a directory, in this process.
///
/// Opening reads a few small files; tokenizer and weights are loaded when the first text comes, so
/// that a query found in the cache costs neither.
pub struct LocalEmbedder {
    identity: ModelIdentity,
    spec: Spec,
    loaded: Mutex<Option<Arc<Loaded>>>,
}

struct Loaded {
    tokens: Tokens,
    net: Net,
}

impl LocalEmbedder {
    /// Opens the model of `dir`. `digests` is a file that remembers the digest of the weights
    /// between runs (a cache; hashed anew when absent).
    ///
    /// # Errors
    /// `ERR-295-02`: exit 69 when the directory holds no model, 65 when it holds one we cannot run.
    pub fn open(dir: &Path, prefixes: Prefixes, digests: Option<&Path>) -> Result<LocalEmbedder> {
        let spec = Spec::read(dir).map_err(as_embedding)?;
        let identity = ModelIdentity {
            provider: "local".to_owned(),
            name: spec.name(),
            digest: digest(dir, digests)?,
            width: spec.width,
            query_prefix: prefixes.query,
            document_prefix: prefixes.document,
            window: spec.window,
        };
        Ok(LocalEmbedder { identity, spec, loaded: Mutex::new(None) })
    }

    /// The role prefixes of the model in `dir`: those known by its name, else those that
    /// sentence-transformers keeps beside it, else none.
    pub fn prefixes_of(dir: &Path) -> Prefixes {
        let known = known_prefixes(&name(dir));
        if known == Prefixes::default() { prompts(dir).unwrap_or_default() } else { known }
    }

    fn loaded(&self) -> Result<Arc<Loaded>> {
        let slot = || self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = &*slot() {
            return Ok(Arc::clone(loaded));
        }
        // Not under the lock: a pool thread that waits in `join` may take up another query, which
        // would wait for this one. Two that come first at once load twice, and one is kept.
        let (tokens, net) = rayon::join(|| Tokens::load(&self.spec), || Net::load(&self.spec));
        let loaded = Arc::new(Loaded { tokens: tokens?, net: net? });
        Ok(Arc::clone(slot().get_or_insert(loaded)))
    }

    fn vector(&self, net: &Net, piece: Piece) -> Result<Window> {
        let hidden = net.forward(&piece.ids, &piece.types)?;
        let row = match self.spec.pooling {
            Pooling::Mean => hidden.mean(0),
            Pooling::First => hidden.get(0),
        };
        let row =
            row.and_then(|row| row.to_vec1::<f32>()).map_err(|e| Error::new(Kind::Bug, e.to_string()))?;
        let row: Vec<f64> = row.into_iter().map(f64::from).collect();
        Ok(Window { bytes: piece.bytes, vector: unit(&row)? })
    }

    fn query(&self, text: &str) -> Result<Vec<f32>> {
        let loaded = self.loaded()?;
        let pieces = loaded.tokens.windows(&self.identity.query_prefix, text, self.identity.window)?;
        let windows: Result<Vec<Window>> =
            pieces.into_par_iter().map(|piece| self.vector(&loaded.net, piece)).collect();
        pooled(&windows?)
    }

    fn documents(&self, texts: &[&str], progress: &mut dyn FnMut(usize)) -> Result<Vec<Vec<Window>>> {
        let mut out: Vec<Vec<Window>> = texts.iter().map(|_| Vec::new()).collect();
        if texts.is_empty() {
            return Ok(out);
        }
        let loaded = self.loaded()?;
        for (group, texts) in texts.chunks(GROUP).enumerate() {
            let pieces: Result<Vec<Vec<Piece>>> = texts
                .par_iter()
                .map(|t| loaded.tokens.windows(&self.identity.document_prefix, t, self.identity.window))
                .collect();
            let pieces: Vec<(usize, Piece)> = pieces?
                .into_iter()
                .enumerate()
                .flat_map(|(i, p)| p.into_iter().map(move |p| (i, p)))
                .collect();
            // One task a window: with fewer, a long window at the end leaves the other core idle.
            let windows: Result<Vec<(usize, Window)>> = pieces
                .into_par_iter()
                .with_max_len(1)
                .map(|(i, piece)| Ok((i, self.vector(&loaded.net, piece)?)))
                .collect();
            for (i, window) in windows? {
                out[group * GROUP + i].push(window);
            }
            progress(group * GROUP + texts.len());
        }
        Ok(out)
    }
}

impl Embedder for LocalEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>> {
        self.query(text).map_err(as_embedding)
    }

    fn embed_windows(&self, texts: &[&str], progress: &mut dyn FnMut(usize)) -> Result<Vec<Vec<Window>>> {
        self.documents(texts, progress).map_err(as_embedding)
    }

    fn count_tokens(&self, text: &str) -> Option<usize> {
        self.loaded().ok()?.tokens.count(text)
    }
}

/// The same failure under the contract's code for embedders.
fn as_embedding(error: Error) -> Error {
    if error.code().is_some() || !matches!(error.kind(), Kind::Corrupt | Kind::Unavailable) {
        return error;
    }
    let renamed = Error::memory(Code::EmbeddingInvalid, error.message()).exit_with(error.exit());
    match error.hint_text() {
        Some(hint) => renamed.hint(hint),
        None => renamed.hint(tr!("réinstallez le modèle", "install the model again")),
    }
}
