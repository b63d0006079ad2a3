//! Whether pages still describe the code they name, judged by content.
//!
//! The ledger says what a page was last acknowledged against; without an entry, git's history since
//! the page's `updated` decides; without git, modification times. What cannot be judged is said to
//! be unknown, never fresh.

pub mod history;
pub mod ids;
pub mod judge;
pub mod ledger;
pub mod reference;
mod symbols;
pub mod wide;

use std::ops::Range;

pub use judge::judge;
pub use ledger::Ledger;
pub use reference::{Kind, Reference};

/// How one `impl_ref` of one page stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The page, by path.
    pub page: String,
    /// The reference as written.
    pub text: String,
    /// Its bytes in the page.
    pub span: Range<usize>,
    /// Its identity now; `None` when it is missing.
    pub id: Option<String>,
    /// How it stands.
    pub state: State,
    /// How many files it names.
    pub files: usize,
}

/// How a reference stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// As acknowledged, or unchanged since `updated`.
    Fresh,
    /// Changed.
    Changed(Changed),
    /// Not there.
    Missing(Missing),
    /// Cannot be judged, and why.
    Unknown(Unknown),
}

/// What changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Commits that did it, newest first; empty when it is uncommitted or git does not know.
    pub commits: Vec<CommitRef>,
    /// The files of a folder or glob that did, sorted; empty where they are not known.
    pub files: Vec<String>,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// Only white space differs.
    pub whitespace_only: bool,
    /// The work tree differs from the last commit.
    pub uncommitted: bool,
    /// Judged by the files' days alone, for want of git.
    pub by_time: bool,
    /// The identity it had; where known.
    pub before: Option<String>,
}

/// A commit, shortly.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CommitRef {
    /// Twelve digits of its id.
    pub id: String,
    /// Its day.
    pub day: String,
    /// Its subject.
    pub subject: String,
}

/// Why it is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It is there and cannot be read; the system's words.
    Unreadable(String),
    /// git knows where it went.
    Renamed(String),
    /// The path exists in another case.
    WrongCase(String),
    /// It leaves the repository.
    Outside,
    /// The lines are past the end of the file.
    Lines,
    /// Nothing there.
    Gone,
}

/// Why it cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// It is there and cannot be read; the system's words.
    Unreadable(String),
    /// The clone is shallow: history is cut before `updated`.
    Shallow,
    /// The page has no valid `updated`.
    NoDate,
    /// git has it and keeps it out of this work tree: a sparse checkout, a submodule not checked out.
    Sparse,
    /// git failed; its words.
    Git(String),
}

/// All verdicts, in page order then reference order.
#[derive(Clone, Debug, Default)]
pub struct Drift {
    /// The verdicts.
    pub verdicts: Vec<Verdict>,
    /// The clone is shallow.
    pub shallow: bool,
    /// There is no repository.
    pub no_git: bool,
}

impl Drift {
    /// The verdicts of one page.
    pub fn of<'a>(&'a self, page: &'a str) -> impl Iterator<Item = &'a Verdict> {
        self.verdicts.iter().filter(move |v| v.page == page)
    }

    /// Whether a reference of the page changed in more than white space, or is gone.
    pub fn is_drifted(&self, page: &str) -> bool {
        self.of(page).any(|v| match &v.state {
            State::Changed(c) => !c.whitespace_only,
            State::Missing(_) => true,
            _ => false,
        })
    }
}
