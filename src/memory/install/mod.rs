//! Puts the assistants' commands into a team's repository: beside what it has, never over it.
//!
//! Every installed file ends with a seal, a comment that holds the SHA-256 of what stands above it.
//! A file whose seal matches is ours and may be replaced or removed; any other file is the team's
//! and is left alone.

mod templates;

use std::path::{Path, PathBuf};

use crate::base::error::IoContext;
use crate::base::id::sha256_hex;
use crate::base::lang::Lang;
use crate::base::{Error, Result};
use crate::store::atomic;
use crate::tr;

pub use crate::assistants::Assistant;

/// State of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Not there.
    Missing,
    /// There, as this version writes it.
    Current,
    /// Ours, from another version or language.
    Behind,
    /// Changed by the team, or never ours.
    Foreign,
}

/// A file and its state.
#[derive(Clone, Debug, serde::Serialize)]
pub struct File {
    /// Relative to the repository.
    pub path: PathBuf,
    /// Before the command.
    pub state: State,
    /// The command wrote or removed it.
    pub changed: bool,
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Write what is missing or behind.
    Install,
    /// Only look.
    Status,
    /// Remove what is ours.
    Remove,
}

/// Installs, examines or removes the files of `assistant` in `repository`.
pub fn run(repository: &Path, assistant: Assistant, lang: Lang, action: Action) -> Result<Vec<File>> {
    if !repository.is_dir() {
        let path = repository.display();
        return Err(Error::usage(tr!("{path} n'est pas un dossier", "{path} is not a directory")));
    }
    let mut files = Vec::new();
    for template in templates::of(assistant, lang) {
        let path = repository.join(&template.path);
        refuse_symlinks(repository, &path)?;
        let wanted = seal(&template.text, template.comment);
        let state = state(&path, &wanted, template.comment)?;
        let changed = match (action, state) {
            (Action::Install, State::Missing | State::Behind) => {
                write(&path, &wanted, template.executable)?;
                true
            }
            // The hook stays as long as the other assistant's commands do.
            (Action::Remove, State::Current | State::Behind)
                if template.path != Path::new(templates::HOOK)
                    || !others_installed(repository, assistant, lang)? =>
            {
                std::fs::remove_file(&path).at(&path)?;
                true
            }
            _ => false,
        };
        files.push(File { path: template.path, state, changed });
    }
    Ok(files)
}

/// Whether another assistant has files of ours in `repository`.
fn others_installed(repository: &Path, assistant: Assistant, lang: Lang) -> Result<bool> {
    for other in Assistant::ALL.into_iter().filter(|a| *a != assistant) {
        for template in
            templates::of(other, lang).into_iter().filter(|t| t.path != Path::new(templates::HOOK))
        {
            let wanted = seal(&template.text, template.comment);
            let state = state(&repository.join(&template.path), &wanted, template.comment)?;
            if matches!(state, State::Current | State::Behind) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn write(path: &Path, text: &str, executable: bool) -> Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).at(parent)?;
    }
    atomic::replace_unlocked(path, text.as_bytes())?;
    if executable {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).at(path)?;
    }
    Ok(())
}

fn state(path: &Path, wanted: &str, comment: (&str, &str)) -> Result<State> {
    let text = match std::fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(State::Missing),
        Err(e) => return Err(Error::io(path, &e)),
    };
    Ok(if text == wanted {
        State::Current
    } else if is_sealed(&text, comment) {
        State::Behind
    } else {
        State::Foreign
    })
}

fn seal(text: &str, (open, close): (&str, &str)) -> String {
    format!("{text}{open} govmem {} {}{close}\n", env!("CARGO_PKG_VERSION"), sha256_hex(text))
}

fn is_sealed(text: &str, (open, close): (&str, &str)) -> bool {
    let Some(body) = text.strip_suffix('\n') else { return false };
    let at = body.rfind('\n').map_or(0, |i| i + 1);
    let (above, last) = body.split_at(at);
    last.strip_prefix(open)
        .and_then(|l| l.strip_suffix(close))
        .and_then(|l| l.trim().strip_prefix("govmem "))
        .and_then(|l| l.split_once(' '))
        .is_some_and(|(_, hash)| hash == sha256_hex(above))
}

