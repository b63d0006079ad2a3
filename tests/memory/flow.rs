//! The six steps of B5, case by case.

use crate::space::Space;

fn seeded() -> Space {
    let space = Space::new("");
    for i in 0..7 {
        space.learn(
            &format!("PD-{}", i + 1),
            &format!("tag{i}"),
            &format!("Compare codes in constant time, case {i}"),
        );
    }
    space.write(
        "docs/veille/totp.md",
        "---\ntitle: TOTP\ndate: 2026-01-02\nimpact_pv: fort\nverdict: adopter\n---\nTime-based codes.\n",
    );
    space.run("govmem", &["reindex"]).expect(0);
    space
}

fn events(space: &Space) -> usize {
    space.read("data/learnings-injections.jsonl").lines().count()
}

#[test]
fn sections_events_and_replay() {
    let space = seeded();
    let before = events(&space);
    let first = space.inject("PD-42", "Constant time codes").expect(0).json();
    assert_eq!(first["sources"]["learning"]["count"], 5);
    assert_eq!(first["sources"]["veille"]["count"], 1);
    assert_eq!(first["sources"]["clarification"]["count"], 0);
    assert!(first["block"].as_str().unwrap().ends_with("## Clarifications\n\naucun résultat\n"));
    assert_eq!(events(&space), before + 3);
    let trail = space.read("data/learnings-injections.jsonl");
    let last: Vec<serde_json::Value> =
        trail.lines().rev().take(3).map(|l| serde_json::from_str(l).unwrap()).collect();
    for event in &last {
        assert_eq!(event["timestamp_iso8601"], first["timestamp"]);
        assert_eq!(event["count"].as_u64().unwrap() as usize, event["result_ids"].as_array().unwrap().len());
        assert_eq!((event["step"].as_i64(), event["operation"].as_str()), (Some(0), Some("step0_injection")));
    }
    // A replay signs nothing and says the first query when it differs. A bucket may end in between:
    // then the second call is a first one again.
    let args =
        ["--json", "--story", "PD-42", "--domain", "auth", "--project", "backend", "--query", "other words"];
    let second = space.run("step0-inject", &args).expect(0).json();
    if second["replayed"] == true {
        assert_eq!(events(&space), before + 3);
        assert_eq!(second["sources"], first["sources"]);
        let head = second["block"].as_str().unwrap().lines().next().unwrap();
        assert!(
            head.contains("replayed: yes") && head.contains("Constant time codes auth backend"),
            "{head}"
        );
    }
}

#[test]
fn no_key_writes_nothing() {
    let space = seeded();
    let before = events(&space);
    std::fs::remove_file(space.keyring()).unwrap();
    let answer = space.inject("PD-42", "Constant time codes").expect(69);
    assert!(answer.err.contains("ERR-295-16"), "{}", answer.err);
    assert_eq!(answer.out, "");
    assert_eq!(events(&space), before);
    assert!(!space.path("data/.state/rate.json").exists());
}

#[test]
fn the_eleventh_injection_is_refused_and_consumes_nothing() {
    let space = seeded();
    for _ in 0..10 {
        space.inject("PD-42", "Constant time codes").expect(0);
    }
    let state = space.read("data/.state/rate.json");
    let refused = space.inject("PD-42", "Constant time codes").expect(75);
    let error: serde_json::Value = serde_json::from_str(refused.err.trim()).unwrap();
    assert_eq!(error["error"]["code"], "ERR-295-11");
    assert!(error["error"]["hint"].as_str().unwrap().starts_with("retry-after: "));
    assert_eq!(space.read("data/.state/rate.json"), state);
    // Another story still passes.
    space.inject("PD-43", "Constant time codes").expect(0);
}

#[test]
fn one_source_down_is_degraded_and_runs_again() {
    let space = seeded();
    let index = space.path("data/veille-index.faiss");
    let bytes = std::fs::read(&index).unwrap();
    let mut flipped = bytes.clone();
    *flipped.last_mut().unwrap() ^= 1;
    std::fs::write(&index, flipped).unwrap();
    let got = space.inject("PD-42", "Constant time codes").expect(0).json();
    assert_eq!(got["state"], "degraded");
    assert_eq!(got["unavailable"], serde_json::json!(["veille"]));
    let block = got["block"].as_str().unwrap();
    assert!(block.lines().next().unwrap().contains("dégradé"));
    assert!(block.contains("ERR-295-05") && block.contains("ERR-295-08"), "{block}");
    let trail = space.read("data/learnings-injections.jsonl");
    assert!(trail.lines().any(|l| l.contains("\"source_unavailable\"") && l.contains("\"count\":0")));
    // Repaired, the same bucket runs again instead of replaying the degraded block.
    std::fs::write(&index, bytes).unwrap();
    let got = space.inject("PD-42", "Constant time codes").expect(0).json();
    assert_eq!((got["state"].as_str(), got["replayed"].as_bool()), (Some("complete"), Some(false)));
}

