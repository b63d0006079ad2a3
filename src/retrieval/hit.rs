//! A result as every output format and every service shows it.

use std::collections::HashSet;

use serde::Serialize;

use super::analysis::{self, Kind, Language, scan};
use super::catalog::Catalog;
use super::catalog::collections::Collection;
use super::catalog::contexts::{Context, applying};
use super::query::Scope;
use crate::base::Result;

/// Lines of a snippet.
const SNIPPET_LINES: usize = 4;
/// Longest line of a snippet in characters.
const SNIPPET_WIDTH: usize = 240;

/// Rank and score of a document in one leg of the search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Leg {
    /// `lexical`, `semantic`, `feedback`, `hyde` …
    pub leg: String,
    /// Rank from 1.
    pub rank: usize,
    /// Score in [0, 1].
    pub score: f64,
    /// Weight of the leg in the fusion.
    pub weight: f64,
}

/// Why a result stands where it does.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Explain {
    /// The legs that found it.
    pub legs: Vec<Leg>,
    /// Sum of reciprocal ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fused: Option<f64>,
    /// Relevance by the reranker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranked: Option<f64>,
    /// What reranked: a model's name, `chunk similarity`, or nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranker: Option<String>,
}

/// A document found, by its best chunk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hit {
    /// First six hex digits of the content's SHA-256.
    pub docid: String,
    /// `gf://collection/path`.
    pub uri: String,
    /// Its collection.
    pub collection: String,
    /// Its path in the collection.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Relevance in [0, 1].
    pub score: f64,
    /// First line of the chunk.
    pub line_start: u32,
    /// Last line of the chunk.
    pub line_end: u32,
    /// A few lines of the original text around the best place.
    pub snippet: String,
    /// Line of the original where the snippet starts.
    pub snippet_line: u32,
    /// Contexts that apply to it.
    pub contexts: Vec<Context>,
    /// Whether the disk holds something else by now.
    pub stale: bool,
    /// Other paths of the same content.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// The whole text, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Why it stands here, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explain>,
}

/// The answer to a query.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Response {
    /// Version of the document, 1.
    pub schema: u32,
    /// The query.
    pub query: String,
    /// `search`, `vsearch` or `query`.
    pub mode: String,
    /// Number of results.
    pub count: usize,
    /// Best first.
    pub results: Vec<Hit>,
    /// What the reader should know: legs that are missing, nothing relevant, queries added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Whether a leg that was asked for is missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub degraded: bool,
}

/// Where a document was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The document.
    pub document: i64,
    /// Its best chunk.
    pub chunk: usize,
    /// Relevance in [0, 1].
    pub score: f64,
}

/// Makes results of places.
pub struct Maker<'c> {
    catalog: &'c Catalog,
    collections: Vec<Collection>,
    contexts: Vec<Context>,
    scope: &'c Scope,
}

