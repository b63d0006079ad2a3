//! `update`: pages brought up to date with what happened to their code.
//!
//! Renames are followed in `impl_refs`; pages whose code changed become needs-review, with the reason
//! in the ledger; `updated` is never touched and nothing is ever deleted. A second run writes
//! nothing.

use std::collections::BTreeSet;

use globset::GlobBuilder;

use crate::base::{Error, Result};
use crate::knowledge::check::repair::{Before, Change, changes};
use crate::knowledge::drift::{self, Changed, Kind, Ledger, Missing, Reference, State, Verdict};
use crate::knowledge::git::Repo;
use crate::knowledge::graph::Graph;
use crate::knowledge::load::Base;
use crate::knowledge::resolve::Resolver;
use crate::knowledge::walk::under;
use crate::knowledge::{Marker, Page};
use crate::markdown::front_matter::{Value, replace_scalar, set_field};
use crate::store::atomic;
use crate::tr;

/// What is to be looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Whatever the ledger, git or modification times say.
    #[default]
    Everything,
    /// What changed since a revision.
    Since(String),
    /// What a branch changes against this one.
    Branch(String),
    /// These files, from the folder of `.rag`.
    Paths(Vec<String>),
}

/// A planned update.
#[derive(Clone, Debug)]
pub struct Update {
    /// Pages before and after.
    pub changes: Vec<Change>,
    /// Pages set to needs-review and why.
    pub marked: Vec<(String, String)>,
    /// References that drifted, marked now or before: page, reference, why.
    pub drifted: Vec<(String, String, String)>,
    /// References renamed: page, before, after.
    pub renamed: Vec<(String, String, String)>,
    /// Pages none of whose references exist any more.
    pub lost: Vec<String>,
    /// Pages archived.
    pub archived: Vec<String>,
    /// Pages that should change and could not: page and why.
    pub skipped: Vec<(String, String)>,
    /// The ledger afterwards.
    pub ledger: Ledger,
    /// The base as it will be, its indexes not yet made.
    pub base: Base,
}

/// Plans an update of `base`; `archive` names pages to archive.
///
/// # Errors
/// A usage error for an unknown page, revision or branch.
pub fn plan(mut base: Base, scope: &Scope, archive: &[String]) -> Result<Update> {
    let mut before = Before::new();
    let mut ledger = Ledger::read(&base.marker.home)?;
    let files = scoped(&base, scope)?;
    let mut out = Update {
        changes: Vec::new(),
        marked: Vec::new(),
        drifted: Vec::new(),
        renamed: Vec::new(),
        lost: Vec::new(),
        archived: Vec::new(),
        skipped: Vec::new(),
        ledger: Ledger::default(),
        base: Base::empty(base.marker.clone()),
    };
    for name in archive {
        let path = base.named(name, None)?.path.clone();
        if set_status(&mut base, &mut before, &path, "archived", &mut out.skipped) {
            out.archived.push(path);
        }
    }
    follow_renames(&mut base, &mut before, &mut ledger, &mut out);
    mark(&mut base, &mut before, &mut ledger, files.as_ref(), &mut out);
    // Entries of pages and references that are gone say nothing any more.
    let known: BTreeSet<(&str, &str)> = base
        .pages
        .iter()
        .filter(|p| p.is_readable())
        .flat_map(|p| p.meta.impl_refs.iter().map(|i| (p.path.as_str(), i.text.as_str())))
        .collect();
    let unreadable: BTreeSet<&str> =
        base.pages.iter().filter(|p| !p.is_readable()).map(|p| p.path.as_str()).collect();
    ledger.retain(|page, reference| known.contains(&(page, reference)) || unreadable.contains(page));
    out.changes = changes(before, &base);
    if !out.changes.is_empty() {
        base.graph = Graph::new(&base.pages);
    }
    out.ledger = ledger;
    out.base = base;
    Ok(out)
}

