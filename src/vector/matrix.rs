//! Matrices of vectors in NumPy's `.npy` format: n × width, `<f4`, C order, nothing else.
//!
//! A matrix is memory-mapped; nothing is copied. Another type, byte order, storage order, shape,
//! a short file or trailing bytes are ERR-295-08; a zero or non-finite row is ERR-295-02.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use ndarray::ArrayView2;
use ndarray_npy::{ViewNpyExt, WriteNpyExt};

use crate::base::error::IoContext;
use crate::base::{Code, Error, Result};
use crate::store::open;

/// A memory-mapped matrix of n rows of `width` values.
#[derive(Debug)]
pub struct Matrix {
    map: Mmap,
    path: PathBuf,
    /// Byte range of the values in the file.
    start: usize,
    rows: usize,
    width: usize,
}

impl Matrix {
    /// Maps the matrix at `path`.
    ///
    /// # Errors
    /// ERR-295-08 when the file is not an n × width `<f4` C-order matrix; I/O errors.
    pub fn open(path: &Path) -> Result<Self> {
        Self::from_file(&open::regular(path, OpenOptions::new().read(true)).at(path)?, path)
    }

    /// Maps the matrix in an open file; `path` is for messages.
    ///
    /// # Errors
    /// As [`Matrix::open`].
    pub fn from_file(file: &File, path: &Path) -> Result<Self> {
        // SAFETY: index files are replaced by rename and never rewritten in place, so the mapped
        // bytes do not change while they are mapped.
        let map = unsafe { Mmap::map(file) }.at(path)?;
        let (start, rows, width) = layout(&map).map_err(|why| invalid(path, &why))?;
        Ok(Matrix { map, path: path.to_owned(), start, rows, width })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Values per row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The whole file, header included.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// The values as stored, little-endian, row after row.
    pub fn payload(&self) -> &[u8] {
        &self.map[self.start..]
    }

    /// The values of row `row`; empty when there is no such row.
    pub fn row(&self, row: usize) -> &[f32] {
        self.values().get(row * self.width..(row + 1) * self.width).unwrap_or(&[])
    }

    /// All values, row after row.
    pub fn values(&self) -> &[f32] {
        // SAFETY: every bit pattern is an f32; `layout` refused a misaligned start and a foreign
        // byte order, so the middle part is everything.
        let (_, values, _) = unsafe { self.payload().align_to::<f32>() };
        values
    }

    /// Checks that every row is finite and not zero.
    ///
    /// # Errors
    /// ERR-295-02 (exit 65) naming the file and the first bad row.
    pub fn check_rows(&self) -> Result<()> {
        for (i, row) in self.values().chunks_exact(self.width).enumerate() {
            let squares = row.iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>();
            if !squares.is_finite() || squares == 0.0 {
                let path = self.path.display();
                return Err(Error::memory(
                    Code::EmbeddingInvalid,
                    crate::tr!(
                        "{path} : ligne {i} nulle ou non finie",
                        "{path}: row {i} is zero or not finite"
                    ),
                )
                .exit_with(65));
            }
        }
        Ok(())
    }
}

/// Writes `values` (rows of `width`) as an `.npy` file and fsyncs it.
///
/// # Errors
/// I/O errors; a bug error when `values` is not whole rows.
pub fn write(path: &Path, values: &[f32], width: usize) -> Result<()> {
    let rows = values.len().checked_div(width).unwrap_or(0);
    let view = ArrayView2::from_shape((rows, width), values).map_err(|e| {
        Error::new(
            crate::base::Kind::Bug,
            format!("{}: {} values of {width}: {e}", path.display(), values.len()),
        )
    })?;
    let file = open::regular(path, OpenOptions::new().write(true).create(true).truncate(true)).at(path)?;
    let mut writer = BufWriter::with_capacity(1 << 20, file);
    view.write_npy(&mut writer).map_err(|e| match e {
        ndarray_npy::WriteNpyError::Io(e) => Error::io(path, &e),
        other => invalid(path, &other.to_string()),
    })?;
    writer.flush().at(path)?;
    writer.get_ref().sync_all().at(path)
}

/// The header of a matrix as [`write()`] writes it.
pub(super) fn header(rows: usize, width: usize) -> Vec<u8> {
    let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {width})}}");
    // Magic, version, length, text, spaces, newline: a multiple of 64 bytes.
    let total = (10 + text.len() + 1).next_multiple_of(64);
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend(u16::try_from(total - 10).unwrap_or(u16::MAX).to_le_bytes());
    out.extend(text.as_bytes());
    out.resize(total - 1, b' ');
    out.push(b'\n');
    out
}

