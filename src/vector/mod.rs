//! Vectors on disk: FAISS index, matrix, manifest, and the set the three make together.
//!
//! Vectors are unit vectors compared by inner product; distance = 1 − inner product, in [0, 2].
//! The matrix (`.npy`) is the truth, the FAISS index a cache of it, the manifest says which files
//! belong together. No other room names FAISS.
//!
//! - [`matrix`]: n × width `<f4` matrices in NumPy's format.
//! - [`index`]: [`VectorIndex`] over FAISS.
//! - [`rows`]: sets of rows a search may return.
//! - [`manifest`]: what belongs together.
//! - [`set`]: reading and searching one source's three files.
//! - [`threads`]: the thread pools below, kept out of the way.
//! - [`commit`]: replacing them so that a kill leaves the old or the new ones.

pub mod commit;
pub mod index;
pub mod manifest;
pub mod matrix;
pub mod rows;
pub mod set;
pub mod threads;

pub use commit::{Draft, Prepared};
pub use index::{FaissIndex, Hit, VectorIndex};
pub use manifest::{Manifest, Row};
pub use rows::Rows;
pub use set::{Ahead, IndexSet, RecordHit, Reuse, SetFiles};

use crate::base::{Code, Error};

/// Makes `vector` a unit vector of `width` values: padded with zeros at the end, normalised.
///
/// A vector that is already a unit vector keeps its bits. Inner products are unchanged by padding.
///
/// # Errors
/// ERR-295-02 (exit 65) when it is wider than `width`, zero, or not finite.
pub fn unit(vector: &[f32], width: usize) -> crate::base::Result<Vec<f32>> {
    let bad = |why: String| Err(Error::memory(Code::EmbeddingInvalid, why).exit_with(65));
    if vector.is_empty() || vector.len() > width {
        return bad(crate::tr!(
            "vecteur de largeur {}, attendu au plus {width}",
            "a vector is {} wide, at most {width} is expected",
            vector.len()
        ));
    }
    if vector.iter().any(|v| !v.is_finite()) {
        return bad(crate::tr!("vecteur non fini", "a vector is not finite"));
    }
    // In double precision: the squares of large finite values must not overflow.
    let norm = vector.iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>().sqrt();
    if norm < 1e-30 {
        return bad(crate::tr!("vecteur nul", "a vector is zero"));
    }
    let mut out = Vec::with_capacity(width);
    if (norm - 1.0).abs() < 1e-6 {
        out.extend_from_slice(vector);
    } else {
        #[expect(clippy::cast_possible_truncation, reason = "a unit component fits an f32")]
        out.extend(vector.iter().map(|v| (f64::from(*v) / norm) as f32));
    }
    out.resize(width, 0.0);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_vectors() {
        assert_eq!(unit(&[3.0, 4.0], 3).unwrap(), vec![0.6, 0.8, 0.0]);
        assert_eq!(unit(&[0.6, 0.8], 2).unwrap(), vec![0.6, 0.8]);
        assert_eq!(unit(&[3e38, 2e38], 2).unwrap().len(), 2);
        for bad in [&[][..], &[1.0, 0.0, 0.0], &[0.0, 0.0], &[f32::NAN, 1.0], &[f32::INFINITY, 1.0]] {
            let error = unit(bad, 2).unwrap_err();
            assert_eq!(error.code(), Some(Code::EmbeddingInvalid));
            assert_eq!(error.exit(), 65);
        }
    }
}
