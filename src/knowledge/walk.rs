//! The files under the root: which are pages, which are not, and why.
//!
//! Hidden, `_`-prefixed and git-ignored files are skipped, symbolic links are not followed. Paths are
//! relative to the root with `/`, sorted by bytes.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::marker::Marker;
use super::{names, read};
use crate::base::error::IoContext;
use crate::base::{Error, Result};
use crate::tr;

/// What lies under the root.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Paths of pages.
    pub pages: Vec<String>,
    /// Paths of derived files of ours, by their name and header.
    pub derived: Vec<String>,
    /// Paths at the root where a derived file belongs and something else stands.
    pub usurpers: Vec<String>,
    /// Folders that hold a page, at any depth.
    pub folders: Vec<String>,
    /// Names that are not Unicode, shown with replacement characters.
    pub unnameable: Vec<String>,
    /// Pages behind symbolic links, not read.
    pub links: Vec<String>,
}

/// Walks the root of `marker`.
///
/// # Errors
/// An input error when the root itself cannot be read.
pub fn walk(marker: &Marker) -> Result<Tree> {
    fs::read_dir(&marker.root).at(&marker.root)?;
    let mut tree = Tree::default();
    let walker = WalkBuilder::new(&marker.root)
        .hidden(true)
        .require_git(false)
        .git_global(false)
        .git_exclude(false)
        .ignore(false)
        .follow_links(false)
        .filter_entry(|e| e.depth() == 0 || !e.file_name().to_string_lossy().starts_with('_'))
        .build();
    for entry in walker {
        let entry = match entry {
            Ok(entry) => entry,
            Err(e) => match e.io_error() {
                Some(io) if io.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io(&marker.root, io));
                }
                _ => continue,
            },
        };
        let Some(kind) = entry.file_type() else { continue };
        if entry.depth() == 0 || kind.is_dir() {
            continue;
        }
        let Ok(relative) = entry.path().strip_prefix(&marker.root) else { continue };
        let name = entry.file_name().to_string_lossy();
        let reserved = names::is_reserved(marker, &name);
        if !reserved && !is_page_name(marker, &name) {
            continue;
        }
        let Some(path) = slashed(relative) else {
            tree.unnameable.push(relative.to_string_lossy().into_owned());
            continue;
        };
        if kind.is_symlink() {
            tree.links.push(path);
        } else if !kind.is_file() {
            // No page can be read from a FIFO or device, but its name is one: it is told, not lost.
            if is_page_name(marker, &name) && !reserved {
                tree.pages.push(path);
            }
        } else if reserved && is_derived(entry.path()) {
            tree.derived.push(path);
        } else if names::is_taken_at_root(marker, &path) {
            tree.usurpers.push(path);
        } else if is_page_name(marker, &name) {
            tree.pages.push(path);
        }
    }
    for page in &tree.pages {
        let mut folder = page.as_str();
        while let Some((head, _)) = folder.rsplit_once('/') {
            tree.folders.push(head.to_owned());
            folder = head;
        }
    }
    for list in [
        &mut tree.pages,
        &mut tree.derived,
        &mut tree.usurpers,
        &mut tree.folders,
        &mut tree.unnameable,
        &mut tree.links,
    ] {
        list.sort_unstable();
        list.dedup();
    }
    Ok(tree)
}

/// Whether the file's head says that we made it.
fn is_derived(path: &Path) -> bool {
    read::bytes(path).is_ok_and(|bytes| names::is_derived(&String::from_utf8_lossy(&bytes)))
}

/// Whether a file of this name is a page by its extension (in any case).
pub fn is_page_name(marker: &Marker, name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, e)| {
        !stem.is_empty() && marker.extensions.iter().any(|x| x.eq_ignore_ascii_case(e))
    })
}

/// A relative path with `/`; `None` when a component is not Unicode.
pub fn slashed(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path.components().map(|c| c.as_os_str().to_str()).collect();
    Some(parts?.join("/"))
}

/// A slashed path below `root`.
pub fn under(root: &Path, path: &str) -> PathBuf {
    let mut out = root.to_owned();
    out.extend(path.split('/').filter(|s| !s.is_empty()));
    out
}

/// Says that a page does not exist, with the nearest names.
pub fn no_such_page(path: &str, pages: &[String]) -> Error {
    let stem = |p: &str| p.rsplit('/').next().unwrap_or(p).to_ascii_lowercase();
    let near: Vec<&str> =
        pages.iter().filter(|p| stem(p) == stem(path)).map(String::as_str).take(3).collect();
    let error = Error::usage(tr!("{path} n'est pas une page de la base", "{path} is not a page of the base"));
    match near.is_empty() {
        true => error.hint(tr!(
            "donnez le chemin depuis la racine de la base",
            "give the path from the root of the base"
        )),
        false => error.hint(near.join(", ")),
    }
}
