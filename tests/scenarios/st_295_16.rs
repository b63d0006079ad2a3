//! ST-295-16: every event is signed and names its key version.

use crate::ringed::{FIRST_KEY, ago, shown, signature, with_both_keyrings};
use govmem::store::Source;
use serde_json::json;

/// Given acts of every kind, when their events are checked by an independent computation, then each
/// signature is that of the current key, whose version the event names; one changed byte is found.
#[test]
fn st_295_16_signature_and_key_version() {
    with_both_keyrings(|world| {
        for i in 0..5 {
            world.lesson("PD-9", &format!("recent{i}"), 1, json!({"scope": "story"}));
        }
        let stale = world.lesson("PD-1", "stale", 90, json!({"scope": "story"}));
        world.index(Source::Learning, &[&stale]);
        world.clarification("PD-5", 700, "an old answer");
        world.index(Source::Clarification, &[]);
        world.append(&[shown(2, "PD-2", "auth", &[])]);
        world.run("learnings-promote", &[]).expect(0);
        world.run("govmem", &["restore", "--id", &stale]).expect(0);
        world.run("govmem", &["redact", "--id", &stale, "--reason", "customer name"]).expect(0);
        world.run("govmem", &["purge", "clarifications"]).expect(0);
        let events = world.events();
        let names: Vec<&str> = events.iter().map(|e| e["event"].as_str().expect("name")).collect();
        assert_eq!(
            names,
            [
                "learning_injected",
                "learning_archived",
                "learning_restored",
                "learning_redacted",
                "clarification_purged"
            ]
        );
        for event in &events {
            assert_eq!((&event["key_version"], &event["schema_version"]), (&json!(1), &json!(3)));
            assert_eq!(event["signature_hmac_sha256"], signature(event, &FIRST_KEY));
            let fields = event.as_object().expect("object").len();
            assert_eq!(fields, if event["details"].is_null() { 16 } else { 17 });
        }
        let verified = world.run("govmem", &["audit", "verify", "--json"]).expect(0).json();
        assert_eq!(
            (&verified["events"], &verified["valid"], &verified["chain"]),
            (&json!(5), &json!(5), &json!("ok"))
        );

        let trail = world.data("learnings-injections.jsonl");
        let day = ago(0).date().to_string();
        let changed = trail.replace("customer name", "customer_name");
        assert_ne!(changed, trail, "{day}");
        std::fs::write(world.path("data/learnings-injections.jsonl"), changed).expect("change");
        let found = world.run("govmem", &["audit", "verify", "--json"]).expect(1).json();
        assert_eq!((&found["valid"], &found["invalid"][0]["line"]), (&json!(4), &json!(4)));
    });
}
