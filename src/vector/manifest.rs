//! The manifest of an index set: which rows, which model, which files belong together.
//!
//! A JSON document, one row a line, whose last member is the SHA-256 of everything before it, so
//! that no flipped bit in it goes unseen.

use serde::{Deserialize, Serialize};

use super::index::Factory;
use crate::base::id::sha256_hex;
use crate::base::{Code, Error, ModelIdentity, Result};

/// The version of the document.
const SCHEMA: u32 = 1;

/// One row of the matrix and of the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The record's id.
    pub id: String,
    /// SHA-256 hex of the whole embedded text, without role prefix.
    pub text: String,
    /// Which window of that text, from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub window: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// Length and hash of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stamp {
    /// Length in bytes.
    pub bytes: u64,
    /// SHA-256 hex.
    pub sha256: String,
}

impl Stamp {
    /// The stamp of `content`.
    pub fn of(content: &[u8]) -> Self {
        Stamp { bytes: content.len() as u64, sha256: sha256_hex(content) }
    }
}

/// What belongs together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the document, 1.
    pub schema: u32,
    /// The source, such as `learnings`.
    pub source: String,
    /// Grows by one with every commit.
    pub generation: u64,
    /// The model that made the vectors.
    pub model: ModelIdentity,
    /// Values per stored vector: the model's width or padded above it.
    pub width: usize,
    /// The index type that was asked for.
    pub factory: String,
    /// The index type that was built.
    pub built: String,
    /// The FAISS file.
    pub faiss: Stamp,
    /// The `.npy` file.
    pub npy: Stamp,
    /// The rows, in matrix order.
    pub rows: Vec<Row>,
}

impl Manifest {
    /// A manifest of version 1.
    pub(super) fn new(source: &str, generation: u64, model: ModelIdentity, width: usize) -> Self {
        let none = Stamp { bytes: 0, sha256: String::new() };
        Manifest {
            schema: SCHEMA,
            source: source.to_owned(),
            generation,
            model,
            width,
            factory: String::new(),
            built: String::new(),
            faiss: none.clone(),
            npy: none,
            rows: Vec::new(),
        }
    }

    /// The document's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let head = Manifest { rows: Vec::new(), ..self.clone() };
        let mut text = serde_json::to_string(&head).unwrap_or_default();
        // `"rows":[]}` ends the document: the rows go in, one a line.
        text.truncate(text.len().saturating_sub(2));
        for (i, row) in self.rows.iter().enumerate() {
            text.push_str(if i == 0 { "\n" } else { ",\n" });
            text.push_str(&serde_json::to_string(row).unwrap_or_default());
        }
        text.push_str("\n]");
        let seal = sha256_hex(&text);
        text.push_str(&format!("{SEAL}{seal}\"}}\n"));
        text.into_bytes()
    }

    /// Reads a document and checks its seal, version and inner consistency.
    ///
    /// # Errors
    /// The reason, for the caller to say where.
    pub fn parse(bytes: &[u8], source: &str) -> std::result::Result<Self, String> {
        let damaged = || crate::tr!("manifeste abîmé", "damaged manifest");
        let text = std::str::from_utf8(bytes).map_err(|_| damaged())?;
        let (body, tail) = text.rsplit_once(SEAL).ok_or_else(damaged)?;
        if tail.strip_suffix("\"}\n") != Some(sha256_hex(body).as_str()) {
            return Err(damaged());
        }
        // The seal is one more member of the document, and unknown to the manifest.
        let manifest: Manifest = serde_json::from_str(text).map_err(|e| e.to_string())?;
        if manifest.schema != SCHEMA {
            return Err(crate::tr!(
                "version {} du manifeste, attendue {SCHEMA}",
                "manifest version {}, expected {SCHEMA}",
                manifest.schema
            ));
        }
        let sound = manifest.source == source
            && manifest.width >= manifest.model.width
            && manifest.width > 0
            && Factory::parse(&manifest.built).is_ok();
        if sound { Ok(manifest) } else { Err(damaged()) }
    }

    /// Refuses another model than `expected`.
    ///
    /// # Errors
    /// ERR-295-08 naming both models.
    pub fn check_model(&self, expected: &ModelIdentity) -> Result<()> {
        if self.model == *expected {
            return Ok(());
        }
        let show = |m: &ModelIdentity| {
            format!("{}/{} {}", m.provider, m.name, m.digest.get(..12).unwrap_or(&m.digest))
        };
        Err(Error::memory(
            Code::IndexInvalid,
            crate::tr!(
                "{} : index fait avec {}, modèle configuré {}",
                "{}: the index was made with {}, the configured model is {}",
                self.source,
                show(&self.model),
                show(expected)
            ),
        )
        .hint("govmem reindex"))
    }
}

const SEAL: &str = ",\n\"sha256\":\"";

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let model = ModelIdentity {
            provider: "local".into(),
            name: "m".into(),
            digest: "d".into(),
            width: 2,
            query_prefix: String::new(),
            document_prefix: String::new(),
            window: 256,
        };
        let mut m = Manifest::new("learnings", 3, model, 4);
        m.factory = "Flat".into();
        m.built = "Flat".into();
        let row = |id: &str, window| Row { id: id.into(), text: "ab".into(), window };
        m.rows = vec![row("PD-1-8-aa", 0), row("PD-1-8-aa", 1), row(",\n\"sha256\":\"", 0)];
        m
    }

    #[test]
    fn round_trip() {
        let m = manifest();
        let bytes = m.to_bytes();
        assert!(serde_json::from_slice::<serde_json::Value>(&bytes).is_ok(), "plain JSON");
        assert_eq!(Manifest::parse(&bytes, "learnings").unwrap(), m);
        assert!(Manifest::parse(&bytes, "veille").is_err());
        let empty = Manifest { rows: Vec::new(), ..m };
        assert_eq!(Manifest::parse(&empty.to_bytes(), "learnings").unwrap(), empty);
    }

    #[test]
    fn every_flipped_bit_and_cut_is_seen() {
        let bytes = manifest().to_bytes();
        for i in 0..bytes.len() {
            assert!(Manifest::parse(&bytes[..i], "learnings").is_err(), "cut at {i}");
            for bit in 0..8 {
                let mut bad = bytes.clone();
                bad[i] ^= 1 << bit;
                assert!(Manifest::parse(&bad, "learnings").is_err(), "byte {i} bit {bit}");
            }
        }
    }

    #[test]
    fn another_model_is_refused() {
        let m = manifest();
        m.check_model(&m.model).unwrap();
        let other = ModelIdentity { digest: "e".into(), ..m.model.clone() };
        assert_eq!(m.check_model(&other).unwrap_err().code(), Some(Code::IndexInvalid));
    }
}
