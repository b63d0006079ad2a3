//! `.rag.lock`: what each page was last acknowledged against.
//!
//! One line a reference, sorted: page, reference, id, and, for a page that was set to needs-review,
//! the reason, separated by tabs. A merge conflict in it keeps both sides until the next writing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::base::error::IoContext;
use crate::base::{Error, Result};
use crate::knowledge::read;
use crate::store::atomic;

/// The name of the file, beside `.rag`.
pub const NAME: &str = ".rag.lock";

/// The id of a reference whose acknowledged content is not known.
pub const UNKNOWN: &str = "-";

/// What one reference was acknowledged against.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The id; several after a merge of two branches.
    pub ids: Vec<String>,
    /// Why the page was set to needs-review because of it.
    pub reason: Option<String>,
}

/// The ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    entries: BTreeMap<(String, String), Entry>,
}

impl Ledger {
    /// The path of the ledger beside the `.rag` in `home`.
    pub fn path(home: &Path) -> PathBuf {
        home.join(NAME)
    }

    /// Reads the ledger beside `.rag`; none is an empty one.
    ///
    /// # Errors
    /// An input error.
    pub fn read(home: &Path) -> Result<Self> {
        let path = Self::path(home);
        match read::bytes(&path) {
            Ok(bytes) => Ok(Self::parse(&String::from_utf8_lossy(&bytes))),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(e) => Err(Error::io(&path, &e)),
        }
    }

    /// Reads its text; lines that are not of its form (conflict marks) are skipped.
    pub fn parse(text: &str) -> Self {
        let mut ledger = Ledger::default();
        for line in text.lines() {
            let mut fields = line.splitn(4, '\t');
            let (Some(page), Some(reference), Some(id)) = (fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            let entry = ledger.entries.entry((page.to_owned(), reference.to_owned())).or_default();
            if !entry.ids.iter().any(|i| i == id) {
                entry.ids.push(id.to_owned());
            }
            entry.reason = entry.reason.take().or(fields.next().map(str::to_owned));
        }
        ledger
    }

    /// Its text.
    pub fn render(&self) -> String {
        let mut out = String::new();
        for ((page, reference), entry) in &self.entries {
            for id in &entry.ids {
                out.push_str(&format!("{page}\t{reference}\t{id}"));
                if let Some(reason) = &entry.reason {
                    out.push_str(&format!("\t{}", reason.replace(['\t', '\n', '\r'], " ")));
                }
                out.push('\n');
            }
        }
        out
    }

    /// Writes it beside `.rag` when its bytes change; says whether it did.
    ///
    /// # Errors
    /// An input or output error.
    pub fn write(&self, home: &Path) -> Result<bool> {
        let path = Self::path(home);
        let text = self.render();
        if read::bytes(&path).map(|b| b == text.as_bytes()).unwrap_or(text.is_empty()) {
            return Ok(false);
        }
        if text.is_empty() {
            fs::remove_file(&path).at(&path)?;
        } else {
            atomic::replace_unlocked(&path, text.as_bytes())?;
        }
        Ok(true)
    }

    /// The entry of a reference.
    pub fn get(&self, page: &str, reference: &str) -> Option<&Entry> {
        self.entries.get(&(page.to_owned(), reference.to_owned()))
    }

    /// Records that `page` was checked against `reference`, which has this `id`.
    pub fn acknowledge(&mut self, page: &str, reference: &str, id: &str) {
        if page.contains(['\t', '\n']) || reference.contains(['\t', '\n', '\r']) {
            return;
        }
        let entry = Entry { ids: vec![id.to_owned()], reason: None };
        self.entries.insert((page.to_owned(), reference.to_owned()), entry);
    }

    /// Notes why the page was set to needs-review; `id` is what it was last known to be.
    pub fn note(&mut self, page: &str, reference: &str, id: Option<&str>, reason: &str) {
        if page.contains(['\t', '\n']) || reference.contains(['\t', '\n', '\r']) {
            return;
        }
        let entry = self.entries.entry((page.to_owned(), reference.to_owned())).or_default();
        if entry.ids.is_empty() {
            entry.ids.push(id.unwrap_or(UNKNOWN).to_owned());
        }
        entry.reason = Some(reason.replace(['\t', '\n', '\r'], " "));
    }

    /// The reasons noted for a page, with their references.
    pub fn reasons<'a>(&'a self, page: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.entries
            .iter()
            .filter(move |((p, _), _)| p == page)
            .filter_map(|((_, r), e)| Some((r.as_str(), e.reason.as_deref()?)))
    }

    /// Keeps the entries for which `keep` says so of page and reference.
    pub fn retain(&mut self, keep: impl Fn(&str, &str) -> bool) {
        self.entries.retain(|(page, reference), _| keep(page, reference));
    }

    /// Moves the entries of a page to its new path.
    pub fn rename_page(&mut self, old: &str, new: &str) {
        let moved: Vec<_> = self.entries.keys().filter(|(p, _)| p == old).cloned().collect();
        for key in moved {
            if let Some(entry) = self.entries.remove(&key) {
                self.entries.insert((new.to_owned(), key.1), entry);
            }
        }
    }

    /// Moves one entry to its reference's new text.
    pub fn rename_reference(&mut self, page: &str, old: &str, new: &str) {
        if let Some(entry) = self.entries.remove(&(page.to_owned(), old.to_owned())) {
            self.entries.insert((page.to_owned(), new.to_owned()), entry);
        }
    }

    /// Whether it has no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_sorted_and_survives_a_conflict() {
        let mut l = Ledger::default();
        l.acknowledge("b.md", "src/x", "2");
        l.acknowledge("a.md", "src/y", "1");
        l.note("a.md", "src/y", Some("9"), "changed\tby x");
        assert_eq!(l.render(), "a.md\tsrc/y\t1\tchanged by x\nb.md\tsrc/x\t2\n");
        assert_eq!(Ledger::parse(&l.render()), l);
        let merged = Ledger::parse("<<<<<<< a\na.md\tx\t1\n=======\na.md\tx\t2\r\n>>>>>>> b\n");
        assert_eq!(merged.get("a.md", "x").map(|e| e.ids.len()), Some(2));
    }
}
