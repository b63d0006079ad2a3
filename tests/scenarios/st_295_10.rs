//! ST-295-10: one injection, three sections, fixed cardinalities.

use crate::space::Space;

#[test]
fn st_295_10_three_sections_of_five_three_and_three() {
    // Given more of each source than step 0 shows.
    let space = Space::new("");
    for i in 1..=7 {
        space.learn(&format!("PD-{i}"), "mfa", &format!("Codes are compared in constant time, case {i}"));
        space.write(
            &format!("docs/veille/n{i}.md"),
            format!("---\ntitle: Note {i}\ndate: 2026-01-0{i}\nimpact_pv: fort\nverdict: adopter\n---\nCodes {i}.\n"),
        );
        let args = [
            "clarify",
            "--story",
            &format!("PD-{i}"),
            "--domain",
            "auth",
            "--project",
            "backend",
            "--answers",
            "-",
        ];
        space.run_with("govmem", &args, r#"["codes", "b", "c", "d"]"#).expect(0);
    }
    space.run("govmem", &["reindex"]).expect(0);
    // When step 0 is injected, then the block has 5, 3 and 3 items, all signed.
    let got = space.inject("PD-42", "Codes").expect(0).json();
    for (source, count) in [("learning", 5), ("veille", 3), ("clarification", 3)] {
        assert_eq!(got["sources"][source]["count"], count);
    }
    let block = got["block"].as_str().unwrap();
    assert_eq!(block.lines().filter(|l| l.starts_with("- `")).count(), 11);
    // And an empty source keeps its section.
    let other =
        ["--json", "--story", "PD-43", "--title", "Codes", "--domain", "other", "--project", "backend"];
    let got = space.run("step0-inject", &other).expect(0).json();
    assert!(got["block"].as_str().unwrap().contains("## Clarifications\n\naucun résultat"));
}
