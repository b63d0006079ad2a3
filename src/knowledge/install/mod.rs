//! Skills, commands and the pointer, put where each assistant looks for them, from one source.
//!
//! A file that a team changed is never written over and never removed; a second run writes nothing.
//! What is installed is found when the assistant starts, so it must be restarted.

pub mod git;
pub mod layout;
pub mod pointer;
pub mod source;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::base::env::Env;
use crate::base::error::IoContext;
use crate::base::lang::Lang;
use crate::base::{Error, Result};
use crate::knowledge::managed::{State, is_ours, state};
use crate::knowledge::read;
use crate::store::atomic;
use crate::tr;

pub use crate::assistants::Assistant as Cli;
use crate::assistants::{self, Folders};
use layout::Planned;

/// Where and how to install.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The repository.
    pub home: PathBuf,
    /// For the user rather than the repository.
    pub global: bool,
    /// One copy of the skills in `.agents/skills`, links elsewhere.
    pub link: bool,
    /// Language of the texts.
    pub lang: Lang,
}

/// How one file stands, or stood before it was written.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Placed {
    /// The assistant.
    pub cli: &'static str,
    /// The file.
    pub path: PathBuf,
    /// How it stood.
    pub state: State,
}

/// How the files of `cli` stand.
///
/// # Errors
/// A usage error when a user's home is asked for and unknown.
pub fn status(cli: Cli, settings: &Settings, env: &Env) -> Result<Vec<Placed>> {
    let folders = folders(cli, settings, env)?;
    let mut out: Vec<Placed> = planned(cli, &folders, settings.lang)
        .into_iter()
        .map(|file| {
            let state = match found(&file.path) {
                Some(found) => either(found.as_deref(), &file, cli, &folders),
                None => State::Changed,
            };
            Placed { cli: cli.name(), state, path: file.path }
        })
        .collect();
    for path in pointers(cli, settings) {
        let text = read::text(&path).unwrap_or_default();
        // A file that sends its reader to AGENTS.md needs no block of its own.
        let sent = !path.ends_with("AGENTS.md") && text.contains("AGENTS.md");
        let state = match pointer::state(&text, settings.lang) {
            _ if sent => State::Current,
            State::Behind if pointer::state(&text, other(settings.lang)) == State::Current => State::Current,
            state => state,
        };
        out.push(Placed { cli: cli.name(), path, state });
    }
    Ok(out)
}

/// Installs for `cli`; says how every file stood before.
///
/// # Errors
/// As [`status`], and output errors.
pub fn install(cli: Cli, settings: &Settings, env: &Env) -> Result<Vec<Placed>> {
    let folders = folders(cli, settings, env)?;
    let linked = settings.link && folders.skills != folders.shared;
    let mut out = Vec::new();
    for file in planned(cli, &folders, settings.lang) {
        let skill = file.skill.as_ref().filter(|_| linked);
        let target =
            skill.map_or_else(|| file.path.clone(), |name| folders.shared.join(name).join("SKILL.md"));
        let before = write(&target, &file.text)?;
        out.push(Placed { cli: cli.name(), path: target, state: before });
        if let Some(name) = skill {
            let state = link(&folders.skills.join(name), &folders.shared.join(name))?;
            out.push(Placed { cli: cli.name(), path: folders.skills.join(name), state });
        }
    }
    for path in pointers(cli, settings) {
        let text = read::text_or_empty(&path)?;
        if !path.ends_with("AGENTS.md") && text.contains("AGENTS.md") {
            continue;
        }
        let before = pointer::state(&text, settings.lang);
        let after = pointer::put(&text, settings.lang);
        if after != text {
            atomic::replace_unlocked(&path, after.as_bytes())?;
        }
        out.push(Placed { cli: cli.name(), path, state: before });
    }
    Ok(out)
}

/// Removes what is ours and unchanged; says how every file stood before. The pointer in `AGENTS.md`
/// goes with the last assistant.
///
/// # Errors
/// As [`status`], and output errors.
pub fn remove(cli: Cli, settings: &Settings, env: &Env) -> Result<Vec<Placed>> {
    let folders = folders(cli, settings, env)?;
    let mut out = Vec::new();
    for file in planned(cli, &folders, settings.lang) {
        let place = file.path.parent().filter(|_| file.skill.is_some()).unwrap_or(&file.path).to_owned();
        if fs::symlink_metadata(&place).is_ok_and(|m| m.is_symlink()) {
            fs::remove_file(&place).at(&place)?;
            out.push(Placed { cli: cli.name(), path: place, state: State::Current });
            continue;
        }
        let Ok(text) = read::text(&file.path) else { continue };
        let ours = is_ours(&text);
        if ours {
            fs::remove_file(&file.path).at(&file.path)?;
            prune(&file.path, &settings.home);
        }
        let state = if ours { State::Current } else { State::Changed };
        out.push(Placed { cli: cli.name(), path: file.path, state });
    }
    let alone = installed(settings, env).is_empty();
    for path in pointers(cli, settings) {
        if path.ends_with("AGENTS.md") && !alone {
            continue;
        }
        let Ok(text) = read::text(&path) else { continue };
        let before = pointer::state(&text, settings.lang);
        let after = pointer::take_out(&text);
        if before == State::Missing {
            continue;
        }
        if after.is_empty() {
            fs::remove_file(&path).at(&path)?;
        } else if after != text {
            atomic::replace_unlocked(&path, after.as_bytes())?;
        }
        out.push(Placed { cli: cli.name(), path, state: before });
    }
    Ok(out)
}

