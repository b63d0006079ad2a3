//! The clarification files of a workspace → `clarifications.jsonl`.
//!
//! Our own files are `docs/epics/**/<STORY>-clarifications.md`; other people's are `spec.md` files
//! below the configured roots. One file is one record, known by its path. Files whose retention has
//! passed are counted and never collected; records whose retention has passed stay in the store, shown
//! by nobody, until a purge signs that they go.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::form::{self, QUESTIONS};
use super::spec;
use crate::base::id::{Slug, StoryId};
use crate::base::{Date, Result};
use crate::memory::Memory;
use crate::memory::corpus::Entry;
use crate::memory::document;
use crate::memory::excluded::Excluded;
use crate::memory::ids::unique_slugs;
use crate::memory::tree_walk;
use crate::store::jsonl::{Out, Snapshot};
use crate::store::schema::{self, Answer, Clarification, Record, Theme};
use crate::tr;

/// Where our own files lie, relative to the workspace.
pub const OWN_ROOT: &str = "docs/epics";
const OWN_SUFFIX: &str = "-clarifications.md";

/// What a collection found.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// Records in path order.
    pub records: Vec<Clarification>,
    /// Files that cannot be used.
    pub excluded: Vec<Excluded>,
    /// Files looked at.
    pub files: usize,
    /// Files whose retention has passed.
    pub expired: usize,
    /// `spec.md` files without an answered question.
    pub without_answers: usize,
    /// Questions of `spec.md` files without an answer.
    pub unanswered: usize,
    /// Roots that do not exist.
    pub missing_roots: Vec<PathBuf>,
}

/// Collects on `today`.
///
/// # Errors
/// I/O when a directory cannot be listed.
pub fn collect(memory: &Memory<'_>, today: Date) -> Result<Collected> {
    let root = memory.workspace.root();
    let config = &memory.config.clarifications;
    let mut out = Collected::default();
    let mut files: BTreeMap<String, PathBuf> = BTreeMap::new();
    let own_root = root.join(OWN_ROOT);
    for dir in std::iter::once(&own_root).chain(&config.roots) {
        if dir.is_dir() {
            tree_walk::collect(dir, root, is_wanted, &mut files, &mut out.excluded);
        } else if *dir != own_root {
            out.missing_roots.push(dir.clone());
        }
    }
    out.excluded.dedup();
    // Names that no record may hold were read too.
    out.files = out.excluded.len();
    for (shown, path) in files {
        out.files += 1;
        let read = if is_own(&path) {
            read_own(&path, &shown)
        } else {
            read_spec(&path, &shown, config.domain.as_ref(), config.project.as_ref(), &mut out)
        };
        match read {
            Ok(Some(record)) if record.is_expired(today) => out.expired += 1,
            Ok(Some(record)) => out.records.push(record),
            Ok(None) => out.without_answers += 1,
            Err(reason) => out.excluded.push(Excluded { origin: shown, line: None, reason }),
        }
    }
    Ok(out)
}

/// Whether a file has the name of our own.
pub fn is_own(path: &Path) -> bool {
    path.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.ends_with(OWN_SUFFIX))
}

fn is_wanted(path: &Path) -> bool {
    is_own(path) || path.file_name().is_some_and(|n| n == "spec.md")
}

/// Reads one of our own files; the reason when it is invalid.
pub fn read_own(path: &Path, shown: &str) -> Result<Option<Clarification>, String> {
    let text = document::read_text(path).map_err(|e| e.message().to_owned())?;
    let (front, body) =
        document::markdown(&text)?.ok_or_else(|| tr!("pas de front matter", "no front matter"))?;
    let field = |name: &str| {
        front
            .get(name)
            .and_then(Value::as_str)
            .ok_or_else(|| tr!("champ {name} absent", "field {name} is missing"))
    };
    let story: StoryId = field("story")?.parse()?;
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
    if name != format!("{story}{OWN_SUFFIX}") {
        return Err(tr!(
            "le nom du fichier et la story {story} diffèrent",
            "the file name and the story {story} differ"
        ));
    }
    let domain: Slug = field("domain")?.parse()?;
    let project: Slug = field("project")?.parse()?;
    let date = field("date")?;
    let date = Date::parse(date).ok_or_else(|| tr!("date {date:?}", "date {date:?}"))?;
    let answers = form::answers(body)?;
    let questions = QUESTIONS.iter().zip(answers).map(|(question, answer)| Answer {
        id: question.id.to_owned(),
        theme: Theme::parse(question.theme).unwrap_or(Theme::Contraintes),
        answer,
    });
    Ok(Some(Clarification {
        story,
        domain,
        project,
        date,
        path: shown.to_owned(),
        questions: questions.collect(),
        retention_until: Clarification::retention_of(date),
        source: Default::default(),
    }))
}

