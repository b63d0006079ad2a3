//! What the log says about one path: where it went, and what changed it since when.

use crate::knowledge::git::{Change, Commit};

use super::CommitRef;

/// A change of a file with its commit.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The commit.
    pub commit: &'a Commit,
    /// What it did to the file.
    pub change: &'a Change,
}

/// The changes of the file that is at `path` now, newest first, renames followed backwards.
pub fn of<'a>(log: &'a [Commit], path: &str) -> Vec<Step<'a>> {
    let mut name = path.to_owned();
    let mut out = Vec::new();
    for commit in log {
        let touched = commit.changes.iter().find(|c| {
            c.new == name || c.submodule && name.strip_prefix(&c.new).is_some_and(|r| r.starts_with('/'))
        });
        if let Some(change) = touched {
            out.push(Step { commit, change });
            if change.status == b'R' {
                name.clone_from(&change.old);
            }
        }
    }
    out
}

/// Where the file that once was at `path` is now; `None` when the log knows of no rename.
pub fn destination(log: &[Commit], path: &str) -> Option<String> {
    let mut name = path.to_owned();
    for commit in log.iter().rev() {
        if let Some(change) = commit.changes.iter().find(|c| c.status == b'R' && c.old == name) {
            name.clone_from(&change.new);
        }
    }
    (name != path).then_some(name)
}

/// Where a folder went: the folder that most of its files were renamed into.
pub fn folder_destination(log: &[Commit], folder: &str) -> Option<String> {
    let prefix = format!("{folder}/");
    let mut votes: Vec<(String, usize)> = Vec::new();
    for change in log.iter().flat_map(|c| &c.changes).filter(|c| c.status == b'R') {
        let Some(rest) = change.old.strip_prefix(&prefix) else { continue };
        let Some(head) = change.new.strip_suffix(rest).and_then(|h| h.strip_suffix('/')) else { continue };
        match votes.iter_mut().find(|v| v.0 == head) {
            Some(vote) => vote.1 += 1,
            None => votes.push((head.to_owned(), 1)),
        }
    }
    votes.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0))).map(|v| v.0)
}

/// A commit, shortly.
pub fn short(commit: &Commit) -> CommitRef {
    CommitRef {
        id: commit.id.get(..12).unwrap_or(&commit.id).to_owned(),
        day: commit.day.clone(),
        subject: commit.subject.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(id: &str, changes: &[(u8, &str, &str)]) -> Commit {
        Commit {
            id: id.to_owned(),
            day: "2026-01-01".to_owned(),
            subject: String::new(),
            changes: changes
                .iter()
                .map(|(status, old, new)| Change {
                    status: *status,
                    old: (*old).to_owned(),
                    new: (*new).to_owned(),
                    old_blob: String::new(),
                    new_blob: String::new(),
                    submodule: false,
                })
                .collect(),
        }
    }

    #[test]
    fn renames_are_followed_both_ways() {
        let log = [
            commit("4", &[(b'M', "c", "c")]),
            commit("3", &[(b'R', "b", "c"), (b'R', "d/x", "e/x")]),
            commit("2", &[(b'R', "a", "b"), (b'R', "d/y", "e/y")]),
            commit("1", &[(b'A', "a", "a")]),
        ];
        let ids: Vec<_> = of(&log, "c").iter().map(|s| s.commit.id.as_str()).collect();
        assert_eq!(ids, ["4", "3", "2", "1"]);
        assert_eq!(destination(&log, "a").as_deref(), Some("c"));
        assert_eq!(destination(&log, "z"), None);
        assert_eq!(folder_destination(&log, "d").as_deref(), Some("e"));
    }
}
