//! One source's index set: `X-index.faiss`, `X-embeddings.npy`, `X-index.json` in a directory.
//!
//! A set is read only when the three files are proven to belong together: the manifest's seal, then
//! length and SHA-256 of the FAISS file before FAISS sees it, and the matrix. Between two steps of a
//! commit a file may still be named `X.next`; the one with the manifest's hash is taken.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use sha2::{Digest, Sha256};

use super::index::{Factory, FaissIndex, Hit, VectorIndex, flat_payload};
use super::manifest::{Manifest, Row, Stamp};
use super::matrix::Matrix;
use super::{Rows, unit};
use crate::base::error::IoContext;
use crate::base::{Code, Error, Kind, ModelIdentity, Result};
use crate::store::atomic::next_path;
use crate::store::open;

/// Where one source's set lives.
#[derive(Clone, Debug)]
pub struct SetFiles {
    pub(super) dir: PathBuf,
    pub(super) source: String,
}

impl SetFiles {
    /// The set of `source` (`learnings`, `veille`, `clarifications`) in `dir`.
    pub fn new(dir: impl Into<PathBuf>, source: &str) -> Self {
        SetFiles { dir: dir.into(), source: source.to_owned() }
    }

    /// The set of `source` in the workspace.
    pub fn of(workspace: &crate::store::Workspace, source: crate::store::Source) -> Self {
        let data = workspace.index(source).manifest.parent().map(PathBuf::from).unwrap_or_default();
        SetFiles::new(data, source.stem())
    }

    /// `X-index.faiss`.
    pub fn faiss(&self) -> PathBuf {
        self.dir.join(format!("{}-index.faiss", self.source))
    }

    /// `X-embeddings.npy`.
    pub fn npy(&self) -> PathBuf {
        self.dir.join(format!("{}-embeddings.npy", self.source))
    }

    /// `X-index.json`.
    pub fn manifest(&self) -> PathBuf {
        self.dir.join(format!("{}-index.json", self.source))
    }

    /// Opens the set for searching, verified.
    ///
    /// # Errors
    /// ERR-295-08 (exit 65, hint `govmem reindex`) when a file is absent, damaged or from another
    /// run; I/O errors.
    pub fn open(&self) -> Result<IndexSet> {
        self.with_manifest(|manifest| self.verify(manifest, true))
    }

    /// Starts hashing the FAISS file on another thread, for [`SetFiles::open_ahead`].
    pub fn hash_ahead(&self) -> Ahead {
        let path = self.faiss();
        let work = move || {
            let file = open::regular(&path, OpenOptions::new().read(true)).ok()?;
            let hash = hash(&file, &path).ok()?;
            Some((file, path, hash))
        };
        Ahead(std::thread::Builder::new().name("hash".into()).spawn(work).ok())
    }

    /// Opens the set for searching alone, with a hash begun earlier: manifest and FAISS file are
    /// verified, the matrix is left to [`IndexSet::matrix`], which no search needs. The file that was
    /// hashed is the one that is opened, so it does not matter what happened to its name since: it is the manifest's
    /// or it is not.
    ///
    /// # Errors
    /// As [`SetFiles::open`].
    pub fn open_ahead(&self, ahead: Ahead) -> Result<IndexSet> {
        let mut thread = ahead.0;
        self.with_manifest(|manifest| {
            let hashed = thread.take().and_then(|thread| thread.join().ok().flatten());
            match hashed.filter(|(_, _, hash)| *hash == manifest.faiss.sha256) {
                Some((file, path, _)) => self.assemble(manifest, &file, &path, None),
                None => self.verify(manifest, false),
            }
        })
    }

    /// Reads the manifest alone: counts and model, without proof that the other files fit.
    ///
    /// # Errors
    /// As [`SetFiles::open`].
    pub fn read_manifest(&self) -> Result<Manifest> {
        self.with_manifest(Ok)
    }

    /// The vectors that may be reused: those of a sound matrix made by `model` at `width`. Nothing
    /// reusable is no error, so that a broken set can be rebuilt.
    pub fn reuse(&self, model: &ModelIdentity, width: usize) -> Reuse {
        self.try_reuse(model, width).unwrap_or_default()
    }