/// The files to look at; `None` for everything.
fn scoped(base: &Base, scope: &Scope) -> Result<Option<BTreeSet<String>>> {
    let (revision, branch) = match scope {
        Scope::Everything => return Ok(None),
        Scope::Paths(paths) => return Ok(Some(paths.iter().cloned().collect())),
        Scope::Since(revision) => (revision, false),
        Scope::Branch(name) => (name, true),
    };
    let unknown = |why: String| {
        Error::usage(tr!("{revision} : {why}", "{revision}: {why}"))
            .hint(tr!("donnez une révision que git connaît", "give a revision that git knows"))
    };
    let repo = Repo::discover(&base.marker.home).map_err(|e| unknown(e.to_string()))?;
    if !repo.is_revision(revision) {
        return Err(unknown(tr!("révision inconnue", "unknown revision")));
    }
    let changes = repo.changed_since(revision, branch).map_err(unknown)?;
    let mut files: BTreeSet<String> = changes.into_iter().flat_map(|c| [c.old, c.new]).collect();
    if !branch {
        files.extend(repo.uncommitted());
    }
    Ok(Some(files))
}

fn reparse(base: &mut Base, before: &mut Before, path: &str, source: String) {
    let most = base.marker.summary_max;
    if let Ok(i) = base.pages.binary_search_by(|p| p.path.as_str().cmp(path)) {
        let old = std::mem::replace(&mut base.pages[i], Page::parse(path, source, most));
        before.entry(old.path).or_insert(old.source);
    }
}

fn set_status(
    base: &mut Base,
    before: &mut Before,
    path: &str,
    status: &str,
    skipped: &mut Vec<(String, String)>,
) -> bool {
    let Some(page) = base.page(path) else { return false };
    if page.status() == status {
        return false;
    }
    match set_field(&page.source, "status", Value::Text(status)) {
        Ok(source) => {
            reparse(base, before, path, source);
            true
        }
        Err(e) => {
            skipped.push((path.to_owned(), e.to_string()));
            false
        }
    }
}

fn follow_renames(base: &mut Base, before: &mut Before, ledger: &mut Ledger, out: &mut Update) {
    let drift = drift::judge(base, ledger, |_| true);
    // Spans move with every edit: the last reference of a page goes first.
    for v in drift.verdicts.iter().rev() {
        let to = match &v.state {
            State::Missing(Missing::Renamed(to)) => to.clone(),
            State::Missing(Missing::WrongCase(real)) => reference(base, &v.text).with_path(real),
            _ => continue,
        };
        let Some(page) = base.page(&v.page) else { continue };
        if page.status() == "archived" {
            continue;
        }
        match replace_scalar(&page.source, &v.span, &to) {
            Ok(source) => {
                let path = page.path.clone();
                reparse(base, before, &path, source);
                ledger.rename_reference(&path, &v.text, &to);
                out.renamed.push((path, v.text.clone(), to));
            }
            Err(e) => out.skipped.push((v.page.clone(), e.to_string())),
        }
    }
    out.renamed.reverse();
}

fn reference(base: &Base, text: &str) -> Reference {
    let resolver = Resolver::new(&base.marker, []);
    Reference::parse(text, |p| resolver.in_home(p).is_ok())
}

