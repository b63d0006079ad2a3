//! The derived files: map, manifest (whole or in shards), graph.
//!
//! A pure function of the pages: same pages, same bytes. The date is the latest valid `updated` of
//! the base, never the clock's. Only files that bear our header are overwritten or removed.

mod manifest;
mod overview;
mod relations;
mod shard;

use std::fs;

use super::document::Page;
use super::graph::Graph;
use super::load::Base;
use super::marker::Marker;
use super::names::{HEADER, is_derived};
use super::read::{self, Place};
use super::tokens::estimate;
use super::walk::under;
use crate::base::{Result, error::IoContext};
use crate::store::atomic;

pub use manifest::row;
pub use shard::is_sharded_text;

/// A derived file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// Its path from the root.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// What the derived files should be, against what is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Files whose bytes differ from the disk's, to write.
    pub outdated: Vec<Derived>,
    /// Derived files of ours that nothing derives any more, to remove.
    pub stale: Vec<String>,
    /// Paths where something that is not ours stands in the way.
    pub blocked: Vec<String>,
    /// How many derived files there should be.
    pub total: usize,
    /// Whether the manifest is in shards.
    pub sharded: bool,
    /// Manifests above their limit, with their tokens.
    pub oversized: Vec<(String, usize)>,
}

impl Plan {
    /// Whether nothing is to be done.
    pub fn is_current(&self) -> bool {
        self.outdated.is_empty() && self.stale.is_empty() && self.blocked.is_empty()
    }
}

/// Every derived file of these pages, sorted by path; `sharded` says whether the base is so now.
pub fn derive(marker: &Marker, pages: &[Page], graph: &Graph, sharded: bool) -> Vec<Derived> {
    let date = date(pages);
    let (manifests, sharded) = shard::manifests(marker, pages, &date, sharded);
    let mut out = manifests;
    out.push(Derived { path: marker.overview.clone(), text: overview::render(pages, &date, sharded) });
    out.push(Derived { path: marker.relations.clone(), text: relations::render(pages, graph, &date) });
    out.sort_by(|a, b| a.path.cmp(&b.path));
    out
}

/// Compares what should be with the disk.
pub fn plan(base: &Base) -> Plan {
    let marker = &base.marker;
    let on_disk = |path: &str| read::place(&under(&marker.root, path));
    let before = match on_disk(&marker.manifest) {
        Place::File(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Place::Free | Place::Other => None,
    };
    let sharded = before.as_deref().is_some_and(is_sharded_text);
    let files = derive(marker, &base.pages, &base.graph, sharded);
    let mut plan = Plan { total: files.len(), ..Plan::default() };
    plan.sharded = files.iter().any(|f| f.path == marker.manifest && is_sharded_text(&f.text));
    plan.stale =
        base.tree.derived.iter().filter(|path| !files.iter().any(|f| f.path == **path)).cloned().collect();
    for file in files {
        let tokens = estimate(&file.text);
        let is_manifest = file.path != marker.overview && file.path != marker.relations;
        if is_manifest && tokens > marker.limits.index {
            plan.oversized.push((file.path.clone(), tokens));
        }
        match on_disk(&file.path) {
            Place::File(bytes) if bytes == file.text.as_bytes() => {}
            Place::File(bytes) if !bytes.is_empty() && !is_derived(&String::from_utf8_lossy(&bytes)) => {
                plan.blocked.push(file.path);
            }
            Place::Other => plan.blocked.push(file.path),
            _ => plan.outdated.push(file),
        }
    }
    plan
}

/// Puts the plan on disk: each file whole or not at all.
///
/// # Errors
/// An input or output error that names the file.
pub fn write(marker: &Marker, plan: &Plan) -> Result<()> {
    for file in &plan.outdated {
        atomic::replace_unlocked(&under(&marker.root, &file.path), file.text.as_bytes())?;
    }
    for path in &plan.stale {
        let path = under(&marker.root, path);
        fs::remove_file(&path).at(&path)?;
    }
    Ok(())
}

/// The latest valid `updated` of the base, `—` when there is none.
fn date(pages: &[Page]) -> String {
    pages.iter().filter_map(Page::updated).max().map_or_else(|| "—".to_owned(), |d| d.to_string())
}

/// The line under a heading.
fn header(date: &str, documents: usize) -> String {
    format!("> {HEADER}. Généré le {date}. Documents : {documents}.\n")
}
