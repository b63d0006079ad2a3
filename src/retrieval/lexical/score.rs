//! BM25 over plain numbers: no text, no database beyond the lengths it loads once.

use std::collections::HashMap;

use rusqlite::OptionalExtension;

use crate::base::Result;
use crate::retrieval::catalog::Catalog;
use crate::retrieval::catalog::words::Matches;

/// Length of a block of chunk lengths.
const BLOCK: i64 = 1024;
/// Saturation of term frequency.
const K1: f64 = 1.2;
/// Weight of chunk length.
const B: f64 = 0.75;
/// What an occurrence in title, path and body counts.
const FIELDS: [f64; 3] = [3.0, 1.5, 1.0];

/// What BM25 needs to know of the index.
pub struct Statistics {
    /// Mean number of terms per chunk.
    pub mean: f64,
    lengths: HashMap<i64, Vec<u16>>,
    /// `(first chunk, count, document)`, by first chunk.
    spans: Vec<(i64, i64, i64)>,
}

impl Statistics {
    /// Loads the counters, the lengths of `rows` and where chunks belong.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn load(catalog: &Catalog, rows: &[i64]) -> Result<Self> {
        let chunks = catalog.meta::<i64>("chunks_total")?.unwrap_or(0).max(1) as f64;
        let tokens = catalog.meta::<i64>("tokens_total")?.unwrap_or(0).max(1) as f64;
        let mut blocks: Vec<i64> = rows.iter().map(|r| r / BLOCK).collect();
        blocks.dedup();
        let mut lengths = HashMap::new();
        for block in blocks {
            let sql = "SELECT counts FROM length WHERE block = ?1";
            let bytes: Option<Vec<u8>> = catalog
                .sql(|| catalog.db.prepare_cached(sql)?.query_row([block], |r| r.get(0)).optional())?;
            let counts = bytes.unwrap_or_default();
            lengths.insert(block, counts.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect());
        }
        let sql = "SELECT first, count, id FROM document ORDER BY first";
        let spans = catalog.sql(|| {
            catalog
                .db
                .prepare_cached(sql)?
                .query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?
                .collect()
        })?;
        Ok(Statistics { mean: tokens / chunks, lengths, spans })
    }

    /// Number of documents.
    pub fn documents(&self) -> f64 {
        self.spans.len() as f64
    }

    fn length(&self, row: i64) -> f64 {
        let counts = self.lengths.get(&(row / BLOCK));
        f64::from(counts.and_then(|c| c.get((row % BLOCK) as usize)).copied().unwrap_or(0))
    }

    /// The document of a chunk, and which of its chunks it is.
    pub fn locate(&self, row: i64) -> Option<(i64, usize)> {
        let after = self.spans.partition_point(|(first, ..)| *first <= row);
        let (first, count, document) = *self.spans.get(after.checked_sub(1)?)?;
        (row < first + count).then_some((document, usize::try_from(row - first).ok()?))
    }
}

/// In how many documents each word has postings; `sizes` are the numbers of terms of the words, in
/// order; `document` tells rows of one document, which are neighbours.
pub fn frequencies(
    sizes: impl Iterator<Item = usize>,
    matches: &Matches,
    document: impl Fn(u32) -> i64,
) -> Vec<u32> {
    let words = word_of_term(sizes);
    let count = words.last().map_or(0, |w| w + 1);
    let (mut frequencies, mut last) = (vec![0u32; count], vec![None; count]);
    for p in &matches.postings {
        let Some(word) = words.get(p.term as usize).copied() else { continue };
        let document = Some(document(p.row));
        if last[word] != document {
            last[word] = document;
            frequencies[word] += 1;
        }
    }
    frequencies
}

fn word_of_term(sizes: impl Iterator<Item = usize>) -> Vec<usize> {
    sizes.enumerate().flat_map(|(word, size)| std::iter::repeat_n(word, size)).collect()
}

