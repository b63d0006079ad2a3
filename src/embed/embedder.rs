//! The embedding seam: text in, unit vectors out.
//!
//! Every vector that leaves an [`Embedder`] is finite, of unit length and as wide as its identity
//! says; [`check_vector`] is the one judge of that. No text is ever cut unseen: a long one comes
//! back as several [`Window`]s that together cover it.

use std::ops::Range;

use crate::base::{Code, Error, ModelIdentity, Result};
use crate::tr;

/// Width of every PD-295 artefact, in numbers per vector.
pub const PD295_WIDTH: usize = 768;

/// One embedded piece of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// Which bytes of the text (without its prefix) this piece covers.
    pub bytes: Range<usize>,
    /// Its unit vector, as wide as the model's identity says.
    pub vector: Vec<f32>,
}

/// Something that embeds texts with one model.
pub trait Embedder: Send + Sync {
    /// What makes these vectors comparable with others.
    fn identity(&self) -> &ModelIdentity;

    /// The unit vector of a query, after the model's query prefix. A query longer than the model's
    /// window is the normalised mean of its windows, weighted by length.
    ///
    /// # Errors
    /// `ERR-295-02`: exit 69 when the model cannot be reached, 65 when it answers an unusable vector.
    fn embed_query(&self, text: &str) -> Result<Vec<f32>>;

    /// The windows of each text, after the model's document prefix, in the order of the texts. A
    /// text that fits gives one window; neighbours overlap by 15 %. `progress` hears the number of
    /// texts finished so far.
    ///
    /// # Errors
    /// As [`embed_query`](Self::embed_query); one failed text fails the call.
    fn embed_windows(&self, texts: &[&str], progress: &mut dyn FnMut(usize)) -> Result<Vec<Vec<Window>>>;

    /// [`embed_windows`](Self::embed_windows) without the places: per text, one vector per window.
    ///
    /// # Errors
    /// As [`embed_query`](Self::embed_query).
    fn embed_documents(&self, texts: &[&str], progress: &mut dyn FnMut(usize)) -> Result<Vec<Vec<Vec<f32>>>> {
        let windows = self.embed_windows(texts, progress)?;
        Ok(windows.into_iter().map(|w| w.into_iter().map(|w| w.vector).collect()).collect())
    }

    /// The length of `text` in the model's own tokens, special ones excluded, where the tokenizer
    /// is at hand.
    fn count_tokens(&self, _text: &str) -> Option<usize> {
        None
    }
}