/// Where the values start, rows, width; or why the bytes are no matrix of ours.
fn layout(bytes: &[u8]) -> std::result::Result<(usize, usize, usize), String> {
    let view = ArrayView2::<f32>::view_npy(bytes).map_err(|e| e.to_string())?;
    let (rows, width) = view.dim();
    let start = bytes.len() - rows * width * 4;
    // One row or one column reads the same in both orders, so the header decides.
    let header = String::from_utf8_lossy(&bytes[..start]);
    if !header.contains("'fortran_order': False") {
        return Err(crate::tr!("ordre Fortran", "Fortran order"));
    }
    if width == 0 {
        return Err(crate::tr!("largeur nulle", "zero width"));
    }
    Ok((start, rows, width))
}

fn invalid(path: &Path, why: &str) -> Error {
    let path = path.display();
    Error::memory(
        Code::IndexInvalid,
        crate::tr!("{path} : matrice illisible ({why})", "{path}: not a readable matrix ({why})"),
    )
    .hint("govmem reindex")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An `.npy` file as NumPy writes it.
    fn npy(descr: &str, fortran: &str, shape: &str, payload: &[u8]) -> Vec<u8> {
        let mut header =
            format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}").into_bytes();
        while (10 + header.len() + 1) % 64 != 0 {
            header.push(b' ');
        }
        header.push(b'\n');
        let mut out = b"\x93NUMPY\x01\x00".to_vec();
        out.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
        out.extend(header);
        out.extend(payload);
        out
    }

    fn open(bytes: &[u8]) -> Result<Matrix> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m.npy");
        std::fs::write(&path, bytes).unwrap();
        Matrix::open(&path)
    }

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn round_trip() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m.npy");
        let values = [1.0, 0.0, 0.0, 0.6, 0.8, 0.0];
        write(&path, &values, 3).unwrap();
        let written = std::fs::read(&path).unwrap();
        assert_eq!(written, [header(2, 3), floats(&values)].concat());
        let matrix = Matrix::open(&path).unwrap();
        assert_eq!((matrix.rows(), matrix.width()), (2, 3));
        assert_eq!(matrix.row(1), &values[3..]);
        assert!(matrix.row(2).is_empty());
        matrix.check_rows().unwrap();
        write(&path, &[], 768).unwrap();
        assert_eq!(Matrix::open(&path).unwrap().rows(), 0);
    }

    #[test]
    fn refuses_everything_else() {
        let two = floats(&[1.0, 0.0]);
        // As NumPy itself writes it.
        let good = npy("<f4", "False", "(1, 2)", &two);
        assert_eq!(open(&good).unwrap().row(0), [1.0, 0.0]);
        let mut trailing = good.clone();
        trailing.push(0);
        let bad: Vec<Vec<u8>> = vec![
            Vec::new(),
            vec![0; 300],
            b"\x93NUMPY".to_vec(),
            trailing,
            good[..good.len() - 1].to_vec(),
            good[..20].to_vec(),
            npy("<f8", "False", "(1, 2)", &[0; 16]),
            npy(">f4", "False", "(1, 2)", &two),
            npy("<f4", "True", "(1, 2)", &two),
            npy("<f4", "True", "(2, 2)", &floats(&[1.0; 4])),
            npy("<f4", "False", "(2,)", &two),
            npy("<f4", "False", "(1, 1, 2)", &two),
            npy("<f4", "False", "(1, 0)", &[]),
            npy("<f4", "False", "(18446744073709551615, 2)", &two),
            npy("<f4", "False", "(4611686018427387904, 4)", &two),
            npy("<f4", "Maybe", "(1, 2)", &two),
            npy("|O", "False", "(1, 2)", &two),
        ];
        for (i, bytes) in bad.iter().enumerate() {
            let error = open(bytes).expect_err(&format!("case {i}"));
            assert_eq!(error.code(), Some(Code::IndexInvalid), "case {i}");
            assert_eq!(error.exit(), 65);
        }
    }

    #[test]
    fn zero_and_non_finite_rows() {
        for bad in [[0.0, 0.0], [f32::NAN, 1.0], [1.0, f32::NEG_INFINITY]] {
            let bytes = npy("<f4", "False", "(2, 2)", &floats(&[1.0, 0.0, bad[0], bad[1]]));
            let error = open(&bytes).unwrap().check_rows().unwrap_err();
            assert_eq!((error.code(), error.exit()), (Some(Code::EmbeddingInvalid), 65));
        }
    }
}
