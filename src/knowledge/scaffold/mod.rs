//! `init`, and the drafting that `update` calls: from what a repository holds to draft pages.
//!
//! [`survey`] walks once, [`units`] reads what is there, [`themes`] deduces the folders, [`plan`]
//! writes pages in memory; only [`init`] and the caller of [`new_drafts`] write, and only into the
//! base, `.rag` and `rag.md`. Sources are never changed. Same repository, same day, same bytes.

pub mod config;
pub mod data;
pub mod documents;
pub mod draft;
pub mod facts;
pub mod language;
mod narrow;
pub mod news;
pub mod norm;
pub mod plan;
pub mod relations;
pub mod survey;
pub mod text;
pub mod themes;
pub mod unit;
pub mod units;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path};

use crate::base::error::IoContext;
use crate::base::lang::Lang;
use crate::base::{Date, Error, Result};
use crate::knowledge::drift::ids::Ids;
use crate::knowledge::drift::reference::Reference;
use crate::knowledge::edit::update::covers;
use crate::knowledge::managed::State;
use crate::knowledge::resolve::Resolver;
use crate::knowledge::walk::under;
use crate::knowledge::{Base, Marker, Page, indexes, marker};
use crate::markdown::front_matter;
use crate::store::atomic;
use crate::tr;

pub use draft::Draft;
use plan::Standing;
use survey::{Sort, Survey};
pub use themes::Theme;
use unit::Unit;

/// The root when none is given.
pub const DEFAULT_ROOT: &str = "./docs-rag";

/// What `init` did.
#[derive(Clone, Debug)]
pub struct Report {
    /// The new base.
    pub base: Base,
    /// Its themes and their reasons.
    pub themes: Vec<Theme>,
    /// Paths of the pages, from the root.
    pub pages: Vec<String>,
    /// `impl_refs` that lead nowhere: page and reference.
    pub unresolved: Vec<(String, String)>,
    /// Files that sampling left out.
    pub sampled_out: usize,
    /// How `rag.md` stood before.
    pub norm: State,
    /// Whether `.rag` was written (else it was there).
    pub marker_written: bool,
}

/// Makes a base in `home` from what the repository holds. `root` is where the pages go, relative to
/// `home` or absolute; `lang` the language, deduced when absent.
///
/// # Errors
/// A usage error (exit 2) over a base or a folder that holds pages, and for a repository with nothing
/// to describe; input and output errors.
pub fn init(home: &Path, root: Option<&str>, lang: Option<Lang>, today: Date) -> Result<Report> {
    let rag = home.join(marker::NAME);
    let existing = if rag.is_file() { Some(marker::open(home)?) } else { None };
    let root_text = match (&existing, root) {
        (Some(found), _) => found.root_text.clone(),
        (None, Some(root)) => written_root(home, root)?,
        (None, None) => DEFAULT_ROOT.to_owned(),
    };
    let target = existing.as_ref().map_or_else(|| home.join(&root_text), |m| m.root.clone());
    refuse_pages(&target)?;
    let survey = Survey::walk(home, &clean(&target))?;
    let lang = existing.as_ref().map(|m| m.lang).or(lang).unwrap_or_else(|| language_of(&survey));
    let units = units::collect(&survey, lang);
    if units.is_empty() {
        return Err(Error::usage(tr!(
            "rien à décrire dans {} : ni document, ni code, ni configuration",
            "nothing to describe in {}: no document, code or configuration",
            home.display()
        ))
        .hint(tr!(
            "lancez govrag init à la racine du dépôt",
            "run govrag init at the root of the repository"
        )));
    }
    let marker_written = existing.is_none();
    let marker = match existing {
        Some(found) => found,
        None => {
            let plain = root_text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-./".contains(&b));
            let root = if plain { root_text.clone() } else { front_matter::quoted(&root_text) };
            let text = format!(
                "# .rag\nversion: \"1\"\nroot: {root}\nlang: {}\nsummary_max: 240\ncheck_on_update: true\n",
                lang.tag()
            );
            let marker = marker::parse(&rag, &text)?;
            atomic::replace_unlocked(&rag, text.as_bytes())?;
            marker
        }
    };
    let norm = norm::write(home, lang)?;
    let (drafts, themes) = plan::plan(&units, &marker, today, &BTreeSet::new(), |_| Standing::New);
    write_drafts(&marker, &drafts)?;
    let base = Base::load(marker)?;
    indexes::write(&base.marker, &indexes::plan(&base))?;
    Ok(Report {
        unresolved: unresolved(&base, &drafts),
        pages: drafts.into_iter().map(|d| d.path).collect(),
        base,
        themes,
        sampled_out: survey.sampled_out,
        norm,
        marker_written,
    })
}

