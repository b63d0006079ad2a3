//! ST-295-09: eviction of stale lessons.

use crate::ringed::{FIRST_KEY, Ringed, ago, shown, signature, with_both_keyrings};
use serde_json::json;

/// Five recent lessons, so that one in six or seven may retire without consent.
fn recent(world: &Ringed) {
    for i in 0..5 {
        world.lesson("PD-9", &format!("recent{i}"), 1, json!({"scope": "story"}));
    }
}

/// Given lessons never injected, when one is older than 56 days and in scope story, then it alone is
/// archived, signed; injected, younger, wider, imported or restored ones stay.
#[test]
fn st_295_09_only_stale_story_lessons_retire() {
    with_both_keyrings(|world| {
        recent(world);
        let stale = world.lesson("PD-1", "stale", 57, json!({"scope": "story"}));
        world.lesson("PD-2", "young", 55, json!({"scope": "story"}));
        let used = world.lesson("PD-3", "used", 400, json!({"scope": "story"}));
        world.lesson("PD-4", "wide", 400, json!({"scope": "domain"}));
        world.lesson("PD-5", "everywhere", 400, json!({"scope": "global"}));
        world.lesson("PD-6", "imported", 400, json!({"scope": "story", "imported_at": ago(3)}));
        world.lesson("PD-7", "restored", 400, json!({"scope": "story", "restored_at": ago(3)}));
        // Its own story's retrieval is an injection all the same.
        world.append(&[shown(300, "PD-3", "auth", &[&used])]);
        let done = world.run("learnings-promote", &["--json"]).expect(0).json();
        assert_eq!(done["archived"], json!([{"id": stale, "from": "story", "to": "archived"}]));
        let archived: Vec<_> =
            world.records("learnings.jsonl").into_iter().filter(|l| l["status"] == "archived").collect();
        assert_eq!(archived.len(), 1);
        assert_eq!((&archived[0]["tags"], &archived[0]["scope"]), (&json!(["stale"]), &json!("story")));
        let events = world.events();
        let event = events.last().expect("event");
        assert_eq!((&event["event"], &event["result_ids"]), (&json!("learning_archived"), &json!([stale])));
        assert_eq!(event["timestamp_iso8601"], archived[0]["archived_at"]);
        assert_eq!(event["details"]["reason"], "nb_injections=0 age_days=57");
        assert_eq!(event["signature_hmac_sha256"], signature(event, &FIRST_KEY));
        // Nothing is deleted, and nothing moves twice.
        assert_eq!(world.records("learnings.jsonl").len(), 12);
        assert_eq!(world.run("learnings-promote", &["--json"]).expect(0).json()["archived"], json!([]));
    });
}

/// Given more than a fifth of the active lessons to archive, then it is refused with the command to
/// run, and `--yes` does it.
#[test]
fn st_295_09_more_than_a_fifth_needs_consent() {
    let world = Ringed::file();
    for i in 0..2 {
        world.lesson("PD-1", &format!("stale{i}"), 90, json!({"scope": "story"}));
    }
    recent(&world);
    let before = world.data("learnings.jsonl");
    let answer = world.run("learnings-promote", &[]).expect(3);
    assert!(
        answer.err.contains("2 of 7") && answer.err.contains("learnings-promote --yes"),
        "{}",
        answer.err
    );
    assert_eq!((world.data("learnings.jsonl"), world.events().len()), (before, 0));
    let plan = world.run("govmem", &["promote", "--dry-run", "--json"]).expect(0).json();
    assert_eq!(plan["archived"].as_array().expect("list").len(), 2);
    assert!(plan["refusal"]["hint"].as_str().expect("hint").contains("--yes"));
    let done = world.run("learnings-promote", &["--yes", "--json"]).expect(0).json();
    assert_eq!(done["archived"].as_array().expect("list").len(), 2);
    assert_eq!(world.events().len(), 2);
}

/// Given a trail that takes no event, then nothing is archived.
#[test]
fn st_295_09_no_event_no_transition() {
    let world = Ringed::file();
    recent(&world);
    world.lesson("PD-1", "stale", 90, json!({"scope": "story"}));
    world.append(&[shown(1, "PD-2", "auth", &[])]);
    let before = world.data("learnings.jsonl");
    std::fs::remove_file(world.path("data/learnings-injections.chain.jsonl")).expect("remove");
    world.run("learnings-promote", &[]).expect(74);
    assert_eq!((world.data("learnings.jsonl"), world.events().len()), (before, 1));
}