impl<'c> Maker<'c> {
    /// Loads collections and contexts once.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn new(catalog: &'c Catalog, scope: &'c Scope) -> Result<Self> {
        Ok(Maker { catalog, collections: catalog.collections()?, contexts: catalog.contexts()?, scope })
    }

    /// The result of a place; `None` when the document went meanwhile or lies outside the scope.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn make(&self, place: Place, terms: &HashSet<String>, full: bool) -> Result<Option<Hit>> {
        let document = self.catalog.document(place.document)?;
        let mut files: Vec<(&Collection, super::catalog::documents::File)> = self
            .catalog
            .files_of(place.document)?
            .into_iter()
            .filter_map(|f| Some((self.collections.iter().find(|c| c.id == f.collection)?, f)))
            .filter(|(c, _)| self.scope.holds(c.id))
            .collect();
        if files.is_empty() {
            return Ok(None);
        }
        let (collection, file) = files.remove(0);
        let (text, chunks) = self.catalog.body(place.document)?;
        let Some(chunk) = chunks.get(place.chunk).or(chunks.first()) else { return Ok(None) };
        let passage = text.get(chunk.range()).unwrap_or_default();
        let (offset, snippet) = snippet(passage, terms, document.language);
        let uri = |c: &Collection, path: &str| format!("gf://{}/{path}", c.name);
        Ok(Some(Hit {
            docid: document.docid().to_owned(),
            uri: uri(collection, &file.path),
            collection: collection.name.clone(),
            title: document.title,
            score: place.score,
            line_start: chunk.line_start,
            line_end: chunk.line_end,
            snippet,
            snippet_line: chunk.line_start + offset,
            contexts: applying(&self.contexts, &collection.name, &file.path).into_iter().cloned().collect(),
            stale: self.catalog.is_stale(&file)?,
            also: files.iter().map(|(c, f)| uri(c, &f.path)).collect(),
            text: full.then(|| text.clone()),
            explain: None,
            path: file.path,
        }))
    }

    /// The text of a place's chunk and the contexts that apply to it.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn passage(&self, place: Place) -> Result<(String, Vec<&Context>)> {
        let (text, chunks) = self.catalog.body(place.document)?;
        let passage =
            chunks.get(place.chunk).and_then(|c| text.get(c.range())).unwrap_or_default().to_owned();
        let file = self.catalog.files_of(place.document)?.into_iter().find_map(|f| {
            let collection =
                self.collections.iter().find(|c| c.id == f.collection && self.scope.holds(c.id))?;
            Some((collection, f.path))
        });
        let contexts = file.map(|(c, path)| applying(&self.contexts, &c.name, &path)).unwrap_or_default();
        Ok((passage, contexts))
    }
}

/// The best few lines of a passage, and how many lines of it come before them.
fn snippet(passage: &str, terms: &HashSet<String>, language: Language) -> (u32, String) {
    let mut starts = vec![0];
    starts.extend(passage.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1));
    let mut hits: Vec<HashSet<&str>> = vec![HashSet::new(); starts.len()];
    scan(passage, |token| {
        let stem = match token.kind {
            Kind::Word => analysis::stem(token.text, language),
            Kind::CjkChar => return,
            _ => token.text.to_owned(),
        };
        if let Some(term) = terms.get(&stem).or_else(|| terms.get(token.text)) {
            let line = starts.partition_point(|s| *s <= token.start) - 1;
            hits[line].insert(term);
        }
    });
    let value = |from: usize| {
        let window = &hits[from..(from + SNIPPET_LINES).min(hits.len())];
        let distinct: HashSet<&str> = window.iter().flatten().copied().collect();
        // Distinct words count most, then how many lines hold one, then one at the start.
        (distinct.len(), window.iter().filter(|h| !h.is_empty()).count(), usize::from(!hits[from].is_empty()))
    };
    let best = (0..starts.len()).max_by_key(|i| (value(*i), starts.len() - i)).unwrap_or(0);
    let lines: Vec<String> = passage[starts[best]..].lines().take(SNIPPET_LINES).map(shorten).collect();
    let blank = lines.iter().take_while(|l| l.trim().is_empty()).count();
    let text = lines[blank.min(lines.len())..].join("\n").trim_end().to_owned();
    (u32::try_from(best + blank).unwrap_or(u32::MAX), text)
}

fn shorten(line: &str) -> String {
    match line.char_indices().nth(SNIPPET_WIDTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snippets_show_the_best_lines_of_the_original() {
        let passage = "# Title\n\nNothing here.\nNor here.\n\nThe Vault holds the keys.\nThey rotate.\nend\n";
        let terms: HashSet<String> = ["vault", "key", "rotat"].map(str::to_owned).into();
        let (line, text) = snippet(passage, &terms, Language::English);
        assert!(text.starts_with("The Vault holds the keys.\nThey rotate."), "{text}");
        assert_eq!(line, 5);
        assert_eq!(snippet("", &terms, Language::English), (0, String::new()));
        let (_, none) = snippet(passage, &HashSet::new(), Language::English);
        assert!(none.starts_with("# Title"));
        assert!(snippet(&"x".repeat(5000), &terms, Language::Other).1.chars().count() <= SNIPPET_WIDTH + 1);
    }
}