    /// As [`SetFiles::reuse`], for callers that cannot make the vectors again.
    ///
    /// # Errors
    /// I/O (exit 74): a sound matrix may lie there all the same.
    pub fn try_reuse(&self, model: &ModelIdentity, width: usize) -> Result<Reuse> {
        let found = self.with_manifest(|manifest| {
            let (file, path) = self.matching(&self.npy(), &manifest.npy)?;
            let matrix = self.matrix(&file, &path, &manifest)?;
            matrix.check_rows()?;
            Ok((manifest, matrix))
        });
        match found {
            Ok((manifest, matrix)) if manifest.model == *model && manifest.width == width => {
                Ok(Reuse::new(&manifest.rows, matrix))
            }
            Err(e) if e.kind() == Kind::Io => Err(e),
            _ => Ok(Reuse::default()),
        }
    }

    /// Reads the manifest and hands it to `work`; starts again when another manifest took its place
    /// meanwhile.
    fn with_manifest<T>(&self, mut work: impl FnMut(Manifest) -> Result<T>) -> Result<T> {
        let path = self.manifest();
        let mut tries = 0;
        loop {
            let bytes = read_manifest(&path).map_err(|e| self.explain(e))?;
            let done = Manifest::parse(&bytes, &self.source)
                .map_err(|why| self.invalid(&path, &why))
                .and_then(&mut work);
            tries += 1;
            if done.is_ok() || tries == 8 || read_manifest(&path).is_ok_and(|again| again == bytes) {
                return done;
            }
        }
    }

    fn verify(&self, manifest: Manifest, with_matrix: bool) -> Result<IndexSet> {
        let built = Factory::parse(&manifest.built)?;
        let (file, path) = self.matching(&self.faiss(), &manifest.faiss)?;
        // A flat index holds the matrix's very bytes: comparing is cheaper than hashing twice.
        let npy = match (with_matrix, built == Factory::flat()) {
            (false, _) => None,
            (true, true) => Some(self.same_payload(&self.npy(), &manifest, &map(&file, &path)?)?),
            (true, false) => Some(self.matching(&self.npy(), &manifest.npy)?),
        };
        self.assemble(manifest, &file, &path, npy)
    }

    /// The set of a FAISS file whose hash is the manifest's.
    fn assemble(
        &self,
        manifest: Manifest,
        file: &File,
        path: &Path,
        npy: Option<(File, PathBuf)>,
    ) -> Result<IndexSet> {
        let built = Factory::parse(&manifest.built)?;
        let index = FaissIndex::open(file, path, &built, manifest.width, manifest.rows.len())?;
        Ok(IndexSet { files: self.clone(), manifest, index, npy })
    }

    /// The file among `X` and `X.next` that carries `stamp`.
    pub(super) fn matching(&self, path: &Path, stamp: &Stamp) -> Result<(File, PathBuf)> {
        self.pick(path, stamp.bytes, |file, path| Ok(hash(file, path)? == stamp.sha256))
    }

    /// The matrix among `X` and `X.next` whose header and values are those of the flat index.
    fn same_payload(&self, path: &Path, manifest: &Manifest, faiss: &[u8]) -> Result<(File, PathBuf)> {
        let expected = flat_payload(faiss, manifest.rows.len(), manifest.width)
            .ok_or_else(|| self.invalid(&self.faiss(), &crate::tr!("trop court", "too short")))?;
        self.pick(path, manifest.npy.bytes, |file, path| {
            let start = manifest.npy.bytes.checked_sub(expected.len() as u64);
            let Some(start) = start.filter(|s| *s <= 4096) else { return Ok(false) };
            let mut buffer = vec![0u8; 1 << 18];
            // The header is as long as one of ours and says the same shape.
            let header = &mut buffer[..usize::try_from(start).unwrap_or(0)];
            file.read_exact_at(header, 0).at(path)?;
            if *header != *super::matrix::header(manifest.rows.len(), manifest.width) {
                return Ok(false);
            }
            let mut at = start;
            for part in expected.chunks(1 << 18) {
                let read = &mut buffer[..part.len()];
                file.read_exact_at(read, at).at(path)?;
                if read != part {
                    return Ok(false);
                }
                at += part.len() as u64;
            }
            Ok(true)
        })
    }

