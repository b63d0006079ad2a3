//! Measures of a ranking against what is relevant. Pure.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

/// Measures of one ranking, or means over many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Whether a relevant document is among the first `k`.
    pub hit: f64,
    /// Share of the relevant documents among the first `k`.
    pub recall: f64,
    /// One over the rank of the first relevant document.
    pub mrr: f64,
    /// Normalised discounted cumulative gain of the first 10.
    pub ndcg: f64,
}

/// Measures `ranking` (best first, each item once) against `relevant` at `k`.
pub fn measure(ranking: &[String], relevant: &HashSet<String>, k: usize) -> Metrics {
    if relevant.is_empty() {
        return Metrics::default();
    }
    let is = |item: &String| relevant.contains(item);
    let found = ranking.iter().take(k).filter(|i| is(i)).count() as f64;
    let first = ranking.iter().position(is);
    let discount = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
    let gain: f64 =
        ranking.iter().take(10).enumerate().filter(|(_, i)| is(i)).map(|(r, _)| discount(r)).sum();
    let ideal: f64 = (0..relevant.len().min(10)).map(discount).sum();
    Metrics {
        hit: f64::from(u8::from(found > 0.0)),
        recall: found / relevant.len() as f64,
        mrr: first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64),
        ndcg: gain / ideal,
    }
}

/// The mean of each measure.
pub fn mean(all: &[Metrics]) -> Metrics {
    let n = all.len().max(1) as f64;
    let of = |f: fn(&Metrics) -> f64| all.iter().map(f).sum::<f64>() / n;
    Metrics { hit: of(|m| m.hit), recall: of(|m| m.recall), mrr: of(|m| m.mrr), ndcg: of(|m| m.ndcg) }
}

/// The value below which the share `p` of `values` lies (nearest rank).
pub fn percentile(values: &[f64], p: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank within the slice")]
    let rank = (p * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let ranking: Vec<String> = ["a", "b", "c", "d"].map(String::from).into();
        let relevant: HashSet<String> = ["b", "d", "x"].map(String::from).into();
        let m = measure(&ranking, &relevant, 3);
        assert_eq!((m.hit, m.recall, m.mrr), (1.0, 1.0 / 3.0, 0.5));
        // (1/log2 3 + 1/log2 5) / (1 + 1/log2 3 + 1/2)
        let gain = 1.0 / 3f64.log2() + 1.0 / 5f64.log2();
        assert!((m.ndcg - gain / (1.0 + 1.0 / 3f64.log2() + 0.5)).abs() < 1e-12);
        assert_eq!(measure(&[], &relevant, 5), Metrics::default());
        assert_eq!(measure(&ranking, &HashSet::new(), 5), Metrics::default());
        assert_eq!(percentile(&[4.0, 1.0, 3.0, 2.0], 0.5), 2.0);
        assert_eq!(percentile(&[4.0, 1.0, 3.0, 2.0], 0.95), 4.0);
        assert_eq!(percentile(&[], 0.5), 0.0);
        assert_eq!(mean(&[m, Metrics::default()]).mrr, 0.25);
    }
}
