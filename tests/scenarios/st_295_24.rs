//! ST-295-24: a query above 500 characters.

use crate::space::Space;

#[test]
fn st_295_24_a_query_of_501_characters_is_refused() {
    let space = Space::new("");
    let base = ["--story", "PD-42", "--domain", "auth", "--project", "backend", "--query"];
    let lines = || space.read("data/learnings-injections.jsonl").lines().count();
    let before = lines();
    for c in ["a", "é", "🔑"] {
        let answer = space.run("step0-inject", &[&base[..], &[c.repeat(501).as_str()]].concat()).expect(2);
        assert!(answer.err.contains("ERR-295-17 QUERY_TOO_LONG"), "{}", answer.err);
    }
    assert_eq!(lines(), before);
    space.run("step0-inject", &[&base[..], &["é".repeat(500).as_str()]].concat()).expect(0);
}
