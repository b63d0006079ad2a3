//! From a ranking to an answer that never costs more than its ceiling.
//!
//! Order of spending: the line of the first section, the lines of the next pages (a place to look is
//! worth more than a long text), the text of the first section, texts of near equals, neighbours.
//! Nothing is added once a page scores under [`LINE_SHARE`] of the best, and texts take a share of the
//! budget alone ([`Texts`]): an answer stops when it is given, the budget is only the ceiling.

use super::answer::{Answer, Cost, Entry, Neighbour};
use super::corpus::{Corpus, Ranking};
use super::excerpt::{around, blocks};
use super::render::{Format, head, render};
use super::scan::Section;
use crate::base::{Error, Result};
use crate::knowledge::Page;
use crate::knowledge::tokens::{METHOD, estimate};
use crate::tr;

/// Share of the best page's score under which a page is not worth a line.
pub const LINE_SHARE: f32 = 0.3;
/// Share of the best section's score under which a section is not worth its text.
pub const TEXT_SHARE: f32 = 0.9;
/// Share of the best page's score from which the second page leaves the answer in doubt.
const DOUBT: f32 = 0.7;
/// Most sections of an answer.
const MOST: usize = 7;
/// Most pages of an answer.
const PAGES: usize = 5;

/// How much of the budget the texts may take. Where one page is clearly ahead, its section is given whole
/// if it fits at all, and others while all texts together take three eighths; where several are alike,
/// all share a sixth, for then a long text is likely the wrong one and the lines say where to look. What
/// does not fit is cut to its densest blocks, and `show` gives the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texts {
    /// A share, by how clearly the first page is ahead.
    Shared,
    /// All of it.
    All,
}

/// A section chosen for the answer.
#[derive(Clone, Copy, Debug)]
pub struct Pick {
    /// Number of the page in the corpus.
    pub page: usize,
    /// Number of the section in its scan.
    pub section: usize,
    /// Its page's score.
    pub score: f32,
    /// Whether its text may be given.
    pub near: bool,
}

/// Whether several pages are alike, so that the first may well be the wrong one.
fn in_doubt(ranking: &Ranking) -> bool {
    let score = |place: usize| ranking.pages.get(place).map_or(0.0, |p| p.score);
    score(1) >= score(0) * DOUBT
}

/// The sections worth showing, in the order of the answer: the best of each page, and more of a page
/// where their texts may be given too.
pub fn picks(ranking: &Ranking, texts: Texts) -> Vec<Pick> {
    let Some(first) = ranking.pages.first() else { return Vec::new() };
    let best_section = first.sections.first().map_or(0.0, |s| s.score);
    let mut out = Vec::new();
    let one_a_page = texts == Texts::Shared && in_doubt(ranking);
    let worth = ranking.pages.iter().take_while(|p| p.score >= first.score * LINE_SHARE);
    for page in worth.take(PAGES) {
        for (place, section) in page.sections.iter().take(3).enumerate() {
            let near = section.score >= best_section * TEXT_SHARE;
            if place == 0 || (near && !one_a_page) {
                out.push(Pick { page: page.page, section: section.section, score: page.score, near });
            }
        }
    }
    // Pages before second sections of pages.
    while out.len() > MOST {
        let Some(second) = (1..out.len()).rev().find(|&i| out[i].page == out[i - 1].page) else { break };
        out.remove(second);
    }
    out
}

/// A budget: what is printed may cost no more than this.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Most tokens of the printed answer.
    pub max: usize,
    /// How it is printed.
    pub format: Format,
}

impl Budget {
    /// Whether the printed answer stays within the budget, whatever its figures turn out to be.
    pub fn fits(&self, answer: &mut Answer) -> bool {
        answer.tokens = Cost { phases: [self.max; 5], total: self.max, max: self.max, method: METHOD };
        estimate(&render(answer, self.format)) <= self.max
    }

