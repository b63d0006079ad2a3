//! Joining rankings: weighted reciprocal rank fusion. Pure.

use std::collections::HashMap;
use std::hash::Hash;

/// The constant of reciprocal rank fusion.
pub const K: f64 = 60.0;

/// A ranking and how much it counts.
#[derive(Clone, Debug)]
pub struct List<T> {
    /// Weight of its ranks.
    pub weight: f64,
    /// Best first, each item once.
    pub items: Vec<T>,
}

/// Items by Σ weight / (K + rank), ranks from 1; equal sums in the order of `T`.
pub fn fuse<T: Copy + Eq + Hash + Ord>(lists: &[List<T>]) -> Vec<(T, f64)> {
    let mut sums: HashMap<T, f64> = HashMap::new();
    for list in lists {
        for (i, item) in list.items.iter().enumerate() {
            *sums.entry(*item).or_default() += list.weight / (K + (i + 1) as f64);
        }
    }
    let mut out: Vec<(T, f64)> = sums.into_iter().collect();
    out.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    out
}

/// How much the vectors count in one query: as far as their best stands out and that of the words does
/// not. A rank says nothing of how good it is: the best of a weak model is first too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sureness {
    /// Most weight of the vectors.
    pub most: f64,
    /// Rank that the best vector is compared with.
    pub vectors_at: usize,
    /// Lead over it, as a share of the best score, that counts in full.
    pub vectors_lead: f64,
    /// Rank that the best words are compared with.
    pub words_at: usize,
    /// Lead over it that leaves the vectors nothing.
    pub words_lead: f64,
    /// Least weight: enough to order what only the vectors found.
    pub least: f64,
}

impl Sureness {
    /// The rule in force, chosen on one half of the questions of the bench and reported on the other.
    pub const IN_FORCE: Sureness =
        Sureness { most: 1.0, vectors_at: 10, vectors_lead: 0.1, words_at: 5, words_lead: 0.3, least: 0.014 };

    /// Weight of the vectors for a query whose words and vectors have these scores, best first.
    pub fn weight(&self, words: &[f64], vectors: &[f64]) -> f64 {
        let sure = lead(vectors, self.vectors_at, self.vectors_lead);
        (self.most * sure * (1.0 - lead(words, self.words_at, self.words_lead))).max(self.least)
    }
}

/// The lead of the best over the `k`-th, as a share of its score: 1 from `enough` on.
fn lead(scores: &[f64], k: usize, enough: f64) -> f64 {
    let Some(best) = scores.first().filter(|s| **s > 0.0) else { return 0.0 };
    let other = k.checked_sub(1).and_then(|i| scores.get(i)).copied().unwrap_or(0.0);
    ((best - other) / best / enough).clamp(0.0, 1.0)
}

/// Relevance of a vector hit in [0, 1]: (1 + cos) / 2, from its distance 1 − cos.
pub fn vector_score(distance: f32) -> f64 {
    (1.0 - f64::from(distance) / 2.0).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_sums() {
        let lists =
            [List { weight: 1.0, items: vec!['a', 'b'] }, List { weight: 0.5, items: vec!['b', 'c'] }];
        let fused = fuse(&lists);
        assert_eq!(fused.iter().map(|(i, _)| *i).collect::<Vec<_>>(), ['b', 'a', 'c']);
        assert!((fused[0].1 - (1.0 / 62.0 + 0.5 / 61.0)).abs() < 1e-15);
        assert!((fused[1].1 - 1.0 / 61.0).abs() < 1e-15);
        assert!(fuse::<char>(&[]).is_empty());
    }

    #[test]
    fn one_list_keeps_its_order_and_ties_are_settled() {
        assert_eq!(
            fuse(&[List { weight: 2.0, items: vec![3, 1, 2] }]).iter().map(|x| x.0).collect::<Vec<_>>(),
            [3, 1, 2]
        );
        let mirrored = [List { weight: 1.0, items: vec![1, 2] }, List { weight: 1.0, items: vec![2, 1] }];
        assert_eq!(fuse(&mirrored).iter().map(|x| x.0).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn the_vectors_count_when_they_stand_out_and_the_words_do_not() {
        let rule = Sureness {
            most: 0.7,
            vectors_at: 10,
            vectors_lead: 0.2,
            words_at: 5,
            words_lead: 0.5,
            least: 0.01,
        };
        let flat = [0.5; 20];
        let steep = [0.9, 0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1];
        assert_eq!(rule.weight(&flat, &steep), 0.7);
        assert_eq!(rule.weight(&[], &steep), 0.7, "no words at all");
        for (words, vectors) in
            [(&steep[..], &steep[..]), (&flat, &flat), (&steep, &flat), (&[0.4][..], &steep)]
        {
            assert_eq!(rule.weight(words, vectors), 0.01);
        }
        // Words lead by 25 % of 50 %, vectors by 10 % of 20 %: a half of a half.
        let words = [0.8, 0.7, 0.7, 0.7, 0.6];
        let vectors = [0.80, 0.79, 0.79, 0.79, 0.79, 0.79, 0.79, 0.79, 0.79, 0.72];
        assert!((rule.weight(&words, &vectors) - 0.7 / 4.0).abs() < 1e-9);
        assert_eq!(rule.weight(&[], &[]), 0.01);
    }

    #[test]
    fn vector_scores() {
        assert_eq!((vector_score(0.0), vector_score(1.0), vector_score(2.0)), (1.0, 0.5, 0.0));
    }
}
