//! The weights file: tensors for candle, and the word table read row by row.
//!
//! The word table is half of a small model, and a query touches a dozen of its rows: they are read
//! from the file when asked for. Everything else is copied out of a map that is closed again before
//! the first forward pass.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;

use crate::base::error::IoContext;
use crate::base::{Error, Kind, Result};
use crate::tr;

/// Longest header we read, in bytes; real ones stay below 100 kB.
const LONGEST_HEADER: u64 = 16 << 20;

/// An open `model.safetensors`.
pub(super) struct Weights {
    path: PathBuf,
    file: File,
    header: serde_json::Value,
    /// Where the tensors start, in bytes.
    start: u64,
}

impl Weights {
    /// Opens the file and reads its header.
    pub fn open(path: &Path) -> Result<Weights> {
        let file = File::open(path).at(path)?;
        let size = file.metadata().at(path)?.len();
        let mut length = [0; 8];
        file.read_exact_at(&mut length, 0).map_err(|e| corrupt(path, e))?;
        let length = u64::from_le_bytes(length);
        if length > LONGEST_HEADER || length.saturating_add(8) > size {
            return Err(corrupt(path, tr!("en-tête tronqué", "truncated header")));
        }
        let mut header = vec![0; length as usize];
        file.read_exact_at(&mut header, 8).map_err(|e| corrupt(path, e))?;
        let header = serde_json::from_slice(&header).map_err(|e| corrupt(path, e))?;
        Ok(Weights { path: path.to_owned(), file, header, start: 8 + length })
    }

    /// Whether the file holds a tensor of this name.
    pub fn has(&self, name: &str) -> bool {
        self.header.get(name).is_some()
    }

    /// The shape of a tensor, if the file holds it.
    pub fn shape(&self, name: &str) -> Option<Vec<usize>> {
        serde_json::from_value(self.header.get(name)?.get("shape")?.clone()).ok()
    }

    /// All tensors, converted to single precision as they are asked for. Drop it after loading.
    pub fn builder(&self) -> Result<VarBuilder<'static>> {
        // SAFETY: the map lives while the tensors are copied out of it, and no longer. Another
        // process that shortens the file during those milliseconds would end this one (SIGBUS); a
        // model directory is replaced by renaming, never rewritten in place.
        #[expect(unsafe_code, reason = "candle maps weights through an unsafe constructor")]
        let builder = unsafe { VarBuilder::from_mmaped_safetensors(&[&self.path], DType::F32, &Device::Cpu) };
        builder.map_err(|e| corrupt(&self.path, e))
    }

    /// The two-dimensional tensor `name` as a table of rows.
    pub fn table(self, name: &str) -> Result<Table> {
        let entry = self.header.get(name).cloned().unwrap_or_default();
        let bad = || {
            corrupt(
                &self.path,
                tr!("tenseur {name} absent ou mal formé", "tensor {name} is missing or malformed"),
            )
        };
        let shape: [usize; 2] = serde_json::from_value(entry["shape"].clone()).map_err(|_| bad())?;
        let [begin, end]: [u64; 2] =
            serde_json::from_value(entry["data_offsets"].clone()).map_err(|_| bad())?;
        let dtype = match entry["dtype"].as_str() {
            Some("F32") => DType::F32,
            Some("F16") => DType::F16,
            Some("BF16") => DType::BF16,
            _ => return Err(bad()),
        };
        let [rows, width] = shape;
        let row_bytes = width.checked_mul(dtype.size_in_bytes()).ok_or_else(bad)?;
        if row_bytes == 0 || rows.checked_mul(row_bytes).map(|n| n as u64) != end.checked_sub(begin) {
            return Err(bad());
        }
        let start = self.start.checked_add(begin).ok_or_else(bad)?;
        Ok(Table { path: self.path, file: self.file, start, rows, width, row_bytes, dtype })
    }
}

/// A table of vectors, one row each, left on disk.
pub(super) struct Table {
    path: PathBuf,
    file: File,
    start: u64,
    rows: usize,
    width: usize,
    row_bytes: usize,
    dtype: DType,
}

impl Table {
    /// The rows `ids`, as an `ids.len()` × width tensor.
    pub fn rows(&self, ids: &[u32]) -> Result<Tensor> {
        let mut bytes = vec![0; ids.len() * self.row_bytes];
        for (&id, row) in ids.iter().zip(bytes.chunks_exact_mut(self.row_bytes)) {
            if id as usize >= self.rows {
                return Err(corrupt(
                    &self.path,
                    tr!("le jeton {id} n'a pas de ligne", "token {id} has no row"),
                ));
            }
            let at = self.start + u64::from(id) * self.row_bytes as u64;
            self.file.read_exact_at(row, at).at(&self.path)?;
        }
        Tensor::from_raw_buffer(&bytes, self.dtype, &[ids.len(), self.width], &Device::Cpu)
            .and_then(|t| t.to_dtype(DType::F32))
            .map_err(|e| corrupt(&self.path, e))
    }
}

/// A weights file that cannot be used: exit 65.
pub(super) fn corrupt(path: &Path, what: impl std::fmt::Display) -> Error {
    Error::new(
        Kind::Corrupt,
        tr!("{} : poids inutilisables : {what}", "{}: unusable weights: {what}", path.display()),
    )
}