impl<E: Embedder + ?Sized> Embedder for Box<E> {
    fn identity(&self) -> &ModelIdentity {
        (**self).identity()
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>> {
        (**self).embed_query(text)
    }

    fn embed_windows(&self, texts: &[&str], progress: &mut dyn FnMut(usize)) -> Result<Vec<Vec<Window>>> {
        (**self).embed_windows(texts, progress)
    }

    fn count_tokens(&self, text: &str) -> Option<usize> {
        (**self).count_tokens(text)
    }
}

/// Refuses a vector that is not `width` wide, holds a number that is not finite, or is zero.
///
/// # Errors
/// `ERR-295-02`, exit 65.
pub fn check_vector(vector: &[f32], width: usize) -> Result<()> {
    let fault = if vector.len() != width {
        tr!("{} valeurs au lieu de {width}", "{} numbers instead of {width}", vector.len())
    } else if let Some(i) = vector.iter().position(|x| !x.is_finite()) {
        tr!("la valeur {i} n'est pas un nombre fini", "number {i} is not finite")
    } else if vector.iter().all(|x| *x == 0.0) {
        tr!("toutes les valeurs sont nulles", "every number is zero")
    } else {
        return Ok(());
    };
    Err(invalid(tr!("vecteur inutilisable : {fault}", "unusable vector: {fault}")).hint(tr!(
        "réinstallez le modèle, ou choisissez-en un autre",
        "install the model again, or choose another"
    )))
}

/// Widens a vector to `width` with zeros; inner products and lengths are unchanged.
///
/// # Errors
/// `ERR-295-02`, exit 65, when the vector is already wider or fails [`check_vector`].
pub fn pad(mut vector: Vec<f32>, width: usize) -> Result<Vec<f32>> {
    if vector.len() > width {
        return Err(invalid(tr!(
            "le modèle donne {} valeurs par vecteur, plus que les {width} permises",
            "the model gives {} numbers a vector, more than the {width} allowed",
            vector.len()
        ))
        .hint(tr!(
            "choisissez un modèle de {width} dimensions au plus",
            "choose a model of at most {width} dimensions"
        )));
    }
    check_vector(&vector, vector.len())?;
    vector.resize(width, 0.0);
    Ok(vector)
}

/// One vector for a text of several windows: their mean weighted by bytes covered, normalised.
///
/// # Errors
/// `ERR-295-02`, exit 65, when there is no window or the windows cancel out.
pub fn pooled(windows: &[Window]) -> Result<Vec<f32>> {
    match windows {
        [] => Err(invalid(tr!("aucun vecteur pour ce texte", "no vector for this text"))),
        [one] => Ok(one.vector.clone()),
        several => {
            let width = several[0].vector.len();
            let mut sum = vec![0f64; width];
            for w in several {
                check_vector(&w.vector, width)?;
                let weight = w.bytes.len().max(1) as f64;
                sum.iter_mut().zip(&w.vector).for_each(|(s, x)| *s += weight * f64::from(*x));
            }
            unit(&sum)
        }
    }
}

/// `vector` at length one, in single precision.
///
/// # Errors
/// `ERR-295-02`, exit 65, when it is zero or not finite.
pub(crate) fn unit(vector: &[f64]) -> Result<Vec<f32>> {
    let norm = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    let out: Vec<f32> = vector.iter().map(|x| (x / norm) as f32).collect();
    // A zero vector divides into NaN, so this also refuses it.
    check_vector(&out, vector.len())?;
    Ok(out)
}

/// An unusable vector: `ERR-295-02`, exit 65.
pub(crate) fn invalid(message: impl Into<String>) -> Error {
    Error::memory(Code::EmbeddingInvalid, message).exit_with(65)
}

/// No embedder: `ERR-295-02`, exit 69.
pub(crate) fn unavailable(message: impl Into<String>) -> Error {
    Error::memory(Code::EmbeddingInvalid, message).exit_with(69)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusable_vectors_are_refused_with_exit_65() {
        assert!(check_vector(&[0.6, 0.8], 2).is_ok());
        for bad in [vec![1.0], vec![f32::NAN, 1.0], vec![1.0, f32::INFINITY], vec![0.0, -0.0]] {
            let error = check_vector(&bad, 2).unwrap_err();
            assert_eq!((error.code(), error.exit()), (Some(Code::EmbeddingInvalid), 65), "{bad:?}");
        }
    }

    #[test]
    fn padding_keeps_the_numbers_and_refuses_wider_models() {
        assert_eq!(pad(vec![0.6, 0.8], 4).unwrap(), [0.6, 0.8, 0.0, 0.0]);
        assert_eq!(pad(vec![0.6, 0.8], 2).unwrap(), [0.6, 0.8]);
        assert_eq!(pad(vec![1.0, 0.0, 0.0], 2).unwrap_err().exit(), 65);
        assert_eq!(pad(vec![0.0, 0.0], 4).unwrap_err().exit(), 65);
    }

    #[test]
    fn pooling_weighs_windows_by_length() {
        let w = |bytes, vector: [f32; 2]| Window { bytes, vector: vector.to_vec() };
        // 3 × (1,0) + 4 × (0,1) points along (3,4), whose unit vector is (0.6, 0.8).
        let mean = pooled(&[w(0..3, [1.0, 0.0]), w(3..7, [0.0, 1.0])]).unwrap();
        assert!((mean[0] - 0.6).abs() < 1e-6 && (mean[1] - 0.8).abs() < 1e-6);
        assert!(pooled(&[]).is_err());
        assert_eq!(pooled(&[w(0..1, [1.0, 0.0]), w(1..2, [-1.0, 0.0])]).unwrap_err().exit(), 65);
    }
}
