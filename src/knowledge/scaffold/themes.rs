//! From units to three to eight themes, deduced from the tree, each with its reason. Pure.
//!
//! What a unit is gives its theme where names are settled (decisions, data, operations, quality,
//! project); code and documents follow their folders. A tree that is too flat is split deeper, one
//! with too many folders keeps its biggest and joins the rest.

use std::collections::{BTreeMap, BTreeSet};

use super::unit::{Nature, Unit};
use crate::base::lang::Lang;
use crate::markdown::slug;

/// Fewest themes, where there are units enough.
pub const FEWEST: usize = 3;
/// Most themes.
pub const MOST: usize = 8;

/// A theme.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Theme {
    /// Its folder.
    pub name: String,
    /// Its pages.
    pub pages: usize,
    /// Why it is one.
    pub reason: String,
}

/// Where a unit's page goes: its theme and the folders below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The theme.
    pub theme: String,
    /// Folders below the theme.
    pub below: Vec<String>,
}

/// The place of each unit, and the themes, sorted by name.
pub fn deduce(units: &[Unit], lang: Lang) -> (Vec<Place>, Vec<Theme>) {
    let fixed = |unit: &Unit| fixed_theme(unit.nature, lang);
    let mut present: Vec<&str> = units.iter().filter_map(fixed).map(|(name, _)| name).collect();
    present.sort_unstable();
    present.dedup();
    let mut reasons: BTreeMap<String, String> = BTreeMap::new();
    let mut places: Vec<Option<Place>> = vec![None; units.len()];
    for (place, unit) in places.iter_mut().zip(units) {
        if let Some((name, reason)) = fixed(unit) {
            reasons.insert(name.to_owned(), reason);
            *place = Some(Place { theme: name.to_owned(), below: Vec::new() });
        }
    }
    let of =
        |nature: Nature| -> Vec<usize> { (0..units.len()).filter(|i| units[*i].nature == nature).collect() };
    let (modules, guides) = (of(Nature::Module), of(Nature::Guide));
    let left = MOST - present.len().min(MOST - 2);
    let for_guides = usize::from(!guides.is_empty());
    let missing = FEWEST.saturating_sub(present.len());
    for (members, most, fewest, rest) in [
        (&modules, left - for_guides, missing.saturating_sub(for_guides), ("modules", "modules")),
        (&guides, 0, 0, ("guides", "guides")),
    ] {
        if members.is_empty() {
            continue;
        }
        let used = reasons.len();
        let most = if most == 0 { MOST.saturating_sub(used).max(1) } else { most };
        let fewest = if fewest == 0 { FEWEST.saturating_sub(used) } else { fewest };
        let rest = if lang == Lang::Fr { rest.0 } else { rest.1 };
        for (name, reason, inside) in structural(units, members, most, fewest, rest, lang) {
            reasons.entry(name.clone()).or_insert(reason);
            for (i, below) in inside {
                places[i] = Some(Place { theme: name.clone(), below });
            }
        }
    }
    let places: Vec<Place> = places.into_iter().flatten().collect();
    let themes = reasons
        .into_iter()
        .map(|(name, reason)| {
            let pages = places.iter().filter(|p| p.theme == name).count();
            Theme { name, pages, reason }
        })
        .filter(|theme| theme.pages > 0)
        .collect();
    (places, themes)
}

fn fixed_theme(nature: Nature, lang: Lang) -> Option<(&'static str, String)> {
    let (fr, en, why_fr, why_en) = match nature {
        Nature::Project | Nature::Process => (
            "projet",
            "project",
            "README, contribution et consignes à la racine du dépôt",
            "README, contribution and instructions at the root of the repository",
        ),
        Nature::Decision => ("decisions", "decisions", "fiches de décision (ADR)", "decision records (ADR)"),
        Nature::Api => ("api", "api", "descriptions OpenAPI", "OpenAPI descriptions"),
        Nature::Data => ("donnees", "data", "schémas et migrations", "schemas and migrations"),
        Nature::Operations => (
            "exploitation",
            "operations",
            "fichiers de configuration, conteneurs et chaînes d'intégration",
            "configuration files, containers and pipelines",
        ),
        Nature::Quality => ("qualite", "quality", "fichiers de tests", "test files"),
        Nature::Guide | Nature::Module => return None,
    };
    let (name, why) = if lang == Lang::Fr { (fr, why_fr) } else { (en, why_en) };
    Some((name, why.to_owned()))
}

