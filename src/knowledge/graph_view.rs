//! The graph drawn: JSON, Mermaid, Graphviz; whole or around one page.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value, json};

use super::graph::Graph;
use super::load::Base;
use crate::markdown::sanitize;

/// The part of the graph to draw: every page, or those within `depth` steps of one.
pub fn selection(graph: &Graph, around: Option<(&str, usize)>) -> Vec<String> {
    match around {
        Some((page, depth)) => {
            let mut pages: Vec<String> = graph.around(page, depth).into_iter().map(|(p, _)| p).collect();
            pages.sort_unstable();
            pages
        }
        None => graph.nodes.keys().cloned().collect(),
    }
}

/// Edges among `pages`: from, to, whether it is `related` only.
fn edges<'a>(graph: &'a Graph, pages: &'a [String]) -> Vec<(&'a str, &'a str, bool)> {
    let inside: BTreeSet<&str> = pages.iter().map(String::as_str).collect();
    let mut out = Vec::new();
    for (from, node) in pages.iter().filter_map(|p| graph.nodes.get_key_value(p)) {
        let links = node.links.iter().map(|to| (from.as_str(), to.as_str(), false));
        let related = node.related.difference(&node.links).map(|to| (from.as_str(), to.as_str(), true));
        out.extend(links.chain(related).filter(|(_, to, _)| inside.contains(to)));
    }
    out
}

/// Nodes with title, type, status and edges.
pub fn json(base: &Base, pages: &[String]) -> Value {
    let nodes: serde_json::Map<String, Value> = pages
        .iter()
        .filter_map(|path| {
            let (page, node) = (base.page(path)?, base.graph.nodes.get(path)?);
            let value = json!({
                "title": page.title(),
                "type": page.meta.kind,
                "status": page.status(),
                "links": node.links,
                "related": node.related,
                "linked_by": node.linked_by,
            });
            Some((path.clone(), value))
        })
        .collect();
    json!({ "nodes": nodes })
}

/// A Mermaid flowchart; dotted arrows are `related`.
pub fn mermaid(base: &Base, pages: &[String]) -> String {
    let mut out = String::from("flowchart LR\n");
    let id = |path: &str| pages.binary_search_by(|p| p.as_str().cmp(path)).unwrap_or_default();
    // Writing to a String cannot fail.
    for (i, path) in pages.iter().enumerate() {
        let label = sanitize::terminal(path).replace('"', "#quot;");
        let _ = writeln!(out, "  n{i}[\"{label}\"]");
    }
    for (from, to, related) in edges(&base.graph, pages) {
        let arrow = if related { "-.->" } else { "-->" };
        let _ = writeln!(out, "  n{} {arrow} n{}", id(from), id(to));
    }
    out
}

/// A Graphviz digraph; dashed edges are `related`.
pub fn dot(base: &Base, pages: &[String]) -> String {
    let quote =
        |text: &str| format!("\"{}\"", sanitize::terminal(text).replace('\\', "\\\\").replace('"', "\\\""));
    let mut out = String::from("digraph base {\n  rankdir=LR;\n  node [shape=box];\n");
    // Writing to a String cannot fail.
    for path in pages {
        let _ = writeln!(out, "  {};", quote(path));
    }
    for (from, to, related) in edges(&base.graph, pages) {
        let style = if related { " [style=dashed]" } else { "" };
        let _ = writeln!(out, "  {} -> {}{style};", quote(from), quote(to));
    }
    out.push_str("}\n");
    out
}
