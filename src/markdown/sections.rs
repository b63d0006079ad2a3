//! Headings, their anchors, and the sections between them.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use rustc_hash::FxHashSet;

use super::anchor::{self, Slugger};

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Plain text, an explicit identifier taken off.
    pub text: String,
    /// The anchor, numbered when repeated.
    pub anchor: String,
    /// Bytes of the document, an underline included.
    pub span: Range<usize>,
    /// Inside a quote, list or footnote: it has an anchor but opens no section.
    pub nested: bool,
}

/// A stretch of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Index of its heading; `None` for what precedes the first one.
    pub heading: Option<usize>,
    /// Bytes from its heading to the next heading of any level.
    pub own: Range<usize>,
    /// Bytes from its heading to the next heading of the same or a higher level.
    pub tree: Range<usize>,
}

/// The sections of a body that ends at byte `end`.
pub fn sections(headings: &[Heading], body_start: usize, end: usize) -> Vec<Section> {
    let tops: Vec<usize> = (0..headings.len()).filter(|i| !headings[*i].nested).collect();
    let first = tops.first().map_or(end, |i| headings[*i].span.start);
    let mut out = Vec::with_capacity(tops.len() + 1);
    if first > body_start {
        out.push(Section { heading: None, own: body_start..first, tree: body_start..first });
    }
    for (at, &i) in tops.iter().enumerate() {
        let start = headings[i].span.start;
        let later = &tops[at + 1..];
        let own_end = later.first().map_or(end, |j| headings[*j].span.start);
        let tree_end = later
            .iter()
            .find(|j| headings[**j].level <= headings[i].level)
            .map_or(end, |j| headings[*j].span.start);
        out.push(Section { heading: Some(i), own: start..own_end, tree: start..tree_end });
    }
    out
}

/// `## Title {#id}` and kramdown's `{: #id}`.
static EXPLICIT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\s*\{:?\s*#([^\s}#]+)[^{}]*\}\s*$").ok());

/// An `id` or `name` of an HTML element.
static ELEMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?i)<[a-z][^<>]*?\s(?:id|name)\s*=\s*(?:"([^"]+)"|'([^']+)'|([^\s"'>]+))"#).ok()
});

/// Gathers headings and anchors while a page is read.
#[derive(Debug, Default)]
pub(super) struct Collector {
    pub headings: Vec<Heading>,
    pub anchors: FxHashSet<String>,
    slugger: Slugger,
    open: Option<(u8, Range<usize>, bool)>,
    text: String,
}

impl Collector {
    pub fn start(&mut self, level: u8, span: Range<usize>, nested: bool) {
        self.open = Some((level, span, nested));
        self.text.clear();
    }

    pub fn text(&mut self, text: &str) {
        if self.open.is_some() {
            self.text.push_str(text);
        }
    }

    pub fn end(&mut self) {
        let Some((level, span, nested)) = self.open.take() else { return };
        let mut text = std::mem::take(&mut self.text);
        // GitHub keeps `{#id}` in the anchor, other tools use the id: both are reachable.
        if text.ends_with('}')
            && let Some(found) = EXPLICIT.as_ref().and_then(|r| r.captures(&text))
        {
            self.anchors.insert(anchor::key(&found[1]));
            self.anchors.insert(anchor::key(&anchor::slug(&text)));
            let cut = found.get(0).map_or(text.len(), |m| m.start());
            text.truncate(cut);
        }
        let text = text.trim().to_owned();
        let anchor = self.slugger.anchor(&text);
        self.anchors.insert(anchor::key(&anchor));
        self.headings.push(Heading { level, text, anchor, span, nested });
    }

    /// A paragraph's text that may be an attribute line (`{: #id}`) of the heading above.
    pub fn attribute_line(&mut self, text: &str) {
        if text.starts_with("{:")
            && let Some(found) = EXPLICIT.as_ref().and_then(|r| r.captures(text))
        {
            self.anchors.insert(anchor::key(&found[1]));
        }
    }

    pub fn html(&mut self, html: &str) {
        if !html.contains('=') {
            return;
        }
        for found in ELEMENT.iter().flat_map(|r| r.captures_iter(html)) {
            if let Some(id) = found.iter().skip(1).flatten().next() {
                self.anchors.insert(anchor::key(id.as_str()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_nest_by_level() {
        let h = |level, start| Heading {
            level,
            text: String::new(),
            anchor: String::new(),
            span: start..start + 1,
            nested: false,
        };
        let s = sections(&[h(1, 5), h(2, 10), h(3, 15), h(2, 20)], 0, 30);
        assert_eq!(s[0], Section { heading: None, own: 0..5, tree: 0..5 });
        assert_eq!(s[1], Section { heading: Some(0), own: 5..10, tree: 5..30 });
        assert_eq!(s[2], Section { heading: Some(1), own: 10..15, tree: 10..20 });
        assert_eq!(s[4], Section { heading: Some(3), own: 20..30, tree: 20..30 });
        assert_eq!(sections(&[], 3, 3), []);
    }
}