/// The assistants for which any of our files is in place.
pub fn installed(settings: &Settings, env: &Env) -> Vec<Cli> {
    let has = |cli: &Cli| {
        folders(*cli, settings, env).is_ok_and(|folders| {
            planned(*cli, &folders, settings.lang).iter().any(|file| {
                let text = read::text(&file.path).unwrap_or_default();
                is_ours(&text) || text.contains("govrag")
            })
        })
    };
    Cli::ALL.into_iter().filter(has).collect()
}

/// What `check` should say of skills and commands: one sentence each that some of the repository's are
/// missing or behind, or that neither repository nor user has any.
pub fn shortcomings(home: &Path, lang: Lang, env: &Env) -> Vec<String> {
    let settings = Settings { home: home.to_owned(), global: false, link: false, lang };
    let clis = installed(&settings, env);
    if clis.is_empty() {
        if !installed(&Settings { global: true, ..settings }, env).is_empty() {
            return Vec::new();
        }
        return vec![tr!(
            "aucun assistant n'a les compétences et commandes de la base",
            "no assistant has the skills and commands of the base"
        )];
    }
    let mut out = Vec::new();
    for cli in clis {
        let placed = status(cli, &settings, env).unwrap_or_default();
        let of = |wanted: State| placed.iter().filter(|p| p.state == wanted).count();
        let (missing, behind) = (of(State::Missing), of(State::Behind));
        if missing + behind > 0 {
            out.push(tr!(
                "{} : {missing} fichiers absents, {behind} en retard",
                "{}: {missing} files missing, {behind} behind",
                cli.name()
            ));
        }
    }
    out
}

fn other(lang: Lang) -> Lang {
    if lang == Lang::Fr { Lang::En } else { Lang::Fr }
}

fn folders(cli: Cli, settings: &Settings, env: &Env) -> Result<Folders> {
    if !settings.global {
        return Ok(assistants::project(cli, &settings.home));
    }
    assistants::global(cli, env).ok_or_else(|| {
        Error::usage(tr!("dossier personnel inconnu", "the home directory is unknown"))
            .hint(tr!("définissez HOME", "set HOME"))
    })
}

fn planned(cli: Cli, folders: &Folders, lang: Lang) -> Vec<Planned> {
    layout::files(cli, folders, &source::skills(lang), &source::commands(lang))
}

/// A file of the other language is as good as current.
fn either(found: Option<&str>, file: &Planned, cli: Cli, folders: &Folders) -> State {
    let own = state(found, &file.text);
    if own != State::Behind {
        return own;
    }
    let all = [Lang::Fr, Lang::En].into_iter().flat_map(|lang| planned(cli, folders, lang));
    let texts: BTreeSet<String> = all.filter(|p| p.path == file.path).map(|p| p.text).collect();
    if found.is_some_and(|f| texts.contains(f)) { State::Current } else { own }
}

/// The files of instructions of an assistant; none for a user, whose skills look for `.rag` themselves.
fn pointers(cli: Cli, settings: &Settings) -> Vec<PathBuf> {
    if settings.global {
        return Vec::new();
    }
    let own = cli.instructions().map(|name| settings.home.join(name));
    [settings.home.join("AGENTS.md")].into_iter().chain(own).collect()
}

/// The text at a place of ours, `Some(None)` when nothing is there; `None` for what is no text.
fn found(path: &Path) -> Option<Option<String>> {
    match read::text(path) {
        Ok(text) => Some(Some(text)),
        // A link that leads nowhere is something.
        Err(e) if e.kind() == std::io::ErrorKind::NotFound && !path.is_symlink() => Some(None),
        Err(_) => None,
    }
}

fn write(path: &Path, text: &str) -> Result<State> {
    let before = found(path).map_or(State::Changed, |found| state(found.as_deref(), text));
    if matches!(before, State::Missing | State::Behind) {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).at(folder)?;
        }
        atomic::replace_unlocked(path, text.as_bytes())?;
    }
    Ok(before)
}

/// A relative link from `at` to `to`; an own copy at its place gives way, a changed one stays.
fn link(at: &Path, to: &Path) -> Result<State> {
    let target = relative(at, to);
    if let Ok(meta) = fs::symlink_metadata(at) {
        if meta.is_symlink() {
            let same = fs::read_link(at).is_ok_and(|found| found == target);
            return Ok(if same { State::Current } else { State::Changed });
        }
        let file = at.join("SKILL.md");
        if !read::text(&file).is_ok_and(|text| is_ours(&text)) {
            return Ok(State::Changed);
        }
        fs::remove_file(&file).at(&file)?;
        if fs::remove_dir(at).is_err() {
            return Ok(State::Changed);
        }
    }
    if let Some(folder) = at.parent() {
        fs::create_dir_all(folder).at(folder)?;
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(&target, at).at(at)?;
    #[cfg(not(unix))]
    return Err(
        Error::usage(tr!("liens non pris en charge ici", "links are not supported here")).hint("install")
    );
    Ok(State::Missing)
}

fn relative(from: &Path, to: &Path) -> PathBuf {
    let folder: Vec<_> = from.parent().map(|p| p.components().collect()).unwrap_or_default();
    let target: Vec<_> = to.components().collect();
    let shared = folder.iter().zip(&target).take_while(|(a, b)| a == b).count();
    let mut out: PathBuf = std::iter::repeat_n("..", folder.len() - shared).collect();
    out.extend(&target[shared..]);
    out
}

/// Removes the folders above `path` that became empty, up to `home`.
fn prune(path: &Path, home: &Path) {
    for folder in path.ancestors().skip(1).take_while(|f| *f != home).take(3) {
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
}
