//! ST-295-02: an invalid watch note.

use crate::space::Space;

#[test]
fn st_295_02_an_invalid_note_is_excluded_and_counted() {
    // Given a note whose verdict is none of the four, beside a valid one.
    let space = Space::new("");
    let note = |verdict: &str| {
        format!("---\ntitle: T\ndate: 2026-01-02\nimpact_pv: fort\nverdict: {verdict}\n---\nText.\n")
    };
    space.write("docs/veille/good.md", note("surveiller"));
    space.write("docs/veille/bad.md", note("peut-être"));
    // When B1 runs, then the bad one is left out with its code and the good one is indexed.
    let answer = space.run("veille-index", &["--json"]).expect(0);
    assert!(answer.err.contains("ERR-295-01") && answer.err.contains("bad.md"), "{}", answer.err);
    let source = &answer.json()["sources"][0];
    assert_eq!((source["read"].as_u64(), source["kept"].as_u64()), (Some(2), Some(1)));
    space.run("veille-index", &["--strict"]).expect(3);
}
