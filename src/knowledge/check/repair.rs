//! `--fix`: repairs that need no judgement, byte for byte elsewhere, and the same when run twice.
//!
//! Pages first (quotes, cases, moves that git knows), then the indexes made from the result. Nothing
//! is written by planning; a dry run shows the plan as a diff.

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
    let originals: Vec<(String, String)> =
        base.pages.iter().map(|p| (p.path.clone(), p.source.clone())).collect();
    for _ in 0..ROUNDS {
        let report = check(&base, &options)?;
        let mut changed = false;
        for page in &mut base.pages {
            let after = apply(page, &report.findings);
            if after != page.source {
                *page = Page::parse(page.path.clone(), after, base.marker.summary_max);
                changed = true;
            }
        }
        if !changed {
            break;
        }
        base.graph = Graph::new(&base.pages);
    }
    let pages = originals
        .into_iter()
        .zip(&base.pages)
        .filter(|((_, before), page)| *before != page.source)
        .map(|((path, before), page)| Change { path, before, after: page.source.clone() })
        .collect();
    let indexes = indexes::plan(&base);
    Ok(Fixes { pages, base, indexes })
}

/// The page's text with its repairs, those that overlap an earlier one left for the next round.
fn apply(page: &Page, findings: &[Finding]) -> String {
    let mut edits: Vec<(&std::ops::Range<usize>, &str)> = findings
        .iter()
        .filter(|f| f.page.as_deref() == Some(page.path.as_str()))
        .filter_map(|f| match &f.repair {
            Some(Repair::Replace { span, text }) => Some((span, text.as_str())),
            _ => None,
        })
        .collect();
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    edits.dedup();
    let mut out = String::with_capacity(page.source.len());
    let mut at = 0;
    for (span, text) in edits {
        let Some(kept) = page.source.get(at..span.start) else { continue };
        out.push_str(kept);
        out.push_str(text);
        at = span.end;
    }
    out.push_str(&page.source[at..]);
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