/// Draft pages for units that no page of `base` describes. With `only`, a unit counts as new only when
/// one of its files is among these (paths from the folder of `.rag`): an update must not flood a base
/// that was never meant to describe everything.
///
/// # Errors
/// An input error when the repository cannot be read.
pub fn new_drafts(base: &Base, only: Option<&BTreeSet<String>>, today: Date) -> Result<Vec<Draft>> {
    let marker = &base.marker;
    let survey = Survey::walk(&marker.home, &clean(&marker.root))?;
    let resolver = Resolver::new(marker, []);
    let exists = |path: &str| resolver.in_home(path).is_ok();
    let known: Vec<(&Page, Reference)> = base
        .pages
        .iter()
        .flat_map(|page| page.meta.impl_refs.iter().map(move |item| (page, item)))
        .map(|(page, item)| (page, Reference::parse(&item.text, exists)))
        .collect();
    let units = units::collect(&survey, marker.lang);
    let standing = |unit: &Unit| {
        let page = known.iter().find(|(_, reference)| {
            let mut paths = unit.refs.iter().flat_map(|r| narrow::paths(r, &unit.members));
            paths.any(|path| covers(reference, path))
        });
        let inside = |file: &String| unit.refs.iter().any(|r| narrow::names(r, file));
        match page {
            Some((page, _)) => Standing::Known(page.path.clone(), page.title().to_owned()),
            None if only.is_none_or(|files| files.iter().any(inside)) => Standing::New,
            None => Standing::Skipped,
        }
    };
    let taken: BTreeSet<String> = base.pages.iter().map(|page| page.path.clone()).collect();
    Ok(plan::plan(&units, marker, today, &taken, standing).0)
}

/// Writes drafts into the base; the indexes are the caller's to make.
///
/// # Errors
/// An output error that names the file.
pub fn write_drafts(marker: &Marker, drafts: &[Draft]) -> Result<()> {
    for draft in drafts {
        let path = under(&marker.root, &draft.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).at(folder)?;
        }
        atomic::replace_unlocked(&path, draft.text.as_bytes())?;
    }
    Ok(())
}

/// The root as `.rag` will write it: relative to `home` with `/` where it lies inside.
fn written_root(home: &Path, root: &str) -> Result<String> {
    let path = Path::new(root);
    let inside = if path.is_absolute() { path.strip_prefix(home).ok() } else { Some(path) };
    let Some(inside) = inside else { return Ok(root.to_owned()) };
    let mut parts = Vec::new();
    for part in inside.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            Component::CurDir => {}
            _ => return Ok(root.to_owned()),
        }
    }
    if parts.is_empty() {
        return Err(Error::usage(tr!(
            "la base ne peut pas être la racine du dépôt",
            "the base cannot be the root of the repository"
        ))
        .hint(format!("govrag init {DEFAULT_ROOT}")));
    }
    Ok(format!("./{}", parts.join("/")))
}

/// Refuses a root that holds anything but hidden files and our own indexes.
fn refuse_pages(root: &Path) -> Result<()> {
    let Ok(entries) = fs::read_dir(root) else { return Ok(()) };
    let mut held = entries.flatten().filter(|e| !e.file_name().to_string_lossy().starts_with('.'));
    if held.next().is_none() {
        return Ok(());
    }
    Err(Error::usage(tr!(
        "{} contient déjà quelque chose : init n'écrase rien",
        "{} already holds something: init overwrites nothing",
        root.display()
    ))
    .hint("govrag update"))
}

/// Without `.` components, as the walk will meet it.
fn clean(path: &Path) -> std::path::PathBuf {
    path.components().filter(|c| !matches!(c, Component::CurDir)).collect()
}

fn language_of(survey: &Survey) -> Lang {
    let mut documents: Vec<&str> = survey.of(Sort::Document).collect();
    // READMEs and shallow documents first: they speak for the repository.
    documents.sort_by_key(|p| (!p.to_ascii_lowercase().contains("readme"), p.matches('/').count(), *p));
    let texts: Vec<String> = documents.into_iter().take(24).filter_map(|p| survey.read(p)).collect();
    if !texts.is_empty() {
        return language::of(texts.iter().map(String::as_str));
    }
    let comments = survey.of(Sort::Source).take(60);
    let texts: Vec<String> = comments.filter_map(|p| Some(facts::read(p, &survey.read(p)?).doc)).collect();
    language::of(texts.iter().map(String::as_str))
}

fn unresolved(base: &Base, drafts: &[Draft]) -> Vec<(String, String)> {
    let resolver = Resolver::new(&base.marker, []);
    let ids = Ids::new(&base.marker.home);
    let missing = |text: &String| {
        let reference = Reference::parse(text, |path| resolver.in_home(path).is_ok());
        ids.locate(&resolver, &reference).is_err()
    };
    let of = |draft: &Draft| {
        let refs = draft.refs.iter().filter(|r| missing(r)).map(|r| (draft.path.clone(), r.clone()));
        refs.collect::<Vec<_>>()
    };
    drafts.iter().flat_map(of).collect()
}
