//! One reading of a page's body: headings, anchors, links, comments.
//!
//! The parser runs once with GitHub's extensions; its metadata-block option stays off, because it
//! swallows text between two `---`.

use std::cell::RefCell;
use std::ops::Range;

use pulldown_cmark::{BrokenLink, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};
use rustc_hash::FxHashSet;

use super::links::{self, Link, LinkKind, NotALink, NotALinkKind, Unresolved};
use super::sections::{self, Collector, Heading, Section};

/// What a body holds; every span is in bytes of the whole document.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Headings in order.
    pub headings: Vec<Heading>,
    /// Every anchor that can be linked to, as [`super::anchor::key`] gives them.
    pub anchors: FxHashSet<String>,
    /// Links in order.
    pub links: Vec<Link>,
    /// What looks like a link and is none, in order.
    pub not_links: Vec<NotALink>,
    /// HTML comments: their inner text and place.
    pub comments: Vec<(String, Range<usize>)>,
    /// Where the body starts and ends.
    pub span: Range<usize>,
}

impl Body {
    /// The sections of the body.
    pub fn sections(&self) -> Vec<Section> {
        sections::sections(&self.headings, self.span.start, self.span.end)
    }
}

/// The extensions with which pages are read.
pub fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM
}

/// Reads the body of `source`, which starts at byte `from`.
pub fn scan(source: &str, from: usize) -> Body {
    let text = &source[from..];
    let unresolved: RefCell<Vec<Unresolved>> = RefCell::default();
    let callback = |link: BrokenLink<'_>| -> Option<(CowStr<'_>, CowStr<'_>)> {
        unresolved.borrow_mut().push(Unresolved {
            span: link.span,
            kind: link.link_type,
            label: link.reference.to_string(),
        });
        None
    };
    let parser = Parser::new_with_broken_link_callback(text, options(), Some(callback));
    let mut events = parser.into_offset_iter();
    let definitions: Vec<(String, Range<usize>)> = events
        .reference_definitions()
        .iter()
        .map(|(label, def)| (label.to_owned(), def.span.clone()))
        .collect();
    let mut reader = Reader { text, ..Reader::default() };
    for (event, span) in events.by_ref() {
        reader.event(event, span);
    }
    let mut used = Vec::new();
    for (link, label) in &mut reader.references {
        if let Some(def) = events.reference_definitions().get(label) {
            used.push(def.span.start);
            reader.links[*link].destination_span = links::definition_destination(text, def.span.clone());
        }
    }
    drop(events);
    let mut not_links = links::judge(text, unresolved.into_inner(), &reader.orphaned);
    for (label, span) in definitions {
        if !used.contains(&span.start) && !label.starts_with('^') {
            not_links.push(NotALink { kind: NotALinkKind::UnusedDefinition, text: label, span });
        }
    }
    not_links.sort_by_key(|n| n.span.start);
    reader.links.sort_by_key(|l| l.span.start);
    // A base holds very many of these at once.
    reader.links.shrink_to_fit();
    reader.sections.headings.shrink_to_fit();
    reader.sections.anchors.shrink_to_fit();
    reader.comments.shrink_to_fit();
    not_links.shrink_to_fit();
    let mut body = Body {
        headings: reader.sections.headings,
        anchors: reader.sections.anchors,
        links: reader.links,
        not_links,
        comments: reader.comments,
        span: from..source.len(),
    };
    body.shift(from);
    body
}

impl Body {
    fn shift(&mut self, by: usize) {
        let shift = |r: &mut Range<usize>| *r = r.start + by..r.end + by;
        self.headings.iter_mut().for_each(|h| shift(&mut h.span));
        self.not_links.iter_mut().for_each(|n| shift(&mut n.span));
        self.comments.iter_mut().for_each(|c| shift(&mut c.1));
        for link in &mut self.links {
            shift(&mut link.span);
            if let Some(d) = &mut link.destination_span {
                shift(d);
            }
        }
    }
}

#[derive(Default)]
struct Reader<'a> {
    text: &'a str,
    sections: Collector,
    links: Vec<Link>,
    /// Links by reference: index and label.
    references: Vec<(usize, String)>,
    comments: Vec<(String, Range<usize>)>,
    orphaned: Vec<String>,
    open: Vec<Open>,
    /// Depth of images that are open: what is inside is alternative text.
    images: usize,
    /// Depth of quotes, lists and footnotes.
    nesting: usize,
    html_block: Option<usize>,
    paragraph_start: bool,
}

