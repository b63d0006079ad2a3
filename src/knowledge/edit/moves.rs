//! `mv`: a page moves, and every link, `related` and ledger line that named it follows.

use std::fs;

use super::splice;
use crate::base::error::IoContext;
use crate::base::{Error, Result};
use crate::knowledge::check::repair::Change;
use crate::knowledge::drift::Ledger;
use crate::knowledge::load::Base;
use crate::knowledge::names;
use crate::knowledge::resolve::{Found, Resolver, fold};
use crate::knowledge::walk::{is_page_name, under};
use crate::knowledge::{Marker, Page};
use crate::markdown::links::Link;
use crate::markdown::slug;
use crate::markdown::target::{Target, encode, relative};
use crate::store::atomic;
use crate::tr;

/// A planned move.
#[derive(Clone, Debug)]
pub struct Move {
    /// The path before, from the root.
    pub old: String,
    /// The path after.
    pub new: String,
    /// Other pages that change, and the moved one under its new path.
    pub changes: Vec<Change>,
    /// How many links and `related` were repaired.
    pub repaired: usize,
    /// Links that could not be repaired, as `page:line`.
    pub left: Vec<String>,
    /// The ledger afterwards.
    pub ledger: Ledger,
}

/// Plans the move of the page `old` to `new` (a path from the root; a folder keeps the name).
///
/// # Errors
/// A usage error when `new` is taken, reserved, outside the root or against the naming rule.
pub fn plan(base: &Base, old: &str, new: &str) -> Result<Move> {
    let page = base.named(old, None)?;
    let new = destination(base, page, new)?;
    let resolver = Resolver::new(&base.marker, base.pages.iter().map(|p| p.path.as_str()));
    let mut plan = Move {
        old: page.path.clone(),
        new: new.clone(),
        changes: Vec::new(),
        repaired: 0,
        left: Vec::new(),
        ledger: Ledger::read(&base.marker.home)?,
    };
    plan.ledger.rename_page(&page.path, &new);
    for other in &base.pages {
        let here = if other.path == page.path { new.as_str() } else { other.path.as_str() };
        let mut edits = Vec::new();
        for link in &other.body.links {
            let Some(to) = target(&resolver, other, here, link, &page.path, &new) else { continue };
            match &link.destination_span {
                Some(span) if other.source.get(span.clone()) == Some(link.destination.as_str()) => {
                    edits.push((span.clone(), to));
                }
                Some(span) if span.is_empty() => {}
                _ => {
                    let line = other.lines().line(link.span.start);
                    plan.left.push(format!("{here}:{line}"));
                }
            }
        }
        for item in &other.meta.related {
            if let Target::Local(local) = Target::parse(&item.text)
                && matches!(resolver.page_from_root(&local), Found::Page(p) if p == page.path)
            {
                let written = other.source.get(item.span.clone()).unwrap_or_default();
                let quote = written.chars().next().filter(|c| matches!(c, '"' | '\''));
                edits.push((item.span.clone(), quote.map_or(new.clone(), |q| format!("{q}{new}{q}"))));
            }
        }
        edits.sort_by_key(|e| (e.0.start, e.0.end));
        edits.dedup();
        plan.repaired += edits.len();
        if !edits.is_empty() || here != other.path {
            let after = splice(&other.source, edits);
            plan.changes.push(Change { path: here.to_owned(), before: other.source.clone(), after });
        }
    }
    Ok(plan)
}

