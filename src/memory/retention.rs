//! The end of a retention: clarifications past their 18 months leave every store.
//!
//! The purge is signed first; then replayable blocks, torn tails, sources when asked for, vectors and
//! index rows go, and the records last: they are the list of what is left to do, so that a purge that
//! was killed is simply run again. Three triggers at once do it once. The Markdown stays unless it is
//! asked for; collecting skips it. A later purge that is asked for finds it by the date it bears.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use crate::audit::{Event, Keyring, Trail, TrailPaths};
use crate::base::{Clock, Date, Result};
use crate::memory::clarifications::collect::{OWN_ROOT, is_own, rough_retention};
use crate::memory::excluded::Excluded;
use crate::memory::{document, forget, ids, tree_walk};
use crate::store::jsonl::{self, Line, Out, Snapshot};
use crate::store::lock::{self, Clarifications, Locks, Reindex, State};
use crate::store::schema::{Clarification, read_line};
use crate::store::{Source, Workspace, inside};
use crate::tr;
use crate::vector::SetFiles;

/// What a purge did.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Purge {
    /// The purged records.
    pub purged: Vec<String>,
    /// Index rows dropped, those of earlier unfinished purges included.
    pub rows: usize,
    /// Torn tails removed.
    pub torn: usize,
    /// Replayable blocks were dropped.
    pub blocks: bool,
    /// Markdown files removed, relative to the workspace.
    pub sources_removed: Vec<String>,
    /// Markdown files that stay, relative to the workspace.
    pub sources_kept: Vec<String>,
    /// Lines that are no record and name no retention: kept, for a person to look at.
    pub excluded: Vec<Excluded>,
}

/// One line of `clarifications.jsonl`.
struct Judged<'s> {
    line: Line<'s>,
    path: Option<String>,
    expired: bool,
}

/// Purges what has expired today.
///
/// # Errors
/// ERR-295-09; ERR-295-16, ERR-295-12 and ERR-295-14 when the purge cannot be signed, and then nothing
/// is purged; I/O.
pub fn purge(
    workspace: &Workspace,
    locks: &mut Locks,
    keyring: &dyn Keyring,
    clock: &dyn Clock,
    include_source: bool,
) -> Result<Purge> {
    let (_reindex, order) = locks.begin().exclusive::<Reindex>()?;
    let (records, gate) = order.gate()?.exclusive::<Clarifications>()?;
    let (state, order) = gate.leave().exclusive::<State>()?;
    let now = clock.now();
    let path = workspace.clarifications();
    let snapshot = Snapshot::read(&path)?;
    let mut done = Purge::default();
    let judged = judge(&snapshot, now.date(), &mut done.excluded);
    let identified = identify(&judged);
    let expired: Vec<&(String, &Judged<'_>)> = identified.iter().filter(|(_, j)| j.expired).collect();
    let some = judged.iter().any(|j| j.expired);
    done.purged = expired.iter().map(|(id, _)| id.clone()).collect();

    if some {
        let (guard, _) = order.exclusive::<lock::Trail>()?;
        let event = Event::clarification_purged(now, done.purged.clone());
        Trail::open(&TrailPaths::of(workspace), keyring, now, &guard)?.append(&[event])?;
    }
    let kept: HashSet<&str> =
        identified.iter().filter(|(_, j)| !j.expired).map(|(id, _)| id.as_str()).collect();
    let keep = |id: &str| kept.contains(id);
    // Collecting may have dropped an expired record before: its blocks go all the same.
    done.blocks = match some {
        true => forget::blocks(workspace, &state)?,
        false => forget::outdated_blocks(workspace, now, keep, &state)?,
    };
    done.torn = forget::remove_beside(&path, ".torn-", |_| true)?.len();
    forget::remove_beside(&path, ".tmp-", |_| true)?;
    for source in sources(workspace.root(), &judged, now.date()) {
        if include_source && is_ours(&source) {
            if remove_source(workspace.root(), &source)? {
                done.sources_removed.push(source);
            }
        } else if workspace.root().join(&source).exists() {
            done.sources_kept.push(source);
        }
    }
    done.rows = forget::rows(&SetFiles::of(workspace, Source::Clarification), keep, some, &records)?;
    if some {
        let lines = judged.iter().filter(|j| !j.expired).map(|j| Out::Kept(j.line.bytes));
        jsonl::rewrite(&path, lines, &records)?;
    }
    Ok(done)
}

/// Reads every line; a line that is no record but names a retention is held to it all the same.
fn judge<'s>(snapshot: &'s Snapshot, today: Date, excluded: &mut Vec<Excluded>) -> Vec<Judged<'s>> {
    snapshot
        .lines()
        .map(|line| {
            if line.is_blank() {
                return Judged { line, path: None, expired: false };
            }
            match read_line::<Clarification>(&line) {
                Ok(record) => {
                    let expired = record.is_expired(today);
                    Judged { line, path: Some(record.path), expired }
                }
                Err(exclusion) => {
                    let until = rough_retention(line.bytes);
                    if until.is_none() {
                        excluded.push(Excluded {
                            origin: "data/clarifications.jsonl".into(),
                            line: Some(line.number as u64),
                            reason: exclusion.to_string(),
                        });
                    }
                    Judged { line, path: None, expired: until.is_some_and(|until| today > until) }
                }
            }
        })
        .collect()
}

