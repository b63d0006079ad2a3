//! Writing a story's clarification file: refused when it exists, kept as `.1` when replaced.

use std::path::PathBuf;

use super::collect::OWN_ROOT;
use super::form::{self, Form, QUESTIONS, Question};
use crate::base::error::IoContext;
use crate::base::id::{Slug, StoryId};
use crate::base::{Code, Date, Error, Result, secret};
use crate::memory::Memory;
use crate::store::inside;
use crate::store::lock::{Reindex, Writing};
use crate::tr;

/// A recorded file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Relative to the workspace.
    pub path: String,
    /// Where the replaced file went.
    pub kept: Option<PathBuf>,
}

/// Refuses answers that cannot be recorded: empty ones, and those that hold a secret. Names the
/// question and the rule, never the value.
///
/// # Errors
/// ERR-295-03, exit 2.
pub fn check(answers: &[String; 4]) -> Result<[String; 4]> {
    let mut accepted = answers.clone();
    for ((question, answer), slot) in QUESTIONS.iter().zip(answers).zip(&mut accepted) {
        *slot = form::accept(question, answer).map_err(refused)?;
        refuse_secret(question, answer).map_err(|reason| {
            refused(format!("{reason} ; {}", tr!("rien n'a été écrit", "nothing was written"))).hint(tr!(
                "retirez-le et révoquez-le ; écrivez où il est gardé",
                "remove it and revoke it; write where it is kept instead"
            ))
        })?;
    }
    Ok(accepted)
}

/// The reason when `answer` holds a secret: the question, the line and the rule, never the value.
///
/// # Errors
/// That reason.
pub fn refuse_secret(question: &Question, answer: &str) -> Result<(), String> {
    let Some(found) = secret::scan(answer).into_iter().next() else { return Ok(()) };
    let (id, line, rule) = (question.id, found.line, found.rule);
    Err(tr!("réponse {id}, ligne {line} : un secret ({rule})", "answer {id}, line {line}: a secret ({rule})"))
}

/// The refusal of a file that is there already.
pub fn exists(path: &str) -> Error {
    refused(tr!("{path} existe déjà ; rien n'a été écrit", "{path} exists already; nothing was written"))
        .hint(tr!("--replace garde l'ancien fichier en .1", "--replace keeps the old file as .1"))
}

fn refused(reason: String) -> Error {
    Error::memory(Code::ClarificationInvalid, reason)
}

/// Where the file of `story` lies, relative to the workspace: the existing one of the story below
/// its domain, else a new one.
///
/// # Errors
/// ERR-295-03 when two files claim the story; I/O.
pub fn place(memory: &Memory<'_>, story: &StoryId, domain: &Slug, slug: Option<&Slug>) -> Result<String> {
    let base = format!("{OWN_ROOT}/{domain}");
    let root = memory.workspace.root().join(OWN_ROOT);
    let name = format!("{story}-clarifications.md");
    let mut found = Vec::new();
    let mut folders = Vec::new();
    // A story has one file, in whatever domain it was recorded first.
    for place in subfolders(&root)? {
        for folder in subfolders(&root.join(&place))? {
            if folder != story.as_str() && !folder.starts_with(&format!("{story}-")) {
                continue;
            }
            if root.join(&place).join(&folder).join(&name).exists() {
                found.push(format!("{OWN_ROOT}/{place}/{folder}/{name}"));
            }
            if place == domain.as_str() {
                folders.push(folder);
            }
        }
    }
    found.sort();
    folders.sort();
    match (found.as_slice(), slug) {
        ([one], _) => Ok(one.clone()),
        ([], Some(slug)) => Ok(format!("{base}/{story}-{slug}/{name}")),
        ([], None) => {
            let folder = folders.first().cloned().unwrap_or_else(|| format!("{story}-clarifications"));
            Ok(format!("{base}/{folder}/{name}"))
        }
        (several, _) => Err(refused(tr!(
            "{story} a plusieurs fichiers : {}",
            "{story} has several files: {}",
            several.join(", ")
        ))),
    }
}

fn subfolders(dir: &std::path::Path) -> Result<Vec<String>> {
    if !dir.is_dir() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for entry in std::fs::read_dir(dir).at(dir)? {
        let entry = entry.at(dir)?;
        if entry.file_type().at(dir)?.is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(names)
}

/// Writes the file.
///
/// # Errors
/// ERR-295-03 when it exists and `replace` is not asked for; I/O.
pub fn write(memory: &Memory<'_>, form: &Form, slug: Option<&Slug>, replace: bool) -> Result<Recorded> {
    let mut locks = memory.locks();
    let (guard, _) = locks.begin().exclusive::<Reindex>()?;
    let path = place(memory, &form.story, &form.domain, slug)?;
    let absolute = inside::join(memory.workspace.root(), &path)?;
    if let Some(parent) = absolute.parent() {
        std::fs::create_dir_all(parent).at(parent)?;
    }
    let there = absolute.symlink_metadata().is_ok();
    if there && !replace {
        return Err(exists(&path));
    }
    let kept = if there { Some(keep(&absolute)?) } else { None };
    store(&absolute, &form::render(form), &guard)?;
    Ok(Recorded { path, kept })
}

fn store(path: &std::path::Path, text: &str, guard: &impl Writing) -> Result<()> {
    crate::store::atomic::replace(path, text.as_bytes(), guard)
}

/// Copies the old file to `.1`, or the next free number, without ever overwriting one.
fn keep(path: &std::path::Path) -> Result<PathBuf> {
    let bytes = std::fs::read(path).at(path)?;
    for n in 1..10_000 {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{n}"));
        let kept = PathBuf::from(name);
        match std::fs::OpenOptions::new().write(true).create_new(true).open(&kept) {
            Ok(mut file) => {
                use std::io::Write;
                file.write_all(&bytes).and_then(|()| file.sync_all()).at(&kept)?;
                return Ok(kept);
            }
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(Error::io(kept, &e)),
        }
    }
    Err(refused(tr!("trop de copies de {}", "too many copies of {}", path.display())))
}

/// The form of a story on `date`.
pub fn form(story: StoryId, domain: Slug, project: Slug, date: Date, answers: [String; 4]) -> Form {
    Form { story, domain, project, date, answers }
}
