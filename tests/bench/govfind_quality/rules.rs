//! Ways of joining the lists of a question, tried on the choosing halves without asking again.

use std::collections::{BTreeMap, HashSet};

use govmem::retrieval::fusion::{List, Sureness, fuse};

use super::lists::{Lists, Ranking};

/// Fixed weights of the vectors that are tried.
pub const FIXED: [f64; 9] = [0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.7, 1.0];
/// Weights of the feedback that are tried.
pub const FEEDBACK: [f64; 3] = [0.0, 0.15, 0.3];

/// nDCG@10 of a ranking of which one document is relevant.
fn ndcg<'l>(ranking: impl Iterator<Item = &'l str>, relevant: &str) -> f64 {
    let rank = ranking.take(10).position(|d| d == relevant);
    rank.map_or(0.0, |rank| 1.0 / ((rank + 2) as f64).log2())
}

fn names(ranking: &Ranking) -> Vec<&str> {
    ranking.iter().map(|(d, _)| d.as_str()).collect()
}

fn scores(ranking: &Ranking) -> Vec<f64> {
    ranking.iter().map(|(_, s)| *s).collect()
}

/// Mean nDCG@10 of `one` over the questions.
fn mean(lists: &[&Lists], one: impl Fn(&Lists) -> f64) -> f64 {
    lists.iter().map(|l| one(l)).sum::<f64>() / lists.len().max(1) as f64
}

/// Mean nDCG@10 of weighted reciprocal ranks, with the weight of the vectors that `weight` gives.
pub fn joined(lists: &[&Lists], feedback: f64, weight: impl Fn(&Lists) -> f64) -> f64 {
    mean(lists, |l| join(l, names(&l.meaning), feedback, weight(l)))
}

fn join(l: &Lists, meaning: Vec<&str>, feedback: f64, weight: f64) -> f64 {
    let legs = [
        List { weight: 1.0, items: names(&l.words) },
        List { weight: feedback, items: names(&l.feedback) },
        List { weight, items: meaning },
    ];
    let legs: Vec<List<&str>> = legs.into_iter().filter(|leg| leg.weight > 0.0).collect();
    ndcg(fuse(&legs).into_iter().map(|(d, _)| d), &l.relevant)
}

/// Mean nDCG@10 of the two lists alone, and of the better one of each question.
pub fn alone(lists: &[&Lists]) -> (f64, f64, f64) {
    let of = |ranking: &Ranking, l: &Lists| ndcg(names(ranking).into_iter(), &l.relevant);
    let words = mean(lists, |l| of(&l.words, l));
    let meaning = mean(lists, |l| of(&l.meaning, l));
    (words, meaning, mean(lists, |l| of(&l.words, l).max(of(&l.meaning, l))))
}

/// Mean nDCG@10 when the vectors order only what words found, too.
pub fn corroborated(lists: &[&Lists], feedback: f64, weight: f64) -> f64 {
    mean(lists, |l| {
        let words: HashSet<&str> = names(&l.words).into_iter().collect();
        let meaning = names(&l.meaning).into_iter().filter(|d| words.contains(d)).collect();
        join(l, meaning, feedback, weight)
    })
}

/// Mean nDCG@10 when the weight grows with the share of the first five that both lists have.
pub fn by_agreement(lists: &[&Lists], feedback: f64, most: f64) -> f64 {
    joined(lists, feedback, |l| {
        let words: HashSet<&str> = names(&l.words).into_iter().take(5).collect();
        let shared = names(&l.meaning).into_iter().take(5).filter(|d| words.contains(d)).count();
        most * shared as f64 / 5.0
    })
}

/// Mean nDCG@10 of scores that are stretched to 0 to 1 and added.
pub fn added(lists: &[&Lists], weight: f64) -> f64 {
    mean(lists, |l| {
        let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
        for (ranking, weight) in [(&l.words, 1.0), (&l.meaning, weight)] {
            let (best, least) = (ranking.first().map_or(0.0, |r| r.1), ranking.last().map_or(0.0, |r| r.1));
            for (document, score) in ranking {
                let stretched = (score - least) / (best - least).max(f64::MIN_POSITIVE);
                *sums.entry(document).or_default() += weight * stretched;
            }
        }
        let mut order: Vec<(&str, f64)> = sums.into_iter().collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        ndcg(order.into_iter().map(|(d, _)| d), &l.relevant)
    })
}

/// Mean nDCG@10 of a rule.
pub fn sure(lists: &[&Lists], feedback: f64, rule: &Sureness) -> f64 {
    joined(lists, feedback, |l| rule.weight(&scores(&l.words), &scores(&l.meaning)))
}

/// The rules that are tried.
pub fn grid() -> Vec<Sureness> {
    let mut rules = Vec::new();
    for most in MOST {
        for (vectors_at, vectors_lead) in VECTORS {
            for (words_at, words_lead) in WORDS {
                for least in LEAST {
                    rules.push(Sureness { most, vectors_at, vectors_lead, words_at, words_lead, least });
                }
            }
        }
    }
    rules
}

const MOST: [f64; 4] = [0.2, 0.35, 0.7, 1.0];
const VECTORS: [(usize, f64); 6] = [(2, 0.05), (5, 0.15), (10, 0.1), (10, 0.15), (10, 0.2), (10, 0.3)];
const WORDS: [(usize, f64); 6] = [(2, 0.2), (2, 0.4), (5, 0.3), (5, 0.5), (5, 0.8), (10, 0.5)];
const LEAST: [f64; 3] = [0.001, 0.005, 0.014];
