//! Which files are new since the base last changed: only they may bring new pages in an update, for a
//! base need not describe everything.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::draft::Draft;
use super::new_drafts;
use super::survey::Survey;
use crate::base::{Date, Result};
use crate::knowledge::edit::update::Scope;
use crate::knowledge::git::Repo;
use crate::knowledge::walk::under;
use crate::knowledge::{Base, Page};

/// Draft pages for the units that `scope` brings and no page describes.
///
/// # Errors
/// An input error when the repository cannot be read.
pub fn drafts(base: &Base, scope: &Scope, today: Date) -> Result<Vec<Draft>> {
    let home = &base.marker.home;
    let files = match (scope, Repo::discover(home)) {
        (Scope::Paths(paths), _) => within(home, paths),
        (Scope::Since(revision), Ok(repo)) => changed(&repo, revision, false),
        (Scope::Branch(name), Ok(repo)) => changed(&repo, name, true),
        (_, Ok(repo)) => {
            let mut files = repo.uncommitted();
            let since = base.pages.iter().filter_map(Page::updated).max();
            let commits = repo.history(since).unwrap_or_default();
            let added =
                commits.into_iter().flat_map(|c| c.changes).filter(|c| matches!(c.status, b'A' | b'R'));
            files.extend(added.map(|c| c.new));
            files
        }
        (_, Err(_)) => younger(base)?,
    };
    if files.is_empty() {
        return Ok(Vec::new());
    }
    new_drafts(base, Some(&files), today)
}

/// The files at or below these paths.
fn within(home: &Path, paths: &[String]) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for path in paths {
        let folder = under(home, path);
        if !folder.is_dir() {
            out.insert(path.clone());
            continue;
        }
        let Ok(survey) = Survey::walk(&folder, Path::new("")) else { continue };
        let prefix = path.trim_end_matches('/');
        out.extend(survey.files.into_iter().map(|f| format!("{prefix}/{}", f.path)));
    }
    out
}

fn changed(repo: &Repo, revision: &str, branch: bool) -> BTreeSet<String> {
    let changes = repo.changed_since(revision, branch).unwrap_or_default();
    let mut out: BTreeSet<String> = changes.into_iter().map(|c| c.new).collect();
    if !branch {
        out.extend(repo.uncommitted());
    }
    out
}

/// Without git: the files changed after the manifest was written.
fn younger(base: &Base) -> Result<BTreeSet<String>> {
    let marker = &base.marker;
    let time = |path: &Path| fs::metadata(path).and_then(|m| m.modified()).ok();
    let Some(written) = time(&under(&marker.root, &marker.manifest)) else { return Ok(BTreeSet::new()) };
    let survey = Survey::walk(&marker.home, &marker.root)?;
    let younger = |path: &String| time(&under(&marker.home, path)).is_some_and(|t| t > written);
    Ok(survey.files.into_iter().map(|f| f.path).filter(younger).collect())
}
