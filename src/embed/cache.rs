//! The query-vector cache: vectors of recent queries, so that a repeated one needs no model.
//!
//! One file of fixed slots: a header, the table of keys, then the vectors. A key is the SHA-256 of
//! the model's identity and the text, so the file holds no text and a vector never outlives its
//! model. The oldest entry makes room for the newest. Every vector carries a checksum over its key
//! and its bytes: what another process is just writing, or what a crash left, is a miss. A file that
//! is not ours or does not fit is replaced whole. Losing the cache loses time, nothing else.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{Embedder, Window, check_vector};
use crate::base::{ModelIdentity, Result};

/// Entries of a cache.
pub const CACHED_QUERIES: usize = 10_000;

const MAGIC: &[u8; 8] = b"govmemQ1";
const HEADER: usize = 32;
const KEY: usize = 32;
const CHECK: usize = 8;

/// What names a cached vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryKey([u8; KEY]);

impl QueryKey {
    /// The key of `text` under a model. Any difference in the identity gives another key.
    pub fn new(identity: &ModelIdentity, text: &str) -> QueryKey {
        let mut hasher = Sha256::new();
        let ModelIdentity { provider, name, digest, width, query_prefix, document_prefix, window } = identity;
        for part in [provider, name, digest, query_prefix, document_prefix, text] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.update((*width as u64).to_le_bytes());
        hasher.update((*window as u64).to_le_bytes());
        QueryKey(hasher.finalize().into())
    }
}

/// A cache file. Cheap to make: nothing is opened before it is used.
#[derive(Clone, Debug)]
pub struct QueryCache {
    path: PathBuf,
    width: usize,
    capacity: usize,
}

impl QueryCache {
    /// The cache at `path` for vectors of `width` numbers, [`CACHED_QUERIES`] of them.
    pub fn new(path: impl Into<PathBuf>, width: usize) -> QueryCache {
        Self::with_capacity(path, width, CACHED_QUERIES)
    }

    /// As [`new`](Self::new), with another number of entries.
    pub fn with_capacity(path: impl Into<PathBuf>, width: usize, capacity: usize) -> QueryCache {
        QueryCache { path: path.into(), width, capacity: capacity.max(1) }
    }

    /// The cached vector, bit for bit as it was put; none when there is none or it is damaged.
    pub fn get(&self, key: &QueryKey) -> Option<Vec<f32>> {
        let file = File::open(&self.path).ok()?;
        let front = self.front(&file)?;
        self.record(&file, self.find(&front, key)?, key)
    }

    /// Keeps a vector. Says whether it is kept: another process that is writing, a full disk or a
    /// folder one cannot write are no errors here.
    pub fn put(&self, key: &QueryKey, vector: &[f32]) -> bool {
        if check_vector(vector, self.width).is_err() {
            return false;
        }
        match self.try_put(key, vector) {
            Ok(kept) => kept,
            Err(error) => {
                tracing::debug!("{}: {error}", self.path.display());
                false
            }
        }
    }

    fn try_put(&self, key: &QueryKey, vector: &[f32]) -> std::io::Result<bool> {
        let file = self.open_or_create()?;
        // Held until the file is closed. Waiting would cost more than the next query.
        if file.try_lock().is_err() {
            return Ok(false);
        }
        let Some(front) = self.front(&file) else { return Ok(false) };
        if self.find(&front, key).is_some_and(|slot| self.record(&file, slot, key).is_some()) {
            return Ok(true);
        }
        let mut next = [0; 8];
        next.copy_from_slice(&front[24..HEADER]);
        let next = u64::from_le_bytes(next);
        let slot = (next % self.capacity as u64) as usize;
        let mut record = key.0.to_vec();
        record.extend(vector.iter().flat_map(|x| x.to_le_bytes()));
        let check = Sha256::digest(&record);
        record.extend_from_slice(&check[..CHECK]);
        // The old key goes first and the new one comes last, so that no key names a half-written record.
        file.write_all_at(&[0; KEY], self.key_at(slot))?;
        file.write_all_at(&record, self.record_at(slot))?;
        file.write_all_at(&key.0, self.key_at(slot))?;
        file.write_all_at(&next.wrapping_add(1).to_le_bytes(), 24)?;
        Ok(true)
    }

