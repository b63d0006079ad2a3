//! Notes found → `veille.jsonl`. A record that does not change keeps its bytes.

use std::collections::HashMap;

use super::scan::{Note, Scan, Settings, scan};
use crate::base::id::{Slug, ascii_slug};
use crate::base::{Error, Result};
use crate::memory::Memory;
use crate::memory::corpus::Entry;
use crate::memory::veille::mapping::Mapping;
use crate::store::inside;
use crate::store::jsonl::{Out, Snapshot};
use crate::store::schema::{self, Impact, Record, Stance, Veille};

/// The scan settings of a workspace.
///
/// # Errors
/// Usage when the mapping of the configuration is malformed.
pub fn settings(memory: &Memory<'_>) -> Result<Settings> {
    let veille = &memory.config.veille;
    Ok(Settings {
        roots: veille.roots.clone(),
        workspace: memory.workspace.root().to_path_buf(),
        glob: veille.glob.clone(),
        by_title: veille.key == crate::base::config::NoteKey::Title,
        mapping: Mapping::new(&veille.fields, &veille.verdicts, veille.default_impact.as_deref())?,
    })
}

/// The records of what a scan of the workspace finds, and the scan.
///
/// # Errors
/// As [`settings`] and [`scan`].
pub fn collect(memory: &Memory<'_>) -> Result<(Vec<Veille>, Scan)> {
    let scan = scan(&settings(memory)?)?;
    let records = scan.notes.iter().map(record).collect::<Result<_>>()?;
    Ok((records, scan))
}

fn record(note: &Note) -> Result<Veille> {
    let bug = |what: &str| Error::new(crate::base::Kind::Bug, format!("{}: {what}", note.path));
    let fields = note.fields.clone();
    if !inside::is_plain(&note.path) {
        return Err(bug("path"));
    }
    Ok(Veille {
        id: note.id.clone(),
        title: fields.title,
        date: fields.date,
        path: note.path.clone(),
        url: fields.url,
        domain: fields.domain.and_then(|d| Slug::parse(&ascii_slug(&d))),
        tags: fields.tags,
        impact_pv: Impact::parse(&fields.impact).ok_or_else(|| bug("impact"))?,
        verdict: Stance::parse(&fields.verdict).ok_or_else(|| bug("verdict"))?,
        summary: fields.summary,
        content_hash: note.content_hash.clone(),
        source: Default::default(),
    })
}

/// The lines of `veille.jsonl` for `records`: those that say the same keep their bytes, unknown
/// fields of a changed one stay.
pub fn lines<'s>(old: &'s Snapshot, records: &[Veille]) -> Vec<Out<'s>> {
    let loaded = schema::load::<Veille>(old);
    let by_id: HashMap<&str, &(usize, Veille)> =
        loaded.records.iter().map(|found| (found.1.id.as_str(), found)).collect();
    records
        .iter()
        .map(|record| match by_id.get(record.id.as_str()) {
            Some((line, before)) => {
                let merged = Veille { source: before.source.clone(), ..record.clone() };
                match old.line(*line) {
                    Some(line) if merged == *before => Out::Kept(line.bytes),
                    _ => Out::New(merged.to_line()),
                }
            }
            None => Out::New(record.to_line()),
        })
        .collect()
}

/// The text that stands for a note in the index.
pub fn text(note: &Veille) -> String {
    format!("{}\n{}\n{}", note.title, note.summary, note.tags.join(", "))
}

/// What the index holds.
pub fn entries(records: &[Veille]) -> Vec<Entry> {
    records.iter().map(|n| Entry { id: n.id.clone(), text: text(n) }).collect()
}
