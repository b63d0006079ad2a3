//! Narrow references: what a draft names must be few enough files that drift says something.
//!
//! A folder that holds more than [`WIDE`] files (fixtures and pictures count) is replaced by its own
//! parts in which the unit has files: sub-folders, `folder/*.ext`, single files, the fullest first, at
//! most [`MOST_REFS`]. The files that no reference covers are counted, and the page says so. Pure but
//! for the one listing of the repository.

use std::collections::BTreeMap;

use super::survey::Survey;
use super::unit::Unit;
use crate::knowledge::drift::ids::Ids;
use crate::knowledge::drift::reference::WIDE;

/// Most references of a narrowed unit.
const MOST_REFS: usize = 8;
/// Most bytes of all references of a unit together: the front matter has its own limit.
const MOST_BYTES: usize = 560;
/// Files of one extension from which a pattern names them.
const PATTERN: usize = 4;

/// Part of a folder, and how many of the unit's files it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    text: String,
    covers: usize,
}

/// Replaces every reference of `units` that names very many files, and those past the space of a
/// front matter.
pub(super) fn narrow(units: &mut [Unit], survey: &Survey) {
    if !units.iter().any(|u| u.refs.len() > 1 || u.refs.iter().any(|r| r.ends_with('/'))) {
        return;
    }
    let ids = Ids::new(&survey.home);
    let tree = Tree { files: ids.all(), base: &survey.base };
    for unit in units {
        tree.unit(unit);
    }
}

/// Whether `reference` of a draft (a file, `folder/`, `folder/*.ext`) names `file`.
pub(super) fn names(reference: &str, file: &str) -> bool {
    let matches = |(folder, ending): (&str, &str)| {
        let middle = file.strip_prefix(folder).and_then(|rest| rest.strip_suffix(ending));
        middle.is_some_and(|name| !name.contains('/'))
    };
    reference == file
        || reference.ends_with('/') && file.starts_with(reference)
        || reference.split_once('*').is_some_and(matches)
}

/// The paths by which a page that describes `reference` is looked for: a pattern's files, else itself.
pub(super) fn paths<'a>(reference: &'a str, members: &'a [String]) -> Vec<&'a str> {
    let mut out: Vec<&str> = Vec::new();
    if reference.contains('*') {
        out.extend(members.iter().map(String::as_str).filter(|file| names(reference, file)));
    }
    if out.is_empty() {
        out.push(reference.trim_end_matches('/'));
    }
    out
}

/// Every file of the repository, sorted, and the folder of the base (`a/b/`, or empty).
struct Tree<'a> {
    files: &'a [String],
    base: &'a str,
}

