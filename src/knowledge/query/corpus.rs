//! The base as a question sees it: every page read once, scanned, filtered and ranked.
//!
//! Nothing is kept between two questions: what is answered is what the files say now.

use rayon::prelude::*;

use super::Filters;
use super::rank::{RankedPage, WEIGHTS, Weights, rank, rarities};
use super::scan::{Scan, scan};
use super::words::{Recogniser, Terms};
use crate::base::Result;
use crate::base::lang::Lang;
use crate::knowledge::walk::{self, under};
use crate::knowledge::{Marker, Page, read, schema};
use crate::markdown::FrontMatter;

/// Both languages are stemmed: a base may mix them and a question may be in the other one.
pub(super) const LANGS: [Lang; 2] = [Lang::Fr, Lang::En];

/// The pages of a base, read once.
#[derive(Debug)]
pub struct Corpus {
    /// Paths from the root, sorted.
    pub paths: Vec<String>,
    /// Their texts, empty where a page cannot be read.
    pub texts: Vec<String>,
    /// How many pages cannot be read.
    pub unreadable: usize,
}

/// The answer of the ranking.
#[derive(Debug)]
pub struct Ranking {
    /// The pages that hold words of the question, best first.
    pub pages: Vec<RankedPage>,
    /// What each page of the corpus holds; `None` when a filter left it out.
    pub scans: Vec<Option<Scan>>,
    /// The question's words with their rarity.
    pub words: Vec<(String, f32)>,
    /// The question's words.
    pub terms: Terms,
    /// Pages that the filters kept.
    pub kept: usize,
    /// Pages that are not answered from: those that cannot be read and, with filters, those whose front
    /// matter does not parse.
    pub unread: usize,
}

impl Corpus {
    /// Reads every page of the base.
    ///
    /// # Errors
    /// An input error when the root cannot be walked.
    pub fn read(marker: &Marker) -> Result<Self> {
        let paths = walk::walk(marker)?.pages;
        let read = |path: &String| read::page(&under(&marker.root, path)).ok();
        let read: Vec<Option<String>> = paths.par_iter().map(read).collect();
        let unreadable = read.iter().filter(|text| text.is_none()).count();
        let texts = read.into_iter().map(Option::unwrap_or_default).collect();
        Ok(Corpus { paths, texts, unreadable })
    }

    /// A corpus of these pages, sorted by path.
    pub fn of(pages: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut pages: Vec<_> = pages.into_iter().collect();
        pages.sort();
        let (paths, texts) = pages.into_iter().unzip();
        Corpus { paths, texts, unreadable: 0 }
    }

    /// Ranks the pages for `question`, with the weights in use.
    pub fn rank(&self, question: &str, filters: &Filters) -> Ranking {
        self.rank_with(question, filters, &WEIGHTS)
    }

    /// Ranks the pages for `question`. Function words are looked for only when no other word of the
    /// question stands anywhere.
    pub fn rank_with(&self, question: &str, filters: &Filters, weights: &Weights) -> Ranking {
        let judged: Vec<Option<bool>> = (0..self.paths.len())
            .into_par_iter()
            .map(|i| if filters.is_empty() { Some(true) } else { filters.keep(&self.texts[i]) })
            .collect();
        let kept: Vec<bool> = judged.iter().map(|kept| kept.unwrap_or(false)).collect();
        let mut ranking = self.ranked(Terms::new(question, &LANGS, false), &kept, weights);
        if ranking.pages.is_empty() {
            let all = Terms::new(question, &LANGS, true);
            if all.len() > ranking.words.len() {
                ranking = self.ranked(all, &kept, weights);
            }
        }
        // A page without a text has no front matter either: it is counted once.
        let unjudged = judged.iter().filter(|kept| kept.is_none()).count();
        ranking.unread = if filters.is_empty() { self.unreadable } else { unjudged };
        ranking
    }

    fn ranked(&self, terms: Terms, kept: &[bool], weights: &Weights) -> Ranking {
        let scans: Vec<Option<Scan>> = (0..self.paths.len())
            .into_par_iter()
            .with_min_len(16)
            .map_init(
                || Recogniser::new(&terms, &LANGS),
                |seen, i| kept[i].then(|| scan(&self.paths[i], &self.texts[i], &terms, seen)),
            )
            .collect();
        let rarity = rarities(scans.iter().flatten(), terms.len());
        let (mut sections, mut words) = (0u64, 0u64);
        for section in scans.iter().flatten().flat_map(|scan| &scan.sections) {
            sections += 1;
            words += u64::from(section.words);
        }
        let mean = words as f32 / sections.max(1) as f32;
        let pages = rank(&scans, terms.sequence(), &rarity, mean, weights);
        let words = terms.terms().iter().map(|t| t.text.clone()).zip(rarity).collect();
        Ranking { pages, kept: kept.iter().filter(|k| **k).count(), scans, words, terms, unread: 0 }
    }

    /// The page with this number, parsed.
    pub fn page(&self, number: usize, summary_max: usize) -> Page {
        Page::parse(self.paths[number].as_str(), self.texts[number].clone(), summary_max)
    }
}

impl Filters {
    /// Whether every page passes.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty() && self.statuses.is_empty() && self.tags.is_empty() && self.audiences.is_empty()
    }

    /// Whether a page passes; `None` when its front matter does not parse.
    pub fn keep(&self, source: &str) -> Option<bool> {
        let front = FrontMatter::read(source);
        if !front.is_readable() {
            return None;
        }
        let (meta, _) = schema::read(&front, usize::MAX);
        let one = |wanted: &[String], value: Option<&String>| {
            wanted.is_empty() || value.is_some_and(|v| wanted.contains(v))
        };
        let audience = |wanted: &String| meta.audience.iter().any(|a| a == wanted || a == "all");
        let passes = one(&self.types, meta.kind.as_ref())
            && one(&self.statuses, meta.status.as_ref())
            && self.tags.iter().all(|tag| meta.tags.contains(tag))
            && (self.audiences.is_empty() || self.audiences.iter().any(audience));
        Some(passes)
    }
}
