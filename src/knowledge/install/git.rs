//! Merging the derived files: two branches that each add a page must not conflict in an index.
//!
//! git runs a merge driver before it updates the work tree, so no driver can make the indexes from
//! the merged pages. The driver therefore keeps our side, and a hook runs `govrag index` after the
//! merge, when every page is there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::base::error::IoContext;
use crate::base::{Error, Kind, Result};
use crate::knowledge::Marker;
use crate::knowledge::managed::{Comment, State, stamp, state};
use crate::knowledge::read::{self, Place};
use crate::store::atomic;
use crate::tr;

/// What was set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitReport {
    /// Lines added to `.gitattributes`.
    pub attributes: Vec<String>,
    /// Whether the merge driver was set (else it was already).
    pub driver_set: bool,
    /// The hook, and how it stood before; a changed one is left alone.
    pub hook: Option<(PathBuf, State)>,
}

/// The lines of `.gitattributes` for the base.
pub fn attributes(marker: &Marker) -> Vec<String> {
    let root = marker.root_from_home().unwrap_or_default();
    let at = |name: &str| {
        let prefix = if root.is_empty() { String::new() } else { format!("/{root}/") };
        format!("{prefix}{name} merge=govrag")
    };
    let stem = marker.manifest.rsplit_once('.').map_or(marker.manifest.as_str(), |(stem, _)| stem);
    vec![
        at(&marker.overview),
        at(&marker.relations),
        at(&marker.manifest),
        at(&format!("**/{}", marker.manifest)),
        at(&format!("**/{stem}-*")),
    ]
}

/// Sets the merge driver of the repository that holds the base.
///
/// # Errors
/// [`Kind::Unavailable`] when the folder is no repository or git is not there; output errors.
pub fn set(marker: &Marker) -> Result<GitReport> {
    let home = &marker.home;
    let mut out = GitReport::default();
    let path = home.join(".gitattributes");
    let before = read::text_or_empty(&path)?;
    let missing: Vec<String> =
        attributes(marker).into_iter().filter(|line| !before.lines().any(|l| l.trim() == line)).collect();
    let hooks = PathBuf::from(git(home, &["rev-parse", "--git-path", "hooks"])?);
    let hooks = if hooks.is_absolute() { hooks } else { home.join(hooks) };
    let driver = git(home, &["config", "--local", "--get", "merge.govrag.driver"]).unwrap_or_default();
    if driver != "true" {
        git(home, &["config", "--local", "merge.govrag.name", "govrag: keep, then govrag index"])?;
        git(home, &["config", "--local", "merge.govrag.driver", "true"])?;
        out.driver_set = true;
    }
    if !missing.is_empty() {
        let mut text = before;
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        for line in &missing {
            text.push_str(line);
            text.push('\n');
        }
        atomic::replace_unlocked(&path, text.as_bytes())?;
        out.attributes = missing;
    }
    let hook = hooks.join("post-merge");
    let wanted = hook_text();
    let before = match read::place(&hook) {
        Place::Free => State::Missing,
        Place::File(bytes) => state(Some(&String::from_utf8_lossy(&bytes)), &wanted),
        Place::Other => State::Changed,
    };
    if matches!(before, State::Missing | State::Behind) {
        fs::create_dir_all(&hooks).at(&hooks)?;
        atomic::replace_unlocked(&hook, wanted.as_bytes())?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).at(&hook)?;
        }
    }
    out.hook = Some((hook, before));
    Ok(out)
}

/// The hook: it never fails a merge.
pub fn hook_text() -> String {
    stamp("#!/bin/sh\ncommand -v govrag >/dev/null 2>&1 && govrag index --quiet\ntrue", Comment::Hash)
}

fn git(home: &Path, arguments: &[&str]) -> Result<String> {
    let fail = |why: String| {
        Error::new(Kind::Unavailable, tr!("git : {why}", "git: {why}"))
            .hint(tr!("lancez la commande dans un dépôt git", "run the command in a git repository"))
    };
    let run = Command::new("git").arg("-C").arg(home).args(arguments).output();
    let run = run.map_err(|e| fail(e.to_string()))?;
    if !run.status.success() {
        return Err(fail(String::from_utf8_lossy(&run.stderr).trim().to_owned()));
    }
    Ok(String::from_utf8_lossy(&run.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::marker;

    #[test]
    fn attributes_name_every_derived_file() {
        let m = marker::parse(Path::new("/none/.rag"), "version: 1\nroot: kb\n").expect("marker");
        let lines = attributes(&m);
        assert!(lines.iter().all(|l| l.ends_with(" merge=govrag")));
        assert_eq!(lines.len(), 5);
    }
}
