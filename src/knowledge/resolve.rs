//! Where links lead, looked up with the case the directories really have.
//!
//! Every segment is compared with real directory entries, so that a wrong case is found on every
//! system. Nothing above the repository (the folder of `.rag`) or the root is ever looked at.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};
use unicode_normalization::UnicodeNormalization;

use super::marker::Marker;
use super::walk::under;
use crate::markdown::target::Local;

/// What a local path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A page of the base.
    Page(String),
    /// The page the link stands on.
    Itself,
    /// Another file under the root.
    Asset(String),
    /// A file or folder of the repository outside the root; the path from the folder of `.rag`.
    Code(String),
    /// Nothing usable.
    Broken(Broken),
}

/// Why a link leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// No such file.
    Missing,
    /// It exists in another case or normal form: the real path.
    WrongCase(String),
    /// A folder, not a page.
    Folder,
    /// The same name with the extension of a page exists.
    NoExtension(String),
    /// A file used as a folder.
    FileAsFolder,
    /// It leaves both the root and the repository.
    Outside,
    /// Written with backslashes; the path with slashes.
    Backslash(String),
    /// It exists but is skipped: a draft, hidden or ignored file.
    Skipped,
    /// A segment that no file name can have.
    Impossible,
}

/// Looks paths up; directories are listed once.
#[derive(Debug)]
pub struct Resolver<'a> {
    marker: &'a Marker,
    pages: FxHashSet<&'a str>,
    /// How many levels the root lies under the folder of `.rag`, with that path.
    root_from_home: Option<String>,
    folders: Mutex<FxHashMap<PathBuf, Option<Names>>>,
}

impl<'a> Resolver<'a> {
    /// A resolver over these pages.
    pub fn new(marker: &'a Marker, pages: impl IntoIterator<Item = &'a str>) -> Self {
        Resolver {
            marker,
            pages: pages.into_iter().collect(),
            root_from_home: marker.root_from_home(),
            folders: Mutex::default(),
        }
    }

    /// What `local`, written on `page`, leads to.
    pub fn find(&self, page: &str, local: &Local) -> Found {
        if local.is_self() {
            return Found::Itself;
        }
        if local.backslash {
            return Found::Broken(Broken::Backslash(local.segments.join("/").replace('\\', "/")));
        }
        let Some(resolved) = local.resolve(page) else { return Found::Broken(Broken::Impossible) };
        if resolved.up > 0 {
            return self.outside(resolved.up, &resolved.path);
        }
        let path = resolved.path.as_str();
        if self.pages.contains(path) && !local.folder {
            return if path == page { Found::Itself } else { Found::Page(path.to_owned()) };
        }
        match self.look(&self.marker.root, path) {
            Look::File if local.folder => Found::Broken(Broken::FileAsFolder),
            Look::File if self.is_page(path) => Found::Broken(Broken::Skipped),
            Look::File => Found::Asset(path.to_owned()),
            Look::Folder => self.folder(path),
            Look::Case(real) => Found::Broken(Broken::WrongCase(real)),
            Look::FileAsFolder => Found::Broken(Broken::FileAsFolder),
            Look::Nothing => self.missing(path),
        }
    }

    /// A page named from the root, as in `related`.
    pub fn page_from_root(&self, local: &Local) -> Found {
        self.find("", local)
    }

    /// What a path from the folder of `.rag` leads to: `Ok(true)` a folder, `Ok(false)` a file.
    ///
    /// # Errors
    /// Why it leads nowhere.
    pub fn in_home(&self, path: &str) -> Result<bool, Broken> {
        if path.split('/').any(|s| s == "..") || path.starts_with('/') {
            return Err(Broken::Outside);
        }
        match self.look(&self.marker.home, path) {
            Look::File => Ok(false),
            Look::Folder => Ok(true),
            Look::Case(real) => Err(Broken::WrongCase(real)),
            Look::FileAsFolder => Err(Broken::FileAsFolder),
            Look::Nothing => Err(Broken::Missing),
        }
    }

    fn is_page(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        super::walk::is_page_name(self.marker, name) && !super::names::is_reserved(self.marker, name)
    }

    /// A folder stands for the page `index` in it, when there is one: otherwise it is no page.
    fn folder(&self, path: &str) -> Found {
        let beside = format!("{path}.md");
        if self.pages.contains(beside.as_str()) {
            return Found::Broken(Broken::NoExtension(beside));
        }
        Found::Broken(Broken::Folder)
    }

