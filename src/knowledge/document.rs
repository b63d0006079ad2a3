//! A page: its identity, text, fields and body, read once.

use crate::base::Date;
use crate::knowledge::schema::{self, Meta, Objection};
use crate::markdown::decode::Undecodable;
use crate::markdown::{Body, FrontMatter, LineIndex, scan};

/// A page of the base.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its identity: the path from the root, with `/`.
    pub path: String,
    /// Its text; empty when it cannot be decoded.
    pub source: String,
    /// Why it cannot be decoded.
    pub undecodable: Option<Undecodable>,
    /// Its front matter.
    pub front: FrontMatter,
    /// The known fields.
    pub meta: Meta,
    /// What the schema objects to.
    pub objections: Vec<Objection>,
    /// Headings, links and comments of the body.
    pub body: Body,
}

impl Page {
    /// Reads a page's text.
    pub fn parse(path: impl Into<String>, source: String, summary_max: usize) -> Self {
        let front = FrontMatter::read(&source);
        let body = scan(&source, front.split.body);
        let (meta, objections) = schema::read(&front, summary_max);
        Page { path: path.into(), source, undecodable: None, front, meta, objections, body }
    }

    /// A page whose bytes are no text.
    pub fn undecodable(path: impl Into<String>, why: &Undecodable) -> Self {
        let mut page = Page::parse(path, String::new(), usize::MAX);
        page.objections.clear();
        page.undecodable = Some(why.clone());
        page
    }

    /// Whether a symbolic link stands in its place.
    pub fn is_link(&self) -> bool {
        self.undecodable == Some(Undecodable::Link)
    }

    /// Whether its front matter parses; a page that does not stays in every index with the mark `?`.
    pub fn is_readable(&self) -> bool {
        self.undecodable.is_none() && self.front.is_readable()
    }

    /// Its lines.
    pub fn lines(&self) -> LineIndex<'_> {
        LineIndex::new(&self.source)
    }

    /// Its title, else its first heading, else its file name.
    pub fn title(&self) -> &str {
        self.meta
            .title
            .as_deref()
            .or_else(|| self.body.headings.first().map(|h| h.text.as_str()))
            .unwrap_or_else(|| self.path.rsplit('/').next().unwrap_or(&self.path))
    }

    /// Its first-level theme: the first folder, `.` at the root.
    pub fn theme(&self) -> &str {
        self.path.split_once('/').map_or(".", |(theme, _)| theme)
    }

    /// Its status, `?` when it has none that is valid.
    pub fn status(&self) -> &str {
        self.meta.status.as_deref().unwrap_or("?")
    }

    /// The day of its last update, when valid.
    pub fn updated(&self) -> Option<Date> {
        self.meta.updated
    }

    /// The text of its front matter, fences included; empty when there is none.
    pub fn front_text(&self) -> &str {
        self.front.split.block.as_ref().map_or("", |b| &self.source[b.open.start..b.close.end])
    }
}
