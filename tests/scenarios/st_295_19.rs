//! ST-295-19: clarifications leave after 18 months.

use crate::ringed::{FIRST_KEY, Ringed, ago, signature, vector, with_both_keyrings};
use govmem::store::Source;
use serde_json::json;

/// The bytes of a stored vector.
fn bytes(i: usize) -> Vec<u8> {
    vector(i)[i].to_le_bytes().to_vec()
}

/// Given an expired and a fresh clarification, both indexed, and texts left in torn tails and
/// replayable blocks, when the purge runs, then the expired text and vector stand nowhere but in its
/// Markdown, the purge is signed, and a second run does nothing.
#[test]
fn st_295_19_expired_texts_are_gone() {
    with_both_keyrings(|world| {
        let old = world.clarification("PD-5", 700, "the secret of the old answer");
        let new = world.clarification("PD-6", 30, "the new answer");
        world.index(Source::Clarification, &[&old, &new]);
        assert!(!world.holding(&bytes(0)).is_empty());
        let block = json!({"entries": [{
            "key": {"story_id": "PD-7", "step": 0, "operation": "step0_injection", "timestamp_bucket": ago(0).bucket()},
            "done": {"query": "q", "block": "the secret of the old answer", "outcome": "complete", "at": ago(0),
                "document": {}},
        }]});
        std::fs::write(world.path("data/.state/idempotency.json"), block.to_string()).expect("state");
        for name in ["clarifications.jsonl.torn-20260101T000000Z", "clarifications.jsonl.tmp-4999999-0"] {
            std::fs::write(world.path("data").join(name), "the secret of the old answer").expect("torn");
        }
        let kept = world.data("clarifications.jsonl").lines().nth(1).expect("line").to_owned();

        let done = world.run("govmem", &["purge", "clarifications", "--json"]).expect(0).json();
        assert_eq!((&done["schema"], &done["purged"], &done["rows"]), (&json!(1), &json!([old]), &json!(1)));
        assert_eq!(world.data("clarifications.jsonl"), format!("{kept}\n"));
        assert_eq!(world.indexed(Source::Clarification), [new.as_str()]);
        let markdown = world.path("docs/epics/auth/PD-5-x/PD-5-clarifications.md");
        assert_eq!(world.holding(b"the secret of the old answer"), std::slice::from_ref(&markdown));
        assert_eq!(world.holding(&bytes(0)), [""; 0].map(std::path::PathBuf::from));
        assert!(!world.holding(&bytes(1)).is_empty());

        let events = world.events();
        assert_eq!(events.len(), 1);
        let event = &events[0];
        assert_eq!(
            (&event["event"], &event["source"]),
            (&json!("clarification_purged"), &json!("retention"))
        );
        assert_eq!(
            (&event["story_id"], &event["step"], &event["query"]),
            (&json!("-"), &json!(-1), &json!(""))
        );
        assert_eq!((&event["result_ids"], &event["count"]), (&json!([old]), &json!(1)));
        assert_eq!(event["signature_hmac_sha256"], signature(event, &FIRST_KEY));

        let again = world.run("govmem", &["purge", "clarifications", "--json"]).expect(0).json();
        assert_eq!((&again["purged"], world.events().len()), (&json!([]), 1));
        assert!(markdown.exists());
    });
}

/// The last day of the 18 months is kept; the day after is not.
#[test]
fn st_295_19_the_last_day_is_kept() {
    let world = Ringed::file();
    world.index(Source::Clarification, &[]);
    for (story, until) in [("PD-5", ago(0).date()), ("PD-6", ago(1).date())] {
        world.clarification(story, 30, "text");
        let text = world.data("clarifications.jsonl");
        let line = text.lines().last().expect("line");
        let default = ago(30).date().plus_months(18).to_string();
        let changed = text.replace(line, &line.replace(&default, &until.to_string()));
        std::fs::write(world.path("data/clarifications.jsonl"), changed).expect("write");
    }
    let done = world.run("govmem", &["purge", "clarifications", "--json"]).expect(0).json();
    // At midnight between the two commands both have expired.
    let purged = done["purged"].as_array().expect("list");
    assert!(purged.iter().any(|id| id.as_str().is_some_and(|id| id.contains("pd-6"))), "{done}");
    assert!(purged.len() == 1 || ago(0).date() > ago(1).date().plus_days(1), "{done}");
}

/// Given `--include-source`, then the Markdown of our own form goes too, with the copy that replacing
/// kept; other people's files stay.
#[test]
fn st_295_19_sources_go_when_asked_for() {
    let world = Ringed::file();
    let old = world.clarification("PD-5", 700, "old");
    world.index(Source::Clarification, &[&old]);
    let foreign = json!({
        "story": "SPEC-1", "domain": "auth", "project": "backend", "date": ago(700).date(), "path": "specs/001-x/spec.md",
        "questions": [{"id": "Q1", "theme": "contraintes", "answer": "old"}], "retention_until": ago(100).date(),
    });
    world.line("clarifications.jsonl", &foreign);
    std::fs::create_dir_all(world.path("specs/001-x")).expect("directory");
    std::fs::write(world.path("specs/001-x/spec.md"), "theirs").expect("spec");
    let own = world.path("docs/epics/auth/PD-5-x/PD-5-clarifications.md");
    let copy = world.path("docs/epics/auth/PD-5-x/PD-5-clarifications.md.1");
    std::fs::copy(&own, &copy).expect("copy");
    let done =
        world.run("govmem", &["purge", "clarifications", "--include-source", "--json"]).expect(0).json();
    assert_eq!(done["purged"].as_array().expect("list").len(), 2);
    assert_eq!(done["sources_kept"], json!(["specs/001-x/spec.md"]));
    assert!(!own.exists() && !copy.exists());
    assert!(world.path("specs/001-x/spec.md").exists());
}

/// Given no key, then nothing is purged.
#[test]
fn st_295_19_no_key_no_purge() {
    with_both_keyrings(|world| {
        let old = world.clarification("PD-5", 700, "old");
        world.index(Source::Clarification, &[&old]);
        match &world.server {
            None => std::fs::remove_file(world.path("keyring.json")).expect("remove"),
            Some(server) => assert!(server.request("PUT", "sys/seal", "").status < 300),
        }
        let before = world.data("clarifications.jsonl");
        let answer = world.run("govmem", &["purge", "clarifications"]).expect(69);
        assert!(answer.err.contains("ERR-295-16"), "{}", answer.err);
        assert_eq!(world.data("clarifications.jsonl"), before);
        assert_eq!(world.indexed(Source::Clarification), [old.as_str()]);
    });
}
