//! Gate records: what was judged, as it was judged.

use crate::base::id::{Slug, StoryId};
use crate::base::{Error, Result};
use crate::memory::Memory;
use crate::memory::excluded::Excluded;
use crate::store::jsonl::{self, Snapshot};
use crate::store::lock::Scores;
use crate::store::schema::{self, Clarification, Metric, Record, Verdict};
use crate::tr;

/// What is recorded.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// Story.
    pub story: StoryId,
    /// Gate.
    pub gate: i64,
    /// Iteration, from 1.
    pub version: u32,
    /// Verdict.
    pub verdict: Verdict,
    /// Domain; that of the story's clarifications when absent.
    pub domain: Option<Slug>,
    /// Project; that of the story's clarifications when absent.
    pub project: Option<Slug>,
}

/// Appends the record of a gate.
///
/// # Errors
/// Usage when domain or project is absent and no clarification of the story says them; ERR-295-09; I/O.
pub fn record(memory: &Memory<'_>, judgement: Judgement) -> Result<Metric> {
    let known = known_place(memory, &judgement.story)?;
    let missing = |flag: &str| {
        let story = &judgement.story;
        Error::usage(tr!("{flag} de {story} inconnu", "{flag} of {story} is unknown"))
            .hint(tr!("ajoutez {flag}", "add {flag}"))
    };
    let metric = Metric {
        domain: judgement.domain.or(known.clone().map(|k| k.0)).ok_or_else(|| missing("--domain"))?,
        project: judgement.project.or(known.map(|k| k.1)).ok_or_else(|| missing("--project"))?,
        story: judgement.story.clone(),
        gate: judgement.gate,
        version: judgement.version,
        verdict: judgement.verdict,
        timestamp: memory.clock.now(),
        source: Default::default(),
    };
    append(memory, std::slice::from_ref(&metric))?;
    Ok(metric)
}

fn known_place(memory: &Memory<'_>, story: &StoryId) -> Result<Option<(Slug, Slug)>> {
    let loaded = schema::load::<Clarification>(&Snapshot::read(&memory.workspace.clarifications())?);
    Ok(loaded.values().find(|c| c.story == *story).map(|c| (c.domain.clone(), c.project.clone())))
}

fn append(memory: &Memory<'_>, metrics: &[Metric]) -> Result<()> {
    let mut locks = memory.locks();
    let (guard, _) = locks.begin().gate()?.exclusive::<Scores>()?;
    let lines: Vec<String> = metrics.iter().map(Record::to_line).collect();
    jsonl::append(&memory.workspace.metrics(), &lines, memory.clock.now(), &guard).map(|_| ())
}

/// What an import of gate records did.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Imported {
    /// Lines read.
    pub read: usize,
    /// Records added.
    pub added: usize,
    /// Records that are there already.
    pub same: usize,
    /// Lines left out.
    pub excluded: Vec<Excluded>,
}

/// Imports gate records that have our own form.
///
/// # Errors
/// ERR-295-15 for a file that is not JSON lines; ERR-295-09; I/O.
pub fn import(memory: &Memory<'_>, file: &std::path::Path) -> Result<Imported> {
    if !file.exists() {
        return Err(Error::io(file, &std::io::Error::from(std::io::ErrorKind::NotFound)));
    }
    let incoming = schema::load::<Metric>(&Snapshot::read(file)?);
    let present = schema::load::<Metric>(&Snapshot::read(&memory.workspace.metrics())?);
    let key = |m: &Metric| (m.story.clone(), m.gate, m.version, m.verdict, m.timestamp);
    let mut known: std::collections::HashSet<_> = present.values().map(key).collect();
    let origin = file.display().to_string();
    let mut report = Imported { read: incoming.read, ..Imported::default() };
    report.excluded = incoming
        .excluded
        .iter()
        .map(|e| Excluded { origin: origin.clone(), line: Some(e.line as u64), reason: e.to_string() })
        .collect();
    let new: Vec<Metric> = incoming.values().filter(|m| known.insert(key(m))).cloned().collect();
    report.added = new.len();
    report.same = incoming.records.len() - new.len();
    if !new.is_empty() {
        append(memory, &new)?;
    }
    Ok(report)
}