    fn open_or_create(&self) -> std::io::Result<File> {
        let open = || OpenOptions::new().read(true).write(true).open(&self.path);
        match open() {
            Ok(file) if self.front(&file).is_some() => return Ok(file),
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        let dir = self.path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(dir)?;
        let fresh = tempfile::Builder::new().prefix(".query-vectors.tmp-").tempfile_in(dir)?;
        fresh.as_file().write_all_at(&self.header(), 0)?;
        // The slots take no room before they are written.
        fresh.as_file().set_len(self.record_at(self.capacity))?;
        fresh.persist(&self.path)?;
        open()
    }

    /// Header and keys, if the file is a cache of our shape.
    fn front(&self, file: &File) -> Option<Vec<u8>> {
        if file.metadata().ok()?.len() != self.record_at(self.capacity) {
            return None;
        }
        let mut front = vec![0; HEADER + KEY * self.capacity];
        file.read_exact_at(&mut front, 0).ok()?;
        (front[..24] == self.header()[..24]).then_some(front)
    }

    /// Magic, width, capacity, and the number of vectors put so far, at 0.
    fn header(&self) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(MAGIC);
        header[8..16].copy_from_slice(&(self.width as u64).to_le_bytes());
        header[16..24].copy_from_slice(&(self.capacity as u64).to_le_bytes());
        header
    }

    fn find(&self, front: &[u8], key: &QueryKey) -> Option<usize> {
        front[HEADER..].chunks_exact(KEY).position(|k| k == key.0)
    }

    fn record(&self, file: &File, slot: usize, key: &QueryKey) -> Option<Vec<f32>> {
        let mut record = vec![0; KEY + self.width * 4 + CHECK];
        file.read_exact_at(&mut record, self.record_at(slot)).ok()?;
        let (body, check) = record.split_at(KEY + self.width * 4);
        if body[..KEY] != key.0 || Sha256::digest(body)[..CHECK] != *check {
            return None;
        }
        let number = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        let vector: Vec<f32> = body[KEY..].chunks_exact(4).map(number).collect();
        check_vector(&vector, self.width).is_ok().then_some(vector)
    }

    fn key_at(&self, slot: usize) -> u64 {
        (HEADER + KEY * slot) as u64
    }

    fn record_at(&self, slot: usize) -> u64 {
        (HEADER + KEY * self.capacity + (KEY + self.width * 4 + CHECK) * slot) as u64
    }
}

/// An [`Embedder`] that looks up its queries in a cache first.
pub struct Cached<E> {
    inner: E,
    cache: QueryCache,
}

impl<E: Embedder> Cached<E> {
    /// `inner` with the cache file `path`.
    pub fn new(inner: E, path: impl Into<PathBuf>) -> Self {
        let cache = QueryCache::new(path, inner.identity().width);
        Cached { inner, cache }
    }
}

impl<E: Embedder> Embedder for Cached<E> {
    fn identity(&self) -> &ModelIdentity {
        self.inner.identity()
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>> {
        let key = QueryKey::new(self.identity(), text);
        if let Some(vector) = self.cache.get(&key) {
            return Ok(vector);
        }
        let vector = self.inner.embed_query(text)?;
        self.cache.put(&key, &vector);
        Ok(vector)
    }

    fn embed_windows(&self, texts: &[&str], progress: &mut dyn FnMut(usize)) -> Result<Vec<Vec<Window>>> {
        self.inner.embed_windows(texts, progress)
    }

    fn count_tokens(&self, text: &str) -> Option<usize> {
        self.inner.count_tokens(text)
    }
}
