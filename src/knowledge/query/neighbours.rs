//! The pages around the first pages of an answer, found without reading the whole base as Markdown:
//! only the pages whose text holds the file name of one of them can link to it.

use rayon::prelude::*;

use super::answer::Neighbour;
use super::corpus::Corpus;
use crate::knowledge::Page;
use crate::knowledge::graph::Graph;

/// The neighbours of `pages` but the pages of `known`: what they relate to, link to, are linked by,
/// in this order, at most `most`.
pub fn neighbours(corpus: &Corpus, pages: &[&Page], known: &[&str], most: usize) -> Vec<Neighbour> {
    let names: Vec<memchr::memmem::Finder<'_>> =
        pages.iter().map(|p| memchr::memmem::Finder::new(file_name(&p.path))).collect();
    let all: Vec<Page> = (0..corpus.paths.len())
        .into_par_iter()
        .with_min_len(16)
        .map(|i| {
            let (path, text) = (corpus.paths[i].as_str(), corpus.texts[i].as_str());
            let own = pages.iter().any(|p| p.path == path);
            let may_link = own || names.iter().any(|name| name.find(text.as_bytes()).is_some());
            Page::parse(path, if may_link { text.to_owned() } else { String::new() }, usize::MAX)
        })
        .collect();
    let graph = Graph::new(&all);
    let mut out: Vec<Neighbour> = Vec::new();
    for page in pages {
        let Some(node) = graph.nodes.get(&page.path) else { continue };
        let edges = [("related", &node.related), ("links", &node.links), ("linked_by", &node.linked_by)];
        for (relation, path) in edges.iter().flat_map(|(r, paths)| paths.iter().map(move |p| (*r, p))) {
            if out.len() == most {
                return out;
            }
            if known.contains(&path.as_str()) || out.iter().any(|n| n.path == *path) {
                continue;
            }
            let Ok(number) = corpus.paths.binary_search(path) else { continue };
            let page = corpus.page(number, usize::MAX);
            let (title, status) = (page.title().to_owned(), page.status().to_owned());
            out.push(Neighbour { path: path.clone(), title, status, relation });
        }
    }
    out
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_relation_is_found_and_named() {
        let page = |path: &str, related: &str, body: &str| {
            (
                path.to_owned(),
                format!("---\ntitle: T {path}\nstatus: draft\nrelated: [{related}]\n---\n{body}\n"),
            )
        };
        let corpus = Corpus::of([
            page("a.md", "t/b.md", "[c](t/c.md)"),
            page("t/b.md", "", "see `a.md`"),
            page("t/c.md", "", ""),
            page("t/d.md", "", "[a](../a.md)"),
            page("t/e.md", "", "nothing"),
        ]);
        let a = corpus.page(0, 240);
        let got: Vec<String> = neighbours(&corpus, &[&a], &["a.md"], 9)
            .iter()
            .map(|n| format!("{} {}", n.relation, n.path))
            .collect();
        assert_eq!(got, ["related t/b.md", "links t/c.md", "linked_by t/d.md"]);
        assert_eq!(neighbours(&corpus, &[&a], &["a.md", "t/b.md"], 1)[0].title, "T t/c.md");
    }
}
