//! The manifest whole or in shards.
//!
//! A base above its limit in pages or tokens is cut by first-level theme; a folder that alone exceeds
//! the limit is cut by sub-folder, then into numbered parts; pages at the root form the shard `.`,
//! from part 2 on. A sharded base stays so until it is down to 80 % of both limits.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::manifest::{self, HEAD};
use super::{Derived, header};
use crate::knowledge::document::Page;
use crate::knowledge::marker::Marker;
use crate::knowledge::names;
use crate::knowledge::tokens::estimate;

const SHARDS: &str = "| thème | documents | tags | manifeste |\n|---|---|---|---|\n";
/// Tags shown for a shard.
const TAGS: usize = 8;

/// Whether the text of a root manifest is a table of shards.
pub fn is_sharded_text(text: &str) -> bool {
    text.lines().take(12).any(|l| SHARDS.starts_with(l) && l.starts_with("| thème"))
}

struct Row<'a> {
    page: &'a Page,
    text: String,
    tokens: usize,
}

struct Shard<'a> {
    /// Folder from the root, `.` for the root.
    folder: String,
    part: usize,
    rows: Vec<&'a Row<'a>>,
}

/// Every manifest, and whether there are shards.
pub(super) fn manifests(marker: &Marker, pages: &[Page], date: &str, sharded: bool) -> (Vec<Derived>, bool) {
    let rows: Vec<Row<'_>> = pages
        .iter()
        .map(|page| {
            let text = manifest::row(page, marker.summary_max);
            Row { page, tokens: estimate(&text), text }
        })
        .collect();
    let all: Vec<&Row<'_>> = rows.iter().collect();
    let whole = Derived { path: marker.manifest.clone(), text: table("# INDEX — Manifeste", date, &all) };
    let (pages_limit, token_limit) = (marker.limits.pages, marker.limits.index);
    let tokens = estimate(&whole.text);
    let above = rows.len() > pages_limit || tokens > token_limit;
    let still = sharded && (rows.len() * 10 > pages_limit * 8 || tokens * 10 > token_limit * 8);
    if !above && !still {
        return (vec![whole], false);
    }
    let limit = Limit { pages: pages_limit, tokens: token_limit.saturating_sub(estimate(HEAD) + 60) };
    let mut shards = Vec::new();
    let (at_root, below): (Vec<_>, Vec<_>) = all.into_iter().partition(|r| !r.page.path.contains('/'));
    limit.parts(".", at_root, 2, &mut shards);
    for (theme, rows) in by_folder("", below) {
        limit.split(&theme, rows, &mut shards);
    }
    let mut out: Vec<Derived> =
        shards.iter().map(|s| Derived { path: s.path(marker), text: s.render(date) }).collect();
    out.push(Derived { path: marker.manifest.clone(), text: root(marker, date, pages.len(), &shards) });
    (out, true)
}

fn table(heading: &str, date: &str, rows: &[&Row<'_>]) -> String {
    let mut out = format!("{heading}\n\n{}\n{HEAD}", header(date, rows.len()));
    for row in rows {
        out.push_str(&row.text);
    }
    out
}

/// Rows by the folder that follows `prefix` (with its slash) in their path.
fn by_folder<'a>(prefix: &str, rows: Vec<&'a Row<'a>>) -> BTreeMap<String, Vec<&'a Row<'a>>> {
    let mut out: BTreeMap<String, Vec<&Row<'_>>> = BTreeMap::new();
    for row in rows {
        let rest = &row.page.path[prefix.len()..];
        if let Some((folder, _)) = rest.split_once('/') {
            out.entry(format!("{prefix}{folder}")).or_default().push(row);
        }
    }
    out
}

struct Limit {
    pages: usize,
    tokens: usize,
}

impl Limit {
    fn fits(&self, rows: &[&Row<'_>]) -> bool {
        rows.len() <= self.pages && rows.iter().map(|r| r.tokens).sum::<usize>() <= self.tokens
    }

    fn split<'a>(&self, folder: &str, rows: Vec<&'a Row<'a>>, out: &mut Vec<Shard<'a>>) {
        let prefix = format!("{folder}/");
        let has_folders = rows.iter().any(|r| r.page.path[prefix.len()..].contains('/'));
        if self.fits(&rows) || !has_folders {
            return self.parts(folder, rows, 1, out);
        }
        let (below, direct): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|r| r.page.path[prefix.len()..].contains('/'));
        self.parts(folder, direct, 1, out);
        for (sub, rows) in by_folder(&prefix, below) {
            self.split(&sub, rows, out);
        }
    }

    /// Consecutive parts that fit, numbered from `first`.
    fn parts<'a>(&self, folder: &str, rows: Vec<&'a Row<'a>>, first: usize, out: &mut Vec<Shard<'a>>) {
        let mut part: Vec<&Row<'_>> = Vec::new();
        let (mut number, mut tokens) = (first, 0);
        for row in rows {
            if !part.is_empty() && (part.len() == self.pages || tokens + row.tokens > self.tokens) {
                out.push(Shard { folder: folder.to_owned(), part: number, rows: std::mem::take(&mut part) });
                (number, tokens) = (number + 1, 0);
            }
            tokens += row.tokens;
            part.push(row);
        }
        if !part.is_empty() {
            out.push(Shard { folder: folder.to_owned(), part: number, rows: part });
        }
    }
}

