//! Reading many documents at once: a list of names and globs, within bounds. A name that fails takes
//! nothing from the others.

use std::path::Path;

use serde::Serialize;

use super::{Fetched, Options, Target, find, get, resolve};
use crate::base::{Error, Kind, Result};
use crate::retrieval::catalog::Catalog;
use crate::retrieval::plan::quote;
use crate::retrieval::walk::set;
use crate::tr;

/// Most lines of a file that `multi-get` returns.
pub const MAX_LINES: usize = 500;
/// Most bytes of a file that `multi-get` returns.
pub const MAX_BYTES: usize = 10 * 1024;

/// Most names in a list, so that a client cannot ask for hours of looking.
const LONGEST_LIST: usize = 1000;

/// A file that was not returned, and how to read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// `gf://collection/path`.
    pub uri: String,
    /// Why.
    pub reason: String,
    /// The command that reads it.
    pub command: String,
}

/// A name, of several, under which nothing could be read.
#[derive(Debug, Serialize)]
pub struct Failed {
    /// The name or glob, as given.
    pub name: String,
    /// Why.
    pub error: Error,
}

/// What `multi-get` gives: each name of the list is in one of the three.
#[derive(Debug, Default)]
pub struct Many {
    /// Documents, in the order of their names.
    pub fetched: Vec<Fetched>,
    /// Files above the limits.
    pub skipped: Vec<Skipped>,
    /// Names that stand for nothing, for several documents, or for a file that cannot be read.
    pub failed: Vec<Failed>,
}

/// The document of `multi-get --json`.
impl Serialize for Many {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut out = serializer.serialize_struct("Many", 5)?;
        out.serialize_field("schema", &1)?;
        out.serialize_field("count", &self.fetched.len())?;
        out.serialize_field("documents", &self.fetched)?;
        out.serialize_field("skipped", &self.skipped)?;
        out.serialize_field("failed", &self.failed)?;
        out.end()
    }
}

/// Reads many documents: a glob over addresses and paths, or names separated by commas. A file above
/// the limits is left out whole and named; a name that fails takes nothing from the others.
///
/// # Errors
/// When nothing at all is found, as [`resolve`] for the only name, or exit 1 (2 when a name is refused)
/// for several; exit 65; I/O.
pub fn multi_get(
    catalog: &Catalog,
    pattern: &str,
    cwd: &Path,
    limits: (usize, usize),
    options: Options,
) -> Result<Many> {
    let _still = catalog.snapshot()?;
    let mut many = Many::default();
    for name in names(catalog, pattern, cwd)? {
        // What is wrong with the index is wrong for every name; a file on the disk is its own.
        let alone = |e: &Error| options.disk || matches!(e.kind(), Kind::Negative | Kind::Usage);
        let mut fail = |error: Error| {
            if alone(&error) {
                many.failed.push(Failed { name: name.to_owned(), error });
                return Ok(());
            }
            Err(error)
        };
        let targets = match named(catalog, name, cwd) {
            Ok(targets) => targets,
            Err(error) => {
                fail(error)?;
                continue;
            }
        };
        for target in targets {
            let lines = target.document.lines.unsigned_abs() as usize;
            let bytes = target.document.bytes.unsigned_abs() as usize;
            let ranged = target.from.is_some();
            if !ranged && (lines > limits.0 || bytes > limits.1) {
                many.skipped.push(Skipped {
                    uri: target.uri(),
                    reason: tr!("{lines} lignes, {bytes} octets", "{lines} lines, {bytes} bytes"),
                    command: catalog.command(&format!("get {}", quote(&target.uri()))),
                });
                continue;
            }
            match get(catalog, &target, options) {
                Ok(fetched) => many.fetched.push(fetched),
                Err(error) => fail(error)?,
            }
        }
    }
    if many.fetched.is_empty() && many.skipped.is_empty() {
        return Err(nothing(catalog, pattern, many.failed));
    }
    Ok(many)
}

/// The refusal of a list of which nothing was found.
fn nothing(catalog: &Catalog, pattern: &str, mut failed: Vec<Failed>) -> Error {
    if failed.len() == 1
        && let Some(only) = failed.pop()
    {
        return only.error;
    }
    let refused = failed.iter().map(|f| f.error.kind()).find(|kind| *kind != Kind::Negative);
    let mut message = tr!("rien ne répond à {pattern:?}", "nothing matches {pattern:?}");
    for Failed { error, .. } in failed.iter().take(20) {
        message.push_str(&format!("\n  {error}"));
        if let Some(hint) = error.hint_text() {
            message.push_str(&format!(" ({hint})"));
        }
    }
    Error::new(refused.unwrap_or(Kind::Negative), message).hint(catalog.command("ls"))
}

/// The names of a list. Commas within the braces of a glob and those of a document's own name are no
/// separators.
fn names<'p>(catalog: &Catalog, pattern: &'p str, cwd: &Path) -> Result<Vec<&'p str>> {
    if pattern.contains(',') && matches!(find(catalog, pattern, cwd), Ok(Some(_))) {
        return Ok(vec![pattern]);
    }
    let names: Vec<&str> = split_list(pattern).into_iter().map(str::trim).filter(|n| !n.is_empty()).collect();
    if names.len() > LONGEST_LIST {
        return Err(Error::usage(tr!(
            "{} noms, au plus {LONGEST_LIST} à la fois",
            "{} names, at most {LONGEST_LIST} at a time",
            names.len()
        )));
    }
    Ok(names)
}

fn split_list(pattern: &str) -> Vec<&str> {
    let (mut open, mut from, mut out) = (0_usize, 0, Vec::new());
    for (at, c) in pattern.char_indices() {
        match c {
            '{' => open += 1,
            '}' => open = open.saturating_sub(1),
            ',' if open == 0 => {
                out.push(&pattern[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    // A brace that nobody closes opens nothing.
    if open > 0 {
        return pattern.split(',').collect();
    }
    out.push(&pattern[from..]);
    out
}

/// What one name of a list stands for: a document, or all that a glob matches.
fn named(catalog: &Catalog, name: &str, cwd: &Path) -> Result<Vec<Target>> {
    if !name.contains(['*', '?', '[', '{']) {
        return Ok(vec![resolve(catalog, name, cwd)?]);
    }
    // Such characters may stand in a path, too.
    if let Ok(target) = resolve(catalog, name, cwd) {
        return Ok(vec![target]);
    }
    let glob = set(&[name.strip_prefix("gf://").unwrap_or(name).to_owned()])?;
    let mut out = Vec::new();
    for collection in catalog.collections()? {
        for file in catalog.files(collection.id)? {
            let address = format!("{}/{}", collection.name, file.path);
            if glob.is_match(&address) || (!name.starts_with("gf://") && glob.is_match(&file.path)) {
                let document = catalog.document(file.document)?;
                let collection = collection.clone();
                out.push(Target { document, file, collection, from: None, count: None });
            }
        }
    }
    if out.is_empty() {
        let why = tr!("rien ne répond à {name:?}", "nothing matches {name:?}");
        return Err(Error::new(Kind::Negative, why).hint(catalog.command("ls")));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_braces_do_not_separate() {
        assert_eq!(split_list("a.md, b.md"), ["a.md", " b.md"]);
        assert_eq!(split_list("*.{md,txt},c.md"), ["*.{md,txt}", "c.md"]);
        assert_eq!(split_list("{a,b.md"), ["{a", "b.md"]);
        assert_eq!(split_list("a},b"), ["a}", "b"]);
        assert_eq!(split_list(""), [""]);
    }
}
