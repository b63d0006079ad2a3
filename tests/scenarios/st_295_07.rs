//! ST-295-07: the scope migration.

use crate::ringed::{FIRST_KEY, Ringed, signature, with_both_keyrings};
use serde_json::json;

/// Given lines without scope, when they are not committed, then it is ERR-295-07 with the command to
/// run and nothing changes; when they are, then they receive `story`, signed, and nothing else moves.
#[test]
fn st_295_07_migration_needs_a_commit() {
    with_both_keyrings(|world| {
        let ids = [
            world.lesson("PD-1", "mfa", 9, json!({"own": {"n": 1}})),
            world.lesson("PD-2", "old", 9, json!({"status": "archived"})),
        ];
        world.lesson("PD-3", "done", 9, json!({"scope": "domain"}));
        let before = world.data("learnings.jsonl");
        for _ in 0..2 {
            let answer = world.run("learnings-promote", &[]).expect(2);
            assert!(answer.err.starts_with("ERR-295-07 MIGRATION_PRECONDITION"), "{}", answer.err);
            assert!(answer.err.contains("hint: git -C") && answer.err.contains("commit"), "{}", answer.err);
            assert_eq!((world.data("learnings.jsonl"), world.events().len()), (before.clone(), 0));
        }
        let plan = world.run("learnings-promote", &["--json", "--dry-run"]).expect(0).json();
        assert_eq!((&plan["migrated"], &plan["refusal"]["code"]), (&json!(2), &json!("ERR-295-07")));

        world.commit_learnings();
        let done = world.run("learnings-promote", &["--json"]).expect(0).json();
        assert_eq!(
            (&done["migrated"], &done["promoted"], &done["archived"]),
            (&json!(2), &json!([]), &json!([]))
        );
        let after = world.data("learnings.jsonl");
        for (new, old) in after.lines().zip(before.lines()).take(2) {
            assert_eq!(new, old.trim_end_matches('}').to_owned() + brace(old) + ",\"scope\":\"story\"}");
        }
        assert_eq!(after.lines().nth(2), before.lines().nth(2));
        let events = world.events();
        assert_eq!(events.len(), 2);
        for (event, id) in events.iter().zip(&ids) {
            assert_eq!(
                (&event["event"], &event["operation"]),
                (&json!("scope_migrated"), &json!("lifecycle"))
            );
            assert_eq!((&event["source"], &event["step"]), (&json!("lifecycle"), &json!(-1)));
            assert_eq!((&event["result_ids"], &event["count"]), (&json!([id]), &json!(1)));
            assert_eq!(event["details"], json!({"after": "story"}));
            assert_eq!(event["key_version"], 1);
            assert_eq!(event["signature_hmac_sha256"], signature(event, &FIRST_KEY));
        }
        world.run("govmem", &["audit", "verify"]).expect(0);

        // No line without scope: no precondition, though the file is changed and not committed.
        world.run("learnings-promote", &[]).expect(0);
        assert_eq!((world.data("learnings.jsonl"), world.events().len()), (after, 2));
    });
}

/// The inner closing brace that trimming took away, when the line ends in a nested object.
fn brace(line: &str) -> &'static str {
    if line.ends_with("}}") { "}" } else { "" }
}

/// Given lines that are left out of scoring, then they are never changed and ask for no commit.
#[test]
fn st_295_07_excluded_lines_are_left_alone() {
    let world = Ringed::file();
    world.lesson("PD-1", "mfa", 9, json!({"scope": "story"}));
    world.lesson("PD-1", "drifted", 9, json!({"tag_hash": "0".repeat(64)}));
    world.line("learnings.jsonl", &json!({"story": "PD-1"}));
    let before = world.data("learnings.jsonl");
    let done = world.run("learnings-promote", &["--json"]).expect(0).json();
    assert_eq!(
        (&done["migrated"], &done["excluded"]),
        (&json!(0), &json!({"ERR-295-15": 1, "learning_id_drift": 1}))
    );
    assert_eq!(world.data("learnings.jsonl"), before);
}