impl Shard<'_> {
    fn path(&self, marker: &Marker) -> String {
        let name = names::part(marker, self.part);
        if self.folder == "." { name } else { format!("{}/{name}", self.folder) }
    }

    fn render(&self, date: &str) -> String {
        table(&format!("# INDEX — Manifeste — {}", manifest::cell(&self.folder)), date, &self.rows)
    }

    /// The commonest tags, ties by name.
    fn tags(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for tag in self.rows.iter().flat_map(|r| &r.page.meta.tags) {
            *counts.entry(tag).or_default() += 1;
        }
        let mut tags: Vec<(&str, usize)> = counts.into_iter().collect();
        tags.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        tags.iter().take(TAGS).map(|t| t.0).collect::<Vec<_>>().join(",")
    }
}

fn root(marker: &Marker, date: &str, documents: usize, shards: &[Shard<'_>]) -> String {
    let mut out = format!("# INDEX — Manifeste\n\n{}\n{SHARDS}", header(date, documents));
    for shard in shards {
        let tags = manifest::cell(&shard.tags());
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| {} | {} | {tags} | {} |",
            manifest::cell(&shard.folder),
            shard.rows.len(),
            manifest::cell(&shard.path(marker))
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::marker;
    use std::path::Path;

    fn pages(spec: &[(&str, usize)]) -> Vec<Page> {
        let mut out: Vec<Page> = spec
            .iter()
            .flat_map(|(folder, n)| {
                (0..*n).map(move |i| {
                    let head = "---\ntitle: t\nsummary: un résumé\ntype: guide\nstatus: stable\ntags: [x]\nupdated: 2026-01-01\n---\n";
                    Page::parse(format!("{folder}p{i:04}.md"), head.to_owned(), 240)
                })
            })
            .collect();
        out.sort_by(|a, b| a.path.cmp(&b.path));
        out
    }

    fn paths(limits: &str, spec: &[(&str, usize)], sharded: bool) -> Vec<String> {
        let text = format!("version: 1\nroot: kb\ntokens: {{{limits}}}\n");
        let m = marker::parse(Path::new(".rag"), &text).expect("marker");
        let all = pages(spec);
        let (files, _) = manifests(&m, &all, "2026-01-01", sharded);
        for page in &all {
            let holders = files.iter().filter(|f| f.text.contains(&format!("| {} |", page.path))).count();
            assert_eq!(holders, 1, "{}", page.path);
        }
        for f in &files {
            assert!(estimate(&f.text) <= m.limits.index, "{}", f.path);
        }
        files.into_iter().map(|f| f.path).collect()
    }

    #[test]
    fn a_base_is_cut_by_theme_sub_folder_then_number() {
        assert_eq!(paths("pages: 10", &[("a/", 6), ("b/", 4)], false), ["INDEX.md"]);
        assert_eq!(
            paths("pages: 10", &[("a/", 6), ("b/", 5)], false),
            ["a/INDEX.md", "b/INDEX.md", "INDEX.md"]
        );
        assert_eq!(
            paths("pages: 10", &[("", 12), ("a/x/", 6), ("a/y/", 6), ("a/", 1)], false),
            ["INDEX-2.md", "INDEX-3.md", "a/INDEX.md", "a/x/INDEX.md", "a/y/INDEX.md", "INDEX.md"]
        );
        assert_eq!(
            paths("pages: 10", &[("a/", 25)], false),
            ["a/INDEX.md", "a/INDEX-2.md", "a/INDEX-3.md", "INDEX.md"]
        );
    }

    #[test]
    fn tokens_count_as_well_as_pages() {
        let files = paths("index: 600", &[("a/", 40), ("b/", 40)], false);
        assert!(files.len() > 3, "{files:?}");
    }

    #[test]
    fn a_sharded_base_stays_so_until_four_fifths() {
        assert_eq!(paths("pages: 10", &[("a/", 9)], true).len(), 2);
        assert_eq!(paths("pages: 10", &[("a/", 8)], true), ["INDEX.md"]);
        assert_eq!(paths("pages: 10", &[("a/", 9)], false), ["INDEX.md"]);
    }
}
