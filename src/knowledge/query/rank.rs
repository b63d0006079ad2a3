//! The order of sections and pages: BM25 over weighted fields, pure.
//!
//! A section's score is the sum over the question's words of their rarity times a saturating count,
//! where a word in a heading, title, summary or tag counts as several words of the body. Neighbours
//! of the question that stand together add their own share. A page is as good as its best section
//! plus a little of its next ones. Ties go to the lower path and line, so that the same base gives
//! the same answer.

use super::scan::{Counts, Scan, Section};

/// How much each field and effect weighs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// A word in the section's own heading.
    pub heading: f32,
    /// A word in the headings above.
    pub parents: f32,
    /// A word in the page's title.
    pub title: f32,
    /// A word in the summary.
    pub summary: f32,
    /// A word in the tags.
    pub tags: f32,
    /// A word in the path.
    pub path: f32,
    /// Two neighbours standing together, as a share of the word's rarity.
    pub pair: f32,
    /// A stretch of the question standing in its order, as a share of its words' rarity, growing with
    /// its share of the question.
    pub run: f32,
    /// A heading that says what the question says and nothing else.
    pub same_heading: f32,
    /// A title that says what the question says and nothing else.
    pub same_title: f32,
    /// How fast repeated words saturate.
    pub k1: f32,
    /// How much long sections are held back, 0–1.
    pub b: f32,
    /// Share of a page's further sections that its score gains.
    pub rest: f32,
    /// Share of its score that an archived page keeps.
    pub archived: f32,
    /// Share of the score that a question answered in all its words gains.
    pub whole: f32,
}

/// The weights in use, chosen on the two halves of a parallel French and English documentation.
pub const WEIGHTS: Weights = Weights {
    heading: 3.0,
    parents: 0.6,
    title: 1.2,
    summary: 0.7,
    tags: 1.0,
    path: 0.5,
    pair: 0.8,
    run: 2.0,
    same_heading: 2.5,
    same_title: 0.5,
    k1: 1.2,
    b: 0.6,
    rest: 0.02,
    archived: 0.2,
    whole: 0.3,
};

/// A section with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// Number of the page in the input.
    pub page: usize,
    /// Number of the section in the page.
    pub section: usize,
    /// Above zero; comparable within one answer only.
    pub score: f32,
}

/// A page with its score and its sections, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedPage {
    /// Number of the page in the input.
    pub page: usize,
    /// Above zero; comparable within one answer only.
    pub score: f32,
    /// The page's sections that hold words of the question, best first.
    pub sections: Vec<Scored>,
}

/// The rarity of each word over the sections of the base.
pub fn rarities<'a>(scans: impl IntoIterator<Item = &'a Scan>, terms: usize) -> Vec<f32> {
    let (mut holding, mut sections) = (vec![0u32; terms], 0u32);
    for scan in scans {
        let mut in_page = vec![false; terms];
        for section in &scan.sections {
            sections += 1;
            for (term, held) in holding.iter_mut().enumerate() {
                if count(&section.in_body, term) + count(&section.in_heading, term) > 0.0 {
                    *held += 1;
                    in_page[term] = true;
                }
            }
        }
        for (term, held) in holding.iter_mut().enumerate() {
            let fields = [&scan.in_title, &scan.in_summary, &scan.in_tags];
            if !in_page[term] && fields.iter().any(|f| count(f, term) > 0.0) {
                *held += 1;
            }
        }
    }
    let all = sections.max(1) as f32;
    holding.into_iter().map(|n| (1.0 + ((all - n as f32).max(0.0) + 0.5) / (n as f32 + 0.5)).ln()).collect()
}

/// Ranks the pages of `scans`, best first. `sequence` is the question as numbers of words,
/// `mean_words` the mean length of a section.
pub fn rank(
    scans: &[Option<Scan>],
    sequence: &[u8],
    rarity: &[f32],
    mean_words: f32,
    weights: &Weights,
) -> Vec<RankedPage> {
    let mut pages = Vec::new();
    for (page, scan) in scans.iter().enumerate() {
        let Some(scan) = scan.as_ref().filter(|scan| scan.is_hit()) else { continue };
        let mut sections: Vec<Scored> = (0..scan.sections.len())
            .map(|section| Scored {
                page,
                section,
                score: score(scan, &scan.sections[section], sequence, rarity, mean_words, weights),
            })
            .filter(|scored| scored.score > 0.0)
            .collect();
        sections.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.section.cmp(&b.section)));
        let Some(best) = sections.first() else { continue };
        let rest: f32 = sections.iter().skip(1).take(3).map(|s| s.score).sum();
        let share = covered(scan, rarity) * weights.whole;
        let kept = if scan.archived { weights.archived } else { 1.0 };
        let score = (best.score + rest * weights.rest) * (1.0 + share) * kept;
        pages.push(RankedPage { page, score, sections });
    }
    pages.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.page.cmp(&b.page)));
    pages
}

