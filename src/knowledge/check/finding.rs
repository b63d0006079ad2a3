//! A finding: where, what, why, and what to do.

use std::ops::Range;

use crate::knowledge::code::{Code, Severity};
use crate::knowledge::document::Page;
use crate::knowledge::load::Base;
use crate::markdown::Position;

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its code.
    pub code: Code,
    /// How grave it is here; some codes are graded lower in a case.
    pub severity: Severity,
    /// The page, from the root.
    pub page: Option<String>,
    /// The file, from the folder of `.rag`.
    pub file: String,
    /// Where it starts.
    pub start: Position,
    /// Where it ends, exclusive.
    pub end: Position,
    /// Bytes of the page.
    pub span: Range<usize>,
    /// Why it is a finding, one sentence.
    pub message: String,
    /// What to do.
    pub hint: String,
    /// The certain repair.
    pub repair: Option<Repair>,
}

/// A repair that needs no judgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Replace these bytes of the page.
    Replace {
        /// The bytes.
        span: Range<usize>,
        /// Their replacement.
        text: String,
    },
    /// Make the indexes again.
    Indexes,
}

impl Finding {
    /// A finding on a page, not yet located.
    pub fn on(page: &Page, code: Code, span: Range<usize>, message: String, hint: String) -> Self {
        Finding {
            code,
            severity: code.severity(),
            page: Some(page.path.clone()),
            file: String::new(),
            start: START,
            end: START,
            span,
            message,
            hint,
            repair: None,
        }
    }

    /// A finding on a whole file, from the folder of `.rag`.
    pub fn file(code: Code, file: String, message: String, hint: String) -> Self {
        Finding {
            code,
            severity: code.severity(),
            page: None,
            file,
            start: START,
            end: START,
            span: 0..0,
            message,
            hint,
            repair: None,
        }
    }

    /// With another severity than its code's.
    #[must_use]
    pub fn graded(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// With a repair.
    #[must_use]
    pub fn repaired_by(mut self, repair: Option<Repair>) -> Self {
        self.repair = repair;
        self
    }

    /// By file, place, code.
    pub(super) fn order(&self) -> (&str, Position, Code, usize) {
        (&self.file, self.start, self.code, self.span.end)
    }
}

const START: Position = Position { line: 1, column: 1 };

/// Gives findings their file, line and column.
pub(super) struct Place {
    prefix: String,
}

impl Place {
    pub(super) fn new(base: &Base) -> Self {
        let prefix = match base.marker.root_from_home() {
            Some(root) if root.is_empty() => String::new(),
            Some(root) => format!("{root}/"),
            None => format!("{}/", base.marker.root.display()),
        };
        Place { prefix }
    }

    /// The file of a path under the root.
    pub(super) fn file(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }

    pub(super) fn locate(&self, page: &Page, mut findings: Vec<Finding>) -> Vec<Finding> {
        if findings.is_empty() {
            return findings;
        }
        let lines = page.lines();
        for finding in &mut findings {
            finding.file = self.file(&page.path);
            finding.start = lines.position(finding.span.start);
            finding.end = lines.position(finding.span.end.max(finding.span.start));
        }
        findings
    }
}

/// Whether a path is `scope` or lies below it.
pub(super) fn is_in(path: &str, scope: &str) -> bool {
    let scope = scope.trim_matches('/');
    path == scope
        || path.strip_prefix(scope).is_some_and(|rest| rest.starts_with('/'))
        || scope.is_empty()
        || scope == "." && !path.contains('/')
}
