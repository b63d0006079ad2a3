//! `show`: a page or one of its sections, without loading more than asked.

use serde::Serialize;

use super::document::Page;
use super::load::Base;
use super::tokens::estimate;
use crate::base::{Error, Kind, Result};
use crate::markdown::anchor;
use crate::tr;

/// A section of a page's outline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outline {
    /// 1 to 6; 0 for what precedes the first heading.
    pub level: u8,
    /// The heading.
    pub heading: String,
    /// Its anchor.
    pub anchor: String,
    /// First line.
    pub line: usize,
    /// Last line.
    pub end_line: usize,
    /// Tokens of the section with what is below it.
    pub tokens: usize,
}

/// What `show` answers.
#[derive(Clone, Debug, Serialize)]
pub struct View {
    /// The page.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Its status.
    pub status: String,
    /// First line of the text.
    pub line: usize,
    /// Last line of the text.
    pub end_line: usize,
    /// The text: the page, the section, or the front matter when the budget does not hold the page.
    pub text: String,
    /// Whether the text is all that was asked.
    pub complete: bool,
    /// Tokens of the text.
    pub tokens: usize,
    /// The outline, when the text is not complete.
    pub outline: Vec<Outline>,
    /// Neighbours in the graph.
    pub neighbours: Vec<String>,
}

/// The outline of a page.
pub fn outline(page: &Page) -> Vec<Outline> {
    let lines = page.lines();
    let last = |end: usize| lines.line(end.saturating_sub(1));
    page.body
        .sections()
        .iter()
        .map(|s| {
            let heading = s.heading.map(|i| &page.body.headings[i]);
            Outline {
                level: heading.map_or(0, |h| h.level),
                heading: heading.map_or_else(String::new, |h| h.text.clone()),
                anchor: heading.map_or_else(String::new, |h| h.anchor.clone()),
                line: lines.line(s.tree.start),
                end_line: last(s.tree.end),
                tokens: estimate(&page.source[s.tree.clone()]),
            }
        })
        .collect()
}

/// A page, or its section with this anchor or heading, within `budget` tokens.
///
/// # Errors
/// [`Kind::Negative`] (exit 1) when the page has no such section or is no text.
pub fn show(base: &Base, page: &Page, section: Option<&str>, budget: usize) -> Result<View> {
    if let Some(why) = &page.undecodable {
        let path = &page.path;
        return Err(Error::new(
            Kind::Negative,
            tr!("{path} ne se lit pas : {why}", "{path} cannot be read: {why}"),
        )
        .hint(format!("govrag check {path}")));
    }
    let lines = page.lines();
    let range = match section {
        None => 0..page.source.len(),
        Some(name) => find(page, name)?,
    };
    let whole = &page.source[range.clone()];
    let complete = estimate(whole) <= budget;
    let (text, range) = if complete {
        (whole.to_owned(), range)
    } else if section.is_some() {
        let cut = cut(whole, budget);
        (cut.to_owned(), range.start..range.start + cut.len())
    } else {
        let head = page.front_text();
        let head = cut(head, budget);
        (head.to_owned(), 0..head.len())
    };
    let node = base.graph.nodes.get(&page.path).cloned().unwrap_or_default();
    let neighbours: std::collections::BTreeSet<String> =
        node.links.into_iter().chain(node.related).chain(node.linked_by).collect();
    Ok(View {
        path: page.path.clone(),
        title: page.title().to_owned(),
        status: page.status().to_owned(),
        line: lines.line(range.start),
        end_line: lines.line(range.end.saturating_sub(1).max(range.start)),
        tokens: estimate(&text),
        text,
        complete,
        outline: if complete { Vec::new() } else { outline(page) },
        neighbours: neighbours.into_iter().collect(),
    })
}

fn find(page: &Page, name: &str) -> Result<std::ops::Range<usize>> {
    let key = anchor::key(name.trim_start_matches('#'));
    let slug = anchor::slug(&key);
    let sections = page.body.sections();
    let found = sections.iter().find(|s| {
        s.heading.is_some_and(|i| {
            let h = &page.body.headings[i];
            anchor::key(&h.anchor) == key || anchor::key(&h.anchor) == slug || h.text == name
        })
    });
    found.map(|s| s.tree.clone()).ok_or_else(|| {
        let known: Vec<String> =
            page.body.headings.iter().map(|h| format!("#{}", h.anchor)).take(12).collect();
        let path = &page.path;
        Error::new(
            Kind::Negative,
            tr!("{path} n'a pas de section « {name} »", "{path} has no section '{name}'"),
        )
        .hint(known.join(" "))
    })
}

/// As many whole lines as the budget holds.
pub fn cut(text: &str, budget: usize) -> &str {
    let mut ends: Vec<usize> = text.match_indices('\n').map(|(i, _)| i + 1).collect();
    ends.push(text.len());
    let fits = ends.partition_point(|end| estimate(&text[..*end]) <= budget);
    match fits.checked_sub(1) {
        Some(i) => &text[..ends[i]],
        None => "",
    }
}
