//! Reading the files of an import: which files, and the items that each holds.
//!
//! Shapes: JSON lines, a JSON or YAML document (a list, or an object keyed by id, perhaps below a
//! path), Markdown. A file that cannot be read as text is left out with its reason; a file that is not
//! there stops the import before anything is written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::base::{Error, Kind, Result};
use crate::memory::document;
use crate::memory::excluded::Excluded;
use crate::memory::learnings::foreign;
use crate::memory::tree::Path as Field;
use crate::memory::tree_walk;
use crate::tr;

/// A file to import: where it is and how it is shown.
pub type File = (PathBuf, String);

/// The files that `given` names, relative to `cwd`; of a directory those below it for which `wanted`
/// holds, in path order.
pub fn files(
    given: &[PathBuf],
    cwd: &Path,
    wanted: impl Fn(&Path) -> bool,
    excluded: &mut Vec<Excluded>,
) -> Vec<File> {
    let mut out = Vec::new();
    for path in given {
        let full = cwd.join(path);
        if !full.is_dir() {
            out.push((full, path.display().to_string()));
            continue;
        }
        let mut found = BTreeMap::new();
        tree_walk::collect(&full, cwd, &wanted, &mut found, excluded);
        out.extend(found.into_iter().map(|(shown, path)| (path, shown)));
    }
    out
}

/// Whether the name of `path` ends with one of `extensions`.
pub fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|e| extensions.iter().any(|x| e.eq_ignore_ascii_case(x)))
}

/// An item that is no Markdown file: its line where lines count, and its tree.
pub type Item = (Option<u64>, Value);

/// The text of a file, or the reason why it is none.
///
/// # Errors
/// I/O.
pub fn text((path, shown): &File, excluded: &mut Vec<Excluded>) -> Result<Option<String>> {
    match document::read_text(path) {
        Ok(text) => Ok(Some(text)),
        Err(e) => left_out(shown, e, excluded).map(|()| None),
    }
}

/// The items of a JSON lines, JSON or YAML file, those below `at` where it is given.
///
/// # Errors
/// I/O.
pub fn items(file: &File, at: Option<&Field>, excluded: &mut Vec<Excluded>) -> Result<Vec<Item>> {
    let (path, shown) = file;
    if !has_extension(path, &["yaml", "yml"]) {
        return match foreign::items(path, at, excluded) {
            Ok(items) => Ok(items),
            Err(e) => left_out(shown, e, excluded).map(|()| Vec::new()),
        };
    }
    let Some(text) = text(file, excluded)? else { return Ok(Vec::new()) };
    let mut out = |reason| excluded.push(Excluded { origin: shown.clone(), line: None, reason });
    let document = match document::yaml(&text) {
        Ok(document) => document,
        Err(reason) => {
            out(reason);
            return Ok(Vec::new());
        }
    };
    match at.map_or(Some(&document), |at| at.get(&document)) {
        None => out(tr!("--items ne mène nulle part", "--items leads nowhere")),
        Some(Value::Array(list)) => return Ok(list.iter().map(|v| (None, v.clone())).collect()),
        Some(found) => return Ok(vec![(None, found.clone())]),
    }
    Ok(Vec::new())
}

/// A file that is no text of a known shape is left out; one that cannot be read at all is an error.
fn left_out(shown: &str, error: Error, excluded: &mut Vec<Excluded>) -> Result<()> {
    if error.kind() != Kind::Usage {
        return Err(error);
    }
    let reason = error.message();
    // The place is shown beside the reason.
    let reason = reason.split_once(": ").map_or(reason, |(_, rest)| rest).to_owned();
    excluded.push(Excluded { origin: shown.to_owned(), line: None, reason });
    Ok(())
}
