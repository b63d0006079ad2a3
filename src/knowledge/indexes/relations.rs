//! The graph as YAML.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::knowledge::document::Page;
use crate::knowledge::graph::Graph;
use crate::knowledge::names::HEADER;
use crate::markdown::front_matter::quoted;

/// The text of the graph.
pub(super) fn render(pages: &[Page], graph: &Graph, date: &str) -> String {
    let mut out = format!("# {HEADER}.\nversion: \"1\"\ngenerated: \"{date}\"\n");
    out.push_str(if pages.is_empty() { "nodes: {}\n" } else { "nodes:\n" });
    for page in pages {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "  {}:", scalar(&page.path));
        if !page.is_readable() {
            out.push_str("    mark: \"?\"\n");
        }
        let node = graph.nodes.get(&page.path).cloned().unwrap_or_default();
        list(&mut out, "links", &node.links);
        list(&mut out, "related", &node.related);
        list(&mut out, "linked_by", &node.linked_by);
    }
    out
}

fn list(out: &mut String, key: &str, items: &BTreeSet<String>) {
    if items.is_empty() {
        let _ = writeln!(out, "    {key}: []");
        return;
    }
    let _ = writeln!(out, "    {key}:");
    for item in items {
        let _ = writeln!(out, "      - {}", scalar(item));
    }
}

/// A path plain where it cannot be read otherwise.
fn scalar(path: &str) -> String {
    let plain = path.starts_with(|c: char| c.is_ascii_alphanumeric())
        && path.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'.' | b'-' | b'_'));
    if plain { path.to_owned() } else { quoted(path) }
}
