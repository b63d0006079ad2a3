//! Search by words: BM25 over chunks with an idf of our own, calibrated to [0, 1].
//!
//! A word of the query stands for its stems in every language of the index. Function words count
//! only when nothing else has postings; the parts of an identifier only when it has none as a whole.
//! Phrases and exclusions are compared word by word with the text itself, unstemmed.

pub mod score;

use std::collections::{HashMap, HashSet};

use rustc_hash::FxHashSet;

use super::analysis::{self, Kind, Language, scan, surface};
use super::catalog::Catalog;
use super::catalog::words::{Matches, Term};
use super::query::Scope;
use super::query::syntax::{Lexical, MOST_WORDS};
use crate::base::Result;
use score::Statistics;

/// A document found by its words.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The document.
    pub document: i64,
    /// Which of its chunks is the best.
    pub chunk: usize,
    /// BM25 of that chunk over the best the query could reach, in [0, 1].
    pub score: f64,
}

/// A word of the query: terms any of which counts.
#[derive(Clone, Debug, Default)]
struct Word {
    terms: Vec<Term>,
    /// Weight in the score.
    weight: f64,
}

/// What a search by words found, and how the query was read.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    /// Best first.
    pub found: Vec<Found>,
    /// The terms that had postings: what snippets show.
    pub terms: Vec<String>,
}

/// Ranks documents in `scope` by `query`; at most `limit` of them. `extra` are further terms with
/// weights, as feedback proposes them.
///
/// # Errors
/// Exit 65 or I/O.
pub fn search(
    catalog: &Catalog,
    query: &Lexical,
    extra: &[(String, f64)],
    scope: &Scope,
    limit: usize,
) -> Result<Ranking> {
    let mut languages = catalog.languages()?;
    languages.push(Language::Other);
    languages.dedup();
    let groups = groups(&query.words, &languages);
    let (mut words, mut matches) = (Vec::new(), Matches::default());
    // Content words first; function words only when those have no postings at all.
    for functional in [false, true] {
        words = groups
            .iter()
            .filter(|g| g.functional == functional || functional)
            .map(|g| g.whole.clone())
            .collect();
        matches = catalog.matches(&terms(&words))?;
        let parts = parts_needed(&groups, functional, &words, &matches);
        if !parts.is_empty() {
            words.extend(parts);
            matches = catalog.matches(&terms(&words))?;
        }
        if !matches.rows.is_empty() {
            break;
        }
    }
    if matches.rows.is_empty() {
        return Ok(Ranking::default());
    }
    if !extra.is_empty() {
        words.extend(extra.iter().map(|(term, weight)| Word {
            terms: vec![Term { text: term.clone(), prefix: false }],
            weight: *weight,
        }));
        matches = catalog.matches(&terms(&words))?;
    }
    rank(catalog, query, &words, &matches, scope, limit)
}

/// The words of a query with what is known of them before looking.
struct Group {
    /// Function word of an indexed language.
    functional: bool,
    /// The word, or the identifier as a whole.
    whole: Word,
    /// The parts of an identifier.
    parts: Vec<Word>,
}

fn groups(words: &[String], languages: &[Language]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let word = |text: &str, prefix: bool| {
        let mut terms: Vec<Term> = languages
            .iter()
            .map(|l| if prefix { text.to_owned() } else { analysis::stem(text, *l) })
            .map(|text| Term { text, prefix })
            .collect();
        terms.sort_by(|a, b| a.text.cmp(&b.text));
        terms.dedup();
        Word { terms, weight: 1.0 }
    };
    for typed in words {
        let mut pending: Vec<(usize, Word)> = Vec::new();
        scan(typed, |token| match token.kind {
            Kind::Word => pending.push((token.start, word(token.text, false))),
            Kind::Whole => {
                let whole =
                    Word { terms: vec![Term { text: token.text.to_owned(), prefix: false }], weight: 1.0 };
                let parts =
                    pending.extract_if(.., |(start, _)| *start >= token.start).map(|(_, w)| w).collect();
                groups.push(Group { functional: false, whole, parts });
            }
            Kind::Cjk => {
                // One character alone stands for every pair it starts.
                let prefix = token.text.chars().count() == 1;
                let term = Term { text: token.text.to_owned(), prefix };
                groups.push(Group {
                    functional: false,
                    whole: Word { terms: vec![term], weight: 1.0 },
                    parts: Vec::new(),
                });
            }
            Kind::CjkChar => {}
        });
        for (_, w) in pending {
            let functional = w.terms.iter().any(|t| Language::is_function_word(&t.text, languages));
            groups.push(Group { functional, whole: w, parts: Vec::new() });
        }
    }
    let mut seen = HashSet::new();
    groups.retain(|g| seen.insert(g.whole.terms.clone()));
    groups.truncate(MOST_WORDS);
    groups
}

