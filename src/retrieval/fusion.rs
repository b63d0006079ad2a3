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
    fn vector_scores() {
        assert_eq!((vector_score(0.0), vector_score(1.0), vector_score(2.0)), (1.0, 0.5, 0.0));
    }
}
