//! Which pages are next to which: a document's links and a module's imports first, else its siblings, else the project's
//! page. Every page gets at least one neighbour when there are two. Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::narrow::names;
use super::themes::Place;
use super::unit::{Nature, Unit};
use super::units::imported;

/// Most relations of a page.
const MOST: usize = 5;

/// The relations of each unit, as numbers of units, sorted by the order of units.
pub fn relate(units: &[Unit], places: &[Place]) -> Vec<Vec<usize>> {
    let modules = modules(units);
    let project = units.iter().position(|u| u.nature == Nature::Project);
    let mut out: Vec<BTreeSet<usize>> = units
        .iter()
        .enumerate()
        .map(|(i, unit)| {
            let linked = unit.links.iter().filter_map(|file| holder(units, file));
            let imported = unit.imports.iter().filter_map(|import| find(&modules, &unit.folder, import));
            let mut seen = BTreeSet::new();
            let named = linked.chain(imported).filter(|n| *n != i && seen.insert(*n));
            named.take(MOST).collect()
        })
        .collect();
    for i in 0..units.len() {
        if !out[i].is_empty() {
            continue;
        }
        let siblings: Vec<usize> = (0..units.len()).filter(|j| places[*j].theme == places[i].theme).collect();
        let next = siblings.iter().position(|j| *j == i).map(|at| siblings[(at + 1) % siblings.len()]);
        let first_module = units.iter().position(|u| u.nature == Nature::Module);
        let choice = [next.filter(|n| *n != i), project, first_module, Some(0), Some(1)];
        out[i].extend(choice.into_iter().flatten().find(|n| *n != i && *n < units.len()));
    }
    if let Some(project) = project {
        let mut seen = BTreeSet::new();
        for (i, place) in places.iter().enumerate() {
            if i != project && seen.insert(&place.theme) && out[project].len() < MOST + 3 {
                out[project].insert(i);
            }
        }
    }
    out.into_iter().map(|set| set.into_iter().collect()).collect()
}

/// Units by the path, without extension, that names their code.
fn modules(units: &[Unit]) -> BTreeMap<String, usize> {
    let mut out = BTreeMap::new();
    for (i, unit) in units.iter().enumerate().filter(|(_, u)| u.nature == Nature::Module) {
        for reference in &unit.refs {
            let path = reference.trim_end_matches('/');
            let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
            out.entry(stem.to_owned()).or_insert(i);
            if let Some((folder, "mod" | "lib" | "index" | "__init__" | "main")) = stem.rsplit_once('/') {
                out.entry(folder.to_owned()).or_insert(i);
            }
        }
    }
    out
}

/// The unit that describes a file or folder.
fn holder(units: &[Unit], file: &str) -> Option<usize> {
    units
        .iter()
        .position(|unit| unit.refs.iter().any(|r| names(r, file) || r.strip_suffix('/') == Some(file)))
}

/// The unit an import means: the longest known path that starts it.
fn find(modules: &BTreeMap<String, usize>, folder: &[String], import: &str) -> Option<usize> {
    let path = imported(folder, import);
    for start in ["", "src/"] {
        for length in (1..=path.len()).rev() {
            if let Some(unit) = modules.get(&format!("{start}{}", path[..length].join("/"))) {
                return Some(*unit);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_relate_and_nobody_stays_alone() {
        let unit = |nature, path: &str, imports: &[&str]| {
            let mut unit = Unit::at(nature, path, "t");
            unit.imports = imports.iter().map(|i| (*i).to_owned()).collect();
            unit
        };
        let units = [
            unit(Nature::Project, "README.md", &[]),
            unit(Nature::Module, "src/cart/mod.rs", &["crate::store::Users", "std::fs"]),
            unit(Nature::Module, "src/store.rs", &[]),
        ];
        let place = |theme: &str| Place { theme: theme.to_owned(), below: Vec::new() };
        let got = relate(&units, &[place("p"), place("cart"), place("store")]);
        assert_eq!(got, [vec![1, 2], vec![2], vec![0]]);
        assert_eq!(relate(&units[..1], &[place("p")]), [Vec::<usize>::new()]);
    }
}
