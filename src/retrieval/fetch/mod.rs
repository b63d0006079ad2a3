//! Reading known documents: by path, address or document id, whole or by lines, one or many.

mod disk;
mod many;

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::catalog::Catalog;
use super::catalog::collections::Collection;
use super::catalog::contexts::split;
use super::catalog::documents::{Document, File};
use super::plan::quote;
use crate::base::near::distance;
use crate::base::{Error, Kind, Result};
use crate::tr;

pub use many::{Failed, MAX_BYTES, MAX_LINES, Many, Skipped, multi_get};

/// A document named by a user.
#[derive(Clone, Debug)]
pub struct Target {
    /// The document.
    pub document: Document,
    /// The file it was named by, or its first one.
    pub file: File,
    /// The collection of that file.
    pub collection: Collection,
    /// First line wanted, from 1.
    pub from: Option<usize>,
    /// Number of lines wanted.
    pub count: Option<usize>,
}

impl Target {
    /// `gf://collection/path`.
    pub fn uri(&self) -> String {
        format!("gf://{}/{}", self.collection.name, self.file.path)
    }
}

/// A document's text, or some lines of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fetched {
    /// Short id.
    pub docid: String,
    /// `gf://collection/path`.
    pub uri: String,
    /// Path on the disk, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_path: Option<String>,
    /// Title.
    pub title: String,
    /// First line returned, from 1.
    pub line_start: usize,
    /// Lines of the whole document.
    pub lines_total: usize,
    /// The lines.
    pub text: String,
    /// Whether the disk holds something else by now.
    pub stale: bool,
}

/// How documents are returned.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Read the file instead of the stored text.
    pub disk: bool,
    /// Name the file on the disk.
    pub full_path: bool,
}

/// Finds the document that `text` names: `gf://collection/path`, `collection/path`, a path on the
/// disk, `#docid` (longer prefixes too) or the end of a path; `:from[:count]` after it.
///
/// # Errors
/// Exit 1 when nothing has that name; exit 2 with the candidates when several have; exit 65; I/O.
pub fn resolve(catalog: &Catalog, text: &str, cwd: &Path) -> Result<Target> {
    // A name that ends in `:12` may also be a file of that name.
    if let Some(target) = find(catalog, text, cwd)? {
        return Ok(target);
    }
    let (name, from, count) = range(text)?;
    if from.is_some()
        && let Some(target) = find(catalog, name, cwd)?
    {
        return Ok(Target { from, count, ..target });
    }
    let list = catalog.command("ls");
    let close = alike(catalog, name)?;
    let hint = if close.is_empty() {
        list
    } else {
        let close = close.join(tr!(" ou ", " or ").as_str());
        tr!("vouliez-vous dire {close} ? tous : {list}", "did you mean {close}? all of them: {list}")
    };
    Err(Error::new(Kind::Negative, tr!("aucun document {text:?}", "there is no document {text:?}"))
        .hint(hint))
}

/// The addresses that come closest to a name that stands for nothing, three at most.
fn alike(catalog: &Catalog, name: &str) -> Result<Vec<String>> {
    let name = name.strip_prefix("gf://").unwrap_or(name).to_lowercase();
    // No path is that long, and comparing takes the product of the lengths.
    if name.is_empty() || name.starts_with('#') || name.len() > 255 {
        return Ok(Vec::new());
    }
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_lowercase();
    let wanted = last(&name);
    let length = wanted.chars().count();
    let mut close = Vec::new();
    for collection in catalog.collections()? {
        for file in catalog.files(collection.id)? {
            let found = last(&file.path);
            // A quarter of the file's name may be mistaken.
            if found.chars().count().abs_diff(length) <= length / 4 + 1 {
                let apart = distance(&wanted, &found);
                if apart <= length / 4 + 1 {
                    let address = format!("{}/{}", collection.name, file.path);
                    close.push((apart, distance(&name, &address.to_lowercase()), address));
                }
            }
        }
    }
    close.sort();
    Ok(close.into_iter().take(3).map(|(_, _, address)| quote(&format!("gf://{address}"))).collect())
}