fn terms(words: &[Word]) -> Vec<Term> {
    words.iter().flat_map(|w| w.terms.iter().cloned()).collect()
}

/// The parts of identifiers that have no postings as a whole.
fn parts_needed(groups: &[Group], functional: bool, words: &[Word], matches: &Matches) -> Vec<Word> {
    let statistics = score::frequencies(words.iter().map(|w| w.terms.len()), matches, i64::from);
    let used = groups.iter().filter(|g| g.functional == functional || functional);
    used.zip(statistics).filter(|(_, frequency)| *frequency == 0).flat_map(|(g, _)| g.parts.clone()).collect()
}

fn rank(
    catalog: &Catalog,
    query: &Lexical,
    words: &[Word],
    matches: &Matches,
    scope: &Scope,
    limit: usize,
) -> Result<Ranking> {
    let statistics = Statistics::load(catalog, &matches.rows)?;
    let sizes: Vec<usize> = words.iter().map(|w| w.terms.len()).collect();
    let weights: Vec<f64> = words.iter().map(|w| w.weight).collect();
    let scores = score::bm25(&sizes, &weights, matches, &statistics);

    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(matches.rows[*a].cmp(&matches.rows[*b])));
    let allowed = scope.documents(catalog)?;
    let exact = Exact { phrases: &query.phrases, excluded: &query.excluded };
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for row in order {
        if found.len() >= limit {
            break;
        }
        let Some((document, chunk)) = statistics.locate(matches.rows[row]) else { continue };
        if allowed.as_ref().is_some_and(|a| !a.contains(&document)) || !seen.insert(document) {
            continue;
        }
        if !exact.is_trivial() && !exact.holds(&catalog.body(document)?.0) {
            continue;
        }
        found.push(Found { document, chunk, score: scores[row] });
    }
    let present: FxHashSet<u32> = matches.postings.iter().map(|p| p.term).collect();
    let terms = terms(words)
        .into_iter()
        .enumerate()
        .filter(|(i, _)| u32::try_from(*i).is_ok_and(|i| present.contains(&i)))
        .map(|(_, t)| t.text)
        .collect();
    Ok(Ranking { found, terms })
}

/// Whether `text` holds every phrase and no exclusion of `query`.
pub fn holds_exactly(query: &Lexical, text: &str) -> bool {
    Exact { phrases: &query.phrases, excluded: &query.excluded }.holds(text)
}

/// What a document's text must and must not hold.
struct Exact<'q> {
    phrases: &'q [Vec<String>],
    excluded: &'q [Vec<String>],
}

impl Exact<'_> {
    fn is_trivial(&self) -> bool {
        self.phrases.is_empty() && self.excluded.is_empty()
    }

    fn holds(&self, text: &str) -> bool {
        let words = surface(text);
        // Places by word, so that a phrase is only compared where it could start.
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        for (i, word) in words.iter().enumerate() {
            places.entry(word).or_default().push(i);
        }
        let has = |sequence: &Vec<String>| {
            sequence.first().is_some_and(|first| {
                places.get(first.as_str()).is_some_and(|at| {
                    at.iter().any(|i| words.get(*i..*i + sequence.len()) == Some(sequence.as_slice()))
                })
            })
        };
        self.phrases.iter().all(has) && !self.excluded.iter().any(has)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_sequences() {
        let v = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let text = "La clé d'audit tourne. Les clés tournent; 日本語.";
        let holds =
            |phrases: &[Vec<String>], excluded: &[Vec<String>]| Exact { phrases, excluded }.holds(text);
        assert!(holds(&[v(&["cle", "d", "audit"])], &[]));
        assert!(!holds(&[v(&["cle", "tourne"])], &[]));
        assert!(holds(&[v(&["本", "語"])], &[v(&["tournes"])]));
        assert!(!holds(&[], &[v(&["tournent"])]));
    }

    #[test]
    fn identifiers_keep_their_parts_in_reserve() {
        let languages = [Language::English, Language::Other];
        let found = groups(&["getUserName".into(), "the".into(), "running".into(), "字".into()], &languages);
        assert_eq!(found.len(), 4);
        assert_eq!(found[0].whole.terms[0].text, "getusername");
        assert_eq!(found[0].parts.len(), 3);
        assert!(found[1].functional && !found[2].functional);
        assert_eq!(found[2].whole.terms.len(), 2, "a stem per language");
        assert!(found[3].whole.terms[0].prefix);
    }
}