    fn pick(
        &self,
        path: &Path,
        bytes: u64,
        mut fits: impl FnMut(&File, &Path) -> Result<bool>,
    ) -> Result<(File, PathBuf)> {
        let mut absent = true;
        let mut seen = HashSet::new();
        // A commit may rename `X.next` to `X` between the first two looks: hence the third.
        for path in [path.to_owned(), next_path(path), path.to_owned()] {
            let file = match open::regular(&path, OpenOptions::new().read(true)) {
                Ok(file) => file,
                Err(e) if e.kind() == ErrorKind::NotFound => continue,
                Err(e) => return Err(Error::io(&path, &e)),
            };
            absent = false;
            let meta = file.metadata().at(&path)?;
            let new = seen.insert((meta.dev(), meta.ino()));
            if new && meta.size() == bytes && fits(&file, &path)? {
                return Ok((file, path));
            }
        }
        let why = if absent {
            crate::tr!("fichier absent", "the file is absent")
        } else {
            crate::tr!(
                "le fichier n'est pas celui du manifeste",
                "the file is not the one its manifest names"
            )
        };
        Err(self.invalid(path, &why))
    }

    fn matrix(&self, file: &File, path: &Path, manifest: &Manifest) -> Result<Matrix> {
        let matrix = Matrix::from_file(file, path)?;
        if matrix.rows() != manifest.rows.len() || matrix.width() != manifest.width {
            return Err(self.invalid(path, &format!("{} × {}", matrix.rows(), matrix.width())));
        }
        Ok(matrix)
    }

    fn explain(&self, error: std::io::Error) -> Error {
        if error.kind() == ErrorKind::NotFound {
            self.invalid(&self.manifest(), &crate::tr!("index absent", "no index"))
        } else {
            Error::io(self.manifest(), &error)
        }
    }

    pub(super) fn invalid(&self, path: &Path, why: &str) -> Error {
        Error::memory(Code::IndexInvalid, format!("{}: {why}", path.display())).hint("govmem reindex")
    }
}

pub(super) fn read_manifest(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut file = open::regular(path, OpenOptions::new().read(true))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// SHA-256 hex of a whole file: read in pieces that stay in the processor's cache, so that a file of
/// any size costs no memory.
fn hash(file: &File, path: &Path) -> Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 128 << 10];
    let mut at = 0;
    loop {
        match file.read_at(&mut buffer, at) {
            Ok(0) => return Ok(hex::encode(hasher.finalize())),
            Ok(read) => {
                hasher.update(&buffer[..read]);
                at += read as u64;
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(Error::io(path, &e)),
        }
    }
}

fn map(file: &File, path: &Path) -> Result<Mmap> {
    // SAFETY: index files are replaced by rename and never rewritten in place.
    unsafe { Mmap::map(file) }.at(path)
}

/// A FAISS file that is being hashed.
#[derive(Debug)]
pub struct Ahead(Option<std::thread::JoinHandle<Option<(File, PathBuf, String)>>>);

/// A verified set, ready to search.
pub struct IndexSet {
    manifest: Manifest,
    index: FaissIndex,
    files: SetFiles,
    /// The matrix, when opening has verified it.
    npy: Option<(File, PathBuf)>,
}

/// A record found, by its best window.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordHit {
    /// The record's id.
    pub id: String,
    /// SHA-256 hex of its embedded text.
    pub text: String,
    /// 1 − inner product of the best window, in [0, 2].
    pub distance: f32,
    /// The matrix row of that window.
    pub row: usize,
}

impl RecordHit {
    /// The distance in whole thousandths, rounded: what results are ordered and tied by.
    pub fn thousandths(&self) -> i32 {
        thousandths(self.distance)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "distances lie in [0, 2]")]
fn thousandths(distance: f32) -> i32 {
    (f64::from(distance) * 1000.0).round() as i32
}

impl IndexSet {
    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The rows for which `accept` holds. A caller skips records that are gone, changed, archived,
    /// expired or filtered out by leaving their rows out.
    pub fn rows(&self, mut accept: impl FnMut(&Row) -> bool) -> Rows {
        Rows::from_fn(self.manifest.rows.len(), |row| accept(&self.manifest.rows[row]))
    }

    /// The nearest `wanted` records among `allowed`, and every further record at the same distance
    /// in thousandths as the last of them, so that the caller can settle ties by its own order and
    /// cut. Nearest first; equal distances by row. A record counts once, by its best window.
    ///
    /// # Errors
    /// ERR-295-02 when the query is wider than the set or not a vector; ERR-295-08 from the index.
    pub fn search(&self, query: &[f32], wanted: usize, allowed: &Rows) -> Result<Vec<RecordHit>> {
        search(&self.index, &self.manifest, query, wanted, allowed)
    }

