//! What a question is answered with.

use std::ops::RangeInclusive;

/// One section of the answer.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Entry {
    /// The page, from the root.
    pub path: String,
    /// The page's title.
    pub title: String,
    /// The page's status, `?` when it has none that is valid.
    pub status: String,
    /// The section's heading, empty for what stands before the first one.
    pub heading: String,
    /// First line of the section, or of the excerpt.
    pub line: usize,
    /// Last line of the section, or of the excerpt.
    pub end_line: usize,
    /// The text, when it fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether the text is the whole section.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub excerpt: bool,
    /// References to code that changed since the page was checked, or that are gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drifted: Vec<String>,
    /// Code to check a doubtful page against.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub impl_refs: Vec<String>,
    /// The score, only when asked to explain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
}

impl Entry {
    /// Whether the page is not to be trusted without a look at the code.
    pub fn is_doubtful(&self) -> bool {
        matches!(self.status.as_str(), "needs-review" | "deprecated" | "archived") || !self.drifted.is_empty()
    }

    /// The lines.
    pub fn lines(&self) -> RangeInclusive<usize> {
        self.line..=self.end_line
    }
}

/// A page next to one of the answer's.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Neighbour {
    /// The page.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Its status.
    pub status: String,
    /// `links`, `related` or `linked_by`, seen from the page of the answer.
    pub relation: &'static str,
}

/// A theme offered when nothing was found.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Theme {
    /// The folder, `.` for the root.
    pub path: String,
    /// Pages in it.
    pub pages: usize,
    /// Some of its pages: path and title.
    pub examples: Vec<(String, String)>,
    /// Themes that its pages link to or are linked from.
    pub neighbours: Vec<String>,
}

/// What each phase of the answer costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Cost {
    /// Tokens of the phases 0 (marker) to 4 (neighbours).
    pub phases: [usize; 5],
    /// Tokens of the whole answer.
    pub total: usize,
    /// The ceiling.
    pub max: usize,
    /// How tokens are counted.
    pub method: &'static str,
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Answer {
    /// The root of the base, as `.rag` writes it.
    pub root: String,
    /// Pages of the base.
    pub pages: usize,
    /// Pages that the filters kept.
    pub kept: usize,
    /// Pages that hold words of the question.
    pub matched: usize,
    /// Pages that could not be read or, with filters, be judged.
    #[serde(skip_serializing_if = "is_zero")]
    pub unreadable: usize,
    /// Manifest rows or front matter, when one of the phases 0, 1 and 2 is asked for alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub listing: Vec<String>,
    /// The sections, best first.
    pub entries: Vec<Entry>,
    /// Pages next to the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub neighbours: Vec<Neighbour>,
    /// Themes, when nothing was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub themes: Vec<Theme>,
    /// The question's words with their rarity, only when asked to explain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<(String, f32)>,
    /// What it costs.
    pub tokens: Cost,
}

impl Answer {
    /// Whether anything was found, or the marker alone was asked for.
    pub fn is_hit(&self) -> bool {
        self.matched > 0 || !self.listing.is_empty()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}
