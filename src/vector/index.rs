//! Searching vectors: the trait, and FAISS behind it.
//!
//! Inner product over unit vectors, distance = 1 − inner product. A single query uses one thread.
//! FAISS trusts the file it reads, so [`FaissIndex::open`] must only be given a file whose hash was
//! checked; width and count are compared here again.

use std::fs::File;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::Mutex;

use faiss::index::autotune::ParameterSpace;
use faiss::index::io::{IoFlags, read_index_with_flags};
use faiss::index::{ConcurrentIndex, IndexImpl, SearchResult, SearchWithParams, SearchWithParamsMut};
use faiss::search_params::{SearchParameters, SearchParametersIVF};
use faiss::selector::IdSelector;
use faiss::{FlatIndex, Idx, Index, MetricType, index_factory};

use super::Rows;
use crate::base::both;
use crate::base::error::IoContext;
use crate::base::{Code, Error, Kind, Result};
use crate::store::open;

/// One row found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Row of the matrix.
    pub row: usize,
    /// 1 − inner product, in [0, 2].
    pub distance: f32,
}

/// Anything that finds the nearest rows.
pub trait VectorIndex: Send + Sync {
    /// Number of rows.
    fn len(&self) -> usize;

    /// Whether there is no row.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Values per vector.
    fn width(&self) -> usize;

    /// The `k` nearest rows among `allowed` (all when `None`), nearest first, equal distances by
    /// row. Fewer when there are fewer.
    ///
    /// # Errors
    /// ERR-295-02 when the query is not `width` wide or not finite; ERR-295-08 from the index.
    fn search(&self, query: &[f32], k: usize, allowed: Option<&Rows>) -> Result<Vec<Hit>>;
}

/// What FAISS builds: a factory string of the families that can filter by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factory {
    text: String,
    lists: Option<usize>,
}

impl Factory {
    /// The exact index.
    pub fn flat() -> Self {
        Factory { text: "Flat".into(), lists: None }
    }

    /// Reads `Flat`, `SQ8`, `IVF316,SQ8`, `IVF4096_HNSW32,Flat`, `HNSW32` and their like.
    ///
    /// # Errors
    /// Usage (exit 2) for anything that FAISS could not filter by row.
    pub fn parse(text: &str) -> Result<Self> {
        let number = |t: &str| t.parse::<usize>().ok().filter(|n| (1..=1 << 24).contains(n));
        let code = |t: &str| matches!(t, "Flat" | "SQ8" | "SQ6" | "SQ4" | "SQfp16" | "SQbf16");
        let parts: Vec<&str> = text.split(',').collect();
        let (valid, lists) = match parts.as_slice() {
            [one] if code(one) => (true, None),
            [head, rest @ ..] if head.starts_with("HNSW") => {
                let tail = rest.is_empty() || (rest.len() == 1 && code(rest[0]));
                (tail && number(&head[4..]).is_some_and(|n| n <= 256), None)
            }
            [head, tail] if head.starts_with("IVF") && code(tail) => {
                let (lists, quantizer) = head[3..].split_once('_').unwrap_or((&head[3..], "HNSW32"));
                let quantizer = quantizer.strip_prefix("HNSW").and_then(number);
                (quantizer.is_some_and(|n| n <= 256), number(lists))
            }
            _ => (false, None),
        };
        if !valid || (text.starts_with("IVF") && lists.is_none()) {
            return Err(Error::usage(crate::tr!(
                "type d'index inconnu : {text:?}",
                "unknown index type: {text:?}"
            ))
            .hint("index.factory = \"Flat\", \"SQ8\", \"IVF316,SQ8\", \"HNSW32\" …"));
        }
        Ok(Factory { text: text.to_owned(), lists })
    }

    /// The string.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What is built for `rows` rows: `Flat` while there are too few to train on.
    #[must_use]
    pub fn effective(&self, rows: usize) -> Factory {
        // FAISS wants 39 points a list, and at least some points for a quantiser's range.
        let wanted = match self.lists {
            Some(lists) => lists.saturating_mul(39),
            None if self.text.contains("SQ") => 256,
            None => 0,
        };
        if rows < wanted { Factory::flat() } else { self.clone() }
    }

