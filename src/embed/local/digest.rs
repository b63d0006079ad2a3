//! The digest that identifies a model directory: SHA-256 over the files that decide its vectors.
//!
//! Hashing the weights at each start would cost more than a query, so a state file remembers the
//! digest under a key made of each file's path, size, inode and times of modification and change.
//! The state file is a cache: unreadable or missing, the files are hashed again. It holds hashes
//! only.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::base::Result;
use crate::base::error::IoContext;

/// The files that decide a vector; absent ones are left out.
const FILES: [&str; 6] = [
    "config.json",
    "tokenizer.json",
    "model.safetensors",
    "sentence_bert_config.json",
    "tokenizer_config.json",
    "1_Pooling/config.json",
];

/// Directories remembered at most; older keys make room.
const REMEMBERED: usize = 64;

/// `sha256:…` over name, length and content of each deciding file. `state` is the file that
/// remembers it between runs.
pub(super) fn digest(dir: &Path, state: Option<&Path>) -> Result<String> {
    let key = key(dir)?;
    let mut known = state.map(read).unwrap_or_default();
    if let Some(digest) = known.get(&key) {
        return Ok(digest.clone());
    }
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    for name in FILES {
        let path = dir.join(name);
        let Ok(mut file) = File::open(&path) else { continue };
        hasher.update(name.as_bytes());
        hasher.update([0]);
        hasher.update(file.metadata().at(&path)?.len().to_le_bytes());
        loop {
            match file.read(&mut buffer).at(&path)? {
                0 => break,
                n => hasher.update(&buffer[..n]),
            }
        }
    }
    let digest = format!("sha256:{}", hex::encode(hasher.finalize()));
    if let Some(state) = state {
        while known.len() >= REMEMBERED {
            known.pop_first();
        }
        known.insert(key, digest.clone());
        // A cache that cannot be written costs time, nothing else.
        if let Err(error) = write(state, &known) {
            tracing::debug!("{}: {error}", state.display());
        }
    }
    Ok(digest)
}

fn key(dir: &Path) -> Result<String> {
    let mut hasher = Sha256::new();
    for name in FILES {
        let path = dir.join(name);
        let Ok(path) = path.canonicalize() else { continue };
        let m = path.metadata().at(&path)?;
        hasher.update(path.as_os_str().as_encoded_bytes());
        let place = (m.dev(), m.ino(), m.size(), m.mtime(), m.mtime_nsec(), m.ctime(), m.ctime_nsec());
        hasher.update(format!("\0{place:?}\0"));
    }
    Ok(hex::encode(hasher.finalize()))
}

fn read(state: &Path) -> BTreeMap<String, String> {
    let known: BTreeMap<String, String> =
        std::fs::read(state).ok().and_then(|b| serde_json::from_slice(&b).ok()).unwrap_or_default();
    let is_digest = |d: &str| d.len() == 71 && d.starts_with("sha256:");
    known.into_iter().filter(|(_, digest)| is_digest(digest)).collect()
}

fn write(state: &Path, known: &BTreeMap<String, String>) -> std::io::Result<()> {
    let dir = state.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir)?;
    let mut file = tempfile::Builder::new().prefix(".digests.tmp-").tempfile_in(dir)?;
    file.write_all(serde_json::to_string(known)?.as_bytes())?;
    file.persist(state)?;
    Ok(())
}
