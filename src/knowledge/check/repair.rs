//! `--fix`: repairs that need no judgement, byte for byte elsewhere, and the same when run twice.
//!
//! Pages first (quotes, cases, moves that git knows), then the indexes made from the result. Nothing
//! is written by planning; a dry run shows the plan as a diff.

use std::collections::BTreeMap;

use super::finding::{Finding, Repair};
use super::{Options, check};
use crate::base::Result;
use crate::base::error::IoContext;
use crate::knowledge::Page;
use crate::knowledge::graph::Graph;
use crate::knowledge::indexes::{self, Plan};
use crate::knowledge::load::Base;
use crate::knowledge::read;
use crate::knowledge::walk::under;
use crate::markdown::decode;
use crate::store::atomic;

/// Rounds after which a page is left as it is.
const ROUNDS: usize = 16;

/// A page before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its path from the root.
    pub path: String,
    /// The text before.
    pub before: String,
    /// The text after.
    pub after: String,
}

/// What `--fix` will do.
#[derive(Clone, Debug)]
pub struct Fixes {
    /// Pages to change.
    pub pages: Vec<Change>,
    /// The base as it will be.
    pub base: Base,
    /// The indexes to write afterwards.
    pub indexes: Plan,
}

/// Plans the repairs of a base.
///
/// # Errors
/// Those of [`check`].
pub fn plan(mut base: Base, options: &Options) -> Result<Fixes> {
    let options = Options { follow_moves: true, secrets: false, drift: false, ..options.clone() };
    let mut before = Before::new();
    for _ in 0..ROUNDS {
        let findings = check(&base, &options)?.findings;
        let mut changed = false;
        for (path, edits) in by_page(&findings) {
            let Ok(i) = base.pages.binary_search_by(|p| p.path.as_str().cmp(path)) else { continue };
            let after = apply(&base.pages[i].source, edits);
            if after != base.pages[i].source {
                let page = Page::parse(path, after, base.marker.summary_max);
                let old = std::mem::replace(&mut base.pages[i], page);
                before.entry(old.path).or_insert(old.source);
                changed = true;
            }
        }
        if !changed {
            break;
        }
        base.graph = Graph::new(&base.pages);
    }
    let pages = changes(before, &base);
    let indexes = indexes::plan(&base);
    Ok(Fixes { pages, base, indexes })
}

/// The texts that pages had before they were changed, by path.
pub type Before = BTreeMap<String, String>;

/// What became of the pages whose texts are in `before`.
pub fn changes(before: Before, base: &Base) -> Vec<Change> {
    let change = |(path, before): (String, String)| {
        let after = base.page(&path)?.source.clone();
        (after != before).then_some(Change { path, before, after })
    };
    before.into_iter().filter_map(change).collect()
}

/// Edits of a page: bytes and what to put there.
type Edits<'a> = Vec<(&'a std::ops::Range<usize>, &'a str)>;

fn by_page(findings: &[Finding]) -> BTreeMap<&str, Edits<'_>> {
    let mut out: BTreeMap<&str, Edits<'_>> = BTreeMap::new();
    for finding in findings {
        if let (Some(page), Some(Repair::Replace { span, text })) = (&finding.page, &finding.repair) {
            out.entry(page).or_default().push((span, text));
        }
    }
    out
}

/// `source` with these edits, those that overlap an earlier one left for the next round.
fn apply(source: &str, mut edits: Edits<'_>) -> String {
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    edits.dedup();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    for (span, text) in edits {
        let Some(kept) = source.get(at..span.start) else { continue };
        out.push_str(kept);
        out.push_str(text);
        at = span.end;
    }
    out.push_str(&source[at..]);
    out
}

impl Fixes {
    /// Whether nothing is to be done.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty() && self.indexes.outdated.is_empty() && self.indexes.stale.is_empty()
    }

    /// Puts the repairs on disk; the paths written or removed, from the root.
    ///
    /// A page that changed meanwhile is left alone.
    ///
    /// # Errors
    /// An input or output error that names the file.
    pub fn write(&self) -> Result<Vec<String>> {
        let marker = &self.base.marker;
        let mut done = Vec::new();
        for change in &self.pages {
            let path = under(&marker.root, &change.path);
            let current = decode::text(read::bytes(&path).at(&path)?);
            if current.as_deref() == Ok(change.before.as_str()) {
                atomic::replace_unlocked(&path, change.after.as_bytes())?;
                done.push(change.path.clone());
            }
        }
        indexes::write(marker, &self.indexes)?;
        done.extend(self.indexes.outdated.iter().map(|f| f.path.clone()));
        done.extend(self.indexes.stale.iter().cloned());
        done.sort_unstable();
        Ok(done)
    }

    /// The repairs as a unified diff.
    pub fn diff(&self) -> String {
        let root = &self.base.marker.root;
        let mut out = String::new();
        for change in &self.pages {
            out.push_str(&unified(&change.path, &change.before, &change.after));
        }
        for file in &self.indexes.outdated {
            let before = read::text(under(root, &file.path)).unwrap_or_default();
            out.push_str(&unified(&file.path, &before, &file.text));
        }
        for path in &self.indexes.stale {
            let before = read::text(under(root, path)).unwrap_or_default();
            out.push_str(&unified(path, &before, ""));
        }
        out
    }
}

/// A unified diff of one file.
pub fn unified(path: &str, before: &str, after: &str) -> String {
    let from = if before.is_empty() { "/dev/null".to_owned() } else { format!("a/{path}") };
    let to = if after.is_empty() { "/dev/null".to_owned() } else { format!("b/{path}") };
    similar::TextDiff::from_lines(before, after).unified_diff().header(&from, &to).to_string()
}