/// A group of the tree: its name, why, and its units with the folders below.
type Group = (String, String, Vec<(usize, Vec<String>)>);

fn structural(
    units: &[Unit],
    members: &[usize],
    most: usize,
    fewest: usize,
    rest: &str,
    lang: Lang,
) -> Vec<Group> {
    let root = common(units, members);
    // A key is the folder that makes the group; the units at its very level stay with it.
    let mut groups: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    groups.insert(root.clone(), members.to_vec());
    loop {
        let lone = groups.len() == 1;
        let biggest = groups
            .iter()
            .filter(|(key, inside)| splits(units, key, inside) > usize::from(!lone))
            .max_by_key(|(key, inside)| (inside.len(), std::cmp::Reverse((*key).clone())))
            .map(|(key, inside)| (key.clone(), inside.len(), splits(units, key, inside)));
        let Some((key, held, count)) = biggest else { break };
        // A group that holds most of the units says little; it is opened while there is room, or when its
        // parts that would be themes hold half of it: the others join the rest.
        let told = || told_apart(units, &groups, &key, &root, most.saturating_sub(1)) * 2 >= held;
        let heavy = held * 2 > members.len() && held > 3 && (groups.len() - 1 + count <= most || told());
        if !(lone || groups.len() < fewest || heavy) {
            break;
        }
        let inside = groups.remove(&key).unwrap_or_default();
        let next: Vec<Option<String>> =
            parts(units, &key, &inside).into_iter().map(|part| part.cloned()).collect();
        for (i, next) in inside.into_iter().zip(next) {
            let deeper: Vec<String> = key.iter().cloned().chain(next).collect();
            groups.entry(deeper).or_default().push(i);
        }
    }
    let slug_of = |key: &[String]| {
        let name = key.last().map_or("", |n| n.trim_start_matches('.'));
        slug::slug(name, lang).unwrap_or_else(|_| rest.to_owned())
    };
    let mut ranked: Vec<(Vec<String>, Vec<usize>)> = groups.into_iter().collect();
    ranked.sort_by(|a, b| {
        (a.0 == root).cmp(&(b.0 == root)).then(b.1.len().cmp(&a.1.len())).then(a.0.cmp(&b.0))
    });
    let mut out: Vec<Group> = Vec::new();
    for (place, (key, inside)) in ranked.iter().enumerate() {
        let joins = *key == root || (ranked.len() > most && place + 1 >= most);
        let name = if joins { rest.to_owned() } else { slug_of(key) };
        let below = |i: &usize| (*i, units[*i].folder.iter().skip(key.len()).take(1).cloned().collect());
        let told: Vec<(usize, Vec<String>)> = inside.iter().map(below).collect();
        let folder = if key.is_empty() { ".".to_owned() } else { format!("{}/", key.join("/")) };
        let reason = match (lang, joins) {
            (Lang::Fr, false) => format!("le dossier {folder} réunit {} unités", inside.len()),
            (Lang::En, false) => format!("the folder {folder} holds {} units", inside.len()),
            (Lang::Fr, true) => "unités hors des dossiers principaux".to_owned(),
            (Lang::En, true) => "units outside the main folders".to_owned(),
        };
        match out.iter_mut().find(|group| group.0 == name) {
            Some(group) => group.2.extend(told),
            None => out.push((name, reason, told)),
        }
    }
    out
}

/// The folder below `key` that each unit belongs to: the one it lies in, or the one it is the head of, as
/// the unit of `src/auth` is of what lies below it.
fn parts<'u>(units: &'u [Unit], key: &[String], inside: &[usize]) -> Vec<Option<&'u String>> {
    let folder = |i: &usize| units[*i].folder.get(key.len());
    let folders: BTreeSet<&String> = inside.iter().filter_map(folder).collect();
    let head = |i: &usize| folders.get(&units[*i].name).copied();
    inside.iter().map(|i| folder(i).or_else(|| head(i))).collect()
}

/// How many folders a group would be split into.
fn splits(units: &[Unit], key: &[String], inside: &[usize]) -> usize {
    let next: BTreeSet<Option<&String>> = parts(units, key, inside).into_iter().collect();
    if next.iter().all(Option::is_none) { 0 } else { next.len() }
}

