//! Other people's clarifications → files of our own below `docs/epics`.
//!
//! Answers to our four questions become a story's clarification file; questions of their own become a
//! `spec.md` with a Clarifications section and front matter that names story, domain, project and day.
//! What is written reads back to the same answers, or is left out with its reason. Nothing is
//! overwritten. Nothing is lost unseen: read = added + same + expired + without answers + excluded.

use std::collections::HashSet;
use std::path::Path;

use super::collect::{self, OWN_ROOT};
use super::foreign::{self, Content, Defaults, Incoming};
use super::form::{self, Form};
use super::record;
use super::spec::{self, Answered};
use crate::base::error::IoContext;
use crate::base::{Result, secret};
use crate::memory::Memory;
use crate::memory::excluded::Excluded;
use crate::memory::field_map::FieldMap;
use crate::memory::import::{File, has_extension, items, text};
use crate::memory::tree::Path as Field;
use crate::store::lock::{Reindex, Writing};
use crate::store::schema::Clarification;
use crate::store::{atomic, inside};
use crate::tr;

/// The kinds of files other than Markdown that are looked for in a directory.
const EXTENSIONS: [&str; 4] = ["json", "jsonl", "yaml", "yml"];

/// Whether a file of a directory is looked into.
pub fn is_wanted(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
    name == "spec.md" || name.ends_with("-clarifications.md") || has_extension(path, &EXTENSIONS)
}

/// What was read from the files.
#[derive(Clone, Debug, Default)]
pub struct Found {
    incoming: Vec<(Incoming, (String, Option<u64>))>,
    read: usize,
    without_answers: usize,
    unanswered: usize,
    excluded: Vec<Excluded>,
}

/// What an import did, every item counted once.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Imported {
    /// Items read.
    pub read: usize,
    /// Files written.
    pub added: usize,
    /// Of those, how many got a number because another record had their name.
    pub disambiguated: usize,
    /// Records that the workspace has already.
    pub same: usize,
    /// Records whose retention has passed.
    pub expired: usize,
    /// Items without an answered question.
    pub without_answers: usize,
    /// Questions without an answer.
    pub unanswered: usize,
    /// Left out, with the reason.
    pub excluded: Vec<Excluded>,
    /// The files written, relative to the workspace.
    pub paths: Vec<String>,
}

/// Reads `files`; `at` leads to the items of JSON and YAML documents. `excluded` holds what the search
/// for files left out.
///
/// # Errors
/// I/O.
pub fn read(
    files: &[File],
    at: Option<&Field>,
    fields: &FieldMap,
    defaults: &Defaults,
    excluded: Vec<Excluded>,
) -> Result<Found> {
    let mut found = Found { excluded, ..Found::default() };
    for file in files {
        let shown = &file.1;
        if has_extension(&file.0, &["md", "markdown"]) {
            let Some(text) = text(file, &mut found.excluded)? else { continue };
            let folder = file.0.parent().and_then(Path::file_name).and_then(|n| n.to_str()).unwrap_or("");
            found.take(foreign::markdown(&text, folder, fields, defaults), (shown.clone(), None));
        } else {
            for (line, item) in items(file, at, &mut found.excluded)? {
                found.take(foreign::item(&item, fields, defaults), (shown.clone(), line));
            }
        }
    }
    found.read += found.excluded.len();
    Ok(found)
}

impl Found {
    fn take(&mut self, read: Result<foreign::Read, String>, origin: (String, Option<u64>)) {
        match read {
            Ok(read) => {
                self.read += 1;
                self.unanswered += read.unanswered;
                match read.incoming {
                    Some(incoming) => self.incoming.push((incoming, origin)),
                    None => self.without_answers += 1,
                }
            }
            Err(reason) => {
                self.excluded.push(Excluded { origin: origin.0, line: origin.1, reason });
            }
        }
    }
}

/// A file to write.
struct Planned {
    path: String,
    text: String,
    numbered: bool,
}

/// Writes what the workspace does not have; with `dry_run` nothing.
///
/// # Errors
/// ERR-295-09; I/O.
pub fn add(memory: &Memory<'_>, found: Found, dry_run: bool) -> Result<Imported> {
    let mut locks = memory.locks();
    let (guard, _) = locks.begin().exclusive::<Reindex>()?;
    let today = memory.clock.now().date();
    let mut report = Imported {
        read: found.read,
        without_answers: found.without_answers,
        unanswered: found.unanswered,
        excluded: found.excluded,
        ..Imported::default()
    };
    let mut known: Vec<Said> = collect::collect(memory, today)?.records.iter().map(Said::of).collect();
    let mut planned: HashSet<String> = HashSet::new();
    for (incoming, (origin, line)) in found.incoming {
        if today > Clarification::retention_of(incoming.date) {
            report.expired += 1;
            continue;
        }
        let said = Said::incoming(&incoming);
        if known.contains(&said) {
            report.same += 1;
            continue;
        }
        match plan(memory, &incoming, &planned)? {
            Ok(file) => {
                if !dry_run {
                    write(memory, &file, &guard)?;
                }
                known.push(said);
                planned.insert(file.path.clone());
                report.added += 1;
                report.disambiguated += usize::from(file.numbered);
                report.paths.push(file.path);
            }
            Err(reason) => report.excluded.push(Excluded { origin, line, reason }),
        }
    }
    Ok(report)
}

