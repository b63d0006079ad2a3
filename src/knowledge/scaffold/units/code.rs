//! Units of source code: a file each in a repository of moderate size, a folder each in a big one.
//! A file that says nothing public is no unit of its own; its folder's page still covers it.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::MOST;
use crate::knowledge::scaffold::facts::{self, Facts, first_paragraph};
use crate::knowledge::scaffold::survey::{Sort, Survey};
use crate::knowledge::scaffold::text::{readable, sentence};
use crate::knowledge::scaffold::unit::{Fact, Nature, Unit, segments};

/// Source files above which a folder, not a file, is a unit.
const MANY: usize = 60;
/// Folders above which folders are joined at a lesser depth.
const MANY_FOLDERS: usize = 120;
/// File names that stand for their folder.
const ENTRIES: &[&str] = &["mod", "lib", "main", "index", "__init__", "__main__", "app"];

pub(super) fn units(survey: &Survey) -> Vec<Unit> {
    let paths: Vec<&str> = survey.of(Sort::Source).collect();
    let read: Vec<(&str, Facts)> =
        paths.par_iter().filter_map(|path| Some((*path, facts::read(path, &survey.read(path)?)))).collect();
    let mut groups: BTreeMap<String, Vec<&(&str, Facts)>> = BTreeMap::new();
    let depth = depth(&paths);
    for file in &read {
        groups.entry(key(file.0, depth)).or_default().push(file);
    }
    groups.into_iter().filter_map(|(key, files)| unit(&key, &files)).collect()
}

/// How many folders deep units are; `None` when a file is a unit.
fn depth(paths: &[&str]) -> Option<usize> {
    if paths.len() <= MANY {
        return None;
    }
    let folders = |depth: usize| {
        let keys: std::collections::BTreeSet<String> = paths.iter().map(|p| key(p, Some(depth))).collect();
        keys.len()
    };
    let deepest = paths.iter().map(|p| p.matches('/').count()).max().unwrap_or(0);
    Some((1..=deepest).rev().find(|d| folders(*d) <= MANY_FOLDERS).unwrap_or(1))
}

fn key(path: &str, depth: Option<usize>) -> String {
    let Some(depth) = depth else { return path.to_owned() };
    let folders: Vec<&str> = path.split('/').collect();
    let kept = (folders.len() - 1).min(depth);
    if kept == 0 { path.to_owned() } else { folders[..kept].join("/") + "/" }
}

fn unit(key: &str, files: &[&(&str, Facts)]) -> Option<Unit> {
    if files.iter().all(|(_, facts)| facts.is_empty()) {
        return None;
    }
    let mut unit = Unit::at(Nature::Module, key.trim_end_matches('/'), "");
    unit.refs = vec![key.to_owned()];
    let is_entry = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        ENTRIES.contains(&name.split('.').next().unwrap_or(name))
    };
    if !key.ends_with('/') && is_entry(key) {
        let folder = unit.folder.last().filter(|f| !matches!(f.as_str(), "src" | "lib" | "app"));
        if let Some(folder) = folder {
            unit.name = format!("{folder}-{}", unit.name.trim_matches('_'));
        }
    }
    unit.title = title(&unit.name, &unit.folder);
    // The file that stands for the folder speaks first, then the others by name.
    let mut ordered: Vec<&&(&str, Facts)> = files.iter().collect();
    ordered.sort_by_key(|(path, _)| (!is_entry(path), *path));
    unit.members = ordered.iter().map(|(path, _)| (*path).to_owned()).collect();
    unit.about =
        ordered.iter().map(|(_, f)| first_paragraph(&f.doc)).find(|d| !d.is_empty()).unwrap_or_default();
    let several = ordered.len() > 1;
    for (path, facts) in ordered {
        if several && !first_paragraph(&facts.doc).is_empty() {
            unit.behave([Fact::new(*path, &sentence(&first_paragraph(&facts.doc)))], MOST);
        }
        if !facts.routes.is_empty() {
            (unit.kind, unit.priority) = ("api", "p1");
        }
        let routes = facts.routes.iter().map(|r| {
            let handler = facts.items.iter().find(|i| i.name == r.handler).map_or("", |i| i.doc.as_str());
            Fact::new(format!("{} {}", r.method, r.path), &sentence(&first_paragraph(handler)))
        });
        unit.behave(routes, MOST);
        let items = facts.items.iter().filter(|i| !facts.routes.iter().any(|r| r.handler == i.name));
        unit.behave(items.map(|i| Fact::new(i.signature.clone(), &sentence(&first_paragraph(&i.doc)))), MOST);
        unit.point(facts.constants.iter().map(|c| Fact::new(c.clone(), "")), MOST);
        unit.point(facts.env.iter().map(|v| Fact::new(v.clone(), "")), MOST);
        unit.imports.extend(facts.imports.iter().cloned());
    }
    if unit.kind != "api" {
        unit.kind = "feature";
    }
    unit.tags = languages(files);
    Some(unit)
}

