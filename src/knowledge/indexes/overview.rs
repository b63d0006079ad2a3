//! The map: folders with counts, and their pages while the base is small.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::header;
use crate::knowledge::document::Page;

/// The text of the map of `pages`, sorted by path; with `folders_only`, no page is listed.
pub(super) fn render(pages: &[Page], date: &str, folders_only: bool) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for page in pages {
        let mut folder = page.path.as_str();
        while let Some((head, _)) = folder.rsplit_once('/') {
            *counts.entry(head).or_default() += 1;
            folder = head;
        }
    }
    let mut out = format!("# OVERVIEW — Carte de la base de connaissance\n\n{}\n", header(date, pages.len()));
    let mut open: Vec<&str> = Vec::new();
    for page in pages {
        let parts: Vec<&str> = page.path.split('/').collect();
        let Some((name, folders)) = parts.split_last() else { continue };
        let common = open.iter().zip(folders).take_while(|(a, b)| a == b).count();
        open.truncate(common);
        while open.len() < folders.len() {
            let depth = open.len();
            open.push(folders[depth]);
            let path = folders[..=depth].join("/");
            let count = counts.get(path.as_str()).copied().unwrap_or_default();
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{}{} ({count})", "  ".repeat(depth), folders[depth]);
        }
        if !folders_only {
            let mark = if page.is_readable() { "" } else { " ?" };
            let _ = writeln!(out, "{}{name}{mark}", "  ".repeat(folders.len()));
        }
    }
    if folders_only {
        let at_root = pages.iter().filter(|p| !p.path.contains('/')).count();
        if at_root > 0 {
            let _ = writeln!(out, ". ({at_root})");
        }
    }
    out
}
