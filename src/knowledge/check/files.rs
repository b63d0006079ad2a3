//! What the base as a whole shows: names, collisions, indexes, its place in the repository.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use super::Options;
use super::finding::{Finding, Place, Repair};
use super::pages::quoted;
use crate::knowledge::code::Code;
use crate::knowledge::git::Repo;
use crate::knowledge::indexes::Plan;
use crate::knowledge::load::Base;
use crate::knowledge::names::is_reserved;
use crate::knowledge::read;
use crate::knowledge::resolve::fold;
use crate::markdown::slug;
use crate::tr;

pub(super) fn check(
    base: &Base,
    plan: &Plan,
    options: &Options,
    place: &Place,
    tracked: bool,
) -> Vec<Finding> {
    let mut out = Vec::new();
    folders(base, place, &mut out);
    collisions(base, plan.sharded, place, &mut out);
    derived(base, plan, place, &mut out);
    repository(base, options, tracked, &mut out);
    out
}

fn folders(base: &Base, place: &Place, out: &mut Vec<Finding>) {
    for folder in &base.tree.folders {
        let name = folder.rsplit('/').next().unwrap_or(folder);
        if !slug::is_conforming(name) {
            let hint = match slug::slug(name, base.marker.lang) {
                Ok(slug) => {
                    let above = folder.rsplit_once('/').map_or(String::new(), |(a, _)| format!("{a}/"));
                    format!("govrag mv {} {above}{slug}", quoted(folder))
                }
                Err(refused) => refused.to_string(),
            };
            let message = tr!(
                "le dossier « {name} » ne suit pas la règle de nommage (a-z, 0-9, tirets)",
                "the folder '{name}' does not follow the naming rule (a-z, 0-9, hyphens)"
            );
            let mut finding = Finding::file(Code::E001, place.file(folder), message, hint);
            finding.page = Some(folder.clone());
            out.push(finding);
        }
    }
    for name in &base.tree.unnameable {
        out.push(Finding::file(
            Code::E001,
            place.file(name),
            tr!("nom de fichier illisible", "the file name is not Unicode"),
            tr!("renommez-le", "rename it"),
        ));
    }
}

fn collisions(base: &Base, sharded: bool, place: &Place, out: &mut Vec<Finding>) {
    for path in &base.tree.usurpers {
        let mut finding = Finding::file(
            Code::E006,
            place.file(path),
            tr!(
                "ce nom est réservé aux index dérivés, et ce fichier n'en est pas un",
                "this name is kept for derived indexes, and this file is none"
            ),
            tr!("renommez-le : il n'est ni lu ni écrasé", "rename it: it is neither read nor overwritten"),
        );
        finding.page = Some(path.clone());
        out.push(finding);
    }
    // At the root the names are kept always, below it once there are shards.
    for page in base.pages.iter().filter(|p| sharded || !p.path.contains('/')) {
        let name = page.path.rsplit('/').next().unwrap_or(&page.path);
        if is_reserved(&base.marker, name) {
            let mut finding = Finding::file(
                Code::E006,
                place.file(&page.path),
                tr!("ce nom est réservé aux index dérivés", "this name is kept for derived indexes"),
                tr!("govrag mv lui donne un autre nom", "govrag mv gives it another name"),
            );
            finding.page = Some(page.path.clone());
            out.push(finding);
        }
    }
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for page in &base.pages {
        groups.entry(fold(&page.path)).or_default().push(&page.path);
    }
    for group in groups.values().filter(|g| g.len() > 1) {
        for path in &group[1..] {
            let other = group[0];
            let mut finding = Finding::file(
                Code::E006,
                place.file(path),
                tr!(
                    "ne diffère de {other} que par la casse ou la forme Unicode",
                    "differs from {other} only by case or normal form"
                ),
                tr!("renommez l'une des deux pages", "rename one of the two pages"),
            );
            finding.page = Some((*path).to_owned());
            out.push(finding);
        }
    }
}

fn derived(base: &Base, plan: &Plan, place: &Place, out: &mut Vec<Finding>) {
    let outdated: BTreeSet<&str> =
        plan.outdated.iter().map(|f| f.path.as_str()).chain(plan.stale.iter().map(String::as_str)).collect();
    for path in outdated {
        let stale = plan.stale.iter().any(|s| s == path);
        let message = if stale {
            tr!("index que plus rien ne produit", "an index that nothing produces any more")
        } else if base.tree.derived.iter().any(|d| d == path) {
            tr!("index périmé", "the index is out of date")
        } else {
            tr!("index absent", "the index is missing")
        };
        let hint = "govrag index".to_owned();
        out.push(
            Finding::file(Code::W005, place.file(path), message, hint).repaired_by(Some(Repair::Indexes)),
        );
    }
    for path in &plan.blocked {
        out.push(Finding::file(
            Code::W005,
            place.file(path),
            tr!(
                "un fichier qui n'est pas un index occupe cette place",
                "a file that is no index stands in this place"
            ),
            tr!("renommez-le, puis : govrag index", "rename it, then: govrag index"),
        ));
    }
    for (path, tokens) in &plan.oversized {
        let limit = base.marker.limits.index;
        out.push(Finding::file(
            Code::W009,
            place.file(path),
            tr!("{tokens} tokens, limite {limit}", "{tokens} tokens, the limit is {limit}"),
            tr!(
                "raccourcissez les résumés ou répartissez les pages en dossiers",
                "shorten summaries or spread the pages over folders"
            ),
        ));
    }
}

/// Whether git tracks a file of the base.
pub(super) fn is_tracked(base: &Base) -> bool {
    let Some(root) = base.marker.root_from_home() else { return false };
    Repo::discover(&base.marker.home).is_ok_and(|repo| repo.tracks(&root))
}

fn repository(base: &Base, options: &Options, tracked: bool, out: &mut Vec<Finding>) {
    let agents = read::text(base.marker.home.join("AGENTS.md")).unwrap_or_default();
    if !agents.contains(".rag") {
        out.push(Finding::file(
            Code::I001,
            "AGENTS.md".to_owned(),
            tr!("AGENTS.md n'oriente pas vers la base", "AGENTS.md does not point to the base"),
            "govrag install".to_owned(),
        ));
    }
    for sentence in &options.integration {
        out.push(Finding::file(Code::I002, ".rag".to_owned(), sentence.clone(), "govrag install".to_owned()));
    }
    if !tracked {
        out.push(Finding::file(
            Code::I003,
            ".rag".to_owned(),
            tr!("la base n'est pas suivie par git", "the base is not tracked by git"),
            "git add".to_owned(),
        ));
    }
}