    fn is_flat(&self) -> bool {
        self.text == "Flat"
    }

    /// Lists looked into by one search.
    fn probes(&self) -> Option<usize> {
        self.lists.map(|lists| (lists / 16).max(8).min(lists))
    }
}

enum Inner {
    /// Searches concurrently.
    Flat(FlatIndex),
    /// FAISS allows one search at a time through its safe interface.
    Other(Mutex<IndexImpl>),
}

/// A FAISS index in memory or mapped.
pub struct FaissIndex {
    inner: Inner,
    factory: Factory,
    width: usize,
    len: usize,
}

impl FaissIndex {
    /// Builds an index of `factory` over `vectors` (unit rows of `width` values).
    ///
    /// # Errors
    /// ERR-295-02 when a value is not finite; ERR-295-08 when FAISS refuses.
    pub fn build(factory: &Factory, width: usize, vectors: &[f32]) -> Result<Self> {
        if width == 0 || !vectors.len().is_multiple_of(width) || vectors.iter().any(|v| !v.is_finite()) {
            return Err(not_finite());
        }
        let len = vectors.len() / width;
        let factory = factory.effective(len);
        let dimension = u32::try_from(width).map_err(|_| not_finite())?;
        let mut index =
            index_factory(dimension, factory.as_str(), MetricType::InnerProduct).map_err(|e| native(&e))?;
        if len > 0 {
            if !index.is_trained() {
                index.train(vectors).map_err(|e| native(&e))?;
            }
            index.add(vectors).map_err(|e| native(&e))?;
        }
        Self::wrap(index, factory, width, len)
    }

    /// Writes the index to `path` and fsyncs it. The file is read back and compared, because FAISS
    /// does not report every failed write.
    ///
    /// # Errors
    /// I/O (exit 74).
    pub fn write(&self, path: &Path) -> Result<()> {
        let options = File::options().read(true).write(true).create(true).truncate(true).clone();
        let file = open::regular(path, &options).at(path)?;
        let name = fd_path(&file);
        let written = match &self.inner {
            Inner::Flat(index) => faiss::write_index(index, &name),
            Inner::Other(index) => match index.lock() {
                Ok(index) => faiss::write_index(&*index, &name),
                Err(_) => return Err(Error::new(Kind::Bug, "poisoned index")),
            },
        };
        let failed = |why: String| Error::new(Kind::Io, format!("{}: {why}", path.display()));
        // FAISS tells where in its sources it failed, and not why.
        written.map_err(|e| {
            tracing::debug!("{}: {e}", path.display());
            failed(crate::tr!("écriture incomplète", "incomplete write"))
                .hint(crate::tr!("faites de la place sur le disque", "make room on the disk"))
        })?;
        file.sync_all().at(path)?;
        match &self.inner {
            Inner::Flat(index) => {
                // SAFETY: the file was just written by us under a name of our own.
                let map = unsafe { memmap2::Mmap::map(&file) }.at(path)?;
                // The crate makes a slice of FAISS's null pointer when there is no row.
                let values = if self.len == 0 { &[] } else { index.xb() };
                if flat_payload(&map, self.len, self.width) != Some(float_bytes(values)) {
                    return Err(failed(crate::tr!("écriture incomplète", "incomplete write")));
                }
            }
            Inner::Other(_) => {
                Self::open(&file, path, &self.factory, self.width, self.len)
                    .map_err(|e| failed(e.to_string()))?;
            }
        }
        Ok(())
    }

    /// Maps (flat) or reads the index in `file`, whose bytes the caller has verified; `path` is for
    /// messages. `factory` is what was built.
    ///
    /// # Errors
    /// ERR-295-08 when FAISS cannot read it, or when its width or count is another.
    pub fn open(file: &File, path: &Path, factory: &Factory, width: usize, len: usize) -> Result<Self> {
        let invalid = |why: String| {
            Error::memory(Code::IndexInvalid, format!("{}: {why}", path.display())).hint("govmem reindex")
        };
        // FAISS's own IO_FLAG_MMAP_IFC; the crate's MEM_MAP constant is another flag.
        let flags = if factory.is_flat() && len > 0 { IoFlags::from(1 << 9) } else { IoFlags::MEM_RESIDENT };
        let index = read_index_with_flags(fd_path(file), flags).map_err(|e| invalid(e.to_string()))?;
        if index.d() as usize != width || index.ntotal() != len as u64 {
            return Err(invalid(crate::tr!(
                "{} × {} au lieu de {len} × {width}",
                "{} × {} instead of {len} × {width}",
                index.ntotal(),
                index.d()
            )));
        }
        Self::wrap(index, factory.clone(), width, len)
    }