    /// The matrix, mapped and verified.
    ///
    /// # Errors
    /// ERR-295-08 or ERR-295-02 when it is damaged.
    pub fn matrix(&self) -> Result<Matrix> {
        let found;
        let (file, path) = match &self.npy {
            Some(verified) => verified,
            None => {
                found = self.files.matching(&self.files.npy(), &self.manifest.npy)?;
                &found
            }
        };
        let matrix = Matrix::from_file(file, path)?;
        matrix.check_rows()?;
        Ok(matrix)
    }
}

/// [`IndexSet::search`] over any index; tests compare FAISS with an exact one.
///
/// # Errors
/// As [`IndexSet::search`].
pub fn search(
    index: &dyn VectorIndex,
    manifest: &Manifest,
    query: &[f32],
    wanted: usize,
    allowed: &Rows,
) -> Result<Vec<RecordHit>> {
    let query = unit(query, manifest.width)?;
    if wanted == 0 {
        return Ok(Vec::new());
    }
    let available = allowed.count();
    // One row more than wanted shows whether a tie crosses the cut.
    let mut k = wanted.saturating_add(1).min(available);
    loop {
        let hits = index.search(&query, k, Some(allowed))?;
        let records = best_windows(&hits, &manifest.rows);
        let all = hits.len() < k || k >= available;
        let settled = records.get(wanted - 1).is_some_and(|last| {
            hits.last().is_some_and(|hit| thousandths(hit.distance) > thousandths(last.distance))
        });
        if settled || all {
            let cut = records.get(wanted - 1).map_or(i32::MAX, RecordHit::thousandths);
            return Ok(records.into_iter().take_while(|r| r.thousandths() <= cut).collect());
        }
        k = k.saturating_mul(2).min(available);
    }
}

fn best_windows(hits: &[Hit], rows: &[Row]) -> Vec<RecordHit> {
    let mut seen = HashSet::new();
    hits.iter()
        .filter_map(|hit| {
            let row = rows.get(hit.row)?;
            seen.insert(row.id.as_str()).then(|| RecordHit {
                id: row.id.clone(),
                text: row.text.clone(),
                distance: hit.distance,
                row: hit.row,
            })
        })
        .collect()
}

/// Vectors of an earlier run, by the hash of the text they embed.
#[derive(Debug, Default)]
pub struct Reuse {
    matrix: Option<Matrix>,
    by_text: HashMap<String, Vec<usize>>,
}

impl Reuse {
    fn new(rows: &[Row], matrix: Matrix) -> Self {
        let mut by_text: HashMap<String, Vec<usize>> = HashMap::new();
        for (i, row) in rows.iter().enumerate() {
            let windows = by_text.entry(row.text.clone()).or_default();
            // Two records may hold one text; the first that is complete serves both.
            if windows.len() == row.window as usize {
                windows.push(i);
            }
        }
        Reuse { matrix: Some(matrix), by_text }
    }

    /// The vectors of all windows of the text with this SHA-256, in order.
    pub fn get(&self, text_hash: &str) -> Option<Vec<&[f32]>> {
        let matrix = self.matrix.as_ref()?;
        Some(self.by_text.get(text_hash)?.iter().map(|row| matrix.row(*row)).collect())
    }

    /// How many texts can be reused.
    pub fn len(&self) -> usize {
        self.by_text.len()
    }

    /// Whether nothing can be reused.
    pub fn is_empty(&self) -> bool {
        self.by_text.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_round_to_thousandths() {
        for (distance, expected) in [(0.0, 0), (0.0004, 0), (0.0006, 1), (0.123_46, 123), (1.9999, 2000)] {
            assert_eq!(thousandths(distance), expected);
        }
    }

    #[test]
    fn a_record_counts_once_by_its_best_window() {
        let row = |id: &str, window| Row { id: id.into(), text: id.into(), window };
        let rows = [row("a", 0), row("a", 1), row("b", 0)];
        let hits = [(1, 0.1), (2, 0.2), (0, 0.3)].map(|(row, distance)| Hit { row, distance });
        let found = best_windows(&hits, &rows);
        assert_eq!(found.iter().map(|r| (r.id.as_str(), r.row)).collect::<Vec<_>>(), [("a", 1), ("b", 2)]);
    }
}
