//! `mv`: a page or a folder moves, and every link, `related` and ledger line that named it follows.

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
    /// Whether a whole folder moves.
    pub folder: bool,
    /// Pages that change, the moved ones under their new path.
    pub changes: Vec<Change>,
    /// How many links and `related` were repaired.
    pub repaired: usize,
    /// Links that could not be repaired, as `page:line`.
    pub left: Vec<String>,
    /// Other pages that cannot be read, whole or their front matter: they may name what moved.
    pub unread: usize,
    /// The ledger afterwards.
    pub ledger: Ledger,
}

/// What goes where: one path, or everything below a folder.
struct Route<'a> {
    old: &'a str,
    new: &'a str,
    folder: bool,
}

impl Route<'_> {
    /// Where `path` is after the move; `None` when it stays.
    fn of(&self, path: &str) -> Option<String> {
        if !self.folder {
            return (path == self.old).then(|| self.new.to_owned());
        }
        let rest = path.strip_prefix(self.old)?.strip_prefix('/')?;
        Some(format!("{}/{rest}", self.new))
    }

    fn after(&self, path: &str) -> String {
        self.of(path).unwrap_or_else(|| path.to_owned())
    }
}

/// Plans the move of the page or folder `old` to `new`: a path from the root, or a folder that takes it
/// under its own name.
///
/// # Errors
/// A usage error when `new` is taken, reserved, outside the root or against the naming rule.
pub fn plan(base: &Base, old: &str, new: &str) -> Result<Move> {
    let plain = old.trim_start_matches("./").trim_end_matches('/');
    let folder = base.page(plain).is_none() && base.tree.folders.iter().any(|f| f == plain);
    let old = if folder { plain.to_owned() } else { base.named(old, None)?.path.clone() };
    let new = if folder { folder_destination(base, &old, new)? } else { destination(base, &old, new)? };
    if base.page(&old).is_some_and(Page::is_link) {
        let why = tr!("{old} est un lien symbolique", "{old} is a symbolic link");
        return Err(Error::usage(why).hint(tr!(
            "déplacez-le vous-même, sa cible dépend de sa place",
            "move it yourself: where it leads depends on its place"
        )));
    }
    let route = Route { old: &old, new: &new, folder };
    let resolver = Resolver::new(&base.marker, base.pages.iter().map(|p| p.path.as_str()));
    let mut plan = Move {
        old: old.clone(),
        new: new.clone(),
        folder,
        changes: Vec::new(),
        repaired: 0,
        left: Vec::new(),
        unread: base.pages.iter().filter(|p| !p.is_readable() && p.path != old).count(),
        ledger: Ledger::read(&base.marker.home)?,
    };
    for other in &base.pages {
        let here = route.after(&other.path);
        if here != other.path {
            plan.ledger.rename_page(&other.path, &here);
        }
        let mut edits = Vec::new();
        for link in &other.body.links {
            let Some(to) = target(&resolver, other, &here, link, &route) else { continue };
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
                && let Found::Page(page) = resolver.page_from_root(&local)
                && let Some(to) = route.of(&page)
            {
                let written = other.source.get(item.span.clone()).unwrap_or_default();
                let quote = written.chars().next().filter(|c| matches!(c, '"' | '\''));
                edits.push((item.span.clone(), quote.map_or(to.clone(), |q| format!("{q}{to}{q}"))));
            }
        }
        edits.sort_by_key(|e| (e.0.start, e.0.end));
        edits.dedup();
        plan.repaired += edits.len();
        // The bytes of a page that cannot be read are not known: its file moves as it is.
        if !edits.is_empty() || here != other.path && other.undecodable.is_none() {
            let after = splice(&other.source, edits);
            plan.changes.push(Change { path: here, before: other.source.clone(), after });
        }
    }
    // A page that stands there already is ours when a move was interrupted after it was written.
    let there = base.page(&plan.new).filter(|_| !folder);
    if there.is_some_and(|page| !plan.changes.iter().any(|c| c.path == page.path && c.after == page.source)) {
        return Err(taken(&plan.new));
    }
    Ok(plan)
}

/// The destination a link must have after the move, when it must change.
fn target(
    resolver: &Resolver<'_>,
    page: &Page,
    here: &str,
    link: &Link,
    route: &Route<'_>,
) -> Option<String> {
    let Target::Local(local) = link.target() else { return None };
    let moved = here != page.path;
    let tail = link.destination.find(['?', '#']).map_or("", |i| &link.destination[i..]);
    if local.is_self() {
        return None;
    }
    let found = resolver.find(&page.path, &local);
    let path = match &found {
        Found::Itself if moved => here.to_owned(),
        Found::Page(p) | Found::Asset(p) if route.of(p).is_some() || moved && !local.absolute => {
            route.after(p)
        }
        Found::Code(_) | Found::Broken(_) if moved && !local.absolute => {
            // Where it leads stays the same place above or below the root.
            let resolved = local.resolve(&page.path)?;
            let up = "../".repeat(here.matches('/').count() + resolved.up);
            let slash = if local.folder { "/" } else { "" };
            let inside = if resolved.up == 0 {
                relative(here, &route.after(&resolved.path))
            } else {
                format!("{up}{}", resolved.path)
            };
            return Some(format!("{}{slash}{tail}", encode(&inside)));
        }
        _ => return None,
    };
    // What still leads there stays as it is written.
    if !local.absolute && local.resolve(here).is_some_and(|r| r.up == 0 && r.path == path) {
        return None;
    }
    let text = if local.absolute { format!("/{path}") } else { relative(here, &path) };
    let text = format!("{}{tail}", encode(&text));
    (text != link.destination).then_some(text)
}

