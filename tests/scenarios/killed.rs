//! Jobs killed before every system call that writes: the old state or the new one, never a mix, and
//! the next run completes what was begun.

use std::path::Path;
use std::process::Stdio;

use crate::ringed::{Ringed, ago, shown};
use govmem::store::Source;
use serde_json::json;

/// The calls before which a job is killed.
const CALLS: [&str; 12] = [
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "ftruncate",
    "fchmod",
    "mkdir",
];

/// Runs `arguments` in a fresh world again and again, killed before its first, second, third … call of
/// each kind, until it ends by itself. `check` sees each world and whether the job ended; after a kill
/// the command is run again, with the exit code that `again` expects, and the world is checked anew.
fn killed_everywhere(
    make: impl Fn() -> Ringed,
    arguments: &[&str],
    check: impl Fn(&Ringed, bool),
    again: impl Fn(&Ringed) -> i32,
) {
    assert!(Path::new("/usr/bin/strace").exists(), "no strace: run scripts/test.sh");
    let mut kills = 0;
    for call in CALLS {
        for nth in 1.. {
            let world = make();
            let mut strace = world.command("/usr/bin/strace");
            strace.args(["-o", "/dev/null", "-e", &format!("trace={call}")]);
            strace.args(["-e", &format!("inject={call}:signal=KILL:when={nth}")]);
            strace.arg(assert_cmd::cargo::cargo_bin("govmem")).args(arguments);
            let status = strace.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("strace");
            check(&world, status.success());
            if status.success() {
                break;
            }
            kills += 1;
            let code = again(&world);
            world.run("govmem", arguments).expect(code);
            check(&world, true);
            world.run("govmem", &["audit", "verify"]).expect(0);
            // The temporary files of the dead go with the next writer of their file.
            let mut files = world.files().into_iter();
            assert!(files.all(|path| !path.to_string_lossy().contains(".tmp-")), "{call} {nth}: litter");
        }
    }
    assert!(kills > 11, "only {kills} kills: was anything written?");
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

#[test]
fn a_promotion_killed_anywhere_is_repeated() {
    let make = || {
        let world = Ringed::file();
        let (_, ids) = lessons(&world);
        for story in ["PD-20", "PD-21", "PD-22", "PD-23"] {
            world.gate8(story, 1, "GO");
            world.append(&[shown(3, story, "auth", &[&ids[0]])]);
        }
        world
    };
    killed_everywhere(
        make,
        &["promote"],
        |world, ended| {
            let records = world.records("learnings.jsonl");
            assert_eq!(records.len(), 6);
            let moved = (records[0]["scope"] == "domain", records[5]["status"] == "archived");
            assert!(moved == (true, true) || (!ended && moved == (false, false)), "{moved:?}");
            // In the file only after it is in the trail.
            let signed = (count(world, "learning_promoted"), count(world, "learning_archived"));
            assert_eq!(signed.0, signed.1);
            assert!(!moved.0 || (1..=2).contains(&signed.0), "{signed:?}");
        },
        |_| 0,
    );
}

#[test]
fn scores_killed_anywhere_are_old_or_new() {
    let make = || {
        let world = Ringed::file();
        let (_, ids) = lessons(&world);
        world.append(&[shown(3, "PD-20", "auth", &[&ids[0]])]);
        world.run("govmem", &["score"]).expect(0);
        world.append(&[shown(2, "PD-21", "auth", &[&ids[1]])]);
        world
    };
    killed_everywhere(
        make,
        &["score"],
        |world, ended| {
            let scores = world.records("learnings-scores.jsonl");
            let injections: Vec<u64> = scores.iter().filter_map(|s| s["nb_injections"].as_u64()).collect();
            assert!(
                injections == [1, 1, 0, 0, 0, 0] || (!ended && injections == [1, 0, 0, 0, 0, 0]),
                "{injections:?}"
            );
        },
        |_| 0,
    );
}

#[test]
fn a_purge_killed_anywhere_is_completed() {
    let make = || {
        let world = Ringed::file();
        let old = world.clarification("PD-5", 700, "the old answer");
        let new = world.clarification("PD-6", 30, "the new answer");
        world.index(Source::Clarification, &[&old, &new]);
        let name = "data/clarifications.jsonl.torn-20260101T000000Z";
        std::fs::write(world.path(name), "the old answer").expect("torn");
        world
    };
    killed_everywhere(
        make,
        &["purge", "clarifications"],
        |world, ended| {
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
        |_| 0,
    );
}

#[test]
fn a_redaction_killed_anywhere_is_completed() {
    let make = || {
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
    };
    let (id, _) = lessons(&Ringed::file());
    killed_everywhere(
        make,
        &["redact", "--id", &id, "--reason", "a name"],
        |world, ended| {
            let lesson = world.records("learnings.jsonl").remove(5);
            let redacted = lesson["lesson"] == "[redacted]";
            assert!(redacted || (!ended && lesson["lesson"] == "Lesson on stale"), "{lesson}");
            assert!(!redacted || count(world, "learning_redacted") >= 1);
            assert_eq!((&lesson["tags"], statuses(world).len()), (&json!(["stale"]), 6));
            if ended {
                assert!(world.holding(b"Lesson on stale").is_empty());
                assert!(!world.indexed(Source::Learning).contains(&id));
                assert_eq!(world.indexed(Source::Learning).len(), 5);
                assert!(world.path("data/learnings.jsonl.torn-2").exists());
            }
        },
        |_| 0,
    );
}

#[test]
fn a_restoration_killed_anywhere_is_repeated_or_done() {
    let make = || {
        let world = Ringed::file();
        world.lesson("PD-1", "stale", 400, json!({"scope": "domain", "status": "archived"}));
        world
    };
    let id = Ringed::file().lesson("PD-1", "stale", 400, json!({}));
    let active = |world: &Ringed| {
        let lesson = world.records("learnings.jsonl").remove(0);
        let active = lesson["status"] == "active";
        assert_eq!(lesson["scope"], if active { "story" } else { "domain" });
        active
    };
    let check = |world: &Ringed, ended: bool| {
        assert!(active(world) || !ended);
        assert!(!active(world) || count(world, "learning_restored") >= 1);
    };
    // To restore an active lesson is refused.
    let again = |world: &Ringed| if active(world) { 2 } else { 0 };
    killed_everywhere(make, &["restore", "--id", &id], check, again);
}
