//! A unit of knowledge: what becomes one page.

use super::text::flat;

/// What kind of thing a unit is; decides its theme where the tree does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Nature {
    /// The project itself: its README.
    Project,
    /// How people and assistants work on it.
    Process,
    /// A decision record.
    Decision,
    /// A document.
    Guide,
    /// A described interface.
    Api,
    /// Schemas and migrations.
    Data,
    /// Source code.
    Module,
    /// Settings, pipelines, containers.
    Operations,
    /// Tests.
    Quality,
}

/// A line of a section: a fact, with what the source says of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fact {
    /// Shown as code: a signature, a route, a key.
    pub code: String,
    /// Shown as text.
    pub text: String,
}

impl Fact {
    /// A fact of code and text.
    pub fn new(code: impl Into<String>, text: &str) -> Self {
        Fact { code: code.into(), text: flat(text) }
    }

    /// A fact of text alone.
    pub fn text(text: &str) -> Self {
        Fact::new("", text)
    }
}

/// What becomes one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// What it is.
    pub nature: Nature,
    /// The folder it stands in, from the repository, by segments.
    pub folder: Vec<String>,
    /// Name for the page's file, before it is made a slug.
    pub name: String,
    /// Title.
    pub title: String,
    /// The source's own words on it, empty when it has none.
    pub about: String,
    /// `type` of the page.
    pub kind: &'static str,
    /// Words for tags.
    pub tags: Vec<String>,
    /// Readers.
    pub audience: &'static [&'static str],
    /// Priority.
    pub priority: &'static str,
    /// Files and folders it describes, from the repository.
    pub refs: Vec<String>,
    /// The files it was made from, those that speak first in front.
    pub members: Vec<String>,
    /// Files it was made from that no reference names.
    pub unnamed: usize,
    /// What it does: items, routes, steps, headings.
    pub behaviour: Vec<Fact>,
    /// Constants, settings, variables.
    pub points: Vec<Fact>,
    /// Facts that were left out of the two lists.
    pub left_out: usize,
    /// Modules it names, as written, for its relations.
    pub imports: Vec<String>,
    /// Files of the repository it links to.
    pub links: Vec<String>,
}

impl Unit {
    /// A unit that stands at `path` (a file of the repository) and says nothing yet.
    pub fn at(nature: Nature, path: &str, title: impl Into<String>) -> Self {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        Unit {
            nature,
            folder: segments(folder),
            name: stem.to_owned(),
            title: title.into(),
            about: String::new(),
            kind: "reference",
            tags: Vec::new(),
            audience: &["dev"],
            priority: "p2",
            refs: vec![path.to_owned()],
            members: Vec::new(),
            unnamed: 0,
            behaviour: Vec::new(),
            points: Vec::new(),
            left_out: 0,
            imports: Vec::new(),
            links: Vec::new(),
        }
    }

    /// Adds facts to the behaviour, at most `most` in all; the rest is counted.
    pub fn behave(&mut self, facts: impl IntoIterator<Item = Fact>, most: usize) {
        for fact in facts {
            if self.behaviour.len() < most { self.behaviour.push(fact) } else { self.left_out += 1 }
        }
    }

    /// Adds facts to the key points, at most `most` in all; the rest is counted.
    pub fn point(&mut self, facts: impl IntoIterator<Item = Fact>, most: usize) {
        for fact in facts {
            if self.points.len() < most { self.points.push(fact) } else { self.left_out += 1 }
        }
    }
}

/// A path by segments.
pub fn segments(path: &str) -> Vec<String> {
    path.split('/').filter(|s| !s.is_empty()).map(str::to_owned).collect()
}