/// How many units of the group `key` would be in themes of their own, were it opened: those of its parts
/// that are among the `most` biggest of all groups then.
fn told_apart(
    units: &[Unit],
    groups: &BTreeMap<Vec<String>, Vec<usize>>,
    key: &[String],
    root: &[String],
    most: usize,
) -> usize {
    let mut held: BTreeMap<&String, usize> = BTreeMap::new();
    for part in parts(units, key, &groups[key]).into_iter().flatten() {
        *held.entry(part).or_default() += 1;
    }
    let others = groups.iter().filter(|(k, _)| k.as_slice() != key && k.as_slice() != root);
    let mut sizes: Vec<(usize, bool)> = others
        .map(|(_, inside)| (inside.len(), false))
        .chain(held.into_values().map(|n| (n, true)))
        .collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes.iter().take(most).filter(|(_, part)| *part).map(|(n, _)| n).sum()
}

/// The folders that all members share.
fn common(units: &[Unit], members: &[usize]) -> Vec<String> {
    let mut shared: Option<Vec<String>> = None;
    for i in members {
        let folder = &units[*i].folder;
        shared = Some(match shared {
            None => folder.clone(),
            Some(s) => s.iter().zip(folder).take_while(|(a, b)| a == b).map(|(a, _)| a.clone()).collect(),
        });
    }
    shared.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[&str]) -> Vec<(String, usize)> {
        let unit = |p: &&str| {
            let nature = if p.ends_with(".md") { Nature::Guide } else { Nature::Module };
            Unit::at(nature, p, "t")
        };
        let units: Vec<Unit> = paths.iter().map(unit).collect();
        let (places, themes) = deduce(&units, Lang::En);
        assert_eq!(places.len(), units.len());
        themes.into_iter().map(|t| (t.name, t.pages)).collect()
    }

    #[test]
    fn folders_become_themes() {
        let got = names(&["src/auth/a.rs", "src/auth/b.rs", "src/cart/c.rs", "src/pay/d.rs", "docs/x.md"]);
        let want = [("auth", 2), ("cart", 1), ("guides", 1), ("pay", 1)];
        assert_eq!(got, want.map(|(n, c)| (n.to_owned(), c)));
    }

    #[test]
    fn never_more_than_eight() {
        let many: Vec<String> = (0..30).map(|n| format!("src/m{n}/a.rs")).collect();
        let paths: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!((FEWEST..=MOST).contains(&names(&paths).len()));
    }

    #[test]
    fn the_big_folders_of_a_big_folder_are_themes_and_the_rest_is_joined() {
        let mut units: Vec<Unit> = Vec::new();
        for (room, n) in [("orders", 8), ("stock", 6), ("billing", 5), ("a", 2), ("b", 1), ("c", 1), ("d", 1)]
        {
            let module = |i: usize| Unit::at(Nature::Module, &format!("src/{room}/{room}{i}/x.rs"), "t");
            units.extend((0..n).map(module));
        }
        units.push(Unit::at(Nature::Module, "scripts/lib/y.sh", "t"));
        units.push(Unit::at(Nature::Module, "z.rs", "t"));
        for (nature, path) in [
            (Nature::Quality, "tests/a.rs"),
            (Nature::Operations, "Cargo.toml"),
            (Nature::Project, "README.md"),
            (Nature::Guide, "docs/z.md"),
        ] {
            units.push(Unit::at(nature, path, "t"));
        }
        let (_, themes) = deduce(&units, Lang::En);
        let names: Vec<&str> = themes.iter().map(|t| t.name.as_str()).collect();
        let want = ["billing", "guides", "modules", "operations", "orders", "project", "quality", "stock"];
        assert_eq!(names, want);
        // Parts of one size each would be an arbitrary choice: the folder stays whole.
        let flat: Vec<Unit> = (0..20)
            .map(|i| Unit::at(Nature::Module, &format!("src/m{i}/x.rs"), "t"))
            .chain(units.split_off(units.len() - 6))
            .collect();
        let (_, themes) = deduce(&flat, Lang::En);
        assert!(themes.iter().any(|t| t.name == "src" && t.pages == 20), "{themes:?}");
    }

    #[test]
    fn a_deep_tree_is_opened_until_three() {
        let got = names(&["kb/x/a/1.md", "kb/x/b/2.md", "kb/x/c/3.md", "kb/x/c/4.md"]);
        assert_eq!(got.len(), 3, "{got:?}");
        let flat = names(&["a.md", "b.md"]);
        assert_eq!(flat, [("guides".to_owned(), 2)]);
    }
}