/// `name`, first line and count of `name[:from[:count]]`.
fn range(text: &str) -> Result<(&str, Option<usize>, Option<usize>)> {
    let number = |t: &str| t.bytes().all(|b| b.is_ascii_digit()).then(|| t.parse::<usize>().ok()).flatten();
    let last = text.rsplit_once(':').and_then(|(head, n)| Some((head, number(n)?)));
    let Some((head, n)) = last else { return Ok((text, None, None)) };
    let (name, from, count) = match head.rsplit_once(':').and_then(|(name, f)| Some((name, number(f)?))) {
        Some((name, from)) => (name, from, Some(n)),
        None => (head, n, None),
    };
    if from == 0 || count == Some(0) {
        return Err(Error::usage(tr!(
            "les lignes se comptent à partir de 1 : {text:?}",
            "lines are counted from 1: {text:?}"
        )));
    }
    Ok((name, Some(from), count))
}

fn find(catalog: &Catalog, name: &str, cwd: &Path) -> Result<Option<Target>> {
    let collections = catalog.collections()?;
    let target = |document: Document, file: File| {
        let collection = collections.iter().find(|c| c.id == file.collection).cloned();
        collection.map(|collection| Target { document, file, collection, from: None, count: None })
    };
    let by_file = |file: File| Ok(target(catalog.document(file.document)?, file));
    if let Some(id) = docid(name) {
        let mut found = catalog.documents_by_hash(&id)?;
        if found.len() > 1 {
            return Err(several(name, found.iter().map(|d| format!("#{}  {}", &d.hash[..12], d.title))));
        }
        if let Some(document) = found.pop() {
            let file = catalog.files_of(document.id)?.into_iter().next();
            return Ok(file.and_then(|file| target(document, file)));
        }
    }
    let address = split(name).or_else(|| name.split_once('/')).unwrap_or(("", name));
    if let Some(collection) = collections.iter().find(|c| c.name == address.0)
        && let Some(file) = catalog.file(collection.id, address.1)?
    {
        return by_file(file);
    }
    if name.starts_with("gf://") || name.is_empty() {
        return Ok(None);
    }
    let path = normal(&cwd.join(name));
    for collection in &collections {
        if let Some(inside) = path.strip_prefix(&collection.root).ok().and_then(Path::to_str)
            && let Some(file) = catalog.file(collection.id, inside)?
        {
            return by_file(file);
        }
    }
    let mut same = Vec::new();
    for collection in &collections {
        let end = format!("/{name}");
        same.extend(
            catalog.files(collection.id)?.into_iter().filter(|f| f.path == name || f.path.ends_with(&end)),
        );
    }
    if same.len() > 1 {
        let uri = |f: &File| {
            let c = collections.iter().find(|c| c.id == f.collection);
            format!("gf://{}/{}", c.map_or("", |c| &c.name), f.path)
        };
        return Err(several(name, same.iter().map(uri)));
    }
    same.pop().map_or(Ok(None), by_file)
}

fn several(name: &str, candidates: impl Iterator<Item = String>) -> Error {
    let list: Vec<String> = candidates.take(20).collect();
    Error::usage(tr!(
        "{name:?} désigne plusieurs documents :\n{}",
        "{name:?} names several documents:\n{}",
        list.join("\n")
    ))
    .hint(tr!("donnez l'adresse ou un identifiant plus long", "give the address or a longer id"))
}

/// The hex digits of `#abc123` or `abc123`.
fn docid(name: &str) -> Option<String> {
    let marked = name.strip_prefix('#');
    let digits = marked.unwrap_or(name).to_ascii_lowercase();
    let least = if marked.is_some() { 1 } else { 6 };
    ((least..=64).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit())).then_some(digits)
}

/// `path` without `.` and `..`, by name alone.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => drop(out.pop()),
            std::path::Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// Reads a document, or the lines its target asks for.