    /// What was built.
    pub fn factory(&self) -> &Factory {
        &self.factory
    }

    fn wrap(index: IndexImpl, factory: Factory, width: usize, len: usize) -> Result<Self> {
        let inner = if factory.is_flat() {
            Inner::Flat(index.into_flat().map_err(|e| native(&e))?)
        } else {
            if let Some(probes) = factory.probes() {
                let space = ParameterSpace::new().map_err(|e| native(&e))?;
                let probes = u32::try_from(probes).unwrap_or(u32::MAX);
                space.set_index_parameter(&index, "nprobe", probes).map_err(|e| native(&e))?;
            } else if factory.text.starts_with("HNSW") {
                let space = ParameterSpace::new().map_err(|e| native(&e))?;
                space.set_index_parameter(&index, "efSearch", 128).map_err(|e| native(&e))?;
            }
            Inner::Other(Mutex::new(index))
        };
        Ok(FaissIndex { inner, factory, width, len })
    }
}

impl VectorIndex for FaissIndex {
    fn len(&self) -> usize {
        self.len
    }

    fn width(&self) -> usize {
        self.width
    }

    fn search(&self, query: &[f32], k: usize, allowed: Option<&Rows>) -> Result<Vec<Hit>> {
        if query.len() != self.width || query.iter().any(|v| !v.is_finite()) {
            return Err(not_finite());
        }
        let allowed = allowed.filter(|rows| !rows.is_all());
        let k = k.min(allowed.map_or(self.len, Rows::count)).min(self.len);
        if k == 0 {
            return Ok(Vec::new());
        }
        if let (Inner::Flat(index), None) = (&self.inner, allowed)
            && self.len >= TWO_THREADS
        {
            return self.search_halves(index, query, k);
        }
        let filter = match allowed {
            Some(rows) => Some(Filter::rows(rows, self.factory.probes())?),
            None => None,
        };
        let params = filter.as_ref().map(|f| &f.params);
        let found = match &self.inner {
            Inner::Flat(index) => match params {
                Some(params) => SearchWithParams::search_with_params(index, query, k, params),
                None => ConcurrentIndex::search(index, query, k),
            },
            Inner::Other(index) => {
                let mut index = index.lock().map_err(|_| Error::new(Kind::Bug, "poisoned index"))?;
                match params {
                    Some(params) => SearchWithParamsMut::search_with_params(&mut *index, query, k, params),
                    None => Index::search(&mut *index, query, k),
                }
            }
        };
        Ok(hits(&found.map_err(|e| native(&e))?, self.len))
    }
}

/// Rows from which on the halves of a flat index are searched by two threads: FAISS shares out
/// queries among threads, never the rows of one query.
const TWO_THREADS: usize = 4096;

impl FaissIndex {
    /// The same hits as one search: the best `k` of both halves hold the best `k` of all.
    fn search_halves(&self, index: &FlatIndex, query: &[f32], k: usize) -> Result<Vec<Hit>> {
        let middle = self.len / 2;
        let half = |rows: std::ops::Range<usize>| -> Result<Vec<Hit>> {
            let filter = Filter::range(rows)?;
            let found = SearchWithParams::search_with_params(index, query, k, &filter.params);
            Ok(hits(&found.map_err(|e| native(&e))?, self.len))
        };
        let (first, second) = both(|| half(0..middle), || half(middle..self.len));
        let mut hits = first??;
        hits.extend(second?);
        sort(&mut hits);
        hits.truncate(k);
        Ok(hits)
    }
}

fn sort(hits: &mut [Hit]) {
    hits.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.row.cmp(&b.row)));
}

