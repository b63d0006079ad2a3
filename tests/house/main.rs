//! The rules of the house, read off the sources: who may use whom, how long files are, what never
//! stands in them, and that no file is forgotten.
#![expect(clippy::unwrap_used, reason = "a broken tree is a failed test")]

mod layers;
mod shape;

use std::path::{Path, PathBuf};

/// A source file: its path relative to the package, with `/`, and its text.
pub struct Source {
    /// Such as `src/store/open.rs`.
    pub path: String,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// The room of a library file, such as `store`; `lib` for `src/lib.rs`.
    pub fn room(&self) -> &str {
        let inside = self.path.strip_prefix("src/").unwrap_or(&self.path);
        inside.split(['/', '.']).next().unwrap_or_default()
    }

    /// The lines that are code, with their numbers: no comments, nothing after the tests begin.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let end = if self.path.ends_with("/tests.rs") { 0 } else { usize::MAX };
        self.text
            .lines()
            .take(end)
            .take_while(|l| l.trim() != "#[cfg(test)]")
            .enumerate()
            .map(|(i, l)| (i + 1, l))
            .filter(|(_, l)| !l.trim_start().starts_with("//"))
    }
}

/// The package's directory.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file under `dir`, in path order.
pub fn sources(dir: &str) -> Vec<Source> {
    let mut found = Vec::new();
    let mut todo: Vec<PathBuf> = vec![root().join(dir)];
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(std::fs::read_dir(&path).unwrap().map(|e| e.unwrap().path()));
        } else if path.extension().is_some_and(|e| e == "rs") {
            let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
            found.push(Source { path: name, text: std::fs::read_to_string(&path).unwrap() });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!found.is_empty(), "no sources in {dir}");
    found
}

/// Fails with every offence at once.
pub fn none(offences: Vec<String>) {
    assert!(offences.is_empty(), "\n{}\n", offences.join("\n"));
}