///
/// # Errors
/// Exit 2 when the first line lies behind the end; exit 65; I/O with `disk`.
pub fn get(catalog: &Catalog, target: &Target, options: Options) -> Result<Fetched> {
    let path = catalog.disk_path(&target.file)?;
    let stored = if options.disk {
        disk::read(Path::new(&target.collection.root), &target.file.path)?
    } else {
        catalog.body(target.document.id)?.0
    };
    let total = stored.lines().count();
    let from = target.from.unwrap_or(1);
    if from > total.max(1) {
        return Err(Error::usage(tr!(
            "{} n'a que {total} lignes",
            "{} has only {total} lines",
            target.uri()
        )));
    }
    let text = match (target.from, target.count) {
        (None, None) => stored,
        (_, count) => stored.split_inclusive('\n').skip(from - 1).take(count.unwrap_or(usize::MAX)).collect(),
    };
    Ok(Fetched {
        docid: target.document.docid().to_owned(),
        uri: target.uri(),
        full_path: options.full_path.then(|| path.display().to_string()),
        title: target.document.title.clone(),
        line_start: from,
        lines_total: total,
        text,
        stale: catalog.is_stale(&target.file)?,
    })
}

/// A line of `ls`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// `gf://collection/path`.
    pub uri: String,
    /// Short id.
    pub docid: String,
    /// Length in bytes.
    pub bytes: i64,
    /// Title.
    pub title: String,
    /// Path on the disk.
    #[serde(skip)]
    pub full_path: String,
}

/// The files of a collection, or those under a prefix of it; of all collections without a name.
///
/// # Errors
/// Usage for an unknown collection; exit 1 when nothing lies under the prefix; exit 65.
pub fn ls(catalog: &Catalog, scope: Option<&str>) -> Result<Vec<Listed>> {
    let _still = catalog.snapshot()?;
    let (collections, prefix) = match scope {
        None => (catalog.collections()?, ""),
        Some(text) => {
            let (name, prefix) = split(text).or_else(|| text.split_once('/')).unwrap_or((text, ""));
            (vec![catalog.collection(name)?], prefix.trim_end_matches('/'))
        }
    };
    let mut out = Vec::new();
    for collection in &collections {
        for file in catalog.files(collection.id)? {
            let inside = prefix.is_empty()
                || file.path == prefix
                || file.path.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'));
            if inside {
                let document = catalog.document(file.document)?;
                out.push(Listed {
                    uri: format!("gf://{}/{}", collection.name, file.path),
                    docid: document.docid().to_owned(),
                    bytes: file.size,
                    title: document.title,
                    full_path: format!("{}/{}", collection.root.trim_end_matches('/'), file.path),
                });
            }
        }
    }
    if out.is_empty() && !prefix.is_empty() {
        return Err(Error::new(Kind::Negative, tr!("rien sous {prefix:?}", "nothing under {prefix:?}")));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        assert_eq!(range("a.md").unwrap(), ("a.md", None, None));
        assert_eq!(range("a.md:10").unwrap(), ("a.md", Some(10), None));
        assert_eq!(range("#abc123:10:5").unwrap(), ("#abc123", Some(10), Some(5)));
        assert_eq!(range("gf://c/a.md:3").unwrap(), ("gf://c/a.md", Some(3), None));
        assert_eq!(range("a:b:7").unwrap(), ("a:b", Some(7), None));
        assert_eq!(range("gf://c/a.md:-3").unwrap(), ("gf://c/a.md:-3", None, None));
        assert_eq!(range("a:0").unwrap_err().exit(), 2);
        assert_eq!(range("a:1:0").unwrap_err().exit(), 2);
        assert_eq!(range("a:99999999999999999999999").unwrap(), ("a:99999999999999999999999", None, None));
    }

    #[test]
    fn ids_and_paths() {
        assert_eq!(docid("#ABC").as_deref(), Some("abc"));
        assert_eq!(docid("abc123").as_deref(), Some("abc123"));
        assert_eq!(docid("abc12"), None);
        assert_eq!(docid("#xyz"), None);
        assert_eq!(docid("#"), None);
        assert_eq!(normal(Path::new("/a/./b/../c")), Path::new("/a/c"));
    }
}
