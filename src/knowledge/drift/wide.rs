//! What changed in a folder or glob since it was acknowledged. Pure.
//!
//! The ledger holds one identity for many files. Undoing the work tree and then commit after commit,
//! newest first, leads back to the state that has this identity: what was undone is what changed.

use std::collections::{BTreeMap, BTreeSet};

use super::CommitRef;
use super::history::short;
use super::ids::identity_of;
use crate::knowledge::git::{Change, Commit};

/// Most states that are looked at: further back the commits alone tell.
const MOST_STATES: usize = 500;

/// Files with the blob id of each.
pub type State = BTreeMap<String, String>;

/// What changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Since {
    /// The commits, newest first.
    pub commits: Vec<CommitRef>,
    /// Whether the work tree differs from the last commit.
    pub uncommitted: bool,
    /// The files that differ, sorted, with the blob id that each had; `None` for a new one.
    pub files: Vec<(String, Option<String>)>,
}

/// The way back from `now` to the state with the identity `before`: first `work`, what the work tree
/// changes against the last commit, and `untracked` files, then the commits of `log`, newest first.
/// `covers` says which paths belong. `None` when the way does not lead there.
pub fn since(
    now: &State,
    before: &str,
    work: &[Change],
    untracked: &BTreeSet<String>,
    log: &[Commit],
    covers: impl Fn(&str) -> bool,
) -> Option<Since> {
    let mut state = now.clone();
    // What git says of the work tree has no ids of its own: the files were read.
    undo(&mut state, work, &covers);
    let tracked = |path: &String| work.iter().any(|c| c.new == *path);
    state.retain(|path, _| !untracked.contains(path) || tracked(path));
    let mut out = Since { uncommitted: state != *now, ..Since::default() };
    let mut states = 1;
    let mut found = identity_of(&state) == before;
    for commit in log {
        if found || states > MOST_STATES {
            break;
        }
        if undo(&mut state, &commit.changes, &covers) {
            out.commits.push(short(commit));
            states += 1;
            found = identity_of(&state) == before;
        }
    }
    if !found {
        return None;
    }
    let paths: BTreeSet<&String> = now.keys().chain(state.keys()).collect();
    let changed = paths.into_iter().filter(|path| now.get(*path) != state.get(*path));
    out.files = changed.map(|path| (path.clone(), state.get(path).cloned())).collect();
    Some(out)
}

/// Takes `changes` back; says whether any of them is covered.
fn undo(state: &mut State, changes: &[Change], covers: &impl Fn(&str) -> bool) -> bool {
    let mut any = false;
    for change in changes.iter().filter(|c| !c.submodule) {
        if change.status != b'D' && covers(&change.new) {
            any = true;
            state.remove(&change.new);
        }
        if !matches!(change.status, b'A' | b'C') && covers(&change.old) {
            any = true;
            state.insert(change.old.clone(), change.old_blob.clone());
        }
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(status: u8, old: &str, new: &str, old_blob: &str, new_blob: &str) -> Change {
        let [old, new, old_blob, new_blob] = [old, new, old_blob, new_blob].map(str::to_owned);
        Change { status, old, new, old_blob, new_blob, submodule: false }
    }

    fn commit(id: &str, changes: Vec<Change>) -> Commit {
        Commit { id: id.to_owned(), day: "2026-07-01".to_owned(), subject: String::new(), changes }
    }

    fn state(files: &[(&str, &str)]) -> State {
        files.iter().map(|(path, id)| ((*path).to_owned(), (*id).to_owned())).collect()
    }

    #[test]
    fn the_way_back_names_commits_and_files() {
        let log = [
            commit("4", vec![change(b'R', "s/b", "s/c", "B", "B"), change(b'M', "x", "x", "0", "1")]),
            commit("3", vec![change(b'D', "s/d", "s/d", "D", "0")]),
            commit("2", vec![change(b'M', "x", "x", "9", "0")]),
            commit("1", vec![change(b'M', "s/a", "s/a", "A1", "A2")]),
            commit("0", vec![change(b'A', "s/a", "s/a", "0", "A1")]),
        ];
        let now = state(&[("s/a", "A3"), ("s/c", "B"), ("s/new", "N")]);
        let work = [change(b'M', "s/a", "s/a", "A2", "0")];
        let untracked = BTreeSet::from(["s/new".to_owned()]);
        let covers = |path: &str| path.starts_with("s/");
        let go = |before: &State| since(&now, &identity_of(before), &work, &untracked, &log, covers);
        let found = go(&state(&[("s/a", "A1"), ("s/b", "B"), ("s/d", "D")])).expect("way");
        assert_eq!(found.commits.iter().map(|c| c.id.as_str()).collect::<Vec<_>>(), ["4", "3", "1"]);
        assert!(found.uncommitted);
        let files: Vec<(&str, Option<&str>)> =
            found.files.iter().map(|(path, id)| (path.as_str(), id.as_deref())).collect();
        let wanted =
            [("s/a", Some("A1")), ("s/b", Some("B")), ("s/c", None), ("s/d", Some("D")), ("s/new", None)];
        assert_eq!(files, wanted);
        let near = go(&state(&[("s/a", "A2"), ("s/c", "B")])).expect("only the work tree");
        assert!(near.commits.is_empty() && near.uncommitted && near.files.len() == 2);
        assert_eq!(go(&state(&[("s/a", "?")])), None);
    }
}