/// The destination a link must have after the move, when it must change.
fn target(
    resolver: &Resolver<'_>,
    page: &Page,
    here: &str,
    link: &Link,
    old: &str,
    new: &str,
) -> Option<String> {
    let Target::Local(local) = &link.target else { return None };
    let moved = here != page.path;
    let tail = link.destination.find(['?', '#']).map_or("", |i| &link.destination[i..]);
    if local.is_self() {
        return None;
    }
    let found = resolver.find(&page.path, local);
    let path = match &found {
        Found::Page(p) if p == old => new.to_owned(),
        Found::Itself if moved => new.to_owned(),
        Found::Page(p) | Found::Asset(p) if moved && !local.absolute => p.clone(),
        Found::Code(_) | Found::Broken(_) if moved && !local.absolute => {
            // Where it leads stays the same place above or below the root.
            let resolved = local.resolve(&page.path)?;
            let up = "../".repeat(here.matches('/').count() + resolved.up);
            let slash = if local.folder { "/" } else { "" };
            let inside = if resolved.up == 0 {
                relative(here, &resolved.path)
            } else {
                format!("{up}{}", resolved.path)
            };
            return Some(format!("{}{slash}{tail}", encode(&inside)));
        }
        _ => return None,
    };
    let text = if local.absolute { format!("/{path}") } else { relative(here, &path) };
    let text = format!("{}{tail}", encode(&text));
    (text != link.destination).then_some(text)
}

fn destination(base: &Base, page: &Page, new: &str) -> Result<String> {
    let marker = &base.marker;
    let refused = |why: String| Error::usage(format!("{new}: {why}"));
    let name = page.path.rsplit('/').next().unwrap_or(&page.path);
    let clean = new.trim_start_matches("./");
    let is_folder = clean.ends_with('/') || base.tree.folders.iter().any(|f| f == clean);
    let path = if is_folder { format!("{}/{name}", clean.trim_end_matches('/')) } else { clean.to_owned() };
    let path = path.trim_start_matches('/').to_owned();
    let parts: Vec<&str> = path.split('/').collect();
    if new.starts_with('/') || parts.iter().any(|p| p.is_empty() || *p == ".." || *p == ".") {
        return Err(refused(tr!(
            "donnez un chemin depuis la racine de la base",
            "give a path from the root of the base"
        )));
    }
    let file = parts.last().copied().unwrap_or_default();
    if !is_page_name(marker, file) {
        return Err(refused(tr!(
            "l'extension n'est pas celle d'une page",
            "the extension is not that of a page"
        ))
        .hint(format!("{path}.md")));
    }
    if names::is_reserved(marker, file) {
        return Err(refused(tr!("nom réservé aux index", "a name kept for indexes")));
    }
    let stem = file.rsplit_once('.').map_or(file, |(s, _)| s);
    for part in parts[..parts.len() - 1].iter().copied().chain([stem]) {
        if !slug::is_conforming(part) {
            let hint = slug::slug(part, marker.lang).unwrap_or_else(|r| r.to_string());
            return Err(refused(tr!(
                "« {part} » ne suit pas la règle de nommage",
                "'{part}' does not follow the naming rule"
            ))
            .hint(hint));
        }
    }
    let taken = base.pages.iter().any(|p| fold(&p.path) == fold(&path) && p.path != page.path);
    if taken || path == page.path || under(&marker.root, &path).exists() && fold(&path) != fold(&page.path) {
        return Err(refused(tr!("le nom est déjà pris", "the name is taken")));
    }
    Ok(path)
}

impl Move {
    /// Puts the move on disk: the new page first, then the pages that name it, the old one last.
    ///
    /// # Errors
    /// An input or output error that names the file.
    pub fn write(&self, marker: &Marker) -> Result<()> {
        let new = under(&marker.root, &self.new);
        let old = under(&marker.root, &self.old);
        if let Some(parent) = new.parent() {
            fs::create_dir_all(parent).at(parent)?;
        }
        let same_file = fold(&self.new) == fold(&self.old) && new.exists();
        if same_file {
            fs::rename(&old, &new).at(&new)?;
        }
        let (own, others): (Vec<&Change>, Vec<&Change>) =
            self.changes.iter().partition(|c| c.path == self.new);
        for change in own.into_iter().chain(others) {
            atomic::replace_unlocked(&under(&marker.root, &change.path), change.after.as_bytes())?;
        }
        self.ledger.write(&marker.home)?;
        if !same_file {
            fs::remove_file(&old).at(&old)?;
            // An empty folder is no theme; one that still holds something stays.
            if let Some(parent) = old.parent().filter(|p| *p != marker.root) {
                let _ = fs::remove_dir(parent);
            }
        }
        Ok(())
    }
}
