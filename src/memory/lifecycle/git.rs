//! What the scope migration asks of version control: the file is committed as it stands.
//!
//! A path that is tracked and clean, and only such a path, gives no line of `git status` once untracked
//! and ignored files are shown too, unless git was told not to look at it; `git ls-files` says that.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::base::{Code, Error, Result};
use crate::tr;

/// Whether the file `path` is committed as it stands.
///
/// # Errors
/// ERR-295-07 with the command to run: no git, no repository, not tracked, changed since.
pub fn require_committed(path: &Path) -> Result<()> {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(refuse(path, &tr!("chemin inattendu", "unexpected path")));
    };
    let git = |arguments: &[&str]| -> Result<Vec<u8>> {
        let output = Command::new("git")
            .current_dir(dir)
            // A program named by the repository's own configuration is not to be run.
            .args(["-c", "core.fsmonitor=false", "--literal-pathspecs", "--no-optional-locks"])
            .args(arguments)
            .arg("--")
            .arg(name)
            // Inside a hook these would point elsewhere.
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE")
            .env_remove("GIT_PREFIX")
            .stdin(Stdio::null())
            .output()
            .map_err(|e| refuse(path, &format!("git: {e}")))?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(refuse(path, said.lines().next().unwrap_or("git")))
    };
    let status =
        git(&["status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignored", "--no-renames"])?;
    match status.get(..2) {
        None => {}
        Some(b"??" | b"!!") => return Err(refuse(path, &tr!("non suivi par git", "not tracked by git"))),
        Some(_) => {
            return Err(refuse(
                path,
                &tr!("modifié depuis le dernier commit", "changed since the last commit"),
            ));
        }
    }
    // `H` is tracked; `h` is assumed unchanged, `S` is skipped: its changes are not seen.
    if git(&["ls-files", "-v", "-z"])?.starts_with(b"H ") {
        return Ok(());
    }
    let name = name.to_string_lossy();
    let blind =
        refuse(path, &tr!("git n'en regarde pas les changements", "git does not look at its changes"));
    let dir = dir.display();
    Err(blind.hint(format!("git -C '{dir}' update-index --no-assume-unchanged --no-skip-worktree {name}")))
}

fn refuse(path: &Path, why: &str) -> Error {
    let dir = path.parent().unwrap_or(path).display();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let path = path.display();
    Error::memory(
        Code::MigrationPrecondition,
        tr!(
            "la migration de scope demande que {path} soit commité : {why}",
            "the scope migration needs {path} committed: {why}"
        ),
    )
    .hint(format!(
        "git -C '{dir}' add -f {name} && git -C '{dir}' commit -m 'Learnings before the scope migration' -- {name}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(dir: &Path, args: &[&str]) {
        let done = Command::new("git")
            .current_dir(dir)
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"])
            .args(args)
            .output()
            .unwrap();
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    #[test]
    fn only_a_clean_commit_passes() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        std::fs::create_dir(&data).unwrap();
        let file = data.join("learnings.jsonl");
        let write = |text: &str| std::fs::write(&file, text).unwrap();
        let refused = |why: &str| {
            let error = require_committed(&file).unwrap_err();
            assert_eq!((error.code(), error.exit()), (Some(Code::MigrationPrecondition), 2), "{why}");
            let hint = error.hint_text().unwrap();
            assert!(hint.contains("git -C") && hint.contains("commit"), "{why}: {hint}");
        };
        write("one\n");
        refused("no repository");
        git(dir.path(), &["init", "-q"]);
        refused("untracked");
        std::fs::write(dir.path().join(".gitignore"), "data/\n").unwrap();
        refused("ignored");
        git(dir.path(), &["add", "-f", "data/learnings.jsonl"]);
        refused("added, not committed");
        git(dir.path(), &["commit", "-q", "-m", "one"]);
        require_committed(&file).unwrap();
        write("two\n");
        refused("changed");
        git(dir.path(), &["add", "-f", "data/learnings.jsonl"]);
        refused("staged");
        git(dir.path(), &["commit", "-q", "-m", "two"]);
        std::fs::write(data.join("other.jsonl"), "x").unwrap();
        require_committed(&file).unwrap();
        // Whether it changed is then unknown.
        for flag in ["assume-unchanged", "skip-worktree"] {
            git(dir.path(), &["update-index", &format!("--{flag}"), "data/learnings.jsonl"]);
            let error = require_committed(&file).unwrap_err();
            assert_eq!(error.code(), Some(Code::MigrationPrecondition), "{flag}");
            assert!(error.hint_text().unwrap().contains("update-index --no-assume-unchanged"), "{error}");
            git(dir.path(), &["update-index", &format!("--no-{flag}"), "data/learnings.jsonl"]);
            require_committed(&file).unwrap();
        }
    }
}