impl Tree<'_> {
    fn unit(&self, unit: &mut Unit) {
        let (mut parts, mut changed) = (Vec::new(), false);
        for reference in &unit.refs {
            let inside: Vec<&str> = unit
                .members
                .iter()
                .map(String::as_str)
                .filter(|m| m.starts_with(reference.as_str()))
                .collect();
            if reference.ends_with('/') && self.is_wide(reference) {
                changed = true;
                self.parts(reference, &inside, &mut parts);
            } else {
                parts.push(Part { text: reference.clone(), covers: inside.len() });
            }
        }
        if !changed && parts.iter().map(|p| p.text.len() + 2).sum::<usize>() <= MOST_BYTES {
            return;
        }
        // The fullest first; among equals, what the page speaks of first.
        let spoken = |part: &Part| {
            let start = part.text.split('*').next().unwrap_or("");
            unit.members.iter().position(|m| m.starts_with(start)).unwrap_or(usize::MAX)
        };
        parts.sort_by(|a, b| b.covers.cmp(&a.covers).then(spoken(a).cmp(&spoken(b))));
        let mut left = MOST_BYTES;
        let mut kept: Vec<Part> = Vec::new();
        for part in parts.into_iter().take(MOST_REFS) {
            if kept.is_empty() || part.text.len() + 2 <= left {
                left = left.saturating_sub(part.text.len() + 2);
                kept.push(part);
            }
        }
        let covered: usize = kept.iter().map(|p| p.covers).sum();
        unit.unnamed = unit.members.len().saturating_sub(covered);
        unit.refs = kept.into_iter().map(|p| p.text).collect();
        unit.refs.sort_unstable();
    }

    fn below(&self, folder: &str) -> &[String] {
        let from = self.files.partition_point(|f| f.as_str() < folder);
        let count = self.files[from..].iter().take_while(|f| f.starts_with(folder)).count();
        &self.files[from..from + count]
    }

    /// Very many files, or the base itself, which changes with every page.
    fn is_wide(&self, folder: &str) -> bool {
        self.below(folder).len() > WIDE || !self.base.is_empty() && self.base.starts_with(folder)
    }

    /// The parts of the wide `folder` in which `members` lie.
    fn parts(&self, folder: &str, members: &[&str], out: &mut Vec<Part>) {
        let mut folders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut direct: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for member in members {
            let rest = &member[folder.len()..];
            match rest.find('/') {
                Some(at) => folders.entry(&member[..=folder.len() + at]).or_default().push(member),
                None => direct.entry(rest.rsplit_once('.').map_or("", |(_, e)| e)).or_default().push(member),
            }
        }
        for (extension, files) in direct {
            let ending = format!(".{extension}");
            let matching = self
                .below(folder)
                .iter()
                .filter(|f| f.ends_with(&ending) && !f[folder.len()..].contains('/'));
            // A name that holds a mark of patterns would make another pattern.
            let plain = !folder.contains(['*', '?', '[', ']', '{', '}', '!', '\\']);
            if files.len() >= PATTERN && !extension.is_empty() && plain && matching.count() <= WIDE {
                out.push(Part { text: format!("{folder}*{ending}"), covers: files.len() });
            } else {
                out.extend(files.into_iter().map(|f| Part { text: f.to_owned(), covers: 1 }));
            }
        }
        for (inner, files) in folders {
            match files.as_slice() {
                [file] => out.push(Part { text: (*file).to_owned(), covers: 1 }),
                _ if self.is_wide(inner) => self.parts(inner, &files, out),
                _ => out.push(Part { text: inner.to_owned(), covers: files.len() }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::scaffold::unit::Nature;

    fn unit(members: &[String]) -> Unit {
        let mut unit = Unit::at(Nature::Module, "src/core", "Core");
        unit.refs = vec!["src/core/".to_owned()];
        unit.members = members.to_vec();
        unit
    }

    fn narrowed(files: &mut [String], base: &str, mut unit: Unit) -> Unit {
        files.sort_unstable();
        Tree { files, base }.unit(&mut unit);
        unit
    }

    #[test]
    fn a_folder_wide_through_fixtures_is_named_by_its_code() {
        let code: Vec<String> = (0..7).map(|n| format!("src/core/m{n}.rs")).collect();
        let inner: Vec<String> = (0..3).map(|n| format!("src/core/io/m{n}.rs")).collect();
        let members = [code.clone(), inner, vec!["src/core/x/only.rs".to_owned()]].concat();
        let mut files = members.clone();
        files.extend((0..200).map(|n| format!("src/core/fixtures/{n}.bin")));
        let got = narrowed(&mut files, "", unit(&members));
        assert_eq!(got.refs, ["src/core/*.rs", "src/core/io/", "src/core/x/only.rs"]);
        assert_eq!(got.unnamed, 0);
        // Under the limit nothing changes.
        let got = narrowed(&mut members.clone(), "", unit(&members));
        assert_eq!(got.refs, ["src/core/"]);
        // The base inside a folder makes it wide.
        let got = narrowed(&mut members.clone(), "src/core/docs/", unit(&members));
        assert_eq!(got.refs[0], "src/core/*.rs");
    }

    #[test]
    fn a_flat_crowd_is_named_in_part_and_counted() {
        let members: Vec<String> = (0..300).map(|n| format!("src/core/m{n:03}.rs")).collect();
        let got = narrowed(&mut members.clone(), "", unit(&members));
        assert_eq!(got.refs.len(), MOST_REFS);
        assert_eq!((got.refs[0].as_str(), got.unnamed), ("src/core/m000.rs", 300 - MOST_REFS));
    }

    #[test]
    fn long_paths_keep_within_the_front_matter() {
        let members: Vec<String> = (0..6).map(|n| format!("{}/{n}.java", "deep/".repeat(40))).collect();
        let mut unit = unit(&members);
        unit.refs = members.clone();
        let got = narrowed(&mut members.clone(), "", unit);
        assert_eq!((got.refs.len(), got.unnamed), (2, 4));
    }

    #[test]
    fn names_with_marks_of_patterns_become_no_pattern() {
        let members: Vec<String> = (0..5).map(|n| format!("src/core/[id]/p{n}.ts")).collect();
        let mut files = members.clone();
        files.extend((0..150).map(|n| format!("src/core/[id]/a/{n}.png")));
        let got = narrowed(&mut files, "", unit(&members));
        assert_eq!(got.refs, members);
    }
}
