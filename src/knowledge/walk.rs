//! The files under the root: which are pages, which are not, and why.
//!
//! Hidden, `_`-prefixed and git-ignored files are skipped. Symbolic links are not followed, but one that
//! has the name of a page, or behind which pages may lie, is listed as a page that is not read: nothing
//! is left out in silence. Paths are relative to the root with `/`, sorted by bytes.

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
}

/// Most entries that are looked at behind a symbolic link; a folder with more may hold pages.
const MOST_BEHIND: usize = 2_000;

/// Walks the root of `marker`.
///
/// # Errors
/// An input error when the root itself cannot be read.
pub fn walk(marker: &Marker) -> Result<Tree> {
    fs::read_dir(&marker.root).at(&marker.root)?;
    let mut tree = Tree::default();
    for entry in entries(&marker.root) {
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
        let page_name = is_page_name(marker, &name);
        let link = kind.is_symlink();
        if !(reserved || page_name || link && may_hold_pages(marker, entry.path())) {
            continue;
        }
        let Some(path) = slashed(relative) else {
            tree.unnameable.push(relative.to_string_lossy().into_owned());
            continue;
        };
        if link || !kind.is_file() {
            // No page is read from a link, FIFO or device, but its name is one: it is told, not lost.
            if names::is_taken_at_root(marker, &path) {
                tree.usurpers.push(path);
            } else if link || page_name {
                tree.pages.push(path);
            }
        } else if reserved && is_derived(entry.path()) {
            tree.derived.push(path);
        } else if names::is_taken_at_root(marker, &path) {
            tree.usurpers.push(path);
        } else if page_name {
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
    for list in
        [&mut tree.pages, &mut tree.derived, &mut tree.usurpers, &mut tree.folders, &mut tree.unnameable]
    {
        list.sort_unstable();
        list.dedup();
    }
    Ok(tree)
}

/// What a walk of `folder` meets, in any order.
fn entries(folder: &Path) -> ignore::Walk {
    WalkBuilder::new(folder)
        .hidden(true)
        .require_git(false)
        .git_global(false)
        .git_exclude(false)
        .ignore(false)
        .follow_links(false)
        .filter_entry(|e| e.depth() == 0 || !e.file_name().to_string_lossy().starts_with('_'))
        .build()
}

/// Whether a symbolic link leads to a folder that may hold pages. Outside the repository and the root
/// nothing is looked at, and any folder may.
fn may_hold_pages(marker: &Marker, link: &Path) -> bool {
    let Ok(target) = fs::canonicalize(link) else { return false };
    if !target.is_dir() {
        return false;
    }
    let ours = [&marker.home, &marker.root];
    if !ours.iter().any(|dir| fs::canonicalize(dir).is_ok_and(|dir| target.starts_with(dir))) {
        return true;
    }
    let is_page = |e: &ignore::DirEntry| {
        e.depth() > 0
            && e.file_type().is_some_and(|kind| kind.is_file())
            && is_page_name(marker, &e.file_name().to_string_lossy())
    };
    let mut seen = 0;
    entries(&target).filter_map(std::result::Result::ok).any(|e| {
        seen += 1;
        seen > MOST_BEHIND || is_page(&e)
    })
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
