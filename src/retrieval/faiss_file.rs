//! The FAISS file beside the database: what binds it to the vectors, and when its bytes are hashed.
//!
//! The writer that has just compared the file with its hash also keeps which file that is: device,
//! inode, size and times. A flat file that is still exactly that one is not hashed again, because
//! hashing costs more than searching it; any other file is hashed whole before FAISS sees a byte, and
//! a compressed one always, because FAISS follows what stands in it. `doctor` hashes every time.
//!
//! A process that answers many queries keeps the open index ([`Kept`]) as long as neither the binding
//! nor the file changes.

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::catalog::Catalog;
use super::semantic::Vectors;
use crate::base::id::sha256_hex;
use crate::base::{Error, Kind, ModelIdentity, Result};
use crate::tr;
use crate::vector::FaissIndex;
use crate::vector::index::Factory;

/// What binds the FAISS file to the vectors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Binding {
    /// Grows with every change of the vectors.
    pub generation: i64,
    /// The model.
    pub model: ModelIdentity,
    /// What was built.
    pub factory: String,
    /// SHA-256 hex of the FAISS file.
    pub sha256: String,
    /// SHA-256 hex of the list of chunks that the rows stand for.
    #[serde(default)]
    pub rows: String,
    /// The file whose bytes had that hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Identity>,
}

impl Binding {
    /// The binding of no file, for vectors of `model`.
    pub(super) fn none(model: ModelIdentity) -> Self {
        let text = String::new;
        Binding { generation: 0, model, factory: text(), sha256: text(), rows: text(), place: None }
    }
}

/// Which file it is and that nobody wrote to it: device, inode, bytes, and the times of modification
/// and change in seconds and nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity(u64, u64, u64, [i64; 4]);

impl Identity {
    /// The identity of an open or named file.
    pub fn of(m: &Metadata) -> Self {
        let times = [m.mtime(), m.mtime_nsec(), m.ctime(), m.ctime_nsec()];
        Identity(m.dev(), m.ino(), m.size(), times)
    }

    /// The identity of the file at `path`; `None` when there is none.
    pub fn at(path: &Path) -> Option<Self> {
        std::fs::symlink_metadata(path).ok().map(|m| Identity::of(&m))
    }
}

/// The FAISS file of an index.
pub fn path(catalog: &Catalog) -> PathBuf {
    catalog.path().with_extension("faiss")
}

/// When the bytes of the file are hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Unless it is the very file that was hashed when it was written.
    WhenChanged,
    /// Always.
    Always,
}

/// Opens the FAISS file when it is the bound one.
///
/// # Errors
/// Exit 65 when it is another; I/O when it is absent.
pub fn open(catalog: &Catalog, binding: &Binding, rows: usize, check: Check) -> Result<FaissIndex> {
    let path = path(catalog);
    let file = crate::store::open::regular(&path, std::fs::OpenOptions::new().read(true))
        .map_err(|e| Error::io(&path, &e))?;
    let factory = Factory::parse(&binding.factory)?;
    let known = Identity::of(&file.metadata().map_err(|e| Error::io(&path, &e))?);
    let unchanged = binding.place == Some(known) && factory == Factory::flat();
    if (check == Check::Always || !unchanged) && hash(&file, &path)? != binding.sha256 {
        return Err(Error::new(
            Kind::Corrupt,
            tr!("{} : autre empreinte", "{}: another hash", path.display()),
        ));
    }
    FaissIndex::open(&file, &path, &factory, binding.model.width, rows)
}

/// SHA-256 hex of an open file.
///
/// # Errors
/// I/O.
pub fn hash(file: &File, path: &Path) -> Result<String> {
    // SAFETY: the file is replaced by rename and never rewritten in place.
    let map = unsafe { memmap2::Mmap::map(file) }.map_err(|e| Error::io(path, &e))?;
    Ok(sha256_hex(&map))
}

/// What the open vectors were opened from.
#[derive(PartialEq)]
struct Origin {
    database: Option<(u64, u64)>,
    binding: String,
    file: Option<Identity>,
}

/// Open vectors and what they were opened from.
type Opened = (Origin, Arc<Vectors>);

/// The vectors of one index, kept open between queries. Copies share them.
#[derive(Clone, Default)]
pub struct Kept(Arc<Mutex<Option<Opened>>>);

impl Kept {
    /// The open vectors when neither the binding nor the file differs, else those that `open` gives.
    /// Others wait while they are opened, so that many queries at once open them once.
    pub(super) fn or_open(
        &self,
        catalog: &Catalog,
        binding: &Binding,
        open: impl FnOnce() -> Result<Option<Vectors>>,
    ) -> Result<Option<Arc<Vectors>>> {
        let origin = Origin {
            database: std::fs::metadata(catalog.path()).ok().map(|m| (m.dev(), m.ino())),
            binding: serde_json::to_string(binding).unwrap_or_default(),
            file: Identity::at(&path(catalog)),
        };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((before, vectors)) = &*kept
            && *before == origin
        {
            return Ok(Some(Arc::clone(vectors)));
        }
        let Some(vectors) = open()?.map(Arc::new) else { return Ok(None) };
        // Without the file, vectors may come that the binding knows nothing of.
        *kept = vectors.indexed.then(|| (origin, Arc::clone(&vectors)));
        Ok(Some(vectors))
    }
}
