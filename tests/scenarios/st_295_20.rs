//! ST-295-20: an archived lesson comes back by an operator's signed act alone.

use crate::ringed::{FIRST_KEY, Ringed, signature, with_both_keyrings};
use serde_json::json;

/// Given an archived lesson, when it is restored, then it is active in scope story, the act is signed
/// with the current key version, and the next promotion leaves it.
#[test]
fn st_295_20_restore_is_signed_and_holds() {
    with_both_keyrings(|world| {
        let archived =
            json!({"scope": "domain", "status": "archived", "archived_at": "2026-01-01T00:00:00Z", "x": 1e2});
        let id = world.lesson("PD-1", "stale", 400, archived);
        world.lesson("PD-2", "other", 1, json!({"scope": "story"}));
        let before = world.data("learnings.jsonl");
        let done = world.run("govmem", &["restore", "--id", &id, "--json"]).expect(0).json();
        assert_eq!(
            (&done["id"], &done["from"], &done["to"]),
            (&json!(id), &json!("archived"), &json!("story"))
        );
        let lesson = world.records("learnings.jsonl").remove(0);
        assert_eq!((&lesson["status"], &lesson["scope"]), (&json!("active"), &json!("story")));
        assert_eq!(
            (&lesson["restored_at"], &lesson["archived_at"]),
            (&done["restored_at"], &json!("2026-01-01T00:00:00Z"))
        );
        assert_eq!(world.data("learnings.jsonl").lines().nth(1), before.lines().nth(1));
        let events = world.events();
        let event = &events[0];
        assert_eq!((&event["event"], &event["result_ids"]), (&json!("learning_restored"), &json!([id])));
        assert_eq!(
            (&event["story_id"], &event["domain"], &event["project"]),
            (&json!("PD-1"), &json!("auth"), &json!("backend"))
        );
        assert_eq!(
            (&event["details"], &event["key_version"]),
            (&json!({"before": "archived", "after": "story"}), &json!(1))
        );
        assert_eq!(event["timestamp_iso8601"], done["restored_at"]);
        assert_eq!(event["signature_hmac_sha256"], signature(event, &FIRST_KEY));

        let settled = world.data("learnings.jsonl");
        assert_eq!(
            world.run("learnings-promote", &["--json", "--yes"]).expect(0).json()["archived"],
            json!([])
        );
        assert_eq!(world.data("learnings.jsonl"), settled);
    });
}

/// Every other state is refused with ERR-295-13, an unknown id as wrong usage; nothing is written.
#[test]
fn st_295_20_only_archived_lessons_are_restored() {
    let world = Ringed::file();
    for (n, scope) in ["story", "domain", "global"].iter().enumerate() {
        let id = world.lesson("PD-1", scope, 9, json!({"scope": scope}));
        let before = world.data("learnings.jsonl");
        let answer = world.run("govmem", &["restore", "--id", &id]).expect(2);
        assert!(answer.err.starts_with("ERR-295-13 TRANSITION_FORBIDDEN"), "{n}: {}", answer.err);
        assert_eq!((world.data("learnings.jsonl"), world.events().len()), (before, 0));
    }
    let answer = world.run("govmem", &["restore", "--id", "PD-1-8-000000000000"]).expect(2);
    assert!(answer.err.contains("no learning"), "{}", answer.err);
}

/// Given no key, then nothing is restored.
#[test]
fn st_295_20_no_key_no_restore() {
    let world = Ringed::file();
    let id = world.lesson("PD-1", "stale", 400, json!({"scope": "story", "status": "archived"}));
    std::fs::remove_file(world.path("keyring.json")).expect("remove");
    let before = world.data("learnings.jsonl");
    world.run("govmem", &["restore", "--id", &id]).expect(69);
    assert_eq!(world.data("learnings.jsonl"), before);
}
