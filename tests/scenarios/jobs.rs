//! The jobs of the memory's life that change files: a world for each to work in, what must hold in that
//! world after the job ended or was stopped at any point, and what a second run answers.

use crate::ringed::{Ringed, ago, shown};
use govmem::store::Source;
use serde_json::json;

/// A job under test.
pub struct Job {
    /// Arguments of `govmem`.
    pub arguments: fn() -> Vec<String>,
    /// A fresh world.
    pub make: fn() -> Ringed,
    /// What must hold; the flag tells whether the job ended by itself with success.
    pub check: fn(&Ringed, bool),
    /// The exit code that a run after a stopped one gives.
    pub again: fn(&Ringed) -> i32,
    /// Files that the job replaces whole and nothing else changes: a failed job leaves them as they were.
    pub guarded: &'static [&'static str],
}

/// All of them, by name.
pub const ALL: [(&str, Job); 7] = [
    ("promote", PROMOTE),
    ("score", SCORE),
    ("purge", PURGE),
    ("redact", REDACT),
    ("restore", RESTORE),
    ("rotate", ROTATE),
    ("freeze", FREEZE),
];

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn lessons(world: &Ringed) -> (String, Vec<String>) {
    let mut ids = Vec::new();
    for i in 0..5 {
        ids.push(world.lesson("PD-9", &format!("recent{i}"), 1, json!({"scope": "story"})));
    }
    ids.push(world.lesson("PD-1", "stale", 90, json!({"scope": "story"})));
    (ids[5].clone(), ids)
}

fn statuses(world: &Ringed) -> Vec<serde_json::Value> {
    world.records("learnings.jsonl").iter().map(|l| l["status"].clone()).collect()
}

fn count(world: &Ringed, name: &str) -> usize {
    world.events().iter().filter(|e| e["event"] == name).count()
}

/// One lesson is promoted, one archived.
pub const PROMOTE: Job = Job {
    arguments: || words("promote"),
    make: || {
        let world = Ringed::file();
        let (_, ids) = lessons(&world);
        for story in ["PD-20", "PD-21", "PD-22", "PD-23"] {
            world.gate8(story, 1, "GO");
            world.append(&[shown(3, story, "auth", &[&ids[0]])]);
        }
        world
    },
    check: |world, ended| {
        let records = world.records("learnings.jsonl");
        assert_eq!(records.len(), 6);
        let moved = (records[0]["scope"] == "domain", records[5]["status"] == "archived");
        assert!(moved == (true, true) || (!ended && moved == (false, false)), "{moved:?}");
        // In the file only after it is in the trail.
        let signed = (count(world, "learning_promoted"), count(world, "learning_archived"));
        assert_eq!(signed.0, signed.1);
        assert!(!moved.0 || (1..=2).contains(&signed.0), "{signed:?}");
    },
    again: |_| 0,
    guarded: &["learnings.jsonl", "learnings-scores.jsonl", "metrics.jsonl"],
};

/// One score of six changes.
pub const SCORE: Job = Job {
    arguments: || words("score"),
    make: || {
        let world = Ringed::file();
        let (_, ids) = lessons(&world);
        world.append(&[shown(3, "PD-20", "auth", &[&ids[0]])]);
        world.run("govmem", &["score"]).expect(0);
        world.append(&[shown(2, "PD-21", "auth", &[&ids[1]])]);
        world
    },
    check: |world, ended| {
        let scores = world.records("learnings-scores.jsonl");
        let injections: Vec<u64> = scores.iter().filter_map(|s| s["nb_injections"].as_u64()).collect();
        assert!(
            injections == [1, 1, 0, 0, 0, 0] || (!ended && injections == [1, 0, 0, 0, 0, 0]),
            "{injections:?}"
        );
    },
    again: |_| 0,
    guarded: &["learnings.jsonl", "learnings-scores.jsonl", "metrics.jsonl", "learnings-injections.jsonl"],
};

/// One clarification of two has expired.
pub const PURGE: Job = Job {
    arguments: || words("purge clarifications"),
    make: || {
        let world = Ringed::file();
        let old = world.clarification("PD-5", 700, "the old answer");
        let new = world.clarification("PD-6", 30, "the new answer");
        world.index(Source::Clarification, &[&old, &new]);
        let name = "data/clarifications.jsonl.torn-20260101T000000Z";
        std::fs::write(world.path(name), "the old answer").expect("torn");
        world
    },
    check: |world, ended| {
        let stories: Vec<String> =
            world.records("clarifications.jsonl").iter().map(|r| r["story"].to_string()).collect();
        let indexed = world.indexed(Source::Clarification).len();
        assert!((1..=2).contains(&indexed) && stories.last().is_some_and(|s| s == "\"PD-6\""));
        // The record goes last, and nothing goes before the purge is signed.
        assert!(stories.len() == 2 || indexed == 1);
        assert!(indexed == 2 || count(world, "clarification_purged") >= 1);
        if ended {
            assert_eq!((stories.len(), indexed), (1, 1));
            let holding = world.holding(b"the old answer");
            assert_eq!(holding, [world.path("docs/epics/auth/PD-5-x/PD-5-clarifications.md")]);
        }
    },
    again: |_| 0,
    guarded: &["clarifications.jsonl"],
};