    /// Fills in what the answer costs.
    ///
    /// # Errors
    /// A usage error when not even the smallest answer fits.
    pub fn settle(&self, answer: &mut Answer) -> Result<()> {
        if !self.fits(answer) {
            // The hint names a budget of three digits or more: count with that many.
            let hinted = Budget { max: self.max.max(100), ..*self };
            hinted.fits(answer);
            let least = estimate(&render(answer, self.format));
            return Err(Error::usage(tr!(
                "{} tokens ne suffisent pas : {least} au moins",
                "{} tokens are not enough: at least {least}",
                self.max
            ))
            .hint(format!("--max-tokens {}", least.next_multiple_of(50))));
        }
        let entries = |f: &dyn Fn(&Entry) -> usize| answer.entries.iter().map(f).sum::<usize>();
        let neighbour = |n: &Neighbour| estimate(&format!("{} {}", n.path, n.title));
        answer.tokens.phases = [
            0,
            entries(&|e| estimate(&head(e))) + answer.listing.iter().map(|l| estimate(l)).sum::<usize>(),
            entries(&|e| {
                if e.is_doubtful() && e.text.is_some() { estimate(&e.impl_refs.join(", ")) } else { 0 }
            }),
            entries(&|e| e.text.as_deref().map_or(0, estimate)),
            answer.neighbours.iter().map(neighbour).sum(),
        ];
        // The total stands in the text it counts: the second count has the first one's digits.
        for _ in 0..2 {
            let total = estimate(&render(answer, self.format));
            answer.tokens.total = total;
            let rest = answer.tokens.phases[1..].iter().sum::<usize>();
            answer.tokens.phases[0] = total.saturating_sub(rest);
        }
        Ok(())
    }
}

/// What an answer is composed of.
#[derive(Debug)]
pub struct Composer<'a> {
    /// The pages.
    pub corpus: &'a Corpus,
    /// Their order.
    pub ranking: &'a Ranking,
    /// The ceiling.
    pub budget: Budget,
    /// Whether entries show their score.
    pub explain: bool,
    /// How much of the budget the texts may take.
    pub texts: Texts,
}

