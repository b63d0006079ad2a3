//! Links of a page with their spans, exactly those of CommonMark, plus `href` of raw HTML.
//!
//! What only looks like a link — an undefined reference, a destination with raw spaces, a wiki link —
//! is reported, never followed and never dropped in silence.

use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::LinkType;
use regex::Regex;

use super::target::Target;

/// How a link is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// `[text](destination)`
    Inline,
    /// `[text][label]`, `[label][]` or `[label]`.
    Reference,
    /// `<https://…>` or a mail address: never an edge.
    Autolink,
    /// `![alt](destination)`: an asset, never an edge.
    Image,
    /// `<a href="…">`.
    Html,
}

/// A link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// How it is written.
    pub kind: LinkKind,
    /// Its plain text, or the alternative text of an image.
    pub text: String,
    /// The destination after CommonMark's unescaping, not percent-decoded.
    pub destination: String,
    /// Bytes of the document.
    pub span: Range<usize>,
    /// Bytes of the destination in the document, angle brackets excluded; a reference's lies in its
    /// definition.
    pub destination_span: Option<Range<usize>>,
}

impl Link {
    /// Where it points. Parsed anew each time: kept for every link of a base, it would be most of what a
    /// base is in memory.
    pub fn target(&self) -> Target {
        match self.kind {
            LinkKind::Autolink if !self.destination.contains(':') => Target::External("mailto".to_owned()),
            _ => Target::parse(&self.destination),
        }
    }

    /// Whether it can be an edge of the graph.
    pub fn is_navigable(&self) -> bool {
        matches!(self.kind, LinkKind::Inline | LinkKind::Reference | LinkKind::Html)
    }
}

/// Something that looks like a link and is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotALink {
    /// What it is.
    pub kind: NotALinkKind,
    /// The label or destination.
    pub text: String,
    /// Bytes of the document.
    pub span: Range<usize>,
}

/// Why it is no link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotALinkKind {
    /// `[text][label]` without a definition of the label.
    UndefinedReference,
    /// `[text](a path with spaces.md)`.
    RawSpace,
    /// `[[page]]`.
    WikiLink,
    /// A definition that nothing uses.
    UnusedDefinition,
}

/// Text the parser asked about because no definition answers.
#[derive(Clone, Debug)]
pub(super) struct Unresolved {
    pub span: Range<usize>,
    pub kind: LinkType,
    pub label: String,
}

/// Turns the unresolved labels into findings. `orphaned` are labels whose definition lies in HTML.
pub(super) fn judge(source: &str, unresolved: Vec<Unresolved>, orphaned: &[String]) -> Vec<NotALink> {
    let mut out: Vec<NotALink> = Vec::new();
    for u in unresolved {
        let before = source[..u.span.start].chars().next_back();
        let after = &source[u.span.end..];
        let found = if before == Some('[') && after.starts_with(']') {
            let start = u.span.start - 1;
            NotALink { kind: NotALinkKind::WikiLink, text: u.label, span: start..u.span.end + 1 }
        } else if matches!(u.kind, LinkType::Shortcut) {
            if let Some((destination, len)) = raw_space(after) {
                let span = u.span.start..u.span.end + len;
                NotALink { kind: NotALinkKind::RawSpace, text: destination, span }
            } else if orphaned.iter().any(|l| l.eq_ignore_ascii_case(&u.label)) {
                NotALink { kind: NotALinkKind::UndefinedReference, text: u.label, span: u.span }
            } else {
                continue;
            }
        } else if u.label.starts_with('^') && !after.starts_with('[') && matches!(u.kind, LinkType::Collapsed)
        {
            continue;
        } else {
            NotALink { kind: NotALinkKind::UndefinedReference, text: u.label, span: u.span }
        };
        if !out.iter().any(|o| o.span.start < found.span.end && found.span.start < o.span.end) {
            out.push(found);
        }
    }
    out.sort_by_key(|f| f.span.start);
    out
}