    fn missing(&self, path: &str) -> Found {
        for extension in &self.marker.extensions {
            let with = format!("{path}.{extension}");
            if self.pages.contains(with.as_str()) {
                return Found::Broken(Broken::NoExtension(with));
            }
        }
        Found::Broken(Broken::Missing)
    }

    /// A path `up` levels above the root: inside the repository it is a reference to code.
    fn outside(&self, up: usize, path: &str) -> Found {
        let Some(root) = &self.root_from_home else { return Found::Broken(Broken::Outside) };
        let parts: Vec<&str> = root.split('/').filter(|s| !s.is_empty()).collect();
        if up > parts.len() {
            return Found::Broken(Broken::Outside);
        }
        let mut all: Vec<&str> = parts[..parts.len() - up].to_vec();
        all.extend(path.split('/').filter(|s| !s.is_empty()));
        let full = all.join("/");
        match self.look(&self.marker.home, &full) {
            Look::File | Look::Folder => Found::Code(full),
            Look::Case(real) => Found::Broken(Broken::WrongCase(real)),
            Look::FileAsFolder => Found::Broken(Broken::FileAsFolder),
            Look::Nothing => Found::Broken(Broken::Missing),
        }
    }

    fn look(&self, base: &Path, path: &str) -> Look {
        let mut dir = base.to_owned();
        let mut real: Vec<String> = Vec::new();
        let mut exact = true;
        let parts: Vec<&str> = path.split('/').filter(|s| !s.is_empty()).collect();
        for (i, part) in parts.iter().enumerate() {
            let entry = self.entry(&dir, part);
            let Some(name) = entry else {
                let is_file = i > 0 && under(base, &real.join("/")).is_file();
                return if is_file { Look::FileAsFolder } else { Look::Nothing };
            };
            exact &= name == *part;
            dir.push(&name);
            real.push(name);
        }
        // One call says what it is; a link that leaves is not followed further than this.
        match fs::metadata(&dir) {
            _ if !exact => Look::Case(real.join("/")),
            Ok(meta) if meta.is_dir() => Look::Folder,
            Ok(meta) if meta.is_file() => Look::File,
            // Its folder names it: it is there, and whoever reads it learns why it cannot be read.
            Err(e) if !is_absence(&e) => Look::File,
            _ => Look::Nothing,
        }
    }

    /// The real name of the entry `part` of `dir`: exact, else the only one that differs by case or
    /// normal form.
    fn entry(&self, dir: &Path, part: &str) -> Option<String> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if !folders.contains_key(dir) {
            match Names::read(dir) {
                Ok(names) => folders.insert(dir.to_owned(), Some(names)),
                Err(e) if is_absence(&e) => folders.insert(dir.to_owned(), None),
                // A folder that cannot be listed may still be passed through.
                Err(_) => return fs::symlink_metadata(dir.join(part)).is_ok().then(|| part.to_owned()),
            };
        }
        folders.get(dir)?.as_ref()?.find(part)
    }
}

/// The entries of a directory, exact and folded.
#[derive(Debug, Default)]
struct Names {
    exact: FxHashSet<String>,
    folded: FxHashMap<String, Vec<String>>,
}

impl Names {
    fn read(dir: &Path) -> io::Result<Self> {
        let mut names = Names::default();
        for entry in fs::read_dir(dir)? {
            let Ok(name) = entry?.file_name().into_string() else { continue };
            names.folded.entry(fold(&name)).or_default().push(name.clone());
            names.exact.insert(name);
        }
        Ok(names)
    }

    fn find(&self, part: &str) -> Option<String> {
        if self.exact.contains(part) {
            return Some(part.to_owned());
        }
        match self.folded.get(&fold(part))?.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        }
    }
}

/// Whether an error says that nothing is there, rather than that it cannot be looked at.
fn is_absence(e: &io::Error) -> bool {
    matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
        || e.raw_os_error() == Some(libc::ELOOP)
}

enum Look {
    File,
    Folder,
    Case(String),
    FileAsFolder,
    Nothing,
}

/// Case and normal form taken away.
pub fn fold(name: &str) -> String {
    name.nfc().flat_map(char::to_lowercase).collect()
}
