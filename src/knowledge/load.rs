//! A base read from disk once: its pages, sorted by path, and its graph.

use std::fs;

use rayon::prelude::*;

use super::document::Page;
use super::graph::Graph;
use super::marker::Marker;
use super::read;
use super::walk::{self, Tree, under};
use crate::base::{Error, Result};

/// A base in memory.
#[derive(Clone, Debug)]
pub struct Base {
    /// Its configuration.
    pub marker: Marker,
    /// What lies under its root.
    pub tree: Tree,
    /// Its pages, sorted by path.
    pub pages: Vec<Page>,
    /// Its graph.
    pub graph: Graph,
}

impl Base {
    /// Reads every page of the base.
    ///
    /// # Errors
    /// [`crate::base::Kind::Negative`] when the root is missing or empty, an input error when it
    /// cannot be walked. A page that cannot be read is kept as such, never dropped.
    pub fn load(marker: Marker) -> Result<Self> {
        marker.require_initialised()?;
        let tree = walk::walk(&marker)?;
        let pages: Vec<Page> = tree.pages.par_iter().map(|path| read_page(&marker, path)).collect();
        let graph = Graph::new(&pages);
        Ok(Base { marker, tree, pages, graph })
    }

    /// A base of `marker` without pages.
    pub fn empty(marker: Marker) -> Self {
        Base { marker, tree: Tree::default(), pages: Vec::new(), graph: Graph::default() }
    }

    /// The base read anew. What was read before is given back first: two bases at once would be twice
    /// the memory.
    ///
    /// # Errors
    /// As [`Base::load`].
    pub fn reload(self) -> Result<Self> {
        let Base { marker, tree, pages, graph } = self;
        drop((tree, pages, graph));
        Base::load(marker)
    }

    /// Looks again which derived files there are, after they were written; the pages stay as read.
    ///
    /// # Errors
    /// An input error when the root cannot be walked.
    pub fn look_again(&mut self) -> Result<()> {
        let Tree { derived, usurpers, .. } = walk::walk(&self.marker)?;
        (self.tree.derived, self.tree.usurpers) = (derived, usurpers);
        Ok(())
    }

    /// The page at `path`, from the root.
    pub fn page(&self, path: &str) -> Option<&Page> {
        self.pages.binary_search_by(|p| p.path.as_str().cmp(path)).ok().map(|i| &self.pages[i])
    }

    /// The page a user names: its path from the root, or from the current folder when `cwd` is given.
    ///
    /// # Errors
    /// A usage error that proposes pages of the same name.
    pub fn named(&self, name: &str, cwd: Option<&std::path::Path>) -> Result<&Page> {
        let plain = name.trim_start_matches("./");
        if let Some(page) = self.page(plain) {
            return Ok(page);
        }
        let absolute = cwd.map(|dir| dir.join(name)).and_then(|p| fs::canonicalize(p).ok());
        let inside = absolute.and_then(|p| {
            let root = fs::canonicalize(&self.marker.root).ok()?;
            walk::slashed(p.strip_prefix(root).ok()?)
        });
        inside
            .and_then(|path| self.page(&path))
            .ok_or_else(|| -> Error { walk::no_such_page(plain, &self.tree.pages) })
    }
}

/// Reads one page; whatever is wrong with it is part of the page.
pub fn read_page(marker: &Marker, path: &str) -> Page {
    match read::page(&under(&marker.root, path)) {
        Ok(source) => Page::parse(path, source, marker.summary_max),
        Err(why) => Page::undecodable(path, &why),
    }
}