/// `(a path with spaces.md)` right after a bracket: the destination and the length with parentheses.
fn raw_space(after: &str) -> Option<(String, usize)> {
    let inner = after.strip_prefix('(')?;
    let line = &inner[..inner.find(['\n', '\r']).unwrap_or(inner.len())];
    let end = line.find(')')?;
    let destination = &line[..end];
    let trimmed = destination.trim();
    let is_path = trimmed.contains(' ')
        && !trimmed.starts_with(['"', '\''])
        && (trimmed.contains(".md") || trimmed.contains('/') || trimmed.starts_with("{{"));
    is_path.then(|| (trimmed.to_owned(), end + 2))
}

/// Bytes of an inline link's destination: `tail` starts at the end of the link's text.
pub(super) fn inline_destination(source: &str, tail: Range<usize>) -> Option<Range<usize>> {
    let text = source.get(tail.clone())?;
    let open = text.find("](")? + 2;
    destination_at(source, tail.start + open, tail.end)
}

/// Bytes of a definition's destination.
pub(super) fn definition_destination(source: &str, span: Range<usize>) -> Option<Range<usize>> {
    let text = source.get(span.clone())?;
    let mut escaped = false;
    let close = text.char_indices().skip(1).find(|(_, c)| {
        let hit = *c == ']' && !escaped;
        escaped = *c == '\\' && !escaped;
        hit
    })?;
    let after = &text[close.0..];
    after.starts_with("]:").then_some(())?;
    destination_at(source, span.start + close.0 + 2, span.end)
}

fn destination_at(source: &str, from: usize, end: usize) -> Option<Range<usize>> {
    let text = source.get(from..end)?;
    let start = from + (text.len() - text.trim_start().len());
    let rest = source.get(start..end)?;
    if let Some(inner) = rest.strip_prefix('<') {
        let close = inner.find('>')?;
        return Some(start + 1..start + 1 + close);
    }
    let (mut depth, mut escaped) = (0usize, false);
    for (i, c) in rest.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '(' => depth += 1,
            ')' if depth == 0 => return Some(start..start + i),
            ')' => depth -= 1,
            c if c.is_ascii_whitespace() => return Some(start..start + i),
            _ => {}
        }
    }
    Some(start..end)
}

static HREF: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?i)<a\s(?:[^<>]*?\s)?href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))[^<>]*>"#).ok()
});

/// The `href`s of a stretch of HTML that starts at byte `base`; comments must be blanked already.
pub(super) fn html_links(html: &str, base: usize) -> Vec<Link> {
    let mut out = Vec::new();
    for found in HREF.iter().flat_map(|r| r.captures_iter(html)) {
        let (Some(all), Some(href)) = (found.get(0), found.iter().skip(1).flatten().next()) else { continue };
        let destination = entities(href.as_str());
        out.push(Link {
            kind: LinkKind::Html,
            text: String::new(),
            destination,
            span: base + all.start()..base + all.end(),
            destination_span: Some(base + href.start()..base + href.end()),
        });
    }
    out
}

/// The entities that occur in attribute values.
fn entities(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    text.replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destinations_are_found_in_the_source() {
        let of = |s: &str| inline_destination(s, 2..s.len()).map(|r| s[r].to_owned());
        assert_eq!(of("[a](x.md \"t\")").as_deref(), Some("x.md"));
        assert_eq!(of("[a](<my doc.md>)").as_deref(), Some("my doc.md"));
        assert_eq!(of("[a](a(b)c.md)").as_deref(), Some("a(b)c.md"));
        assert_eq!(of("[a](\n x.md)").as_deref(), Some("x.md"));
        let def = "[a\\]b]: <x y.md> 'T'";
        assert_eq!(definition_destination(def, 0..def.len()).map(|r| &def[r]), Some("x y.md"));
    }

    #[test]
    fn hrefs() {
        let html = "<a class=\"b\" href='x.md?a=1&amp;b=2'>t</a> <A HREF=y.md>u</A> <link href=\"z.css\">";
        let found: Vec<_> = html_links(html, 0).into_iter().map(|l| l.destination).collect();
        assert_eq!(found, ["x.md?a=1&b=2", "y.md"]);
    }
}
