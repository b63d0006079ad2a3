//! ST-295-15: nothing to inject from.

use crate::space::Space;

#[test]
fn st_295_15_three_sources_down_block_step_0() {
    let space = Space::new("");
    for source in ["learnings", "veille", "clarifications"] {
        std::fs::write(space.path(&format!("data/{source}-index.faiss")), b"not an index").unwrap();
    }
    let answer = space.inject("PD-42", "Codes").expect(69);
    assert!(answer.err.contains("ERR-295-06"), "{}", answer.err);
    assert_eq!(answer.out, "");
    // The outage itself is on the trail: three events that brought nothing.
    let trail = space.read("data/learnings-injections.jsonl");
    assert_eq!(
        trail.lines().filter(|l| l.contains("\"source_unavailable\"") && l.contains("\"count\":0")).count(),
        3
    );
}