/// What a record says, wherever it lies.
#[derive(PartialEq)]
struct Said {
    key: String,
    answers: Vec<String>,
}

impl Said {
    fn of(record: &Clarification) -> Said {
        Said {
            key: format!("{} {} {} {}", record.story, record.domain, record.project, record.date),
            answers: record.questions.iter().map(|q| q.answer.clone()).collect(),
        }
    }

    fn incoming(incoming: &Incoming) -> Said {
        Said {
            key: format!("{} {} {} {}", incoming.story, incoming.domain, incoming.project, incoming.date),
            answers: match &incoming.content {
                Content::Four(answers) => answers.to_vec(),
                Content::List(list) => list.iter().map(collect::spec_answer).collect(),
            },
        }
    }
}

/// Where the clarifications go and what is written there; the reason when they cannot.
fn plan(
    memory: &Memory<'_>,
    incoming: &Incoming,
    planned: &HashSet<String>,
) -> Result<Result<Planned, String>> {
    let free = |path: &str| {
        !planned.contains(path) && memory.workspace.root().join(path).symlink_metadata().is_err()
    };
    let list = match &incoming.content {
        Content::Four(answers) => {
            let answers = match record::check(answers) {
                Ok(answers) => answers,
                Err(e) => return Ok(Err(e.message().to_owned())),
            };
            let form = Form {
                story: incoming.story.clone(),
                domain: incoming.domain.clone(),
                project: incoming.project.clone(),
                date: incoming.date,
                answers,
            };
            let path = match record::place(memory, &incoming.story, &incoming.domain, incoming.slug.as_ref())
            {
                Ok(path) => path,
                Err(e) if e.code().is_some() => return Ok(Err(e.message().to_owned())),
                Err(e) => return Err(e),
            };
            let name = format!("/{}-clarifications.md", incoming.story);
            if !free(&path) || planned.iter().any(|p| p.ends_with(&name)) {
                return Ok(Err(tr!(
                    "{} a déjà d'autres réponses ({path}) ; rien n'est écrasé",
                    "{} has other answers already ({path}); nothing is overwritten",
                    incoming.story
                )));
            }
            return Ok(Ok(Planned { path, text: form::render(&form), numbered: false }));
        }
        Content::List(list) => list,
    };
    for a in list {
        if let Some(found) = secret::scan(&format!("{}\n{}", a.question, a.answer)).first() {
            let rule = found.rule;
            return Ok(Err(tr!("un secret dans une réponse ({rule})", "a secret in an answer ({rule})")));
        }
    }
    let text = spec_text(incoming, list);
    if spec::parse(&text).is_none_or(|s| s.answered != *list || s.unanswered > 0) {
        return Ok(Err(tr!(
            "une réponse ne tient pas dans une section Clarifications sans changer",
            "an answer does not fit into a Clarifications section without change"
        )));
    }
    let slug = incoming.slug.as_ref().map_or("clarifications", |s| s.as_str());
    let folder = format!("{OWN_ROOT}/{}/{}-{slug}", incoming.domain, incoming.story);
    let paths = (1..).map(|n| (n > 1, if n == 1 { folder.clone() } else { format!("{folder}-{n}") }));
    let place =
        paths.map(|(numbered, folder)| (numbered, format!("{folder}/spec.md"))).find(|(_, p)| free(p));
    Ok(place.map(|(numbered, path)| Planned { path, text, numbered }).ok_or_else(String::new))
}

/// A `spec.md` with nothing but its Clarifications section.
fn spec_text(incoming: &Incoming, list: &[Answered]) -> String {
    let Incoming { story, domain, project, date, .. } = incoming;
    format!(
        "---\nstory: {story}\ndomain: {domain}\nproject: {project}\ndate: {date}\n---\n\n## Clarifications\n\n### Session {date}\n\n{}",
        spec::render(list)
    )
}

fn write(memory: &Memory<'_>, file: &Planned, guard: &impl Writing) -> Result<()> {
    let full = inside::join(memory.workspace.root(), &file.path)?;
    if let Some(dir) = full.parent() {
        std::fs::create_dir_all(dir).at(dir)?;
    }
    atomic::replace(&full, file.text.as_bytes(), guard)
}