#[test]
fn three_sources_down_block() {
    let space = seeded();
    for source in ["learnings", "veille", "clarifications"] {
        std::fs::remove_file(space.path(&format!("data/{source}-index.json"))).unwrap();
    }
    let answer = space.inject("PD-42", "Constant time codes").expect(69);
    assert!(answer.err.contains("ERR-295-06") && answer.err.contains("ERR-295-08"), "{}", answer.err);
    assert_eq!(answer.out, "");
}

#[test]
fn an_absent_embedder_takes_all_sources_down() {
    let mut space = seeded();
    space.env.push(("GOVMEM_EMBEDDER_DIR".into(), "/nonexistent".into()));
    let answer = space.inject("PD-42", "A title never embedded before").expect(69);
    assert!(answer.err.contains("ERR-295-06") && answer.err.contains("ERR-295-02"), "{}", answer.err);
}

#[test]
fn queries_too_long_empty_or_secret() {
    let space = seeded();
    for c in ["a", "é", "🔑"] {
        let good = c.repeat(500);
        let args = ["--story", "PD-9", "--domain", "auth", "--project", "backend", "--query"];
        space.run("step0-inject", &[&args[..], &[good.as_str()]].concat()).expect(0);
        let long = c.repeat(501);
        let answer = space.run("step0-inject", &[&args[..], &[long.as_str()]].concat()).expect(2);
        assert!(answer.err.contains("ERR-295-17"), "{}", answer.err);
        space.run("step0-inject", &[&args[..], &[" \t"]].concat()).expect(2);
        let secret = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");
        let answer = space.run("step0-inject", &[&args[..], &[secret.as_str()]].concat()).expect(2);
        assert!(!answer.err.contains(&secret), "the value is never shown");
    }
}

#[test]
fn an_unreadable_state_blocks_until_it_is_moved_aside() {
    let space = seeded();
    space.write("data/.state/idempotency.json", "{not json");
    let answer = space.inject("PD-42", "Constant time codes").expect(65);
    assert!(answer.err.contains("ERR-295-10"), "{}", answer.err);
    space.run("govmem", &["doctor"]).expect(1);
    let fixed = space.run("govmem", &["doctor", "--fix"]).expect(0);
    assert!(fixed.out.contains("idempotency.json"), "{}", fixed.out);
    space.inject("PD-42", "Constant time codes").expect(0);
}

#[test]
fn a_clock_behind_the_trail_signs_nothing_until_accepted() {
    use govmem::audit::{Event, EventName, FileKeyring, Trail, TrailPaths};
    use govmem::base::{Clock, SystemClock};
    use govmem::store::lock::{LockSettings, Locks};
    let space = seeded();
    let workspace = govmem::store::Workspace::new(space.path(""));
    let paths = TrailPaths::of(&workspace);
    {
        let future = SystemClock.now().plus(3_600);
        let mut locks = Locks::new(&workspace, LockSettings::default());
        let (lock, _) = locks.begin().exclusive::<govmem::store::lock::Trail>().unwrap();
        let mut trail = Trail::open(&paths, &FileKeyring::new(space.keyring()), future, &lock).unwrap();
        trail.append(&[Event::audit(EventName::ClockReset, future).with_detail("reason", "test")]).unwrap();
    }
    let before = events(&space);
    let answer = space.inject("PD-42", "Constant time codes").expect(75);
    assert!(answer.err.contains("ERR-295-14"), "{}", answer.err);
    assert_eq!(events(&space), before);
    space.run("govmem", &["audit", "accept-clock", "--reason", "NTP repaired"]).expect(0);
    space.inject("PD-42", "Constant time codes").expect(0);
    space.run("govmem", &["audit", "verify"]).expect(0);
}