/// The score of every row of `matches`: BM25 over what the query could reach at best, in [0, 1].
pub fn bm25(sizes: &[usize], weights: &[f64], matches: &Matches, statistics: &Statistics) -> Vec<f64> {
    // A long document is many chunks, and still one document that holds its words.
    let documents: Vec<i64> =
        matches.rows.iter().map(|r| statistics.locate(*r).map_or(-1, |d| d.0)).collect();
    let of = |row: u32| documents.get(row as usize).copied().unwrap_or(-1);
    let idf: Vec<f64> = frequencies(sizes.iter().copied(), matches, of)
        .iter()
        .map(|n| idf(f64::from(*n), statistics.documents()))
        .collect();
    // A word at infinite frequency reaches idf × (k1 + 1); a word the index lacks counts as missed.
    let best: f64 = idf.iter().zip(weights).map(|(idf, w)| idf * w * (K1 + 1.0)).sum();
    let words = word_of_term(sizes.iter().copied());
    let mut scores = vec![0.0; matches.rows.len()];
    let mut at = 0;
    let mut counts = vec![0.0; sizes.len()];
    while let Some(first) = matches.postings.get(at) {
        let row = first.row;
        counts.fill(0.0);
        while let Some(p) = matches.postings.get(at).filter(|p| p.row == row) {
            if let Some(word) = words.get(p.term as usize) {
                counts[*word] += p.counts.iter().zip(FIELDS).map(|(n, w)| f64::from(*n) * w).sum::<f64>();
            }
            at += 1;
        }
        let length = matches.rows.get(row as usize).map_or(0.0, |r| statistics.length(*r));
        let norm = K1 * (1.0 - B + B * length / statistics.mean.max(1.0));
        let sum: f64 = counts
            .iter()
            .zip(idf.iter().zip(weights))
            .map(|(tf, (idf, w))| idf * w * tf * (K1 + 1.0) / (tf + norm))
            .sum();
        if let Some(score) = scores.get_mut(row as usize) {
            *score = if best > 0.0 { (sum / best).clamp(0.0, 1.0) } else { 0.0 };
        }
    }
    scores
}

/// Inverse document frequency: positive for every word, however common.
pub fn idf(frequency: f64, total: f64) -> f64 {
    (1.0 + (total.max(frequency) - frequency + 0.5) / (frequency + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retrieval::catalog::words::Posting;

    /// Documents of one chunk each, and their lengths.
    fn statistics(documents: i64, lengths: &[u16]) -> Statistics {
        let spans = (1..=documents).map(|i| (i, 1, i * 10)).collect();
        Statistics { mean: 10.0, lengths: HashMap::from([(0, lengths.to_vec())]), spans }
    }

    #[test]
    fn known_values() {
        // N = 3, df = 1: ln(1 + 2.5/1.5).
        assert!((idf(1.0, 3.0) - 0.980_829_253).abs() < 1e-8);
        assert!(idf(3.0, 3.0) > 0.0 && idf(5.0, 3.0) > 0.0);

        // One word, tf 2 in a chunk of mean length: 2·2.2/(2+1.2) over 2.2 = 0.625.
        let matches =
            Matches { rows: vec![1], postings: vec![Posting { row: 0, term: 0, counts: [0, 0, 2] }] };
        let s = bm25(&[1], &[1.0], &matches, &statistics(3, &[0, 10]));
        assert!((s[0] - 0.625).abs() < 1e-12);
        // A second word the index lacks (idf ln 8) takes its share: 0.625·0.9808/(0.9808+2.0794).
        let s = bm25(&[1, 1], &[1.0, 1.0], &matches, &statistics(3, &[0, 10]));
        assert!((s[0] - 0.625 * 0.980_829_253 / (0.980_829_253 + 2.079_441_542)).abs() < 1e-8);
    }

    #[test]
    fn forms_of_one_word_count_together() {
        let p = |row, term| Posting { row, term, counts: [0, 0, 1] };
        let matches = Matches { rows: vec![1, 2, 3], postings: vec![p(0, 0), p(0, 1), p(1, 1), p(2, 2)] };
        assert_eq!(frequencies([2usize, 1].into_iter(), &matches, i64::from), [2, 1]);
        assert_eq!(frequencies([2usize, 1].into_iter(), &matches, |_| 7), [1, 1], "one document");
        let s = bm25(&[2, 1], &[1.0, 1.0], &matches, &statistics(9, &[0, 10, 10, 10]));
        assert!(s[0] > s[1], "both forms beat one");
        assert!(s[2] > s[1], "the rarer word counts more");
    }

    #[test]
    fn chunks_belong_to_documents() {
        let s = Statistics { spans: vec![(1, 2, 10), (3, 1, 20)], ..statistics(0, &[]) };
        assert_eq!(s.documents(), 2.0);
        assert_eq!(s.locate(2), Some((10, 1)));
        assert_eq!(s.locate(3), Some((20, 0)));
        assert_eq!(s.locate(4), None);
        assert_eq!(s.locate(0), None);
    }
}