fn score(scan: &Scan, section: &Section, sequence: &[u8], rarity: &[f32], mean: f32, w: &Weights) -> f32 {
    let length = 1.0 - w.b + w.b * section.words as f32 / mean.max(1.0);
    let (mut sum, mut held, mut all) = (0.0, 0.0, 0.0);
    let own = |term: usize| count(&section.in_body, term) + count(&section.in_heading, term);
    if (0..rarity.len()).all(|term| own(term) == 0.0) && section.level > 0 {
        // A page's title speaks for its first section only, unless a section says something itself.
        let first = scan.sections.first().is_none_or(|s| std::ptr::eq(s, section));
        if !first {
            return 0.0;
        }
    }
    for (term, rare) in rarity.iter().enumerate() {
        let weight = count(&section.in_body, term) / length
            + w.heading * count(&section.in_heading, term)
            + w.parents * count(&section.in_parents, term)
            + w.title * count(&scan.in_title, term)
            + w.summary * count(&scan.in_summary, term)
            + w.tags * count(&scan.in_tags, term)
            + w.path * count(&scan.in_path, term).min(1.0);
        sum += rare * weight * (w.k1 + 1.0) / (weight + w.k1);
        sum += rare * w.pair * count(&section.pairs, term).min(1.0);
        all += rare;
        if own(term) > 0.0 {
            held += rare;
        }
    }
    let all = f32::max(all, f32::MIN_POSITIVE);
    let run = sequence.get(usize::from(section.run.start)..usize::from(section.run.end)).unwrap_or_default();
    let stretch: f32 = run.iter().map(|&term| rarity[usize::from(term)]).sum();
    sum += w.run * stretch * (run.len() as f32 / sequence.len().max(1) as f32);
    sum += w.same_heading * all * same(&section.in_heading, section.heading_words, rarity, all);
    sum += w.same_title * all * same(&scan.in_title, scan.title_words, rarity, all);
    sum * (1.0 + w.whole * held / all)
}

/// How far a field of `words` words says the question and nothing but it, 0–1.
fn same(field: &Counts, words: u16, rarity: &[f32], all: f32) -> f32 {
    if words == 0 {
        return 0.0;
    }
    let held: f32 = rarity.iter().enumerate().filter(|(t, _)| count(field, *t) > 0.0).map(|(_, r)| r).sum();
    let said: f32 = (0..rarity.len()).map(|t| count(field, t)).sum();
    let (recall, precision) = (held / all, (said / f32::from(words)).min(1.0));
    recall * recall * precision * precision
}

/// The share of the question's rarity that the page holds anywhere.
fn covered(scan: &Scan, rarity: &[f32]) -> f32 {
    let fields = [&scan.in_title, &scan.in_summary, &scan.in_tags];
    let held = |term: usize| {
        fields.iter().any(|f| count(f, term) > 0.0)
            || scan.sections.iter().any(|s| count(&s.in_body, term) + count(&s.in_heading, term) > 0.0)
    };
    let all: f32 = rarity.iter().sum();
    let sum: f32 = rarity.iter().enumerate().filter(|(term, _)| held(*term)).map(|(_, r)| r).sum();
    sum / all.max(f32::MIN_POSITIVE)
}

fn count(counts: &Counts, term: usize) -> f32 {
    f32::from(counts.get(term).copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::lang::Lang;
    use crate::knowledge::query::scan::scan;
    use crate::knowledge::query::words::{Recogniser, Terms};

    fn ranked(pages: &[&str], question: &str) -> Vec<(usize, String)> {
        let langs = [Lang::En];
        let terms = Terms::new(question, &langs, false);
        let mut seen = Recogniser::new(&terms, &langs);
        let scans: Vec<_> = pages.iter().map(|text| Some(scan("p.md", text, &terms, &mut seen))).collect();
        let rarity = rarities(scans.iter().flatten(), terms.len());
        rank(&scans, terms.sequence(), &rarity, 10.0, &WEIGHTS)
            .into_iter()
            .map(|p| {
                let best = p.sections[0];
                let heading = scans[p.page].as_ref().unwrap().sections[best.section].heading.clone();
                (p.page, pages[p.page][heading].to_owned())
            })
            .collect()
    }

    #[test]
    fn a_heading_outweighs_a_mention() {
        let got = ranked(&["# A\nthe lock is here and there\n", "# B\n\n## Lock\ndoor\n"], "lock");
        assert_eq!(got, [(1, "Lock".to_owned()), (0, "A".to_owned())]);
    }

    #[test]
    fn the_rare_word_decides() {
        let got = ranked(&["# A\ncommon zebra\n", "# B\ncommon common\n", "# C\ncommon\n"], "common zebra");
        assert_eq!(got[0].0, 0);
    }

    #[test]
    fn ties_go_to_the_first_page_and_misses_are_left_out() {
        let got = ranked(&["# A\nlock\n", "# A\nlock\n", "# B\nkey\n"], "lock");
        assert_eq!(got.iter().map(|g| g.0).collect::<Vec<_>>(), [0, 1]);
    }
}