fn mark(
    base: &mut Base,
    before: &mut Before,
    ledger: &mut Ledger,
    files: Option<&BTreeSet<String>>,
    out: &mut Update,
) {
    let drift = drift::judge(base, ledger, |p| !matches!(p.status(), "archived" | "deprecated"));
    let mut by_page: Vec<(String, Vec<(Verdict, String)>)> = Vec::new();
    for v in drift.verdicts {
        let in_scope = files.is_none_or(|f| f.iter().any(|file| covers(&reference(base, &v.text), file)));
        let acknowledged = ledger.get(&v.page, &v.text).is_some();
        let why = match &v.state {
            _ if !in_scope => None,
            State::Changed(c) if c.whitespace_only => None,
            State::Changed(c) => Some(reason(c)),
            State::Missing(_) => Some(tr!("introuvable", "missing")),
            // Named by the caller and never acknowledged: the caller knows better than the date.
            State::Fresh | State::Unknown(_) if files.is_some() && !acknowledged => {
                Some(tr!("modifié", "changed"))
            }
            _ => None,
        };
        let Some(why) = why else { continue };
        match by_page.last_mut() {
            Some((page, list)) if *page == v.page => list.push((v, why)),
            _ => by_page.push((v.page.clone(), vec![(v, why)])),
        }
    }
    for (path, list) in by_page {
        let Some(page) = base.page(&path) else { continue };
        let total = page.meta.impl_refs.len();
        let gone = list.iter().filter(|(v, _)| matches!(v.state, State::Missing(_))).count();
        if gone == total {
            out.lost.push(path.clone());
        }
        let was_marked = page.status() == "needs-review";
        let reasons: Vec<String> = list.iter().map(|(v, why)| format!("{} : {why}", v.text)).collect();
        out.drifted.extend(list.iter().map(|(v, why)| (path.clone(), v.text.clone(), why.clone())));
        if !was_marked && !set_status(base, before, &path, "needs-review", &mut out.skipped) {
            continue;
        }
        for (v, why) in &list {
            let noted = ledger.get(&path, &v.text).is_some_and(|e| e.reason.is_some());
            if !noted {
                let before = match &v.state {
                    State::Changed(c) => c.before.as_deref(),
                    _ => None,
                };
                ledger.note(&path, &v.text, before, why);
            }
        }
        if !was_marked {
            out.marked.push((path, reasons.join(" ; ")));
        }
    }
}

/// Why a changed reference wants a review, in a few words that stay the same.
fn reason(c: &Changed) -> String {
    let size =
        if c.added + c.removed > 0 { format!(" +{} −{}", c.added, c.removed) } else { String::new() };
    match c.commits.first() {
        Some(commit) => tr!("modifié{size}, {} {}", "changed{size}, {} {}", commit.day, commit.id),
        None => tr!("modifié{size}", "changed{size}"),
    }
}

/// Whether a reference speaks of `file`.
pub fn covers(reference: &Reference, file: &str) -> bool {
    match reference.kind {
        Kind::Glob => GlobBuilder::new(&reference.path)
            .literal_separator(true)
            .build()
            .is_ok_and(|g| g.compile_matcher().is_match(file)),
        _ => {
            file == reference.path
                || file.strip_prefix(&reference.path).is_some_and(|rest| rest.starts_with('/'))
                // A folder given by the user covers what is in it.
                || reference.path.strip_prefix(file.trim_end_matches('/')).is_some_and(|r| r.starts_with('/'))
        }
    }
}

/// Pages that describe `file` (from the folder of `.rag`), with the reference that says so.
pub fn describing(base: &Base, file: &str) -> Vec<(String, String)> {
    let resolver = Resolver::new(&base.marker, []);
    let exists = |p: &str| resolver.in_home(p).is_ok();
    base.pages
        .iter()
        .flat_map(|p| p.meta.impl_refs.iter().map(move |i| (p, i)))
        .filter(|(_, i)| covers(&Reference::parse(&i.text, exists), file))
        .map(|(p, i)| (p.path.clone(), i.text.clone()))
        .collect()
}

impl Update {
    /// Whether nothing is to be written, indexes aside.
    pub fn is_empty(&self, home: &std::path::Path) -> bool {
        self.changes.is_empty() && Ledger::read(home).is_ok_and(|l| l.render() == self.ledger.render())
    }

    /// Puts pages and ledger on disk; the indexes are the caller's to make.
    ///
    /// # Errors
    /// An output error that names the file.
    pub fn write(&self, marker: &Marker) -> Result<()> {
        for change in &self.changes {
            atomic::replace_unlocked(&under(&marker.root, &change.path), change.after.as_bytes())?;
        }
        self.ledger.write(&marker.home)?;
        Ok(())
    }
}
