//! The graph of pages: links of bodies, `related`, and their mirror.
//!
//! An edge exists while a page still holds it and its target is a page; a link to the page itself is
//! no edge.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::document::Page;
use crate::markdown::target::{Local, Target};

/// A page's edges, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Node {
    /// Pages its body links to.
    pub links: BTreeSet<String>,
    /// Pages its front matter names.
    pub related: BTreeSet<String>,
    /// Pages that link to it or name it.
    pub linked_by: BTreeSet<String>,
}

/// Every page and its edges, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// The nodes.
    pub nodes: BTreeMap<String, Node>,
}

impl Graph {
    /// The graph of these pages.
    pub fn new(pages: &[Page]) -> Self {
        let known: FxHashSet<&str> = pages.iter().map(|p| p.path.as_str()).collect();
        let mut nodes: BTreeMap<String, Node> =
            pages.par_iter().map(|page| (page.path.clone(), outgoing(page, &known))).collect();
        let edges: Vec<(String, String)> = nodes
            .iter()
            .flat_map(|(from, node)| {
                node.links.iter().chain(&node.related).map(|to| (from.clone(), to.clone()))
            })
            .collect();
        for (from, to) in edges {
            if let Some(node) = nodes.get_mut(&to) {
                node.linked_by.insert(from);
            }
        }
        Graph { nodes }
    }

    /// The pages within `depth` steps of `start` in either direction, `start` first, with distances.
    pub fn around(&self, start: &str, depth: usize) -> Vec<(String, usize)> {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        let mut order: Vec<(String, usize)> = Vec::new();
        let mut frontier: BTreeSet<&str> =
            self.nodes.get_key_value(start).map(|(k, _)| k.as_str()).into_iter().collect();
        for distance in 0..=depth {
            let mut next = BTreeSet::new();
            for path in std::mem::take(&mut frontier) {
                if seen.insert(path, distance).is_some() {
                    continue;
                }
                order.push((path.to_owned(), distance));
                if let Some(node) = self.nodes.get(path) {
                    next.extend(
                        node.links.iter().chain(&node.related).chain(&node.linked_by).map(String::as_str),
                    );
                }
            }
            frontier = next.into_iter().filter(|p| !seen.contains_key(p)).collect();
        }
        order
    }
}

/// What a page links to and names.
fn outgoing(page: &Page, known: &FxHashSet<&str>) -> Node {
    let mut node = Node::default();
    for link in page.body.links.iter().filter(|l| l.is_navigable()) {
        if let Target::Local(local) = link.target()
            && let Some(to) = target(&page.path, &local, known)
        {
            node.links.insert(to);
        }
    }
    for item in &page.meta.related {
        if let Target::Local(local) = Target::parse(&item.text)
            && let Some(to) = target("", &local, known)
            && to != page.path
        {
            node.related.insert(to);
        }
    }
    node
}

/// The page that `local`, written on `from`, names.
fn target(from: &str, local: &Local, known: &FxHashSet<&str>) -> Option<String> {
    if local.is_self() || local.folder || local.backslash {
        return None;
    }
    let resolved = local.resolve(from)?;
    (resolved.up == 0 && resolved.path != from && known.contains(resolved.path.as_str()))
        .then_some(resolved.path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(path: &str, related: &str, body: &str) -> Page {
        Page::parse(path, format!("---\nrelated: [{related}]\n---\n{body}\n"), 240)
    }

    fn node(graph: &Graph, path: &str) -> (String, String, String) {
        let n = &graph.nodes[path];
        let join = |s: &BTreeSet<String>| s.iter().cloned().collect::<Vec<_>>().join(" ");
        (join(&n.links), join(&n.related), join(&n.linked_by))
    }

    #[test]
    fn edges_live_as_long_as_their_last_holder() {
        let b = page("b/b.md", "", "");
        let both = Graph::new(&[
            page("a.md", "b/b.md", "[x](b/b.md) [y](b/b.md#z) [z](a.md) [m](none.md)"),
            b.clone(),
        ]);
        assert_eq!(node(&both, "a.md"), ("b/b.md".into(), "b/b.md".into(), String::new()));
        assert_eq!(node(&both, "b/b.md").2, "a.md");
        let related = Graph::new(&[page("a.md", "b/b.md", "no link"), b.clone()]);
        assert_eq!(node(&related, "b/b.md").2, "a.md");
        let none = Graph::new(&[page("a.md", "", "no link"), b]);
        assert_eq!(node(&none, "b/b.md").2, "");
    }

    #[test]
    fn neighbours_by_distance() {
        let g = Graph::new(&[
            page("a.md", "", "[b](b.md)"),
            page("b.md", "c.md", ""),
            page("c.md", "", ""),
            page("d.md", "", "[a](a.md)"),
        ]);
        let names =
            |d| g.around("a.md", d).into_iter().map(|(p, n)| format!("{p}{n}")).collect::<Vec<_>>().join(" ");
        assert_eq!(names(0), "a.md0");
        assert_eq!(names(1), "a.md0 b.md1 d.md1");
        assert_eq!(names(2), "a.md0 b.md1 d.md1 c.md2");
        assert!(g.around("none.md", 2).is_empty());
    }
}
