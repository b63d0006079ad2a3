//! ST-295-08: promotion by score and number of domains.

use crate::ringed::{FIRST_KEY, Ringed, shown, signature, with_both_keyrings};
use serde_json::json;

/// Stories `S-1` to `S-n`, each with GO at version 1.
fn good_stories(world: &Ringed, n: usize) {
    (1..=n).for_each(|i| world.gate8(&format!("S-{i}"), 1, "GO"));
}

fn scope(world: &Ringed, id: &str) -> String {
    let tag = id;
    let lesson = world.records("learnings.jsonl").into_iter().find(|l| l["tags"][0] == tag).expect("lesson");
    lesson["scope"].as_str().expect("scope").to_owned()
}

/// Given lessons at both sides of each threshold, when promotion runs, then exactly those that reach
/// score and domains move, by one step a run, signed.
#[test]
fn st_295_08_thresholds_and_domains() {
    with_both_keyrings(|world| {
        good_stories(world, 8);
        let story = json!({"scope": "story"});
        let domain = json!({"scope": "domain"});
        // tanh(0.3) = 0.291, tanh(0.4) = 0.380; tanh(0.6) = 0.537, tanh(0.7) = 0.604.
        let three = world.lesson("PD-1", "three", 9, story.clone());
        let four = world.lesson("PD-2", "four", 9, story.clone());
        let own = world.lesson("S-1", "own", 9, story.clone());
        let eight = world.lesson("PD-4", "eight", 9, story);
        let six = world.lesson("PD-5", "six", 9, domain.clone());
        let narrow = world.lesson("PD-6", "narrow", 9, domain.clone());
        let wide = world.lesson("PD-7", "wide", 9, domain);
        let mut events = Vec::new();
        for i in 1..=8 {
            let mut ids: Vec<&str> = vec![&eight];
            ids.extend((i <= 3).then_some(three.as_str()));
            ids.extend((i <= 4).then_some(four.as_str()));
            ids.extend((i <= 6).then_some(six.as_str()));
            ids.extend((i <= 7).then_some(wide.as_str()));
            let domain = if i % 2 == 0 { "auth" } else { "billing" };
            events.push(shown(20 - i, &format!("S-{i}"), domain, &ids));
        }
        for i in 1..=7 {
            events.push(shown(12 - i, &format!("S-{i}"), "auth", &[&narrow]));
        }
        events.push(shown(1, "S-1", "auth", &[&own]));
        world.append(&events);
        let signed = world.events().len();
        let before = world.data("learnings.jsonl");

        let plan = world.run("learnings-promote", &["--json", "--dry-run"]).expect(0).json();
        assert_eq!((world.data("learnings.jsonl"), world.events().len()), (before.clone(), signed));
        let done = world.run("learnings-promote", &["--json"]).expect(0).json();
        let expected = json!([
            {"id": four, "from": "story", "to": "domain"},
            {"id": eight, "from": "story", "to": "domain"},
            {"id": wide, "from": "domain", "to": "global"},
        ]);
        assert_eq!((&done["promoted"], &done["archived"]), (&expected, &json!([])));
        assert_eq!(plan["promoted"], expected);
        for (tag, expected) in [
            ("three", "story"),
            ("four", "domain"),
            ("own", "story"),
            ("eight", "domain"),
            ("six", "domain"),
            ("narrow", "domain"),
            ("wide", "global"),
        ] {
            assert_eq!(scope(world, tag), expected, "{tag}");
        }
        for event in &world.events()[signed..] {
            assert_eq!(event["event"], "learning_promoted");
            assert_eq!(event["signature_hmac_sha256"], signature(event, &FIRST_KEY));
            let reason = event["details"]["reason"].as_str().expect("reason");
            assert!(reason.starts_with("reuse_score=0.") && reason.contains(" nb_domains="), "{reason}");
        }
        // A line that did not move keeps its bytes.
        assert_eq!(world.data("learnings.jsonl").lines().next(), before.lines().next());

        // One step a run: the next one takes `eight` on to global; then nothing moves any more.
        let done = world.run("learnings-promote", &["--json"]).expect(0).json();
        assert_eq!(done["promoted"], json!([{"id": eight, "from": "domain", "to": "global"}]));
        let settled = world.data("learnings.jsonl");
        let done = world.run("learnings-promote", &["--json"]).expect(0).json();
        assert_eq!(done["promoted"], json!([]));
        assert_eq!(world.data("learnings.jsonl"), settled);
        world.run("govmem", &["audit", "verify"]).expect(0);
    });
}

/// Given a stale score file that says otherwise, then the trail decides; given a line of the trail
/// that cannot be verified, then nothing moves.
#[test]
fn st_295_08_the_verified_trail_decides() {
    let world = Ringed::file();
    let id = world.lesson("PD-1", "mfa", 9, json!({"scope": "story"}));
    world.line(
        "learnings-scores.jsonl",
        &json!({
            "story": "PD-1", "gate": 8, "tag_hash": govmem::base::id::tag_hash(&["mfa"]), "learning_id": id,
            "reuse_score_brut": 20.0, "reuse_score": 0.964, "nb_injections": 20, "nb_stories": 20,
            "nb_domains": 5, "domains": [], "computed_at": "2026-01-01T00:00:00Z", "schema_version": 3,
        }),
    );
    let before = (world.data("learnings.jsonl"), world.data("learnings-scores.jsonl"));
    let done = world.run("learnings-promote", &["--json"]).expect(0).json();
    assert_eq!(done["promoted"], json!([]));

    good_stories(&world, 4);
    world.append(&(1..=4).map(|i| shown(9 - i, &format!("S-{i}"), "auth", &[&id])).collect::<Vec<_>>());
    let trail = world.data("learnings-injections.jsonl");
    std::fs::write(world.path("data/learnings-injections.jsonl"), trail.replacen("S-2", "S-9", 1))
        .expect("forge");
    let answer = world.run("learnings-promote", &[]).expect(65);
    assert!(answer.err.contains("govmem audit verify"), "{}", answer.err);
    assert_eq!((world.data("learnings.jsonl"), world.data("learnings-scores.jsonl")), before);
    std::fs::write(world.path("data/learnings-injections.jsonl"), trail).expect("heal");
    let done = world.run("learnings-promote", &["--json"]).expect(0).json();
    assert_eq!(done["promoted"], json!([{"id": id, "from": "story", "to": "domain"}]));
}