/// A symbolic link on the way could lead outside the repository.
fn refuse_symlinks(repository: &Path, path: &Path) -> Result<()> {
    let inside = path.strip_prefix(repository).unwrap_or(path);
    let mut at = repository.to_path_buf();
    for part in inside.components() {
        at.push(part);
        if at.is_symlink() {
            let at = at.display();
            return Err(Error::usage(tr!("{at} est un lien symbolique", "{at} is a symbolic link")).hint(
                tr!(
                    "rien n'y est écrit ; remplacez-le par un dossier",
                    "nothing is written there; replace it by a directory"
                ),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_what_a_team_has_and_never_over_it() {
        let dir = tempfile::tempdir().unwrap();
        let gov = dir.path().join(".claude/commands/gov.md");
        let run = |action| run(dir.path(), Assistant::Claude, Lang::En, action).unwrap();
        assert!(run(Action::Status).iter().all(|f| f.state == State::Missing && !f.changed));
        assert!(run(Action::Install).iter().all(|f| f.changed));
        assert!(run(Action::Install).iter().all(|f| f.state == State::Current && !f.changed));
        // Another language is behind, and replaced.
        let french = super::run(dir.path(), Assistant::Claude, Lang::Fr, Action::Install).unwrap();
        assert!(
            french
                .iter()
                .filter(|f| f.path.ends_with("gov.md"))
                .all(|f| f.state == State::Behind && f.changed)
        );
        // A changed file is the team's.
        let mut text = std::fs::read_to_string(&gov).unwrap();
        text.insert_str(0, "our own line\n");
        std::fs::write(&gov, &text).unwrap();
        let kept = run(Action::Remove);
        let state = kept.iter().find(|f| f.path.ends_with("gov.md")).unwrap();
        assert_eq!((state.state, state.changed), (State::Foreign, false));
        assert_eq!(std::fs::read_to_string(&gov).unwrap(), text);
    }

    #[test]
    fn the_hook_stays_for_the_other_assistant() {
        let dir = tempfile::tempdir().unwrap();
        let go = |assistant, action| run(dir.path(), assistant, Lang::En, action).unwrap();
        let hook = dir.path().join("scripts/on-story-close.sh");
        go(Assistant::Claude, Action::Install);
        go(Assistant::Kilo, Action::Install);
        go(Assistant::Claude, Action::Remove);
        assert!(hook.exists() && !dir.path().join(".claude/commands/morning.md").exists());
        let kilo = std::fs::read_to_string(dir.path().join(".kilo/commands/morning.md")).unwrap();
        assert!(kilo.contains("agent: code\n---\n\n# /morning") && !kilo.contains("allowed-tools"));
        go(Assistant::Kilo, Action::Remove);
        assert!(!hook.exists());
    }

    #[test]
    fn every_assistant_gets_its_own_form_in_both_languages() {
        for assistant in Assistant::ALL {
            for lang in [Lang::Fr, Lang::En] {
                let dir = tempfile::tempdir().unwrap();
                let go = |action| super::run(dir.path(), assistant, lang, action).unwrap();
                assert!(go(Action::Install).iter().all(|f| f.changed));
                assert!(go(Action::Status).iter().all(|f| f.state == State::Current));
                for file in go(Action::Status).iter().filter(|f| !f.path.ends_with("on-story-close.sh")) {
                    let text = std::fs::read_to_string(dir.path().join(&file.path)).unwrap();
                    if file.path.extension().is_some_and(|e| e == "toml") {
                        let table: toml::Table = text.parse().expect("toml");
                        assert!(!table["prompt"].as_str().unwrap().contains("$ARGUMENTS"), "{:?}", file.path);
                        continue;
                    }
                    let front = crate::markdown::FrontMatter::read(&text);
                    assert!(front.text("description").is_some(), "{:?}", file.path);
                    // A skill bears the name of its folder.
                    if file.path.ends_with("SKILL.md") {
                        let folder = file.path.parent().and_then(|p| p.file_name()).unwrap();
                        assert_eq!(front.text("name"), folder.to_str());
                    }
                }
                assert!(go(Action::Remove).iter().all(|f| f.changed));
            }
        }
    }

    #[test]
    fn the_hook_purges_on_two_statuses_only() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        for lang in [Lang::Fr, Lang::En] {
            run(dir.path(), Assistant::Claude, lang, Action::Install).unwrap();
            let bin = dir.path().join("govmem");
            std::fs::write(&bin, "#!/bin/sh\necho \"$(pwd -P) $*\"\nexit 75\n").unwrap();
            std::fs::set_permissions(&bin, std::fs::Permissions::from_mode(0o755)).unwrap();
            let hook = |args: &[&str], path: &str| {
                std::process::Command::new(dir.path().join("scripts/on-story-close.sh"))
                    .args(args)
                    .env_clear()
                    .env("PATH", path)
                    .current_dir("/")
                    .output()
                    .unwrap()
            };
            let path = format!("{}:/usr/bin:/bin", dir.path().display());
            let root = dir.path().canonicalize().unwrap();
            for status in ["REJECTED", "DONE_WITH_ANOMALY"] {
                let output = hook(&["PD-1", status, "--quiet"], &path);
                let want = format!("{} purge clarifications --quiet\n", root.display());
                assert_eq!(String::from_utf8_lossy(&output.stdout), want);
                assert_eq!(output.status.code(), Some(75));
            }
            assert_eq!(hook(&["PD-1", "DONE"], &path).status.code(), Some(0));
            assert_eq!(hook(&["PD-1"], &path).status.code(), Some(2));
            assert_eq!(hook(&["PD-1", "REJECTED"], "/usr/bin:/bin").status.code(), Some(69));
        }
    }

    /// Every program that a command tells the assistant to run is one it may run.
    #[test]
    fn what_a_command_runs_is_allowed() {
        for (assistant, lang) in Assistant::ALL.into_iter().flat_map(|a| [(a, Lang::Fr), (a, Lang::En)]) {
            for template in templates::of(assistant, lang) {
                let allowed: Vec<&str> = template
                    .text
                    .lines()
                    .find_map(|l| l.strip_prefix("allowed-tools: "))
                    .map(|l| l.split(", ").collect())
                    .unwrap_or_default();
                let mut inside = false;
                let mut programs = Vec::new();
                for line in template.text.lines().map(str::trim) {
                    if line.starts_with("```") {
                        inside = line == "```sh";
                    } else if inside {
                        programs.extend(line.split_whitespace().next());
                    }
                }
                assert_eq!(programs.is_empty(), template.executable, "{:?}", template.path);
                // The others' forms name no tools: their own settings decide.
                if assistant == Assistant::Claude {
                    for program in programs {
                        assert!(allowed.contains(&format!("Bash({program}:*)").as_str()), "{program}");
                    }
                }
                assert!(!template.text.contains("--tags") && !template.text.contains("--lesson"));
            }
        }
    }

    #[test]
    fn links_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), dir.path().join(".claude")).unwrap();
        let error = run(dir.path(), Assistant::Claude, Lang::En, Action::Install).unwrap_err();
        assert_eq!(error.exit(), 2);
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
