//! What the norm's manual protocol reads for a question, in tokens of the same estimate as an answer.
//!
//! The norm reads, in this order: the marker; the root manifest; above 500 pages the manifest of the
//! theme in question, for the root one is then a table of themes; the front matter of the candidates;
//! the section that answers. [`Hand::least`] takes the reader who errs nowhere: the right theme at
//! once, one candidate, one section, as in the norm's own worked example. [`Hand::usual`] takes the
//! norm's budget: three candidates, a section of two pages. Nothing else is counted: no listing of
//! folders, no map, no graph, no code.

use std::collections::BTreeMap;

use govmem::base::lang::Lang;
use govmem::knowledge::graph::Graph;
use govmem::knowledge::query::Corpus;
use govmem::knowledge::query::rank::RankedPage;
use govmem::knowledge::query::scan::scan;
use govmem::knowledge::query::words::{Recogniser, Terms};
use govmem::knowledge::tokens::estimate;
use govmem::knowledge::{Marker, Page, indexes};

/// The manifests of a base, in tokens.
pub struct Hand {
    /// Tokens of the marker and of the root manifest.
    start: usize,
    /// Tokens of the further manifest that names a page, by page.
    shards: BTreeMap<String, usize>,
}

impl Hand {
    /// The manifests that `marker`'s limits make of these pages; `text` is that of the marker.
    pub fn new(corpus: &Corpus, marker: &Marker, text: &str) -> Self {
        let pages: Vec<Page> = (0..corpus.paths.len()).map(|i| corpus.page(i, marker.summary_max)).collect();
        let mut hand = Hand { start: estimate(text), shards: BTreeMap::new() };
        for file in indexes::derive(marker, &pages, &Graph::default(), false) {
            if file.path == marker.overview || file.path == marker.relations {
                continue;
            }
            let tokens = estimate(&file.text);
            if file.path == marker.manifest {
                hand.start += tokens;
                continue;
            }
            let rows = file.text.lines().filter_map(|l| l.strip_prefix("| ")?.split(" | ").next());
            for page in rows.filter(|path| path.ends_with(".md")) {
                hand.shards.insert(page.to_owned(), tokens);
            }
        }
        hand
    }

    /// Marker and manifests on the way to `page`.
    fn manifests(&self, page: &str) -> usize {
        self.start + self.shards.get(page).copied().unwrap_or(0)
    }

    /// The reader who errs nowhere.
    pub fn least(&self, corpus: &Corpus, page: &str, question: &str, ranked: &[RankedPage]) -> usize {
        let Ok(i) = corpus.paths.binary_search_by(|p| p.as_str().cmp(page)) else { return 0 };
        self.manifests(page) + front(corpus, i) + section(corpus, i, question, ranked)
    }

    /// The norm's budget.
    pub fn usual(&self, corpus: &Corpus, page: &str, question: &str, ranked: &[RankedPage]) -> usize {
        let Ok(i) = corpus.paths.binary_search_by(|p| p.as_str().cmp(page)) else { return 0 };
        let others: Vec<usize> = ranked.iter().map(|r| r.page).filter(|p| *p != i).take(2).collect();
        let fronts: usize = others.iter().map(|p| front(corpus, *p)).sum();
        let second = others.first().map_or(0, |p| section(corpus, *p, question, ranked));
        self.least(corpus, page, question, ranked) + fronts + second
    }
}

fn front(corpus: &Corpus, page: usize) -> usize {
    estimate(corpus.page(page, usize::MAX).front_text())
}

/// The section that holds the question's words as they are, else the best by rank, else the first.
fn section(corpus: &Corpus, page: usize, question: &str, ranked: &[RankedPage]) -> usize {
    let langs = [Lang::Fr, Lang::En];
    let nothing = Terms::new("", &langs, false);
    let text = &corpus.texts[page];
    let sections = scan("p.md", text, &nothing, &mut Recogniser::new(&nothing, &langs)).sections;
    let literal = sections.iter().position(|s| text[s.bytes.clone()].contains(question));
    let best = ranked.iter().find(|r| r.page == page).and_then(|r| r.sections.first()).map(|s| s.section);
    let chosen = literal.or(best).unwrap_or(0);
    sections.get(chosen).map_or(0, |s| estimate(&text[s.bytes.clone()]))
}
