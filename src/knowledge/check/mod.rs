//! The checks: what breaks the norm, what is probably wrong, what is worth knowing.
//!
//! Findings are sorted by file, place and code. Ignored, disabled and known ones are counted, never
//! dropped in silence, and so are pages that could not be read.

pub mod baseline;
mod files;
pub mod finding;
mod links;
mod pages;
mod references;
pub mod repair;
pub mod report;
mod suppress;

use rayon::prelude::*;

use super::code::{Code, Severity};
use super::drift::{self, Drift, Ledger};
use super::indexes;
use super::load::Base;
use crate::base::{Date, Result};

pub use finding::{Finding, Repair};

/// What a check is asked.
#[derive(Clone, Debug)]
pub struct Options {
    /// The day against which ages are counted.
    pub today: Date,
    /// Judge drift.
    pub drift: bool,
    /// Look for secrets.
    pub secrets: bool,
    /// What is known of installed skills and commands: one sentence each that something is missing.
    pub integration: Vec<String>,
    /// Only pages at or below this path or theme, from the root.
    pub scope: Option<String>,
    /// Ask git where missing link targets went.
    pub follow_moves: bool,
}

impl Options {
    /// Everything, on this day.
    pub fn on(today: Date) -> Self {
        Options {
            today,
            drift: true,
            secrets: true,
            integration: Vec::new(),
            scope: None,
            follow_moves: false,
        }
    }
}

/// How strict the exit code is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strict {
    /// Errors only.
    #[default]
    No,
    /// Warnings too, except W004, so that an unchanged commit stays green.
    Warnings,
    /// Every warning.
    All,
}

/// What a check found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The findings, sorted.
    pub findings: Vec<Finding>,
    /// Pages looked at.
    pub pages: usize,
    /// Pages that could not be read, and how their front matter stands.
    pub unreadable: usize,
    /// Findings left out: by `.rag`, by comments in pages, by the baseline.
    pub suppressed: Suppressed,
    /// Links that only another tool can judge.
    pub unjudged: usize,
    /// What else to say, one sentence each.
    pub notes: Vec<String>,
    /// Files repaired, from the folder of `.rag`.
    pub repaired: Vec<String>,
}

/// Findings left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Suppressed {
    /// By `check.ignore` of `.rag`.
    pub ignored: usize,
    /// By a comment in the page.
    pub disabled: usize,
    /// Known to the baseline.
    pub baseline: usize,
}

impl Report {
    /// How many findings are this grave.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.severity == severity).count()
    }

    /// The exit code: 1 for errors, or for warnings when strict.
    pub fn exit(&self, strict: Strict) -> u8 {
        let fails = |f: &Finding| match (f.severity, strict) {
            (Severity::Error, _) | (Severity::Warning, Strict::All) => true,
            (Severity::Warning, Strict::Warnings) => f.code != Code::W004,
            _ => false,
        };
        u8::from(self.findings.iter().any(fails))
    }
}

/// Checks a base.
///
/// # Errors
/// An input error of the ledger or the baseline.
pub fn check(base: &Base, options: &Options) -> Result<Report> {
    let ledger = Ledger::read(&base.marker.home)?;
    let place = finding::Place::new(base);
    let links = links::Links::new(base, options.follow_moves);
    let on_pages = || -> Vec<Finding> {
        base.pages
            .par_iter()
            .flat_map_iter(|page| {
                let mut out = pages::check(base, page, options, &ledger);
                out.extend(links.check(page));
                place.locate(page, out)
            })
            .collect()
    };
    let drift = || {
        if options.drift {
            drift::judge(base, &ledger, |p| p.status() != "archived")
        } else {
            Drift::default()
        }
    };
    // git answers while the pages are read.
    let (mut findings, (drift, (plan, tracked))) = rayon::join(on_pages, || {
        rayon::join(drift, || rayon::join(|| indexes::plan(base), || files::is_tracked(base)))
    });
    findings.extend(references::check(base, &drift, &place));
    findings.extend(files::check(base, &plan, options, &place, tracked));
    let mut report = Report {
        pages: base.pages.len(),
        unreadable: base.pages.iter().filter(|p| !p.is_readable()).count(),
        unjudged: links.unjudged(),
        notes: base.marker.warnings.clone(),
        ..Report::default()
    };
    if let Some(scope) = &options.scope {
        findings.retain(|f| f.page.as_deref().is_some_and(|p| finding::is_in(p, scope)));
    }
    suppress::apply(base, &mut findings, &mut report)?;
    findings.sort_by(|a, b| a.order().cmp(&b.order()));
    findings.dedup_by(|a, b| a.order() == b.order() && a.message == b.message);
    report.findings = findings;
    Ok(report)
}
