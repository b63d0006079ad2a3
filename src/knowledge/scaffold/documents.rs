//! What a document says: title, opening paragraph, headings with their first paragraph, as plain
//! text. Links become their text, images and HTML go, code stays code.

use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};

use super::text::flat;
use crate::markdown::FrontMatter;

/// A heading below the title.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its text.
    pub heading: String,
    /// The first paragraph or list item under it, empty when there is none.
    pub opening: String,
}

/// A read document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Front matter title, else first level-1 heading, else empty.
    pub title: String,
    /// Front matter summary or description, else the first paragraph.
    pub opening: String,
    /// The headings below the title, levels 2 and 3.
    pub parts: Vec<Part>,
    /// Tags of the front matter.
    pub tags: Vec<String>,
    /// Destinations of links to files, as written.
    pub links: Vec<String>,
}

/// Reads a Markdown document.
pub fn read(source: &str) -> Document {
    let front = FrontMatter::read(source);
    let mut out = Document::default();
    let mut walker = Walker { out: &mut out, heading: None, text: String::new(), depth: 0, skip: 0 };
    for event in Parser::new_ext(&source[front.split.body..], crate::markdown::body::options()) {
        walker.event(event);
    }
    if let Some(title) = front.text("title") {
        out.title = flat(title);
    }
    if let Some(summary) = front.text("summary").or_else(|| front.text("description")) {
        out.opening = flat(summary);
    }
    out.tags = front.list("tags").into_iter().map(|(tag, _)| tag.to_owned()).collect();
    out
}

struct Walker<'a> {
    out: &'a mut Document,
    heading: Option<u8>,
    text: String,
    /// How deep in text blocks the walk is.
    depth: usize,
    /// How deep in blocks whose text is not prose.
    skip: usize,
}

impl Walker<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                self.heading = Some(level_of(level));
                self.text.clear();
            }
            Event::End(TagEnd::Heading(_)) => {
                let text = flat(&std::mem::take(&mut self.text));
                match self.heading.take() {
                    Some(1) if self.out.title.is_empty() => self.out.title = text,
                    Some(1..=3) if !text.is_empty() => {
                        self.out.parts.push(Part { heading: text, opening: String::new() });
                    }
                    _ => {}
                }
            }
            Event::Start(Tag::CodeBlock(_) | Tag::Image { .. } | Tag::Table(_) | Tag::HtmlBlock) => {
                self.skip += 1
            }
            Event::End(TagEnd::CodeBlock | TagEnd::Image | TagEnd::Table | TagEnd::HtmlBlock) => {
                self.skip = self.skip.saturating_sub(1);
            }
            Event::Start(Tag::Paragraph | Tag::Item) => {
                self.flush();
                self.depth += 1;
            }
            Event::End(TagEnd::Paragraph | TagEnd::Item) => {
                self.flush();
                self.depth = self.depth.saturating_sub(1);
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                let file = dest_url.split(['#', '?']).next().unwrap_or("");
                if !file.is_empty() && !file.contains(':') && !self.out.links.iter().any(|l| l == file) {
                    self.out.links.push(file.to_owned());
                }
            }
            Event::Text(text) if self.skip == 0 => self.push(&text),
            Event::Code(code) if self.skip == 0 => self.push(&format!("`{code}`")),
            Event::SoftBreak | Event::HardBreak => self.push(" "),
            _ => {}
        }
    }

    fn push(&mut self, text: &str) {
        if self.heading.is_some() || self.depth > 0 {
            self.text.push_str(text);
        }
    }

    fn flush(&mut self) {
        if self.heading.is_some() {
            return;
        }
        let text = flat(&std::mem::take(&mut self.text));
        // Badges and lone links are no prose.
        if text.chars().filter(|c| c.is_alphabetic()).count() < 12 {
            return;
        }
        match self.out.parts.last_mut() {
            Some(part) if part.opening.is_empty() => part.opening = text,
            None if self.out.opening.is_empty() => self.out.opening = text,
            _ => {}
        }
    }
}

fn level_of(level: HeadingLevel) -> u8 {
    level as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_readme() {
        let text = "[![ci](b.svg)](x)\n\n# Shop\n\nSells [things](a.md) with `cart`.\nFast.\n\n## Install\n\n```sh\nmake it\n```\n\nRun the installer first.\n\n### Deep\n\n- one item of a list\n\n#### Deeper\n\nnot told at all here\n";
        let doc = read(text);
        assert_eq!((doc.title.as_str(), doc.opening.as_str()), ("Shop", "Sells things with `cart`. Fast."));
        let parts: Vec<_> = doc.parts.iter().map(|p| (p.heading.as_str(), p.opening.as_str())).collect();
        assert_eq!(doc.links, ["x", "a.md"]);
        assert_eq!(parts, [("Install", "Run the installer first."), ("Deep", "one item of a list")]);
    }

    #[test]
    fn front_matter_wins() {
        let doc = read(
            "---\ntitle: T\ndescription: D of it\ntags: [a, b]\n---\n# Other\n\nOpening paragraph here.\n",
        );
        assert_eq!((doc.title.as_str(), doc.opening.as_str(), doc.tags.len()), ("T", "D of it", 2));
        assert_eq!(read(""), Document::default());
    }
}
