//! Making a workspace: configuration, empty stores and indexes, git settings. Nothing that is there
//! is changed.

use std::path::{Path, PathBuf};

use crate::base::error::IoContext;
use crate::base::{Error, ModelIdentity, Result};
use crate::embed::PD295_WIDTH;
use crate::memory::corpus;
use crate::store::lock::{LockSettings, Locks, Reindex};
use crate::store::{Source, Workspace, atomic};
use crate::tr;

/// What git must not keep: exactly these.
pub const IGNORED: [&str; 5] =
    ["data/.state/", "data/*.lock", "data/*.torn-*", "data/*.tmp-*", "data/*.next"];
/// The trail is bytes, never merged or converted.
pub const ATTRIBUTES: [&str; 2] =
    ["data/learnings-injections.jsonl -text -merge", "data/learnings-injections.chain.jsonl -text -merge"];

/// What an initialisation wrote.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Made {
    /// Files written or completed, relative to the workspace.
    pub files: Vec<PathBuf>,
}

/// Makes a workspace in `dir` with the given `govmem.toml`.
///
/// # Errors
/// Usage when the directory is a workspace already; I/O.
pub fn run(dir: &Path, config: &str) -> Result<Made> {
    let workspace = Workspace::new(dir);
    if workspace.config().symlink_metadata().is_ok() {
        let dir = dir.display();
        return Err(Error::usage(tr!("{dir} est déjà un espace de travail", "{dir} is a workspace already"))
            .hint("govmem status"));
    }
    for sub in [workspace.state_dir(), dir.join("docs/veille"), dir.join("docs/epics")] {
        std::fs::create_dir_all(&sub).at(&sub)?;
    }
    let mut made = complete_git_files(dir)?;
    // Last, since it is what makes the directory a workspace.
    atomic::replace_unlocked(&workspace.config(), config.as_bytes())?;
    made.files.push("govmem.toml".into());
    Ok(made)
}

/// Adds what git must know about the workspace in `dir`.
///
/// # Errors
/// I/O.
pub fn complete_git_files(dir: &Path) -> Result<Made> {
    let mut made = Made::default();
    complete(dir, ".gitignore", &IGNORED, &mut made)?;
    complete(dir, ".gitattributes", &ATTRIBUTES, &mut made)?;
    Ok(made)
}

/// Writes the empty index of every source that has none: an unused source then answers with
/// nothing instead of being unavailable.
///
/// # Errors
/// ERR-295-09; I/O.
pub fn empty_indexes(
    workspace: &Workspace,
    settings: LockSettings,
    model: &ModelIdentity,
    factory: &str,
) -> Result<()> {
    let mut locks = Locks::new(workspace, settings);
    let (guard, _) = locks.begin().exclusive::<Reindex>()?;
    for source in Source::ALL {
        let files = corpus::files(workspace, source);
        if !files.manifest().exists() {
            files.init(&guard, model, PD295_WIDTH, factory)?;
        }
    }
    Ok(())
}

/// Adds the lines that `name` does not hold yet.
fn complete(dir: &Path, name: &str, lines: &[&str], made: &mut Made) -> Result<()> {
    let path = dir.join(name);
    let old = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(Error::io(&path, &e)),
    };
    let missing: Vec<&str> = lines.iter().copied().filter(|l| !old.lines().any(|o| o.trim() == *l)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let gap = if old.is_empty() || old.ends_with('\n') { "" } else { "\n" };
    let text = format!("{old}{gap}{}\n", missing.join("\n"));
    atomic::replace_unlocked(&path, text.as_bytes())?;
    made.files.push(name.into());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completes_git_files_and_never_twice() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(".gitignore"), "target\ndata/*.lock").unwrap();
        run(dir.path(), "lang = \"fr\"\n").unwrap();
        let ignore = std::fs::read_to_string(dir.path().join(".gitignore")).unwrap();
        assert_eq!(ignore, "target\ndata/*.lock\ndata/.state/\ndata/*.torn-*\ndata/*.tmp-*\ndata/*.next\n");
        assert_eq!(run(dir.path(), "").unwrap_err().exit(), 2);
        assert_eq!(std::fs::read_to_string(dir.path().join("govmem.toml")).unwrap(), "lang = \"fr\"\n");
    }
}