/// `Login service (auth)`: the name with the folder that tells it from others of that name.
fn title(name: &str, folder: &[String]) -> String {
    let parent =
        folder.last().filter(|f| !["src", "lib", "app", "pkg", "internal", "cmd"].contains(&f.as_str()));
    let name = readable(name);
    match parent {
        Some(parent) if !name.to_lowercase().starts_with(&parent.to_lowercase()) => {
            format!("{name} ({parent})")
        }
        _ => name,
    }
}

fn languages(files: &[&(&str, Facts)]) -> Vec<String> {
    let mut out: Vec<String> = files
        .iter()
        .filter_map(|(path, _)| {
            Some(match path.rsplit_once('.')?.1 {
                "rs" => "rust",
                "py" => "python",
                "ts" | "tsx" | "mts" => "typescript",
                "js" | "jsx" | "mjs" | "cjs" => "javascript",
                other => other,
            })
        })
        .map(str::to_owned)
        .collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// The file or folder that an import of the unit at `from` may mean, without extension.
pub(in crate::knowledge::scaffold) fn imported(from: &[String], import: &str) -> Vec<String> {
    let mut base = from.to_vec();
    let path = if let Some(rest) = import.strip_prefix("crate::") {
        // The crate's root is the folder that holds `src`.
        let at = base.iter().position(|f| f == "src").map_or(base.len(), |at| at + 1);
        base.truncate(at);
        rest.split(['{', ' ', ';']).next().unwrap_or("").replace("::", "/")
    } else if import.starts_with('.') && !import.contains('/') {
        // Python: one dot is this package, each further one its parent.
        let dots = import.bytes().take_while(|b| *b == b'.').count();
        base.truncate(base.len().saturating_sub(dots - 1));
        import[dots..].replace('.', "/")
    } else if import.starts_with('.') {
        let mut rest = import;
        loop {
            if let Some(r) = rest.strip_prefix("../") {
                base.pop();
                rest = r;
            } else if let Some(r) = rest.strip_prefix("./") {
                rest = r;
            } else {
                break;
            }
        }
        rest.to_owned()
    } else {
        base.clear();
        import.replace("::", "/").replace('.', "/")
    };
    base.extend(segments(&path));
    base
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_lead_to_files() {
        let from = segments("src/auth");
        assert_eq!(imported(&from, "crate::store::Users").join("/"), "src/store/Users");
        assert_eq!(imported(&from, ".store").join("/"), "src/auth/store");
        assert_eq!(imported(&from, "../api/client").join("/"), "src/api/client");
        assert_eq!(imported(&from, "shop.store").join("/"), "shop/store");
        assert_eq!(imported(&[], "....x").join("/"), "x");
    }

    #[test]
    fn titles_say_where() {
        assert_eq!(title("login_service", &segments("src/auth")), "Login service (auth)");
        assert_eq!(title("auth-mod", &segments("src/auth")), "Auth mod");
        assert_eq!(title("cart", &segments("src")), "Cart");
    }
}
