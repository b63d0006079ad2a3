//! Which lines of `learnings.jsonl` count, and the little that scoring and promotion need of each.
//!
//! Lines that are no lesson, whose stored identity no longer follows from their tags, or that repeat
//! an identity are left out and named; they are never changed. Drift is judged first, so that a
//! drifted line does not stand in for a sound one.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::base::Instant;
use crate::base::id::{Slug, StoryId, learning_id};
use crate::store::jsonl::{Line, Snapshot};
use crate::store::schema::{Exclusion, Learning, Scope, read_line};
use crate::tr;

/// What counts of one lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// Index of its line in the snapshot, from 0.
    pub line: usize,
    /// `{story}-{gate}-{tag_hash[0..12]}`.
    pub id: String,
    /// The story that left it.
    pub story: StoryId,
    /// The gate where it was left.
    pub gate: i64,
    /// SHA-256 of its tags.
    pub tag_hash: [u8; 32],
    /// Its domain.
    pub domain: Slug,
    /// Its project.
    pub project: Slug,
    /// How far it reaches; absent before the migration.
    pub scope: Option<Scope>,
    /// Whether it may be injected.
    pub active: bool,
    /// The latest of created, imported and restored.
    pub age_from: Instant,
}

/// The lessons of a file that count, in its order.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    /// Those that count; ids are unique.
    pub kept: Vec<Lesson>,
    /// The others, with their reasons.
    pub excluded: Vec<Exclusion>,
    /// How many lines were looked at, blank ones not counted.
    pub read: usize,
}

impl Lessons {
    /// Reads the lessons of a snapshot.
    pub fn read(snapshot: &Snapshot) -> Self {
        let lines: Vec<Line<'_>> = snapshot.lines().filter(|l| !l.is_blank()).collect();
        let judged: Vec<Result<Lesson, Exclusion>> = lines.par_iter().with_min_len(256).map(judge).collect();
        let mut lessons = Lessons { read: lines.len(), ..Lessons::default() };
        let ids = judged.iter().map(|judged| judged.as_ref().map_or("", |lesson| lesson.id.as_str()));
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let first: Vec<bool> = ids.map(|id| seen.insert(id)).collect();
        drop(seen);
        for ((line, judged), first) in lines.iter().zip(judged).zip(first) {
            match judged {
                Ok(lesson) if first => lessons.kept.push(lesson),
                Ok(lesson) => lessons.excluded.push(exclusion(line, "duplicate_id", lesson.id)),
                Err(exclusion) => lessons.excluded.push(exclusion),
            }
        }
        lessons
    }
}

fn judge(line: &Line<'_>) -> Result<Lesson, Exclusion> {
    let learning: Learning = read_line(line)?;
    let tag_hash = learning.recomputed_tag_hash();
    let id = learning_id(&learning.story, learning.gate, &tag_hash);
    for (stored, computed) in [(&learning.learning_id, &id), (&learning.tag_hash, &tag_hash)] {
        if let Some(stored) = stored.as_ref().filter(|stored| *stored != computed) {
            let detail =
                tr!("écrit {stored:.80}, recalculé {computed}", "stored {stored:.80}, recomputed {computed}");
            return Err(exclusion(line, "learning_id_drift", detail));
        }
    }
    let mut digest = [0; 32];
    // The hash was just computed: 64 hex digits.
    let _ = hex::decode_to_slice(&tag_hash, &mut digest);
    Ok(Lesson {
        line: line.number - 1,
        id,
        gate: learning.gate,
        tag_hash: digest,
        scope: learning.scope,
        active: learning.is_active(),
        age_from: learning.age_from(),
        story: learning.story,
        domain: learning.domain,
        project: learning.project,
    })
}

fn exclusion(line: &Line<'_>, reason: &'static str, detail: String) -> Exclusion {
    let code = crate::base::Code::SchemaInvalid;
    Exclusion { code, reason, field: None, line: line.number, offset: line.offset, detail }
}

#[cfg(test)]
impl Lesson {
    /// A lesson of `story` for tests.
    pub fn sample(id: &str, story: &str) -> Lesson {
        Lesson {
            line: 0,
            id: id.into(),
            story: story.parse().unwrap(),
            gate: 3,
            tag_hash: [0xaa; 32],
            domain: "auth".parse().unwrap(),
            project: "api".parse().unwrap(),
            scope: Some(Scope::Story),
            active: true,
            age_from: Instant::from_unix(1_775_900_537),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const LINE: &str = r#"{"story":"PD-19","gate":3,"tags":["MFA","timing"],"lesson":"t","domain":"auth","project":"api","created_at":"2026-03-12T17:14:00Z"}"#;

    #[test]
    fn drift_duplicates_and_rubbish_are_named() {
        let with = |field: &str| LINE.replace("}", &format!(",{field}}}"));
        let text = [
            &with("\"learning_id\":\"PD-19-3-000000000000\""),
            &with("\"tag_hash\":\"00\""),
            LINE,
            "",
            LINE,
            "{",
            &with("\"status\":\"archived\",\"imported_at\":\"2026-04-01T00:00:00Z\"").replace("MFA", "b"),
        ]
        .join("\n")
            + "\n";
        let snapshot = Snapshot::from_bytes(Path::new("f"), text.into_bytes()).unwrap();
        let lessons = Lessons::read(&snapshot);
        let named: Vec<_> = lessons.excluded.iter().map(|e| (e.line, e.reason)).collect();
        let drift = "learning_id_drift";
        assert_eq!(named, [(1, drift), (2, drift), (5, "duplicate_id"), (6, "not_json")]);
        assert_eq!(lessons.read, 6);
        let kept: Vec<_> = lessons.kept.iter().map(|l| (l.line, l.active)).collect();
        assert_eq!(kept, [(2, true), (6, false)]);
        assert_eq!(lessons.kept[0].id, "PD-19-3-5fb17410e191");
        assert_eq!(lessons.kept[1].age_from.to_string(), "2026-04-01T00:00:00Z");
    }
}
