//! Units of documents: README, CONTRIBUTING, AGENTS.md, decision records, guides.
//!
//! Where folders beside each other hold files of the same names (a specification each, a change
//! each), the folder is the unit; otherwise every document is one.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::MOST;
use crate::knowledge::scaffold::documents::{self, Document};
use crate::knowledge::scaffold::survey::{Sort, Survey};
use crate::knowledge::scaffold::text::{readable, sentence};
use crate::knowledge::scaffold::unit::{Fact, Nature, Unit};

/// Folders beside each other that must share a file name to be units.
const ALIKE: usize = 3;
/// Documents above which such a folder is no unit: it may be a whole translation.
const MOST_MEMBERS: usize = 12;

pub(super) fn units(survey: &Survey) -> Vec<Unit> {
    let paths: Vec<&str> = survey.of(Sort::Document).filter(|p| !is_noise(p)).collect();
    let folders = alike(&paths);
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for path in &paths {
        let owner = folders.iter().filter(|f| is_under(path, f)).min_by_key(|f| f.len());
        groups.entry(owner.map_or(*path, |f| f.as_str())).or_default().push(path);
    }
    let groups: Vec<(&str, Vec<&str>)> = groups.into_iter().collect();
    groups
        .par_iter()
        .filter_map(|(key, members)| match members.as_slice() {
            [path] if path == key => single(survey, path),
            members => folder(survey, key, members),
        })
        .collect()
}

/// Licences and lists of changes are no knowledge of the project's own behaviour.
fn is_noise(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    ["license", "licence", "changelog", "history", "authors", "code_of_conduct", "pull_request_template"]
        .iter()
        .any(|noise| name.starts_with(noise))
        || path.to_ascii_lowercase().contains("issue_template")
}

fn is_under(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Folders that share a file name with at least [`ALIKE`] siblings, themselves included.
fn alike(paths: &[&str]) -> BTreeSet<String> {
    let mut named: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for path in paths {
        let Some((folder, name)) = path.rsplit_once('/') else { continue };
        let Some((parent, _)) = folder.rsplit_once('/') else { continue };
        if !name.eq_ignore_ascii_case("README.md") && !name.eq_ignore_ascii_case("index.md") {
            named.entry((parent, name)).or_default().insert(folder);
        }
    }
    let mut out = BTreeSet::new();
    for folders in named.into_values().filter(|folders| folders.len() >= ALIKE) {
        out.extend(folders.into_iter().map(str::to_owned));
    }
    out.retain(|folder| paths.iter().filter(|path| is_under(path, folder)).count() <= MOST_MEMBERS);
    out
}

/// What a document is, by its name and place.
fn nature_of(path: &str) -> Nature {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let decisions = ["adr", "adrs", "decisions", "decision-records"];
    if lower.split('/').rev().skip(1).any(|folder| decisions.contains(&folder)) {
        return Nature::Decision;
    }
    match name {
        _ if name.starts_with("readme") && !lower.contains('/') => Nature::Project,
        "contributing.md" | "contributing" | "contributing.txt" | "agents.md" | "claude.md"
        | "security.md" | "governance.md" => Nature::Process,
        _ => Nature::Guide,
    }
}

fn single(survey: &Survey, path: &str) -> Option<Unit> {
    let document = documents::read(&survey.read(path)?);
    let nature = nature_of(path);
    let mut unit = Unit::at(nature, path, "");
    let lower = unit.name.to_ascii_lowercase();
    // A README speaks for its folder.
    if matches!(lower.as_str(), "readme" | "index")
        && let Some(folder) = unit.folder.last()
    {
        unit.name = format!("{folder}-{lower}");
    }
    tell(&mut unit, &document, path);
    let (kind, audience, priority): (_, &'static [&'static str], _) = match nature {
        Nature::Project => ("overview", &["all"], "p0"),
        Nature::Process => ("process", &["dev"], "p1"),
        Nature::Decision => ("decision", &["dev"], "p1"),
        _ => ("guide", &["dev"], "p1"),
    };
    (unit.kind, unit.audience, unit.priority) = (kind, audience, priority);
    (!(unit.about.is_empty() && unit.behaviour.is_empty())).then_some(unit)
}

