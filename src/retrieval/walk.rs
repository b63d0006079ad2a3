//! Finding the files of a collection: masks, gitignore rules, what is left out and why.
//!
//! Hidden files are off by default; symbolic links are followed only when asked, and never out of
//! the root.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;

use super::catalog::collections::Collection;
use super::catalog::documents::stamp;
use crate::base::{Error, Result};
use crate::tr;

/// Entries that an estimate looks at, at most.
const GLANCE: usize = 20_000;

/// Most bytes of a `.gitignore`.
const LONGEST_RULES: u64 = 4 << 20;

/// A file on the disk that belongs to a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Path relative to the root, with `/`.
    pub path: String,
    /// Length in bytes.
    pub size: i64,
    /// Modification time, nanoseconds since the epoch.
    pub mtime: i64,
}

/// Files left out, by reason.
pub type Skipped = BTreeMap<&'static str, u64>;

/// What a walk finds.
#[derive(Debug, Default)]
pub struct Walk {
    /// By path.
    pub files: Vec<Found>,
    /// Why others were left out.
    pub skipped: Skipped,
    /// Directories and files that are there and could not be looked at, relative to the root: whether
    /// what was known below them is gone cannot be told.
    pub unread: Vec<PathBuf>,
}

/// Compiled masks of a collection.
pub struct Masks {
    take: GlobSet,
    leave: GlobSet,
}

/// Compiles the globs of a collection.
///
/// # Errors
/// Usage naming the bad glob.
pub fn masks(collection: &Collection) -> Result<Masks> {
    Ok(Masks { take: set(std::slice::from_ref(&collection.mask))?, leave: set(&collection.ignore)? })
}

/// Compiles globs as every command takes them: `*` stays in a directory, `**` crosses them; a glob
/// without `/` matches names at any depth.
///
/// # Errors
/// Usage naming the bad glob.
pub fn set(globs: &[String]) -> Result<GlobSet> {
    let mut builder = GlobSetBuilder::new();
    for glob in globs {
        let bad = |e: globset::Error| Error::usage(tr!("motif refusé : {e}", "bad glob: {e}"));
        let anchored =
            if glob.contains('/') { glob.trim_start_matches('/').to_owned() } else { format!("**/{glob}") };
        builder.add(GlobBuilder::new(&anchored).literal_separator(true).build().map_err(bad)?);
        // A directory means what is in it.
        let inside = format!("{}/**", anchored.trim_end_matches('/'));
        if !anchored.ends_with('*') && !anchored.ends_with('}') {
            builder.add(GlobBuilder::new(&inside).literal_separator(true).build().map_err(bad)?);
        }
    }
    builder.build().map_err(|e| Error::usage(tr!("motif refusé : {e}", "bad glob: {e}")))
}

/// Walks the root of `collection`.
///
/// # Errors
/// Usage for a bad glob, and for a `.gitignore` and its like that is no regular file or far too long;
/// I/O when the root cannot be read. Unreadable entries are counted.
pub fn walk(collection: &Collection) -> Result<Walk> {
    let masks = masks(collection)?;
    let root = PathBuf::from(&collection.root);
    let real = root.canonicalize().map_err(|e| Error::io(&root, &e))?;
    std::fs::read_dir(&root).map_err(|e| Error::io(&root, &e))?;
    let found = std::sync::Mutex::new(Walk::default());
    // The rules above the root count, too.
    if let Some(odd) = real.ancestors().find_map(odd_rules) {
        return Err(refused(&odd));
    }
    let inside = real.clone();
    let odd = std::sync::Arc::new(std::sync::Mutex::new(None));
    let met = std::sync::Arc::clone(&odd);
    let walker = WalkBuilder::new(&root)
        .hidden(!collection.hidden)
        .follow_links(collection.follow)
        .require_git(false)
        .git_global(false)
        // What a linked directory holds is no link itself: the way out is closed at its door.
        .filter_entry(move |entry| {
            if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
                return true;
            }
            let leads_in = |path: &Path| path.canonicalize().is_ok_and(|target| target.starts_with(&inside));
            if entry.path_is_symlink() && !leads_in(entry.path()) {
                return false;
            }
            let Some(found) = odd_rules(entry.path()) else { return true };
            met.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(found);
            false
        })
        .threads(2)
        .build_parallel();
    walker.run(|| {
        let mut local = Local { walk: Walk::default(), into: &found };
        let (masks, root, real) = (&masks, &root, &real);
        Box::new(move |entry| {
            match entry {
                Ok(entry) => look(&entry, root, real, masks, collection.follow, &mut local.walk),
                Err(error) => {
                    *local.walk.skipped.entry("unreadable").or_default() += 1;
                    let inside = place(&error).and_then(|path| path.strip_prefix(root).ok());
                    local.walk.unread.extend(inside.map(Path::to_owned));
                }
            }
            ignore::WalkState::Continue
        })
    });
    // Without its rules, nobody knows what the directory wants to be left out.
    if let Some(odd) = odd.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(refused(&odd));
    }
    let mut walk = found.into_inner().unwrap_or_default();
    walk.files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(walk)
}

