//! ST-295-13: one block per story, step, operation and five minutes.

use crate::space::Space;

#[test]
fn st_295_13_a_replay_returns_the_block_and_signs_nothing() {
    let space = Space::new("");
    space.learn("PD-1", "mfa", "Codes");
    space.run("govmem", &["reindex"]).expect(0);
    let lines = || space.read("data/learnings-injections.jsonl").lines().count();
    let first = space.inject("PD-42", "Codes").expect(0).json();
    let signed = lines();
    let second = space.inject("PD-42", "Codes").expect(0).json();
    let body = |v: &serde_json::Value| v["block"].as_str().unwrap().split_once('\n').unwrap().1.to_owned();
    assert_eq!(body(&first), body(&second));
    // A bucket that ended between the calls makes the second a first one.
    if second["replayed"] == true {
        assert_eq!(lines(), signed);
        assert_eq!(first["timestamp"], second["timestamp"]);
    } else {
        assert_eq!(lines(), signed + 3);
    }
}
