//! `learnings-score`: scores from the verified trail, written beside the lessons, never inside them.
//!
//! Shared lock on the lessons, then exclusive on the scores. The same input gives the same bytes; a
//! run that changes nothing writes nothing; a run that fails leaves the file as it was.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::lessons::Lessons;
use super::lines;
use super::outcome::Outcomes;
use super::tally::Tally;
use super::{Lesson, Measured};
use crate::audit::{self, Keyring, TrailPaths, verified_parts};
use crate::base::{Clock, Result};
use crate::memory::excluded::Excluded;
use crate::store::Workspace;
use crate::store::jsonl::{self, Line, Snapshot};
use crate::store::lock::{Learnings, Locks, Scores};
use crate::store::schema::{Exclusion, Metric, read_line};
use crate::tr;

/// The most exclusions that a report names one by one; all are counted.
const NAMED: usize = 1000;

/// What a scoring run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Lines of `learnings.jsonl`.
    pub learnings: usize,
    /// Score lines.
    pub scored: usize,
    /// Score lines that are new or changed.
    pub changed: usize,
    /// Lines of the trail whose signature verified and that are consistent.
    pub verified_events: u64,
    /// What was left out, by code: `learning_id_drift`, `duplicate_id`, `audit_inconsistent_trace`,
    /// `audit_invalid_signature`, `audit_invalid_line`, `ERR-295-15`.
    pub excluded: BTreeMap<String, u64>,
    /// The first of them by place.
    pub named: Vec<Excluded>,
}

/// Computes the scores of `workspace` and writes those that changed.
///
/// # Errors
/// ERR-295-09 for a lock; ERR-295-16 without the key, nothing written; ERR-295-15 when a whole file
/// is not JSON lines; I/O.
pub fn score(
    workspace: &Workspace,
    locks: &mut Locks,
    keyring: &dyn Keyring,
    clock: &dyn Clock,
) -> Result<Report> {
    let gate = locks.begin().gate()?;
    let (_learnings, gate) = gate.shared::<Learnings>()?;
    let (scores, gate) = gate.exclusive::<Scores>()?;
    let _order = gate.leave();

    let mut report = Report::default();
    // The lessons' own texts are not needed: their snapshot goes before the trail is read.
    let (lessons, gates) = rayon::join(
        || Snapshot::read(&workspace.learnings()).map(|snapshot| Lessons::read(&snapshot)),
        || Gates::read(workspace),
    );
    let (lessons, gates) = (lessons?, gates?);
    report.learnings = lessons.read;
    report.leave_out("learnings.jsonl", &lessons.excluded);
    let (measured, old) = rayon::join(
        || measure(workspace, keyring, &lessons.kept, &gates, &mut report),
        || Snapshot::read(&workspace.scores()),
    );
    let ((measured, tally), old) = (measured?, old?);
    report.verified_events = tally.verified;

    let laid = lines::lay(&old, &lessons.kept, &measured, clock.now());
    report.leave_out("learnings-scores.jsonl", &laid.excluded);
    (report.scored, report.changed) = (laid.lines.len(), laid.changed);
    if laid.differs {
        jsonl::rewrite(&workspace.scores(), laid.lines, &scores)?;
    }
    Ok(report)
}

/// What the gates said.
#[derive(Debug, Default)]
pub struct Gates {
    outcomes: Outcomes,
    excluded: Vec<Exclusion>,
}

impl Gates {
    /// Reads `metrics.jsonl`.
    ///
    /// # Errors
    /// ERR-295-15 when it is not JSON lines; I/O.
    pub fn read(workspace: &Workspace) -> Result<Gates> {
        let mut gates = Gates::default();
        let metrics = Snapshot::read(&workspace.metrics())?;
        let lines: Vec<Line<'_>> = metrics.lines().filter(|l| !l.is_blank()).collect();
        for records in lines.chunks(1 << 14) {
            let records: Vec<_> = records.par_iter().with_min_len(256).map(read_line::<Metric>).collect();
            for record in records {
                match record {
                    Ok(metric) => gates.outcomes.record(&metric),
                    Err(exclusion) => gates.excluded.push(exclusion),
                }
            }
        }
        Ok(gates)
    }
}

/// Reads the trail: the figures of each of `lessons`, and what was read.
///
/// # Errors
/// ERR-295-16 without the key; I/O.
pub fn measure(
    workspace: &Workspace,
    keyring: &dyn Keyring,
    lessons: &[Lesson],
    gates: &Gates,
    report: &mut Report,
) -> Result<(Measured, audit::Tally)> {
    report.leave_out("metrics.jsonl", &gates.excluded);
    let tally = Tally::new(lessons);
    let paths = TrailPaths::of(workspace);
    let (trail, parts) = verified_parts(&paths, keyring, || tally.part(), |part, event| part.event(event))?;
    for (code, count) in [
        ("audit_inconsistent_trace", trail.audit_inconsistent_trace),
        ("audit_invalid_signature", trail.invalid_signature),
        ("audit_invalid_line", trail.invalid_line),
    ] {
        report.count(code, count);
        if count > 0 {
            report.named.push(Excluded {
                origin: "learnings-injections.jsonl".into(),
                line: None,
                reason: tr!(
                    "{code} : {count} ; `govmem audit verify` les situe",
                    "{code}: {count}; `govmem audit verify` locates them"
                ),
            });
        }
    }
    Ok((tally.finish(parts, &gates.outcomes), trail))
}

impl Report {
    /// Counts and names excluded lines of `file`.
    pub fn leave_out(&mut self, file: &str, excluded: &[Exclusion]) {
        for exclusion in excluded {
            match exclusion.reason {
                reason @ ("learning_id_drift" | "duplicate_id") => self.count(reason, 1),
                _ => self.count(&exclusion.code.to_string(), 1),
            }
            if self.named.len() < NAMED {
                self.named.push(Excluded {
                    origin: format!("data/{file}"),
                    line: Some(exclusion.line as u64),
                    reason: match &exclusion.field {
                        Some(field) => format!("{} ({field}) {}", exclusion.reason, exclusion.detail),
                        None => format!("{} {}", exclusion.reason, exclusion.detail),
                    },
                });
            }
        }
    }

    fn count(&mut self, code: &str, count: u64) {
        if count > 0 {
            *self.excluded.entry(code.to_owned()).or_default() += count;
        }
    }
}