fn read_spec(
    path: &Path,
    shown: &str,
    domain: Option<&Slug>,
    project: Option<&Slug>,
    out: &mut Collected,
) -> Result<Option<Clarification>, String> {
    let text = document::read_text(path).map_err(|e| e.message().to_owned())?;
    let Some(section) = spec::parse(&text) else { return Ok(None) };
    out.unanswered += section.unanswered;
    if section.answered.is_empty() {
        return Ok(None);
    }
    let questions = section.answered.iter().enumerate().map(|(i, pair)| Answer {
        id: format!("Q{}", i + 1),
        theme: Theme::Contraintes,
        answer: spec_answer(pair),
    });
    let questions = questions.collect();
    let (story, domain, project, date) = match placed(&text) {
        Some(placed) => placed,
        None => {
            let folder = path.parent().and_then(Path::file_name).and_then(|n| n.to_str()).unwrap_or("");
            let story = spec::story_of(folder).ok_or_else(|| {
                tr!("le dossier {folder:?} n'a pas de numéro", "the folder {folder:?} has no number")
            })?;
            let date =
                section.date.ok_or_else(|| tr!("aucun titre Session daté", "no dated Session heading"))?;
            let unset = |name: &str| {
                tr!(
                    "[clarifications] {name} n'est pas configuré",
                    "[clarifications] {name} is not configured"
                )
            };
            let domain = domain.cloned().ok_or_else(|| unset("domain"))?;
            (story, domain, project.cloned().ok_or_else(|| unset("project"))?, date)
        }
    };
    Ok(Some(Clarification {
        story,
        domain,
        project,
        date,
        path: shown.to_owned(),
        questions,
        retention_until: Clarification::retention_of(date),
        source: Default::default(),
    }))
}

/// What a record holds for a foreign question: it has no place for the question, and the answer means
/// little without it.
pub fn spec_answer(pair: &spec::Answered) -> String {
    format!("{} → {}", pair.question, pair.answer)
}

/// Story, domain, project and day of a `spec.md` whose front matter names all four, as an import
/// writes them; specifications of other people's tools do not.
fn placed(text: &str) -> Option<(StoryId, Slug, Slug, Date)> {
    let (front, _) = document::markdown(text).ok()??;
    let field = |name: &str| front.get(name).and_then(Value::as_str);
    Some((
        field("story")?.parse().ok()?,
        field("domain")?.parse().ok()?,
        field("project")?.parse().ok()?,
        Date::parse(field("date")?)?,
    ))
}

/// The records of the store whose retention has passed on `today`, purged by nobody yet.
pub fn expired(old: &Snapshot, today: Date) -> Vec<Clarification> {
    let loaded = schema::load::<Clarification>(old);
    loaded.records.into_iter().map(|(_, record)| record).filter(|r| r.is_expired(today)).collect()
}

/// The retention that a line names, be it a record or not.
pub fn rough_retention(line: &[u8]) -> Option<Date> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let day = |key: &str| value.get(key)?.as_str().and_then(Date::parse);
    day("retention_until").or_else(|| day("date").map(Clarification::retention_of))
}

/// The lines of `clarifications.jsonl` for `records`, in path order: those that say the same keep their
/// bytes, and what has expired in the store stays, behind what a path holds now.
pub fn lines<'s>(old: &'s Snapshot, records: &[Clarification], today: Date) -> Vec<Out<'s>> {
    let loaded = schema::load::<Clarification>(old);
    let by_path: HashMap<&str, &(usize, Clarification)> = loaded
        .records
        .iter()
        .filter(|(_, record)| !record.is_expired(today))
        .map(|found| (found.1.path.as_str(), found))
        .collect();
    let collected = records.iter().map(|record| {
        let out = match by_path.get(record.path.as_str()) {
            Some((line, before)) => {
                let merged = Clarification { source: before.source.clone(), ..record.clone() };
                match old.line(*line) {
                    Some(line) if merged == *before => Out::Kept(line.bytes),
                    _ => Out::New(merged.to_line()),
                }
            }
            None => Out::New(record.to_line()),
        };
        (record.path.as_str(), out)
    });
    let kept = |line: usize| old.line(line).map(|line| Out::Kept(line.bytes));
    let expired = loaded.records.iter().filter(|(_, record)| record.is_expired(today));
    let expired = expired.filter_map(|(line, record)| Some((record.path.as_str(), kept(*line)?)));
    let rough = loaded.excluded.iter().filter_map(|e| {
        let line = old.line(e.line - 1)?;
        rough_retention(line.bytes).is_some_and(|until| today > until).then_some(Out::Kept(line.bytes))
    });
    let mut lines: Vec<(&str, Out<'s>)> = collected.chain(expired).collect();
    lines.sort_by_key(|(path, _)| *path);
    lines.into_iter().map(|(_, line)| line).chain(rough).collect()
}

/// The text that stands for a record in the index.
pub fn text(record: &Clarification) -> String {
    record.questions.iter().map(|q| q.answer.as_str()).collect::<Vec<_>>().join("\n\n")
}

/// Records with their result ids, in path order.
pub fn identified(mut records: Vec<Clarification>) -> Vec<(String, Clarification)> {
    records.sort_by(|a, b| a.path.cmp(&b.path));
    let ids = unique_slugs(records.iter().map(|r| r.path.as_str()));
    ids.into_iter().zip(records).collect()
}

/// What the index holds on `today`.
pub fn entries(records: &[(String, Clarification)], today: Date) -> Vec<Entry> {
    let kept = records.iter().filter(|(_, r)| !r.is_expired(today));
    kept.map(|(id, r)| Entry { id: id.clone(), text: text(r) }).collect()
}