/// Number and bytes of the files that a collection of `root` with the default settings would take, for an
/// estimate; `None` when looking takes too long for one.
pub fn glance(root: &Path) -> Option<(u64, u64)> {
    let (mut files, mut bytes) = (0, 0);
    if root.ancestors().any(|dir| odd_rules(dir).is_some()) {
        return None;
    }
    let mut walker = WalkBuilder::new(root);
    walker.require_git(false).git_global(false).filter_entry(|entry| {
        !entry.file_type().is_some_and(|kind| kind.is_dir()) || odd_rules(entry.path()).is_none()
    });
    for (seen, entry) in walker.build().enumerate() {
        if seen > GLANCE {
            return None;
        }
        let Ok(entry) = entry else { continue };
        let plain = entry.file_type().is_some_and(|kind| kind.is_file());
        if plain && entry.file_name().as_encoded_bytes().ends_with(b".md") {
            files += 1;
            bytes += entry.metadata().map_or(0, |m| m.len());
        }
    }
    Some((files, bytes))
}

/// The path that an error of the walk concerns.
fn place(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => place(err),
        ignore::Error::Loop { child, .. } => Some(child),
        _ => None,
    }
}

/// A file of rules in `dir` whose reading would wait or not end: a FIFO, a device, a giant.
fn odd_rules(dir: &Path) -> Option<PathBuf> {
    [".gitignore", ".ignore", ".git/info/exclude"].iter().map(|name| dir.join(name)).find(|path| {
        path.metadata().is_ok_and(|meta| !meta.is_dir() && (!meta.is_file() || meta.len() > LONGEST_RULES))
    })
}

fn refused(rules: &Path) -> Error {
    let rules = rules.display();
    Error::usage(tr!(
        "{rules} n'est pas un fichier ordinaire de {LONGEST_RULES} octets au plus",
        "{rules} is not a regular file of at most {LONGEST_RULES} bytes"
    ))
    .hint(tr!("ôtez-le, ou faites-en un fichier de règles", "take it away, or make it a file of rules"))
}

/// A thread's findings, merged when it ends.
struct Local<'a> {
    walk: Walk,
    into: &'a std::sync::Mutex<Walk>,
}

impl Drop for Local<'_> {
    fn drop(&mut self) {
        let Ok(mut into) = self.into.lock() else { return };
        into.files.append(&mut self.walk.files);
        into.unread.append(&mut self.walk.unread);
        for (reason, n) in &self.walk.skipped {
            *into.skipped.entry(reason).or_default() += n;
        }
    }
}

fn look(entry: &ignore::DirEntry, root: &Path, real: &Path, masks: &Masks, follow: bool, walk: &mut Walk) {
    let mut skip = |reason| *walk.skipped.entry(reason).or_default() += 1;
    let Some(kind) = entry.file_type() else { return };
    if kind.is_dir() {
        return;
    }
    let Some(path) = entry.path().strip_prefix(root).ok().and_then(Path::to_str) else {
        return skip("name is not UTF-8");
    };
    if !masks.take.is_match(path) {
        return;
    }
    if masks.leave.is_match(path) {
        return skip("ignored");
    }
    if entry.path_is_symlink() {
        if !follow {
            return skip("symbolic link");
        }
        if !entry.path().canonicalize().is_ok_and(|target| target.starts_with(real)) {
            return skip("link out of the root");
        }
    }
    if !kind.is_file() {
        return skip("not a regular file");
    }
    let Ok(meta) = entry.metadata() else {
        walk.unread.push(path.into());
        *walk.skipped.entry("unreadable").or_default() += 1;
        return;
    };
    let (size, mtime) = stamp(&meta);
    walk.files.push(Found { path: path.to_owned(), size, mtime });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collection(root: &Path) -> Collection {
        Collection {
            id: 0,
            name: "c".into(),
            root: root.to_str().unwrap().into(),
            mask: "**/*.md".into(),
            ignore: vec!["drafts".into(), "*.tmp.md".into()],
            update_cmd: None,
            included: true,
            language: None,
            hidden: false,
            follow: false,
            updated: None,
        }
    }

    #[test]
    fn takes_what_the_rules_say() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        for sub in ["a/b", "drafts", ".hidden", "built"] {
            std::fs::create_dir_all(root.join(sub)).unwrap();
        }
        std::fs::write(dir.path().join("outside.md"), "x").unwrap();
        for file in [
            "x.md",
            "a/b/y.md",
            "a/z.txt",
            "drafts/d.md",
            "a/n.tmp.md",
            ".hidden/h.md",
            ".dot.md",
            "built/o.md",
        ] {
            std::fs::write(root.join(file), "text").unwrap();
        }
        std::fs::write(root.join(".gitignore"), "built/\n").unwrap();
        std::os::unix::fs::symlink(dir.path().join("outside.md"), root.join("out.md")).unwrap();
        std::os::unix::fs::symlink(root.join("x.md"), root.join("in.md")).unwrap();
        std::os::unix::fs::symlink(dir.path(), root.join("up")).unwrap();

        let mut c = collection(&root);
        let paths =
            |c: &Collection| -> Vec<String> { walk(c).unwrap().files.into_iter().map(|f| f.path).collect() };
        assert_eq!(paths(&c), ["a/b/y.md", "x.md"]);
        assert_eq!(walk(&c).unwrap().skipped["ignored"], 2);
        assert_eq!(walk(&c).unwrap().skipped["symbolic link"], 2);
        c.follow = true;
        assert_eq!(paths(&c), ["a/b/y.md", "in.md", "x.md"], "links stay inside the root");
        c.hidden = true;
        assert!(paths(&c).contains(&".hidden/h.md".to_owned()));
        c.mask = "*.txt".into();
        assert_eq!(paths(&c), ["a/z.txt"]);
        c.mask = "a/[".into();
        assert_eq!(walk(&c).unwrap_err().exit(), 2);
        c = collection(&root.join("absent"));
        assert_eq!(walk(&c).unwrap_err().exit(), 74);
    }
}
