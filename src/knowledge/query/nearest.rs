//! What to offer when nothing holds the question's words: the themes whose names, tags and titles
//! look most like them, and the themes next to those. Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::Theme;
use super::words::{fold, is_function_word, tokens};
use crate::knowledge::Page;
use crate::knowledge::graph::Graph;

/// Pages of a theme with their likeness to the question.
type Inside<'p> = Vec<(f64, &'p Page)>;

/// The `most` themes nearest to `question`, each with some of its pages.
pub fn nearest(pages: &[Page], graph: &Graph, question: &str, most: usize) -> Vec<Theme> {
    let asked: Vec<BTreeSet<String>> = words(question).iter().map(|w| trigrams(w)).collect();
    let likeness = |text: &str| -> f64 {
        let parts: Vec<BTreeSet<String>> = words(text).iter().map(|w| trigrams(w)).collect();
        asked.iter().map(|a| parts.iter().map(|b| dice(a, b)).fold(0.0, f64::max)).sum()
    };
    let mut themes: BTreeMap<&str, Inside<'_>> = BTreeMap::new();
    for page in pages {
        let own = likeness(&format!("{} {} {}", page.path, page.title(), page.meta.tags.join(" ")));
        themes.entry(page.theme()).or_default().push((own, page));
    }
    let mut ranked: Vec<(f64, &str, Inside<'_>)> = themes
        .into_iter()
        .map(|(theme, mut inside)| {
            inside.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.path.cmp(&b.1.path)));
            let best = inside.first().map_or(0.0, |(own, _)| *own);
            (likeness(theme) + best, theme, inside)
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.2.len().cmp(&a.2.len())).then(a.1.cmp(b.1)));
    ranked
        .into_iter()
        .take(most)
        .map(|(_, theme, inside)| Theme {
            path: theme.to_owned(),
            pages: inside.len(),
            examples: inside.iter().take(3).map(|(_, p)| (p.path.clone(), p.title().to_owned())).collect(),
            neighbours: beside(theme, graph),
        })
        .collect()
}

/// Themes with an edge to or from a page of `theme`.
fn beside(theme: &str, graph: &Graph) -> Vec<String> {
    let theme_of = |path: &str| path.split_once('/').map_or(".", |(theme, _)| theme).to_owned();
    let mut out = BTreeSet::new();
    for (_, node) in graph.nodes.iter().filter(|(path, _)| theme_of(path) == theme) {
        out.extend(node.links.iter().chain(&node.related).chain(&node.linked_by).map(|p| theme_of(p)));
    }
    out.remove(theme);
    out.into_iter().take(4).collect()
}

fn words(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    tokens(text, |token| {
        let word = fold(token);
        if !is_function_word(&word) {
            out.push(word);
        }
    });
    out
}

fn trigrams(word: &str) -> BTreeSet<String> {
    let padded: Vec<char> = format!(" {word} ").chars().collect();
    padded.windows(3).map(|w| w.iter().collect()).collect()
}

fn dice(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let both = a.intersection(b).count() as f64;
    2.0 * both / (a.len() + b.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_theme_comes_first() {
        let page = |path: &str, body: &str| Page::parse(path, format!("---\ntitle: T\n---\n{body}\n"), 240);
        let pages = [
            page("architecture/a.md", "[s](../securite/mfa.md)"),
            page("exploitation/b.md", ""),
            page("securite/mfa.md", ""),
        ];
        let got = nearest(&pages, &Graph::new(&pages), "sécuritée", 2);
        assert_eq!(got[0].path, "securite");
        assert_eq!((got[0].neighbours.clone(), got[0].pages), (vec!["architecture".to_owned()], 1));
    }
}