fn folder(survey: &Survey, key: &str, members: &[&str]) -> Option<Unit> {
    // The document nearest to the folder speaks for it; `spec.md` and `proposal.md` before `tasks.md`.
    let weight = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let known = ["README.md", "spec.md", "proposal.md", "overview.md", "design.md"];
        (path.matches('/').count(), known.iter().position(|k| *k == name).unwrap_or(known.len()))
    };
    // The first of equals, for the members are sorted.
    let main = members.iter().min_by_key(|path| weight(path))?;
    let document = documents::read(&survey.read(main)?);
    let mut unit = Unit::at(nature_of(main), key, "");
    unit.name = key.rsplit('/').next().unwrap_or(key).to_owned();
    unit.kind = if main.ends_with("spec.md") { "feature" } else { "guide" };
    unit.priority = "p1";
    tell(&mut unit, &document, main);
    if unit.title.split_whitespace().count() < 2 {
        unit.title = readable(&unit.name);
    }
    for path in members.iter().filter(|path| *path != main) {
        let title = survey.read(path).map(|text| documents::read(&text).title).unwrap_or_default();
        unit.point([Fact::new(*path, &title)], MOST);
    }
    unit.members =
        [main].into_iter().chain(members.iter().filter(|m| *m != main)).map(|m| (*m).to_owned()).collect();
    let few = members.len() <= 6;
    unit.refs = if few { members.iter().map(|m| (*m).to_owned()).collect() } else { vec![format!("{key}/")] };
    Some(unit)
}

fn tell(unit: &mut Unit, document: &Document, path: &str) {
    unit.links = document.links.iter().filter_map(|link| resolved(path, link)).collect();
    let named = readable(&unit.name);
    unit.title = if document.title.is_empty() { named } else { document.title.clone() };
    unit.about.clone_from(&document.opening);
    if unit.about.is_empty() {
        unit.about = document
            .parts
            .iter()
            .find(|p| !p.opening.is_empty())
            .map(|p| p.opening.clone())
            .unwrap_or_default();
    }
    unit.tags.clone_from(&document.tags);
    let parts = document.parts.iter().map(|part| {
        let opening = sentence(&part.opening);
        Fact::text(&if opening.is_empty() {
            part.heading.clone()
        } else {
            format!("{} — {opening}", part.heading)
        })
    });
    unit.behave(parts, MOST);
}

/// The file of the repository that `link`, written in the document at `path`, names.
fn resolved(path: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = if link.starts_with('/') { Vec::new() } else { path.split('/').collect() };
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_look_alike_are_units() {
        let paths = ["s/a/spec.md", "s/b/spec.md", "s/c/spec.md", "s/c/x/y.md", "g/one.md", "g/p/README.md"];
        let got = alike(&paths);
        assert_eq!(got.iter().map(String::as_str).collect::<Vec<_>>(), ["s/a", "s/b", "s/c"]);
        let translated: Vec<String> = ["de", "en", "fr"]
            .iter()
            .flat_map(|l| (0..20).map(move |n| format!("docs/{l}/{n}.md")))
            .collect();
        assert!(alike(&translated.iter().map(String::as_str).collect::<Vec<_>>()).is_empty());
        assert_eq!(nature_of("docs/adr/0001-x.md"), Nature::Decision);
        assert_eq!(nature_of("README.md"), Nature::Project);
        assert_eq!(nature_of("docs/README.md"), Nature::Guide);
        assert!(is_noise("LICENSE-MIT.md"));
        assert_eq!(resolved("a/b.md", "../c/./d.md").as_deref(), Some("c/d.md"));
        assert_eq!(resolved("b.md", "../x.md"), None);
        assert_eq!(resolved("a/b.md", "/c.md").as_deref(), Some("c.md"));
    }
}