struct Open {
    index: usize,
    inner_end: usize,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, span: Range<usize>) {
        let paragraph_start = std::mem::take(&mut self.paragraph_start);
        if !matches!(event, Event::End(_)) {
            for open in &mut self.open {
                open.inner_end = open.inner_end.max(span.end);
            }
        }
        match event {
            Event::Start(tag) => self.start(tag, span),
            Event::End(tag) => self.end(tag, span),
            Event::Text(text) => {
                if paragraph_start {
                    self.sections.attribute_line(&text);
                }
                self.plain(&text);
            }
            Event::Code(text) => self.plain(&text),
            Event::SoftBreak | Event::HardBreak => self.plain(" "),
            Event::InlineHtml(html) => self.html(&html, span.start),
            _ => {}
        }
    }

    fn plain(&mut self, text: &str) {
        if self.images == 0 {
            self.sections.text(text);
        }
        for open in &self.open {
            self.links[open.index].text.push_str(text);
        }
    }

    fn start(&mut self, tag: Tag<'_>, span: Range<usize>) {
        match tag {
            Tag::Paragraph => self.paragraph_start = true,
            Tag::Heading { level, .. } => self.sections.start(level as u8, span, self.nesting > 0),
            Tag::BlockQuote(_) | Tag::List(_) | Tag::FootnoteDefinition(_) => self.nesting += 1,
            Tag::HtmlBlock => self.html_block = Some(span.start),
            Tag::Link { link_type, dest_url, id, .. } => {
                let kind = match link_type {
                    LinkType::Inline => LinkKind::Inline,
                    LinkType::Autolink | LinkType::Email => LinkKind::Autolink,
                    _ => LinkKind::Reference,
                };
                self.open_link(kind, &dest_url, &id, span);
            }
            Tag::Image { link_type, dest_url, id, .. } => {
                self.images += 1;
                let label = if matches!(link_type, LinkType::Inline) { "" } else { &*id };
                self.open_link(LinkKind::Image, &dest_url, label, span);
            }
            _ => {}
        }
    }

    fn open_link(&mut self, kind: LinkKind, destination: &str, label: &str, span: Range<usize>) {
        // A link inside an image's alternative text is rendered as text.
        let kind = if self.images > 0 && kind != LinkKind::Image { LinkKind::Image } else { kind };
        let index = self.links.len();
        if !label.is_empty() && matches!(kind, LinkKind::Reference | LinkKind::Image) {
            self.references.push((index, label.to_owned()));
        }
        self.open.push(Open { index, inner_end: span.start + 1 });
        self.links.push(Link {
            kind,
            text: String::new(),
            destination: destination.to_owned(),
            span,
            destination_span: None,
        });
    }

    fn end(&mut self, tag: TagEnd, span: Range<usize>) {
        match tag {
            TagEnd::Heading(_) => self.sections.end(),
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::FootnoteDefinition => self.nesting -= 1,
            TagEnd::HtmlBlock => {
                if let Some(start) = self.html_block.take() {
                    let html = &self.text[start..span.end];
                    self.html(html, start);
                }
            }
            TagEnd::Image | TagEnd::Link => {
                if matches!(tag, TagEnd::Image) {
                    self.images -= 1;
                }
                let Some(open) = self.open.pop() else { return };
                let link = &mut self.links[open.index];
                let is_reference = self.references.iter().any(|(i, _)| *i == open.index);
                if matches!(link.kind, LinkKind::Inline | LinkKind::Image) && !is_reference {
                    link.destination_span =
                        links::inline_destination(self.text, open.inner_end.min(span.end)..span.end);
                }
            }
            _ => {}
        }
    }

    /// HTML as written: comments kept apart, `href`s and ids taken from the rest.
    fn html(&mut self, html: &str, base: usize) {
        let mut rest = html.to_owned();
        let mut from = 0;
        while let Some(open) = rest[from..].find("<!--").map(|i| from + i) {
            let close = rest[open..].find("-->").map_or(rest.len(), |i| open + i + 3);
            let inner = html[open..close].trim_start_matches("<!--").trim_end_matches("-->").trim();
            self.comments.push((inner.to_owned(), base + open..base + close));
            let blank: String = rest[open..close].chars().map(|c| " ".repeat(c.len_utf8())).collect();
            rest.replace_range(open..close, &blank);
            from = close;
        }
        for line in rest.lines() {
            let definition = line.trim().strip_prefix('[').and_then(|l| l.split_once("]:"));
            if let Some((label, destination)) = definition
                && !destination.trim().is_empty()
            {
                self.orphaned.push(label.to_owned());
            }
        }
        if self.images == 0 {
            self.links.extend(links::html_links(&rest, base));
        }
        self.sections.html(&rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(source: &str) -> Vec<String> {
        scan(source, 0).links.into_iter().filter(Link::is_navigable).map(|l| l.destination).collect()
    }

    #[test]
    fn spans_point_into_the_whole_document() {
        let source = "---\na: 1\n---\n\n## T\n\nsee [x](y.md#z) and [r][q]\n\n[q]: <w.md> \"t\"\n";
        let body = scan(source, 13);
        let spans: Vec<_> =
            body.links.iter().map(|l| &source[l.destination_span.clone().expect("span")]).collect();
        assert_eq!(spans, ["y.md#z", "w.md"]);
        assert_eq!(&source[body.headings[0].span.clone()].trim_end(), &"## T");
    }

    #[test]
    fn nested_images_and_html() {
        assert_eq!(edges("[![i](i.png)](x.md)"), ["x.md"]);
        assert_eq!(edges("<div>\n<a href=\"h.md\">t</a>\n</div>\n<!-- <a href=\"no.md\"> -->"), ["h.md"]);
        assert_eq!(edges("a <!-- [x](no.md) --> b"), Vec::<String>::new());
    }

    #[test]
    fn comments_are_kept() {
        let body = scan("text <!-- govrag-disable W002 why -->\n\n<!--\nmany\nlines\n-->\n", 0);
        let texts: Vec<_> = body.comments.iter().map(|c| c.0.as_str()).collect();
        assert_eq!(texts, ["govrag-disable W002 why", "many\nlines"]);
    }
}