fn refused(new: &str, why: String) -> Error {
    Error::usage(format!("{new}: {why}"))
}

/// The parts of a path from the root.
///
/// # Errors
/// A usage error for a path that is none.
fn parts<'p>(new: &str, path: &'p str) -> Result<Vec<&'p str>> {
    let parts: Vec<&str> = path.split('/').collect();
    if new.starts_with('/') || parts.iter().any(|p| p.is_empty() || *p == ".." || *p == ".") {
        return Err(refused(
            new,
            tr!("donnez un chemin depuis la racine de la base", "give a path from the root of the base"),
        ));
    }
    Ok(parts)
}

fn conforming<'p>(base: &Base, new: &str, parts: impl IntoIterator<Item = &'p str>) -> Result<()> {
    for part in parts {
        if !slug::is_conforming(part) {
            let hint = slug::slug(part, base.marker.lang).unwrap_or_else(|r| r.to_string());
            let why =
                tr!("« {part} » ne suit pas la règle de nommage", "'{part}' does not follow the naming rule");
            return Err(refused(new, why).hint(hint));
        }
    }
    Ok(())
}

fn is_taken(base: &Base, old: &str, path: &str) -> bool {
    path == old || under(&base.marker.root, path).exists() && fold(path) != fold(old)
}

fn folder_destination(base: &Base, old: &str, new: &str) -> Result<String> {
    let clean = new.trim_start_matches("./");
    let name = old.rsplit('/').next().unwrap_or(old);
    let into = clean.trim_end_matches('/');
    // A folder that is there takes it in; itself in another case is a new name.
    let is_folder = base.tree.folders.iter().any(|f| f == into) && into != old;
    let path = if is_folder { format!("{into}/{name}") } else { into.to_owned() };
    conforming(base, new, parts(new, &path)?)?;
    if path.strip_prefix(old).is_some_and(|rest| rest.starts_with('/')) {
        return Err(refused(
            new,
            tr!("un dossier ne va pas dans lui-même", "a folder does not go into itself"),
        ));
    }
    if is_taken(base, old, &path) {
        return Err(taken(new));
    }
    Ok(path)
}

fn destination(base: &Base, old: &str, new: &str) -> Result<String> {
    let marker = &base.marker;
    let name = old.rsplit('/').next().unwrap_or(old);
    let clean = new.trim_start_matches("./");
    let is_folder = clean.ends_with('/') || base.tree.folders.iter().any(|f| f == clean);
    let path = if is_folder { format!("{}/{name}", clean.trim_end_matches('/')) } else { clean.to_owned() };
    let path = path.trim_start_matches('/').to_owned();
    let parts = parts(new, &path)?;
    let file = parts.last().copied().unwrap_or_default();
    if !is_page_name(marker, file) {
        let why = tr!("l'extension n'est pas celle d'une page", "the extension is not that of a page");
        return Err(refused(new, why).hint(format!("{path}.md")));
    }
    if names::is_reserved(marker, file) {
        return Err(refused(new, tr!("nom réservé aux index", "a name kept for indexes")));
    }
    let stem = file.rsplit_once('.').map_or(file, |(s, _)| s);
    conforming(base, new, parts[..parts.len() - 1].iter().copied().chain([stem]))?;
    let collides = base.pages.iter().any(|p| fold(&p.path) == fold(&path) && p.path != old && p.path != path);
    if collides || base.page(&path).is_none() && is_taken(base, old, &path) {
        return Err(taken(new));
    }
    Ok(path)
}

fn taken(new: &str) -> Error {
    refused(new, tr!("le nom est déjà pris", "the name is taken"))
}

impl Move {
    /// Puts the move on disk. A page: the new one first, then those that name it, the old one last. A
    /// folder, or a page that cannot be read, is renamed in one step, then the pages follow.
    ///
    /// # Errors
    /// An input or output error that names the file.
    pub fn write(&self, marker: &Marker) -> Result<()> {
        let new = under(&marker.root, &self.new);
        let old = under(&marker.root, &self.old);
        if let Some(parent) = new.parent() {
            fs::create_dir_all(parent).at(parent)?;
        }
        let renamed = self.folder
            || self.changes.iter().all(|c| c.path != self.new)
            || fold(&self.new) == fold(&self.old) && new.exists();
        if renamed {
            fs::rename(&old, &new).at(&new)?;
        }
        let (own, others): (Vec<&Change>, Vec<&Change>) =
            self.changes.iter().partition(|c| c.path == self.new);
        for change in own.into_iter().chain(others).filter(|c| !self.folder || c.before != c.after) {
            atomic::replace_unlocked(&under(&marker.root, &change.path), change.after.as_bytes())?;
        }
        self.ledger.write(&marker.home)?;
        if !renamed {
            fs::remove_file(&old).at(&old)?;
        }
        // An empty folder is no theme; one that still holds something stays.
        if let Some(parent) = old.parent().filter(|p| *p != marker.root) {
            let _ = fs::remove_dir(parent);
        }
        Ok(())
    }
}
