//! What is there, and what to do next.

use serde::Serialize;

use crate::base::Result;
use crate::memory::clarifications::collect::{entries as clarification_entries, identified};
use crate::memory::learnings::library::{self, Library};
use crate::memory::{Memory, corpus, veille};
use crate::store::Source;
use crate::store::jsonl::Snapshot;
use crate::store::schema::{self, Clarification, Metric, Veille};
use crate::tr;

/// One source.
#[derive(Clone, Debug, Serialize)]
pub struct SourceStatus {
    /// Which.
    pub source: Source,
    /// Records that count.
    pub records: usize,
    /// Lines left out.
    pub excluded: usize,
    /// Archived learnings, expired clarifications.
    pub retired: usize,
    /// Records whose present text is not in the index yet.
    pub pending: usize,
    /// The model that filled the index, `None` when the index cannot be read.
    pub model: Option<String>,
    /// Why the index cannot be read.
    pub fault: Option<String>,
}

/// The whole workspace.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// Its root.
    pub workspace: std::path::PathBuf,
    /// The three sources.
    pub sources: Vec<SourceStatus>,
    /// Gate records.
    pub gates: usize,
    /// Bytes of the signed trail.
    pub trail_bytes: u64,
    /// The keyring as configured, and why it cannot be used.
    pub keyring: (String, Option<String>),
    /// Commands to run, in order.
    pub next: Vec<String>,
}

/// Looks at everything; changes nothing and embeds nothing.
///
/// # Errors
/// I/O; ERR-295-15 for a file that is no record file.
pub fn run(memory: &Memory<'_>) -> Result<Status> {
    let workspace = &memory.workspace;
    let today = memory.clock.now().date();
    let loaded = Library::read(workspace)?.load();
    let active = library::entries(&loaded);
    let learnings = measure(
        memory,
        Source::Learning,
        &active,
        loaded.excluded.len(),
        loaded.records.len() - active.len(),
    );
    let notes = schema::load::<Veille>(&Snapshot::read(&workspace.veille())?);
    let records: Vec<Veille> = notes.values().cloned().collect();
    let veille =
        measure(memory, Source::Veille, &veille::collect::entries(&records), notes.excluded.len(), 0);
    let found = schema::load::<Clarification>(&Snapshot::read(&workspace.clarifications())?);
    let expired = found.values().filter(|c| c.is_expired(today)).count();
    let excluded = found.excluded.len();
    let kept = clarification_entries(&identified(found.records.into_iter().map(|(_, r)| r).collect()), today);
    let clarifications = measure(memory, Source::Clarification, &kept, excluded, expired);
    let gates = schema::load::<Metric>(&Snapshot::read(&workspace.metrics())?).records.len();
    let (keyring, key_step) = match memory.keyring() {
        Ok(ring) => match ring.read_current() {
            Ok(Some(_)) => ((ring.describe(), None), None),
            Ok(None) => {
                let absent = ring.current().err().map(|e| e.to_string());
                ((ring.describe(), absent), Some("govmem audit bootstrap"))
            }
            Err(e) => ((ring.describe(), Some(e.to_string())), Some("govmem doctor")),
        },
        Err(e) => ((String::new(), Some(e.to_string())), Some("govmem doctor")),
    };
    let sources = vec![learnings, veille, clarifications];
    Ok(Status {
        workspace: workspace.root().to_path_buf(),
        gates,
        trail_bytes: std::fs::metadata(workspace.trail()).map_or(0, |m| m.len()),
        next: next_steps(&sources, key_step),
        sources,
        keyring,
    })
}

fn measure(
    memory: &Memory<'_>,
    source: Source,
    entries: &[corpus::Entry],
    excluded: usize,
    retired: usize,
) -> SourceStatus {
    let files = corpus::files(&memory.workspace, source);
    let (model, pending, fault) = match files.read_manifest() {
        Ok(manifest) => {
            let pending = corpus::pending(&manifest, entries);
            (Some(manifest.model.name), pending, None)
        }
        Err(e) => (None, entries.len(), Some(e.to_string())),
    };
    SourceStatus { source, records: entries.len(), excluded, retired, pending, model, fault }
}

fn next_steps(sources: &[SourceStatus], key_step: Option<&str>) -> Vec<String> {
    let mut next: Vec<String> = key_step.map(str::to_owned).into_iter().collect();
    if sources.iter().any(|s| s.pending > 0 || s.fault.is_some()) {
        next.push("govmem reindex".to_owned());
    }
    if sources.iter().any(|s| s.source == Source::Clarification && s.retired > 0) {
        next.push("govmem purge clarifications".to_owned());
    }
    if sources.iter().any(|s| s.excluded > 0) {
        next.push("govmem doctor".to_owned());
    }
    if next.is_empty() && sources.iter().all(|s| s.records == 0) {
        next.push(tr!(
            "govmem learn …, ou govmem import learnings …",
            "govmem learn …, or govmem import learnings …"
        ));
    }
    next
}