impl Composer<'_> {
    /// The entries of `picks`, none with text; `pages` are the picks' pages, parsed.
    pub fn entries(
        &self,
        picks: &[Pick],
        pages: &[Page],
        drifted: impl Fn(&str) -> Vec<String>,
    ) -> Vec<Entry> {
        let entry = |(pick, page): (&Pick, &Page)| {
            let section = self.section(pick)?;
            Some(Entry {
                path: page.path.clone(),
                title: page.title().to_owned(),
                status: page.status().to_owned(),
                heading: self.corpus.texts[pick.page][section.heading.clone()].to_owned(),
                line: section.lines.0,
                end_line: section.lines.1,
                text: None,
                excerpt: false,
                drifted: drifted(&page.path),
                impl_refs: page.meta.impl_refs.iter().take(4).map(|i| i.text.clone()).collect(),
                score: self.explain.then_some(pick.score),
            })
        };
        picks.iter().zip(pages).filter_map(entry).collect()
    }

    fn section(&self, pick: &Pick) -> Option<&Section> {
        self.ranking.scans.get(pick.page)?.as_ref()?.sections.get(pick.section)
    }

    /// Fills `answer` with as much of `entries` as the budget holds; the first one stands there even when
    /// it does not, for [`Budget::settle`] to refuse. `more` gives neighbours of the pages whose text is
    /// shown.
    pub fn fill(
        &self,
        answer: &mut Answer,
        picks: &[Pick],
        entries: Vec<Entry>,
        more: impl FnOnce(&[usize]) -> Vec<Neighbour>,
    ) {
        let mut placed: Vec<usize> = Vec::new();
        for (number, entry) in entries.into_iter().enumerate() {
            answer.entries.push(entry);
            if !self.budget.fits(answer) {
                if placed.is_empty() {
                    return;
                }
                answer.entries.pop();
                break;
            }
            placed.push(number);
        }
        // Their texts, best first; the first one is cut when it must be.
        let (first, share) = self.shares();
        for place in 0..placed.len() {
            let pick = &picks[placed[place]];
            let most = if place == 0 { first } else { share };
            if pick.near && !self.give_whole(answer, place, pick, most) && place == 0 {
                // A block that is longer than its share is better than no text.
                let shares = [share, self.budget.max * 3 / 8, self.budget.max];
                let _ = shares.into_iter().any(|share| self.give_excerpt(answer, place, pick, share));
            }
        }
        let told: Vec<usize> =
            (0..placed.len()).filter(|&p| answer.entries[p].text.is_some()).map(|p| placed[p]).collect();
        for neighbour in more(&told) {
            answer.neighbours.push(neighbour);
            if !self.budget.fits(answer) {
                answer.neighbours.pop();
                break;
            }
        }
    }

    /// Most tokens of the first text when it is given whole, and of all texts otherwise.
    fn shares(&self) -> (usize, usize) {
        let max = self.budget.max;
        match self.texts {
            Texts::All => (max, max),
            Texts::Shared if in_doubt(self.ranking) => (max / 6, max / 6),
            Texts::Shared => (max, max * 3 / 8),
        }
    }

    /// Whether the answer fits, and its texts their share.
    fn fits(&self, answer: &mut Answer, share: usize) -> bool {
        let texts: usize = answer.entries.iter().filter_map(|e| e.text.as_deref()).map(estimate).sum();
        texts <= share && self.budget.fits(answer)
    }

    /// Gives the whole text of a section, with what is below it when it has no text itself.
    fn give_whole(&self, answer: &mut Answer, place: usize, pick: &Pick, share: usize) -> bool {
        let Some((range, last)) = self.extent(pick) else { return false };
        let entry = &mut answer.entries[place];
        let before = entry.end_line;
        entry.text = Some(self.corpus.texts[pick.page][range].trim_end().to_owned());
        entry.end_line = last;
        if self.fits(answer, share) {
            return true;
        }
        let entry = &mut answer.entries[place];
        entry.text = None;
        entry.end_line = before;
        false
    }

    fn extent(&self, pick: &Pick) -> Option<(std::ops::Range<usize>, usize)> {
        let sections = &self.ranking.scans.get(pick.page)?.as_ref()?.sections;
        let own = sections.get(pick.section)?;
        let (mut end, mut last) = (own.bytes.end, own.lines.1);
        if own.words == 0 {
            let below = sections[pick.section + 1..].iter().take_while(|s| s.level > own.level);
            for section in below {
                (end, last) = (section.bytes.end, section.lines.1);
            }
        }
        Some((own.bytes.start..end, last))
    }

    fn give_excerpt(&self, answer: &mut Answer, place: usize, pick: &Pick, share: usize) -> bool {
        let Some((range, _)) = self.extent(pick) else { return false };
        let source = &self.corpus.texts[pick.page];
        let section = &source[range.clone()];
        let first = answer.entries[place].line;
        let parts = blocks(section);
        let weights: Vec<f32> = parts.iter().map(|part| self.weight(&section[part.clone()])).collect();
        let line = |at: usize| first + memchr::memchr_iter(b'\n', &section.as_bytes()[..at]).count();
        let put = |answer: &mut Answer, part: std::ops::Range<usize>| {
            let text = section[part.clone()].trim_end();
            let entry = &mut answer.entries[place];
            (entry.line, entry.end_line) = (line(part.start), line(part.start + text.len()));
            entry.text = Some(text.to_owned());
            entry.excerpt = true;
        };
        let saved = answer.entries[place].clone();
        let found = around(&parts, &weights, |part| {
            put(answer, part);
            self.fits(answer, share)
        });
        let given = found.is_some();
        match found {
            Some(part) => put(answer, part),
            None => answer.entries[place] = saved,
        }
        given
    }

    /// How much of the question a text holds, by rarity.
    fn weight(&self, text: &str) -> f32 {
        let mut held = vec![false; self.ranking.words.len()];
        let mut seen = super::words::Recogniser::new(&self.ranking.terms, &super::corpus::LANGS);
        seen.read(text, |_, term| {
            if let Some(term) = term {
                held[usize::from(term)] = true;
            }
        });
        self.ranking.words.iter().zip(held).filter(|(_, h)| *h).map(|((_, rarity), _)| rarity).sum()
    }
}