/// A lesson that stands in the file, the index, a replayable block and a torn tail.
pub const REDACT: Job = Job {
    arguments: || {
        let (id, _) = lessons(&Ringed::file());
        [words("redact --reason leaked --id"), vec![id]].concat()
    },
    make: || {
        let world = Ringed::file();
        let (_, ids) = lessons(&world);
        world.index(Source::Learning, &ids.iter().map(String::as_str).collect::<Vec<_>>());
        let state = json!({"entries": [{
            "key": {"story_id": "PD-7", "step": 0, "operation": "step0_injection", "timestamp_bucket": ago(0).bucket()},
            "done": {"query": "q", "block": "Lesson on stale", "outcome": "complete", "at": ago(0), "document": {}},
        }]});
        std::fs::write(world.path("data/.state/idempotency.json"), state.to_string()).expect("state");
        std::fs::write(world.path("data/learnings.jsonl.torn-1"), "{\"lesson\":\"Lesson on stale\"")
            .expect("torn");
        std::fs::write(world.path("data/learnings.jsonl.torn-2"), "{\"lesson\":\"Another").expect("torn");
        world
    },
    check: |world, ended| {
        let lesson = world.records("learnings.jsonl").remove(5);
        let redacted = lesson["lesson"] == "[redacted]";
        assert!(redacted || (!ended && lesson["lesson"] == "Lesson on stale"), "{lesson}");
        assert!(!redacted || count(world, "learning_redacted") >= 1);
        assert_eq!((&lesson["tags"], statuses(world).len()), (&json!(["stale"]), 6));
        if ended {
            let (id, _) = lessons(&Ringed::file());
            assert!(world.holding(b"Lesson on stale").is_empty());
            assert!(!world.indexed(Source::Learning).contains(&id));
            assert_eq!(world.indexed(Source::Learning).len(), 5);
            // A cut text is not told from another: nothing that no append acknowledged is kept.
            assert!(!world.path("data/learnings.jsonl.torn-2").exists());
        }
    },
    again: |_| 0,
    guarded: &["learnings.jsonl"],
};

/// An archived lesson comes back. To restore an active one is refused.
pub const RESTORE: Job = Job {
    arguments: || {
        let id = Ringed::file().lesson("PD-1", "stale", 400, json!({}));
        [words("restore --id"), vec![id]].concat()
    },
    make: || {
        let world = Ringed::file();
        world.lesson("PD-1", "stale", 400, json!({"scope": "domain", "status": "archived"}));
        world
    },
    check: |world, ended| {
        let active = restored(world);
        assert!(active || !ended);
        assert!(!active || count(world, "learning_restored") >= 1);
    },
    again: |world| if restored(world) { 2 } else { 0 },
    guarded: &["learnings.jsonl"],
};

fn restored(world: &Ringed) -> bool {
    let lesson = world.records("learnings.jsonl").remove(0);
    let active = lesson["status"] == "active";
    assert_eq!(lesson["scope"], if active { "story" } else { "domain" });
    active
}

/// The key in the file keyring changes; a run after a stopped one completes it, or makes another.
pub const ROTATE: Job = Job {
    arguments: || words("audit rotate"),
    make: || {
        let world = Ringed::file();
        world.append(&[shown(3, "PD-20", "auth", &["PD-1-8-000000000000"])]);
        world
    },
    check: |world, ended| {
        let text = std::fs::read_to_string(world.path("keyring.json")).expect("keyring");
        let ring: serde_json::Value = serde_json::from_str(&text).expect("a whole keyring");
        let current = usize::try_from(ring["current"].as_u64().expect("version")).expect("small");
        let keys = ring["keys"].as_object().expect("keys");
        assert_eq!(keys.len(), current);
        assert_eq!(keys["1"]["key"], hex::encode(crate::ringed::FIRST_KEY));
        let signed = count(world, "audit_key_rotated");
        // A key in force whose change is not signed yet is that of an interrupted rotation.
        assert!(if ended {
            current >= 2 && signed == current - 1
        } else {
            signed + 1 == current || signed + 2 == current
        });
        assert!(!ended || !world.path("data/.state/rotation.json").exists());
    },
    again: |_| 0,
    guarded: &["learnings.jsonl"],
};

/// The baseline of CS-1 is frozen; a second time is refused.
pub const FREEZE: Job = Job {
    arguments: || words("kpi cs1 --freeze"),
    make: || {
        let world = Ringed::file();
        let config = std::fs::read_to_string(world.path("govmem.toml")).expect("configuration");
        let merge = ago(0).date();
        std::fs::write(world.path("govmem.toml"), format!("{config}[kpi]\nb5_merge = \"{merge}\"\n"))
            .expect("configuration");
        world.append(&[shown(3, "PD-20", "auth", &["PD-1-8-000000000000"])]);
        for n in 0..10 {
            world.gate8(&format!("PD-{}", n + 1), 1, if n < 4 { "GO" } else { "RESERVE" });
        }
        world
    },
    check: |world, ended| {
        assert!(frozen(world) || !ended);
    },
    again: |world| if frozen(world) { 2 } else { 0 },
    guarded: &["metrics.jsonl"],
};

fn frozen(world: &Ringed) -> bool {
    let text = world.data("cs1-baseline.json");
    if text.is_empty() {
        return false;
    }
    let baseline: serde_json::Value = serde_json::from_str(&text).expect("a whole baseline");
    assert!(baseline.to_string().contains("PD-10"), "{baseline}");
    true
}
