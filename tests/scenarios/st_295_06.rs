//! ST-295-06: a lesson without a score.

use crate::space::Space;

#[test]
fn st_295_06_a_missing_score_is_zero() {
    // Given two lessons of one text distance, one of them with a score.
    let space = Space::new("");
    let low = space.learn("PD-1", "a", "Compare codes in constant time");
    let high = space.learn("PD-2", "a", "Compare codes in constant time");
    space.run("govmem", &["reindex"]).expect(0);
    let hash = govmem::base::id::tag_hash(&["a"]);
    let score = serde_json::json!({
        "story": "PD-2", "gate": 8, "tag_hash": hash, "learning_id": high, "reuse_score_brut": 1.8,
        "reuse_score": (0.18_f64).tanh(), "nb_injections": 2, "nb_stories": 2, "nb_domains": 1, "domains": ["auth"],
        "last_injected_at": "2026-02-01T00:00:00Z", "computed_at": "2026-02-02T00:00:00Z", "schema_version": 3,
    });
    space.write("data/learnings-scores.jsonl", format!("{score}\n"));
    // When they are searched, then the join gives 0.0 to the one without, and the score breaks the tie.
    let found = space.run("govmem", &["--json", "search", "learnings", "constant time"]).expect(0).json();
    let row = |i: usize| {
        (
            found["results"][i]["id"].as_str().unwrap().to_owned(),
            found["results"][i]["reuse_score"].as_f64().unwrap(),
        )
    };
    assert_eq!(row(1), (low, 0.0));
    let (first, score) = row(0);
    assert_eq!(first, high);
    assert!((score - 0.178_080_868_1).abs() < 1e-9, "tanh(0.18)");
}