fn hits(found: &SearchResult, len: usize) -> Vec<Hit> {
    let mut hits: Vec<Hit> = found
        .labels
        .iter()
        .zip(&found.distances)
        .filter_map(|(label, ip)| {
            let row = usize::try_from(label.get()?).ok().filter(|row| *row < len)?;
            Some(Hit { row, distance: (1.0 - ip).clamp(0.0, 2.0) })
        })
        .collect();
    sort(&mut hits);
    hits
}

/// Search parameters and the selector they point to.
///
/// The crate forgets the selector handed to it; a second handle frees it after the parameters.
struct Filter<'a> {
    params: ManuallyDrop<SearchParameters>,
    selector: ManuallyDrop<IdSelector>,
    /// FAISS keeps a pointer into this bitmap.
    _rows: Option<&'a Rows>,
}

impl<'a> Filter<'a> {
    /// Only the rows of a bitmap.
    fn rows(rows: &'a Rows, probes: Option<usize>) -> Result<Self> {
        Self::new(IdSelector::bitmap(rows.bitmap()), Some(rows), probes)
    }

    /// Only a range of rows.
    fn range(rows: std::ops::Range<usize>) -> Result<Self> {
        Self::new(IdSelector::range(Idx::new(rows.start as u64), Idx::new(rows.end as u64)), None, None)
    }

    fn new(
        selector: faiss::error::Result<IdSelector>,
        rows: Option<&'a Rows>,
        probes: Option<usize>,
    ) -> Result<Self> {
        let selector = selector.map_err(|e| native(&e))?;
        // SAFETY: a bitwise copy of the only handle. The original is forgotten by the parameters
        // when they are made, and dropped by them when they fail; the copy is then never dropped.
        let copy = ManuallyDrop::new(unsafe { std::ptr::read(&raw const selector) });
        let params = match probes {
            Some(probes) => {
                SearchParametersIVF::new_with(selector, probes, 0).map(SearchParametersIVF::upcast)
            }
            None => SearchParameters::new(selector),
        };
        let params = ManuallyDrop::new(params.map_err(|e| native(&e))?);
        Ok(Filter { params, selector: copy, _rows: rows })
    }
}

impl Drop for Filter<'_> {
    fn drop(&mut self) {
        // SAFETY: each is dropped once, here, the parameters before what they point to.
        unsafe {
            ManuallyDrop::drop(&mut self.params);
            ManuallyDrop::drop(&mut self.selector);
        }
    }
}

/// The values of a flat index file: the last `len × width` floats.
pub(super) fn flat_payload(file: &[u8], len: usize, width: usize) -> Option<&[u8]> {
    let bytes = len.checked_mul(width)?.checked_mul(4)?;
    file.get(file.len().checked_sub(bytes)?..)
}

fn float_bytes(values: &[f32]) -> &[u8] {
    // SAFETY: every f32 is four initialised bytes, and bytes have no alignment.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// A path FAISS can open that names exactly the file behind `file`, whatever happened to its name
/// since, and whatever bytes that name holds.
fn fd_path(file: &File) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

fn not_finite() -> Error {
    Error::memory(
        Code::EmbeddingInvalid,
        crate::tr!(
            "vecteur de mauvaise largeur ou non fini",
            "a vector has the wrong width or is not finite"
        ),
    )
    .exit_with(65)
}

fn native(error: &faiss::error::Error) -> Error {
    Error::memory(Code::IndexInvalid, format!("FAISS: {error}")).hint("govmem reindex")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factories() {
        for good in ["Flat", "SQ8", "IVF316,SQ8", "IVF4096_HNSW32,Flat", "HNSW32", "HNSW32,SQ8", "SQfp16"] {
            assert_eq!(Factory::parse(good).unwrap().as_str(), good);
        }
        for bad in [
            "",
            "flat",
            "PQ32",
            "IVF,Flat",
            "IVF0,Flat",
            "IVF16",
            "IVF16,PQ8",
            "HNSW",
            "Flat,RFlat",
            "IVF16_X,Flat",
        ] {
            assert_eq!(Factory::parse(bad).unwrap_err().exit(), 2, "{bad}");
        }
        let ivf = Factory::parse("IVF16,SQ8").unwrap();
        assert_eq!(ivf.effective(16 * 39 - 1), Factory::flat());
        assert_eq!(ivf.effective(16 * 39), ivf);
    }
}