/// The records with their ids: slugs of the paths, numbered in path order where they collide.
fn identify<'j, 's>(judged: &'j [Judged<'s>]) -> Vec<(String, &'j Judged<'s>)> {
    let mut records: Vec<(&str, &Judged<'_>)> =
        judged.iter().filter_map(|j| Some((j.path.as_deref()?, j))).collect();
    records.sort_by_key(|(path, _)| *path);
    let slugs = ids::unique_slugs(records.iter().map(|(path, _)| *path));
    slugs.into_iter().zip(records).map(|(id, (_, judged))| (id, judged)).collect()
}

/// The files whose answers have expired: those of expired records, and our own files by the date they
/// bear, whose record an earlier purge took. Never one that holds newer answers.
fn sources(root: &Path, judged: &[Judged<'_>], today: Date) -> BTreeSet<String> {
    let mut ours = BTreeMap::new();
    tree_walk::collect(&root.join(OWN_ROOT), root, is_own, &mut ours, &mut Vec::new());
    let over = |path: &Path| retention_of_file(path).map(|until| today > until);
    let mut sources: BTreeSet<String> =
        ours.into_iter().filter(|(_, path)| over(path) == Some(true)).map(|(shown, _)| shown).collect();
    for judged in judged {
        let Some(path) = judged.path.as_deref() else { continue };
        if judged.expired && over(&root.join(path)) != Some(false) {
            sources.insert(path.to_owned());
        }
    }
    sources
}

/// Until when the answers of a Markdown file are kept; `None` when it does not say.
fn retention_of_file(path: &Path) -> Option<Date> {
    let text = document::read_text(path).ok()?;
    let (front, _) = document::markdown(&text).ok()??;
    front.get("date")?.as_str().and_then(Date::parse).map(Clarification::retention_of)
}

/// Whether a source is a file of our own; other people's `spec.md` hold more than clarifications.
fn is_ours(path: &str) -> bool {
    path.starts_with("docs/epics/") && path.ends_with("-clarifications.md")
}

/// Removes a Markdown file inside the workspace, and the copies that `--replace` kept of it.
fn remove_source(root: &Path, path: &str) -> Result<bool> {
    let mut removed = false;
    let copies = (1..10_000).map(|n| format!("{path}.{n}"));
    for (n, name) in std::iter::once(path.to_owned()).chain(copies).enumerate() {
        let full = inside::join(root, &name)?;
        if full.symlink_metadata().is_err() {
            // Copies are numbered without gaps.
            if n > 0 {
                break;
            }
            continue;
        }
        // Opening proves that no link leads outside; the name is then removed where it stands.
        inside::open(root, &name)?;
        forget::remove(&full)?;
        crate::store::atomic::sync_parent(&full)?;
        removed = true;
    }
    Ok(removed)
}

/// The Markdown files of `purge` that stay, as a phrase for people; `None` when there are none.
pub fn kept_sources(purge: &Purge) -> Option<String> {
    let count = purge.sources_kept.len();
    (count > 0).then(|| {
        tr!(
            "{count} fichier(s) Markdown restent ; --include-source retire ceux de docs/epics",
            "{count} Markdown file(s) stay; --include-source removes those of docs/epics"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_record_is_held_to_its_retention() {
        let day = |text: &str| Date::parse(text);
        for (line, until) in [
            (r#"{"retention_until":"2026-01-31","answer":7}"#, day("2026-01-31")),
            (r#"{"date":"2026-08-31"}"#, day("2028-02-29")),
            (r#"{"retention_until":"soon"}"#, None),
            ("{", None),
            ("7", None),
        ] {
            assert_eq!(rough_retention(line.as_bytes()), until, "{line}");
        }
    }

    #[test]
    fn only_our_own_files_are_sources_to_remove() {
        assert!(is_ours("docs/epics/auth/PD-42-mfa/PD-42-clarifications.md"));
        assert!(!is_ours("specs/001-x/spec.md"));
        assert!(!is_ours("elsewhere/PD-42-clarifications.md"));
    }
}
