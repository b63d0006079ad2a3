//! ST-295-14: one source down, the others injected.

use crate::space::Space;

#[test]
fn st_295_14_a_source_down_degrades_the_block() {
    let space = Space::new("");
    space.learn("PD-1", "mfa", "Codes");
    space.run("govmem", &["reindex"]).expect(0);
    // Given a watch index cut in half.
    let index = space.path("data/veille-index.json");
    let bytes = std::fs::read(&index).unwrap();
    std::fs::write(&index, &bytes[..bytes.len() / 2]).unwrap();
    // When step 0 is injected, then two sources answer, the third says so, and all three are signed.
    let got = space.inject("PD-42", "Codes").expect(0).json();
    assert_eq!(
        (got["state"].as_str(), &got["unavailable"]),
        (Some("degraded"), &serde_json::json!(["veille"]))
    );
    assert_eq!(got["sources"]["learning"]["count"], 1);
    assert!(got["block"].as_str().unwrap().contains("ERR-295-05 SOURCE_UNAVAILABLE"));
    let trail = space.read("data/learnings-injections.jsonl");
    assert_eq!(trail.lines().filter(|l| l.contains("\"source_unavailable\"")).count(), 1);
    space.run("govmem", &["audit", "verify"]).expect(0);
}
