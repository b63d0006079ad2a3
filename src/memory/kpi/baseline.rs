//! The frozen baseline of CS-1, `data/cs1-baseline.json`: written once, never again.

use std::collections::HashSet;
use std::path::Path;

use super::cs1::{self, Judged};
use crate::base::error::IoContext;
use crate::base::{Code, Error, Instant, Result};
use crate::memory::Memory;
use crate::memory::facts::Facts;
use crate::store::atomic;
use crate::store::lock::{Learnings, Scores};
use crate::tr;

/// Stories in the baseline, and after the merge.
pub const WINDOW: usize = 10;

/// The stories before the merge, frozen.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// Version of this document's form.
    pub schema: u32,
    /// Always `cs1`.
    pub kpi: String,
    /// The merge, as configured when the baseline was frozen.
    pub b5_merge: Instant,
    /// When it was frozen.
    pub frozen_at: Instant,
    /// How many of the stories had GO at version 1.
    pub go_v1: usize,
    /// The stories, in the order of their judgement; ten of them.
    pub stories: Vec<Judged>,
}

impl Baseline {
    /// The baseline of `stories`, which must be ten.
    ///
    /// # Errors
    /// Usage (exit 2) when there are fewer.
    pub fn of(stories: Vec<Judged>, b5_merge: Instant, frozen_at: Instant) -> Result<Self> {
        let n = stories.len();
        if n < WINDOW {
            let day = b5_merge.date();
            return Err(Error::usage(tr!(
                "{n} stories jugées à la gate 8 avant le {day}, il en faut {WINDOW}",
                "{n} stories judged at gate 8 before {day}, {WINDOW} are needed"
            ))
            .hint(tr!(
                "reprenez les verdicts passés : govmem import metrics FICHIER",
                "bring in the past verdicts: govmem import metrics FILE"
            )));
        }
        let go_v1 = stories.iter().filter(|s| s.go_v1).count();
        Ok(Baseline { schema: 1, kpi: "cs1".into(), b5_merge, frozen_at, go_v1, stories })
    }

    /// Stories with GO at version 1.
    pub fn go_v1(&self) -> usize {
        self.go_v1
    }

    /// Reads the baseline at `path`; absent is `None`.
    ///
    /// # Errors
    /// ERR-295-15 (exit 65) when it is not what [`freeze`] writes; I/O.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::io(path, &e)),
        };
        let refuse = |why: String| {
            let path = path.display();
            Error::memory(Code::SchemaInvalid, format!("{path}: {why}")).hint(tr!(
                "remettez le fichier gelé, par exemple depuis git ; il ne se recalcule pas",
                "put the frozen file back, from git for instance; it is never computed again"
            ))
        };
        let read: Baseline = serde_json::from_slice(&bytes).map_err(|e| refuse(e.to_string()))?;
        let names: HashSet<_> = read.stories.iter().map(|s| &s.story).collect();
        let go = read.stories.iter().filter(|s| s.go_v1).count();
        let sound = read.schema == 1
            && read.kpi == "cs1"
            && names.len() == WINDOW
            && read.stories.len() == WINDOW
            && read.go_v1 == go
            && read.stories.iter().all(|s| s.judged_at < read.b5_merge);
        if sound { Ok(Some(read)) } else { Err(refuse(tr!("contenu incohérent", "inconsistent content"))) }
    }
}

/// Freezes the baseline from the last ten stories judged before the merge.
///
/// # Errors
/// ERR-295-18 when there is one already; usage when the merge is not configured, lies ahead, or has
/// fewer than ten judged stories before it; ERR-295-09; I/O.
pub fn freeze(memory: &Memory<'_>, facts: &Facts) -> Result<Baseline> {
    let path = memory.workspace.baseline();
    let merge = super::require_merge(facts);
    let mut locks = memory.locks();
    // Gate results are written under the lock of the scores.
    let (_learnings, gate) = locks.begin().gate()?.shared::<Learnings>()?;
    let (scores, _) = gate.exclusive::<Scores>()?;
    if path.symlink_metadata().is_ok() {
        let path = path.display();
        return Err(Error::memory(Code::BaselineFrozen, tr!("{path} existe déjà", "{path} exists already"))
            .hint(tr!(
                "la baseline ne se gèle qu'une fois ; comparez avec `govmem kpi cs1`",
                "the baseline is frozen once; compare with `govmem kpi cs1`"
            )));
    }
    let merge = merge?;
    if facts.now < merge {
        let day = merge.date();
        return Err(Error::usage(tr!(
            "la mise en service ([kpi] b5_merge, {day}) n'a pas eu lieu",
            "the merge ([kpi] b5_merge, {day}) lies ahead"
        ))
        .hint(tr!("gelez la baseline ce jour-là ou après", "freeze the baseline on that day or later")));
    }
    let baseline = Baseline::of(cs1::before(&facts.gates, merge), merge, facts.now)?;
    let mut text = serde_json::to_string_pretty(&baseline)
        .map_err(|e| Error::new(crate::base::Kind::Bug, e.to_string()))?;
    text.push('\n');
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).at(parent)?;
    }
    atomic::replace(&path, text.as_bytes(), &scores)?;
    Ok(baseline)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::facts::samples::at;

    fn stories(n: usize) -> Vec<Judged> {
        (0..n)
            .map(|i| Judged { story: format!("PD-{}", i + 1), judged_at: at("2026-01-01"), go_v1: i < 4 })
            .collect()
    }

    #[test]
    fn nine_are_refused() {
        let error = Baseline::of(stories(9), at("2026-04-01"), at("2026-04-02")).unwrap_err();
        assert_eq!(error.exit(), 2);
        assert!(error.message().starts_with('9'), "{}", error.message());
    }

    #[test]
    fn an_altered_baseline_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("b.json");
        assert_eq!(Baseline::read(&path).unwrap(), None);
        let baseline = Baseline::of(stories(10), at("2026-04-01"), at("2026-04-02")).unwrap();
        let text = serde_json::to_string(&baseline).unwrap();
        std::fs::write(&path, &text).unwrap();
        assert_eq!(Baseline::read(&path).unwrap(), Some(baseline));
        for (from, to) in [
            ("\"go_v1\":4", "\"go_v1\":5"),
            ("PD-10", "PD-1"),
            ("\"judged_at\":\"2026-01", "\"judged_at\":\"2026-05"),
            ("cs1", "cs2"),
            ("\"schema\":1", "\"schema\":1,\"more\":0"),
            ("{\"schema\"", "\"schema\""),
        ] {
            let bad = text.replacen(from, to, 1);
            assert_ne!(bad, text, "{from}");
            std::fs::write(&path, bad).unwrap();
            let error = Baseline::read(&path).unwrap_err();
            assert_eq!((error.code(), error.exit()), (Some(Code::SchemaInvalid), 65), "{from}");
        }
    }
}
