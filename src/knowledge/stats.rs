//! Figures of a base: documents, tokens per phase, statuses, big pages.

use std::collections::BTreeMap;

use serde::Serialize;

use super::indexes;
use super::load::Base;
use super::tokens::{METHOD, estimate};

/// The figures.
#[derive(Clone, Debug, Serialize)]
pub struct Stats {
    /// Pages.
    pub documents: usize,
    /// Pages whose front matter does not parse.
    pub unreadable: usize,
    /// Their paths.
    pub unreadable_pages: Vec<String>,
    /// How tokens were counted.
    pub method: &'static str,
    /// Tokens of phase 1: every manifest.
    pub manifest_tokens: usize,
    /// Tokens of phase 2: every front matter.
    pub front_matter_tokens: usize,
    /// Tokens of phase 3: every body.
    pub body_tokens: usize,
    /// Tokens of phase 4: the graph.
    pub relations_tokens: usize,
    /// Pages by status; `?` without a valid one.
    pub statuses: BTreeMap<String, usize>,
    /// Pages by theme; `.` at the root.
    pub themes: BTreeMap<String, usize>,
    /// The ten biggest pages and their tokens.
    pub biggest: Vec<(String, usize)>,
    /// Pages without `impl_refs`.
    pub without_refs: Vec<String>,
}

/// The figures of `base`.
pub fn stats(base: &Base) -> Stats {
    use rayon::prelude::*;
    let sizes: Vec<(usize, usize)> = base
        .pages
        .par_iter()
        .map(|p| (estimate(p.front_text()), estimate(&p.source[p.front.split.body.min(p.source.len())..])))
        .collect();
    let files = indexes::derive(&base.marker, &base.pages, &base.graph, indexes::plan(base).sharded);
    let (relations, manifests): (Vec<_>, Vec<_>) = files
        .iter()
        .filter(|f| f.path != base.marker.overview)
        .partition(|f| f.path == base.marker.relations);
    let mut statuses = BTreeMap::new();
    let mut themes = BTreeMap::new();
    for page in &base.pages {
        *statuses.entry(page.status().to_owned()).or_default() += 1;
        *themes.entry(page.theme().to_owned()).or_default() += 1;
    }
    let mut biggest: Vec<(String, usize)> =
        base.pages.iter().zip(&sizes).map(|(p, (f, b))| (p.path.clone(), f + b)).collect();
    biggest.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    biggest.truncate(10);
    let unreadable_pages: Vec<String> =
        base.pages.iter().filter(|p| !p.is_readable()).map(|p| p.path.clone()).collect();
    Stats {
        documents: base.pages.len(),
        unreadable: unreadable_pages.len(),
        unreadable_pages,
        method: METHOD,
        manifest_tokens: manifests.iter().map(|f| estimate(&f.text)).sum(),
        front_matter_tokens: sizes.iter().map(|s| s.0).sum(),
        body_tokens: sizes.iter().map(|s| s.1).sum(),
        relations_tokens: relations.iter().map(|f| estimate(&f.text)).sum(),
        statuses,
        themes,
        biggest,
        without_refs: base
            .pages
            .iter()
            .filter(|p| p.meta.impl_refs.is_empty())
            .map(|p| p.path.clone())
            .collect(),
    }
}
