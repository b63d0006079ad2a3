//! Progressive disclosure, done by the tool: from a question to the few sections that answer it.
//!
//! Phases: 0 the marker, 1 the manifest, 2 the front matter, 3 the sections, 4 the neighbours. No
//! index is read and nothing is kept: [`corpus`] reads the pages once, [`scan`] counts the question's
//! [`words`] in their sections, [`rank`] orders them, [`compose`] spends the budget, [`mod@render`]
//! prints. The same base and question give the same bytes.

pub mod answer;
pub mod compose;
pub mod corpus;
pub mod doubt;
pub mod excerpt;
pub mod nearest;
pub mod neighbours;
pub mod rank;
pub mod render;
pub mod scan;
pub mod words;

pub use answer::Answer;
pub use corpus::Corpus;
pub use render::{Format, render};

use crate::base::{Error, Result};
use crate::knowledge::{Base, Marker, Page, indexes};
use crate::tr;
use compose::{Budget, Composer, Pick, Texts, picks};

/// Most neighbours of an answer; `graph` gives them all.
const NEIGHBOURS: usize = 3;

/// Which pages may answer; an empty list lets every page pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// Values of `type`, any of them.
    pub types: Vec<String>,
    /// Values of `status`, any of them.
    pub statuses: Vec<String>,
    /// Tags, all of them.
    pub tags: Vec<String>,
    /// Values of `audience`, any of them; a page for `all` is for everyone.
    pub audiences: Vec<String>,
}

/// How to answer.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which pages may answer.
    pub filters: Filters,
    /// Most tokens of the printed answer; `None` for the base's own limit.
    pub max_tokens: Option<usize>,
    /// One phase alone, 0–4.
    pub phase: Option<u8>,
    /// Show scores and rarities.
    pub explain: bool,
    /// How the answer will be printed.
    pub format: Format,
}

/// Answers `question` from the base of `marker`.
///
/// # Errors
/// [`crate::base::Kind::Negative`] for a base that is not initialised; usage errors for a question
/// without a word, an unknown phase and a budget that holds no answer; input errors.
pub fn run(marker: &Marker, question: &str, options: &Options) -> Result<Answer> {
    if !question.chars().any(char::is_alphanumeric) {
        return Err(Error::usage(tr!("la question ne contient aucun mot", "the question holds no word"))
            .hint("govrag query \"…\""));
    }
    if options.phase.is_some_and(|p| p > 4) {
        return Err(Error::usage(tr!("phase inconnue", "unknown phase")).hint("--phase 0 … 4"));
    }
    marker.require_initialised()?;
    let corpus = Corpus::read(marker)?;
    answer(marker, &corpus, question, options)
}

/// Answers `question` from pages already read.
///
/// # Errors
/// As [`run`].
pub fn answer(marker: &Marker, corpus: &Corpus, question: &str, options: &Options) -> Result<Answer> {
    let ranking = corpus.rank(question, &options.filters);
    let max = options.max_tokens.unwrap_or(marker.limits.query);
    let budget = Budget { max, format: options.format };
    let mut answer = Answer {
        root: marker.root_text.clone(),
        pages: corpus.paths.len(),
        kept: ranking.kept,
        matched: ranking.pages.len(),
        unreadable: ranking.unread,
        ..Answer::default()
    };
    if options.explain {
        answer.words.clone_from(&ranking.words);
    }
    let texts = if options.phase == Some(3) { Texts::All } else { Texts::Shared };
    let composer = Composer { corpus, ranking: &ranking, budget, explain: options.explain, texts };
    let chosen = picks(&ranking, texts);
    match options.phase {
        Some(0) => {
            answer.listing.push(format!("{}: {}", crate::knowledge::marker::NAME, marker.root.display()))
        }
        _ if chosen.is_empty() => offer(marker, question, &budget, &mut answer)?,
        Some(phase @ (1 | 2)) => {
            let line = |page: &Page| {
                if phase == 1 { indexes::row(page, marker.summary_max) } else { page.front_text().to_owned() }
            };
            for ranked in
                ranking.pages.iter().take_while(|p| p.score >= ranking.pages[0].score * compose::LINE_SHARE)
            {
                answer
                    .listing
                    .push(line(&corpus.page(ranked.page, marker.summary_max)).trim_end().to_owned());
                if !budget.fits(&mut answer) {
                    // Without the first one there is no answer: the budget is said to be too small.
                    if answer.listing.len() > 1 {
                        answer.listing.pop();
                    }
                    break;
                }
            }
        }
        _ => sections(marker, &composer, &chosen, options.phase, &mut answer)?,
    }
    budget.settle(&mut answer)?;
    Ok(answer)
}

/// Phases 3 and 4.
fn sections(
    marker: &Marker,
    composer: &Composer<'_>,
    chosen: &[Pick],
    phase: Option<u8>,
    answer: &mut Answer,
) -> Result<()> {
    let corpus = composer.corpus;
    let pages: Vec<Page> = chosen.iter().map(|pick| corpus.page(pick.page, marker.summary_max)).collect();
    let mut distinct = pages.clone();
    distinct.sort_by(|a, b| a.path.cmp(&b.path));
    distinct.dedup_by(|a, b| a.path == b.path);
    let drifted = doubt::drifted(marker, &distinct)?;
    let of = |path: &str| drifted.iter().filter(|(page, _)| page == path).map(|(_, r)| r.clone()).collect();
    let entries = composer.entries(chosen, &pages, of);
    let around = |told: &[usize]| {
        let mut first: Vec<&Page> = told.iter().take(2).map(|&n| &pages[n]).collect();
        first.dedup_by(|a, b| a.path == b.path);
        let known: Vec<&str> = pages.iter().map(|p| p.path.as_str()).collect();
        neighbours::neighbours(corpus, &first, &known, NEIGHBOURS)
    };
    match phase {
        Some(4) => {
            for neighbour in around(&[0]) {
                answer.neighbours.push(neighbour);
                if !composer.budget.fits(answer) {
                    answer.neighbours.pop();
                    break;
                }
            }
        }
        Some(_) => composer.fill(answer, chosen, entries, |_| Vec::new()),
        None => composer.fill(answer, chosen, entries, around),
    }
    Ok(())
}

/// Nothing was found: the nearest themes.
fn offer(marker: &Marker, question: &str, budget: &Budget, answer: &mut Answer) -> Result<()> {
    let base = Base::load(marker.clone())?;
    for theme in nearest::nearest(&base.pages, &base.graph, question, 3) {
        answer.themes.push(theme);
        if !budget.fits(answer) {
            answer.themes.pop();
            break;
        }
    }
    Ok(())
}
