//! ST-295-05: scores by tanh, from verified events.

use crate::ringed::{FIRST_KEY, Ringed, shown, signature, with_both_keyrings};
use serde_json::json;

fn score_of(world: &Ringed, id: &str) -> serde_json::Value {
    let scores = world.records("learnings-scores.jsonl");
    scores.into_iter().find(|s| s["learning_id"] == id).expect("a score line")
}

/// Given a lesson received by a story with GO at version 1 and one with GO at version 2, when scores
/// are computed, then brut is 1.8 and the score tanh(0.18).
#[test]
fn st_295_05_two_good_stories() {
    with_both_keyrings(|world| {
        let id = world.lesson("PD-1", "mfa", 9, json!({}));
        let other = world.lesson("PD-2", "totp", 9, json!({}));
        world.gate8("PD-2", 1, "GO");
        world.gate8("PD-3", 1, "NON_CONFORME");
        world.gate8("PD-3", 2, "GO");
        world.append(&[
            shown(5, "PD-2", "auth", &[&id, &other]),
            shown(4, "PD-2", "auth", &[&id]),
            shown(3, "PD-3", "billing", &[&id]),
            shown(2, "PD-1", "own", &[&id]),
        ]);
        let report = world.run("learnings-score", &["--json"]).expect(0).json();
        assert_eq!(
            (&report["schema"], &report["learnings"], &report["scored"]),
            (&json!(1), &json!(2), &json!(2))
        );
        assert_eq!(report["excluded"], json!({}));

        let score = score_of(world, &id);
        assert_eq!(score["reuse_score_brut"], 1.8);
        // tanh(0.18), from tables.
        assert!((score["reuse_score"].as_f64().expect("number") - 0.178_080_868_117_330_2).abs() < 1e-12);
        assert_eq!((&score["nb_injections"], &score["nb_stories"]), (&json!(4), &json!(2)));
        assert_eq!((&score["nb_domains"], &score["domains"]), (&json!(2), &json!(["auth", "billing"])));
        assert_eq!(score["last_injected_at"], world.events()[3]["timestamp_iso8601"]);
        assert_eq!(score["schema_version"], 3);

        // Its own story's retrieval feeds nothing.
        let score = score_of(world, &other);
        assert_eq!((&score["reuse_score"], &score["nb_injections"]), (&json!(0.0), &json!(1)));
        assert_eq!((&score["nb_stories"], &score["nb_domains"]), (&json!(0), &json!(0)));
    });
}

/// Given a file that is up to date, when scores are computed again, then it keeps its bytes; when one
/// lesson is injected once more, then the other line keeps its bytes, the instant included.
#[test]
fn st_295_05_unchanged_lines_keep_their_bytes() {
    let world = Ringed::file();
    let first = world.lesson("PD-1", "mfa", 9, json!({}));
    let second = world.lesson("PD-1", "totp", 9, json!({}));
    world.append(&[shown(5, "PD-2", "auth", &[&first, &second])]);
    world.run("learnings-score", &[]).expect(0);
    let before = world.data("learnings-scores.jsonl");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    world.run("learnings-score", &[]).expect(0);
    assert_eq!(world.data("learnings-scores.jsonl"), before);

    world.append(&[shown(4, "PD-3", "auth", &[&second])]);
    assert_eq!(world.run("learnings-score", &["--json"]).expect(0).json()["changed"], 1);
    let after = world.data("learnings-scores.jsonl");
    assert_eq!(after.lines().next(), before.lines().next());
    assert_ne!(after.lines().nth(1), before.lines().nth(1));
}

/// Given forged, inconsistent and broken lines, drifted and repeated lessons, when scores are
/// computed, then each is left out and counted by name.
#[test]
fn st_295_05_what_cannot_be_relied_on_is_left_out_and_named() {
    let world = Ringed::file();
    let id = world.lesson("PD-1", "mfa", 9, json!({}));
    world.lesson("PD-1", "mfa", 9, json!({}));
    world.lesson("PD-1", "drifted", 9, json!({"learning_id": "PD-1-8-000000000000"}));
    world.line("learnings.jsonl", &json!({"story": "PD-1"}));
    world.append(&[shown(5, "PD-2", "auth", &[&id])]);
    let genuine = world.events().remove(0);
    let mut forged = genuine.clone();
    forged["story_id"] = json!("PD-3");
    let mut inconsistent = genuine.clone();
    inconsistent["story_id"] = json!("PD-4");
    inconsistent["count"] = json!(5);
    inconsistent["signature_hmac_sha256"] = json!(signature(&inconsistent, &FIRST_KEY));
    let mut unknown_key = genuine.clone();
    unknown_key["key_version"] = json!(9);
    unknown_key["signature_hmac_sha256"] = json!(signature(&unknown_key, &FIRST_KEY));
    let mut true_event = genuine;
    true_event["story_id"] = json!("PD-5");
    true_event["signature_hmac_sha256"] = json!(signature(&true_event, &FIRST_KEY));
    for event in [&forged, &inconsistent, &unknown_key, &true_event, &json!({"event": "rubbish"})] {
        world.line("learnings-injections.jsonl", event);
    }
    let report = world.run("learnings-score", &["--json"]).expect(0).json();
    assert_eq!(
        report["excluded"],
        json!({
            "duplicate_id": 1, "learning_id_drift": 1, "ERR-295-15": 1, "audit_inconsistent_trace": 1,
            "audit_invalid_signature": 2, "audit_invalid_line": 1,
        })
    );
    assert_eq!((&report["learnings"], &report["scored"]), (&json!(4), &json!(1)));
    assert_eq!(report["named"].as_array().expect("names").len(), 6);
    // PD-2 and PD-5 alone: two stories without a verdict.
    let score = score_of(&world, &id);
    assert_eq!((&score["nb_injections"], &score["reuse_score_brut"]), (&json!(2), &json!(0.6)));
}

/// Given no key, when scores are computed, then it is ERR-295-16 and nothing is written.
#[test]
fn st_295_05_no_key_no_score() {
    with_both_keyrings(|world| {
        world.lesson("PD-1", "mfa", 9, json!({}));
        world.run("learnings-score", &[]).expect(0);
        let before = world.data("learnings-scores.jsonl");
        world.lesson("PD-1", "totp", 9, json!({}));
        match &world.server {
            None => std::fs::remove_file(world.path("keyring.json")).expect("remove"),
            Some(server) => {
                let path = "kv/metadata/pd-295/memory-audit-hmac";
                assert!(server.request("DELETE", path, "").status < 300);
            }
        }
        for binary in ["learnings-score", "learnings-promote"] {
            let answer = world.run(binary, &["--json"]).expect(69);
            assert!(answer.err.contains("ERR-295-16") && answer.out.is_empty(), "{answer:?}");
        }
        assert_eq!(world.data("learnings-scores.jsonl"), before);
    });
}
