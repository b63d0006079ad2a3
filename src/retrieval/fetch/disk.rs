//! Reading a document's file as it is now: never out of the collection's root, whatever has become of
//! the path since it was indexed, and never anything but a regular file.

use std::path::{Path, PathBuf};

use crate::base::error::IoContext;
use crate::base::{Error, Kind, Result};
use crate::retrieval::catalog::documents::LARGEST_TEXT;
use crate::store::inside;
use crate::tr;

/// The text of `path` under `root`. Links are followed as long as they stay under the root.
///
/// # Errors
/// Exit 2 naming the link that leads out of the root, for what is no regular file, and for a file that
/// is larger than any document; exit 65 when it is not UTF-8; I/O.
pub fn read(root: &Path, path: &str) -> Result<String> {
    let full = root.join(path);
    let real_root = root.canonicalize().at(root)?;
    let real = full.canonicalize().at(&full)?;
    let Ok(beneath) = real.strip_prefix(&real_root) else {
        return Err(leads_out(root, path, &real_root));
    };
    let Some(beneath) = beneath.to_str() else {
        return Err(Error::usage(tr!(
            "{} : le lien mène à un nom qui n'est pas de l'UTF-8",
            "{}: the link leads to a name that is not UTF-8",
            full.display()
        )));
    };
    // The kernel keeps this open beneath the root, should a link be put in the way meanwhile.
    let bytes = inside::read(&real_root, beneath, LARGEST_TEXT as u64)?;
    String::from_utf8(bytes).map_err(|_| {
        Error::new(Kind::Corrupt, tr!("{} n'est pas de l'UTF-8", "{} is not UTF-8", full.display()))
    })
}

/// The refusal of a path that leaves the root, naming the first link that does.
fn leads_out(root: &Path, path: &str, real_root: &Path) -> Error {
    let mut link = PathBuf::from(root);
    for part in Path::new(path).components() {
        link.push(part);
        if link.canonicalize().is_ok_and(|real| !real.starts_with(real_root)) {
            break;
        }
    }
    Error::usage(tr!(
        "chemin refusé : le lien {} mène hors de la collection {}",
        "refused path: the link {} leads out of the collection {}",
        link.display(),
        root.display()
    ))
    .hint(tr!("sans --disk, le texte indexé est rendu", "without --disk, the indexed text is returned"))
}
