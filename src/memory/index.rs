//! The indexing runs: collect a source, embed what changed, put records and vectors in place.
//!
//! Embedding never happens under a record lock: the run holds `reindex.lock`, embeds from a
//! snapshot, prepares the new files, and takes the record lock only for the renames. A record that
//! changed meanwhile is pending until the next run; its old row is skipped by every search.

use std::collections::BTreeMap;

use crate::base::Result;
use crate::embed::Embedder;
use crate::memory::Memory;
use crate::memory::corpus::{self, Entry, Indexed};
use crate::memory::excluded::Excluded;
use crate::memory::learnings::library;
use crate::memory::{clarifications, forget, veille};
use crate::store::Source;
use crate::store::jsonl::{self, Out, Snapshot};
use crate::store::lock::{Clarifications, Exclusive, Guard, Learnings, Order, Reindex, Veille};
use crate::vector::Prepared;

/// Hears of texts embedded: source, done, total.
pub type Progress<'a> = &'a mut dyn FnMut(Source, usize, usize);

/// What a run did with one source.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Report {
    /// The source.
    pub source: Source,
    /// Files or lines read.
    pub read: usize,
    /// Records kept.
    pub kept: usize,
    /// Left out without being errors, by reason.
    pub skipped: BTreeMap<&'static str, usize>,
    /// Left out as errors.
    pub excluded: Vec<Excluded>,
    /// The index.
    pub index: Indexed,
    /// Directories of the configuration that do not exist.
    pub missing_roots: Vec<std::path::PathBuf>,
}

/// Reindexes `sources`, in order. With `full`, unchanged texts are embedded again.
///
/// # Errors
/// ERR-295-09; ERR-295-02 from the embedder; I/O. A failed run leaves the source as it was.
pub fn run(
    memory: &Memory<'_>,
    sources: &[Source],
    full: bool,
    progress: Progress<'_>,
) -> Result<Vec<Report>> {
    let embedder = memory.embedder()?;
    let mut reports = Vec::new();
    for source in sources {
        let mut locks = memory.locks();
        let (guard, order) = locks.begin().exclusive::<Reindex>()?;
        let run = Run { memory, embedder: embedder.as_ref(), full, guard: &guard };
        reports.push(match source {
            Source::Learning => run.learnings(order, progress)?,
            Source::Veille => run.veille(order, progress)?,
            Source::Clarification => run.clarifications(order, progress)?,
        });
    }
    forget::expired_blocks(&memory.workspace, &mut memory.locks(), memory.clock.now());
    Ok(reports)
}

struct Run<'r, 'm, 'l> {
    memory: &'r Memory<'m>,
    embedder: &'r dyn Embedder,
    full: bool,
    guard: &'r Guard<'l, Reindex, Exclusive>,
}

impl<'l> Run<'_, '_, 'l> {
    fn learnings(&self, order: Order<'l, Reindex>, progress: Progress<'_>) -> Result<Report> {
        let snapshot = Snapshot::read(&self.memory.workspace.learnings())?;
        let mut loaded = crate::store::schema::load(&snapshot);
        loaded.exclude_drift(&snapshot);
        loaded.exclude_duplicates(&snapshot);
        let entries = library::entries(&loaded);
        let (prepared, index) = self.prepare(Source::Learning, &entries, progress)?;
        let (guard, _) = order.gate()?.exclusive::<Learnings>()?;
        prepared.commit(&guard)?;
        let archived = loaded.records.len() - entries.len();
        let origin = "data/learnings.jsonl".to_owned();
        Ok(Report {
            source: Source::Learning,
            read: loaded.read,
            kept: loaded.records.len(),
            skipped: counts([("archived", archived), ("torn", usize::from(loaded.torn.is_some()))]),
            excluded: loaded
                .excluded
                .iter()
                .map(|e| Excluded {
                    origin: origin.clone(),
                    line: Some(e.line as u64),
                    reason: e.to_string(),
                })
                .collect(),
            index,
            missing_roots: Vec::new(),
        })
    }

    fn veille(&self, order: Order<'l, Reindex>, progress: Progress<'_>) -> Result<Report> {
        let (records, scan) = veille::collect::collect(self.memory)?;
        let entries = veille::collect::entries(&records);
        let (prepared, index) = self.prepare(Source::Veille, &entries, progress)?;
        let (guard, _) = order.gate()?.exclusive::<Veille>()?;
        let path = self.memory.workspace.veille();
        let old = Snapshot::read(&path)?;
        rewrite_if_changed(&old, veille::collect::lines(&old, &records), &guard)?;
        prepared.commit(&guard)?;
        Ok(Report {
            source: Source::Veille,
            read: scan.files,
            kept: records.len(),
            skipped: counts([("not_a_note", scan.not_notes), ("superseded", scan.superseded)]),
            excluded: scan.excluded,
            index,
            missing_roots: scan.missing_roots,
        })
    }

    fn clarifications(&self, order: Order<'l, Reindex>, progress: Progress<'_>) -> Result<Report> {
        let today = self.memory.clock.now().date();
        let found = clarifications::collect::collect(self.memory, today)?;
        // Only purges remove what has expired, and they wait for this run.
        let old = Snapshot::read(&self.memory.workspace.clarifications())?;
        let mut records = found.records.clone();
        records.extend(clarifications::collect::expired(&old, today));
        let identified = clarifications::collect::identified(records);
        let entries = clarifications::collect::entries(&identified, today);
        let (prepared, index) = self.prepare(Source::Clarification, &entries, progress)?;
        let (guard, _) = order.gate()?.exclusive::<Clarifications>()?;
        rewrite_if_changed(&old, clarifications::collect::lines(&old, &found.records, today), &guard)?;
        prepared.commit(&guard)?;
        Ok(Report {
            source: Source::Clarification,
            read: found.files,
            kept: found.records.len(),
            skipped: counts([
                ("expired", found.expired),
                ("without_answers", found.without_answers),
                ("unanswered_questions", found.unanswered),
            ]),
            excluded: found.excluded,
            index,
            missing_roots: found.missing_roots,
        })
    }

    fn prepare(
        &self,
        source: Source,
        entries: &[Entry],
        progress: Progress<'_>,
    ) -> Result<(Prepared, Indexed)> {
        let files = corpus::files(&self.memory.workspace, source);
        files.finish(self.guard)?;
        let factory = &self.memory.config.index.factory;
        let mut hear = |done, total| progress(source, done, total);
        let (draft, index) = corpus::draft(&files, entries, self.embedder, factory, self.full, &mut hear)?;
        Ok((files.prepare(self.guard, draft)?, index))
    }
}

fn counts<const N: usize>(pairs: [(&'static str, usize); N]) -> BTreeMap<&'static str, usize> {
    pairs.into_iter().filter(|(_, n)| *n > 0).collect()
}

/// Rewrites a record file unless its bytes would stay the same.
fn rewrite_if_changed(
    old: &Snapshot,
    lines: Vec<Out<'_>>,
    guard: &impl crate::store::lock::Writing,
) -> Result<()> {
    let same = old.torn().is_none()
        && old.len() == lines.len()
        && old.lines().zip(&lines).all(|(a, b)| matches!(b, Out::Kept(bytes) if *bytes == a.bytes));
    if same && old.path().exists() { Ok(()) } else { jsonl::rewrite(old.path(), lines, guard) }
}
