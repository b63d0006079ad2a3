//! A base in a temporary folder, and a git repository with dates of our choosing.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use govmem::base::Date;
use govmem::knowledge::check::{Options, Report, check};
use govmem::knowledge::drift::{Drift, Ledger, judge};
use govmem::knowledge::edit::ack;
use govmem::knowledge::{Base, Code, indexes, marker};

/// A workspace with a `.rag` and a root `docs`.
pub struct World {
    dir: tempfile::TempDir,
}

impl World {
    /// A workspace whose `.rag` has these further lines.
    pub fn new(more: &str) -> Self {
        let world = World { dir: tempfile::tempdir().expect("folder") };
        world.write(".rag", &format!("version: \"1\"\nroot: ./docs\nlang: fr\n{more}"));
        world
    }

    pub fn home(&self) -> &Path {
        self.dir.path()
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.home().join(path)
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        std::fs::write(path, text).expect("write");
    }

    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).expect(path)
    }

    /// A page with complete front matter and these further fields.
    pub fn page(&self, path: &str, fields: &str, body: &str) {
        self.write(&format!("docs/{path}"), &page("2026-07-01", fields, body));
    }

    pub fn base(&self) -> Base {
        Base::load(marker::open(self.home()).expect("marker")).expect("base")
    }

    /// Makes the indexes.
    pub fn index(&self) {
        let base = self.base();
        indexes::write(&base.marker, &indexes::plan(&base)).expect("write");
    }

    pub fn check(&self) -> Report {
        check(&self.base(), &options()).expect("check")
    }

    /// The codes found on a page (or file), sorted.
    pub fn codes(&self, file: &str) -> Vec<Code> {
        let file = format!("docs/{file}");
        self.check().findings.iter().filter(|f| f.file == file).map(|f| f.code).collect()
    }

    pub fn drift(&self) -> Drift {
        let base = self.base();
        judge(&base, &Ledger::read(self.home()).expect("ledger"), |_| true)
    }

    pub fn ack(&self, page: &str) {
        let base = self.base();
        ack::plan(&base, base.page(page).expect("page"), None).expect("ack").write(&base).expect("write");
    }

    /// Every file and its bytes, `.git` aside.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut out = Vec::new();
        let mut stack = vec![self.home().to_owned()];
        while let Some(dir) = stack.pop() {
            for entry in std::fs::read_dir(dir).expect("folder").flatten() {
                let path = entry.path();
                if path.file_name().is_some_and(|n| n == ".git") {
                } else if path.is_dir() {
                    stack.push(path);
                } else {
                    let bytes = std::fs::read(&path).expect("file");
                    out.push((path, bytes));
                }
            }
        }
        out.sort();
        out
    }

    pub fn git(&self, day: &str, args: &[&str]) -> String {
        git_in(self.home(), day, args)
    }

    /// Adds everything and commits it on `day`.
    pub fn commit(&self, day: &str, message: &str) {
        self.git(day, &["add", "-A"]);
        self.git(day, &["commit", "-q", "-m", message]);
    }
}

/// Runs git with fixed identity and dates.
pub fn git_in(dir: &Path, day: &str, args: &[&str]) -> String {
    let date = format!("{day}T12:00:00+0000");
    let out = Command::new("git")
        .current_dir(dir)
        .args(["-c", "init.defaultBranch=main", "-c", "user.name=n", "-c", "user.email=n@example.org"])
        .args(["-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false"])
        .args(args)
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_DATE", &date)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("GIT_DIR")
        .output()
        .expect("git");
    assert!(out.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// The text of a page with complete front matter.
pub fn page(updated: &str, fields: &str, body: &str) -> String {
    format!(
        "---\ntitle: \"Titre\"\nsummary: \"Un résumé.\"\ntype: feature\nstatus: stable\ntags: [a]\nupdated: {updated}\n{fields}---\n\n{body}\n"
    )
}

pub fn options() -> Options {
    Options::on(Date::parse("2026-07-10").expect("day"))
}

/// What a command printed.
pub fn out(o: &Output) -> String {
    String::from_utf8_lossy(&o.stdout).into_owned()
}

/// What a command said beside its result.
pub fn err(o: &Output) -> String {
    String::from_utf8_lossy(&o.stderr).into_owned()
}
