//! ST-295-03: the four clarifications, in every mode.

use crate::space::Space;

#[test]
fn st_295_03_four_answers_verbatim_whatever_the_mode() {
    // Given answers from a file and from standard input.
    let space = Space::new("");
    let place = ["--domain", "auth", "--project", "backend", "--answers"];
    let answers = |word: &str| {
        serde_json::json!([format!("{word} Q1\n## not a heading"), "Q2", "Q3", "Q4"]).to_string()
    };
    space.write("answers.json", answers("file"));
    // When both are recorded.
    space.run("govmem", &[&["clarify", "--story", "PD-1"][..], &place, &["answers.json"]].concat()).expect(0);
    space
        .run_with(
            "govmem",
            &[&["clarify", "--story", "PD-2"][..], &place, &["-"]].concat(),
            &answers("stdin"),
        )
        .expect(0);
    // Then each has its file, and the record holds the words as they were said.
    let records: Vec<serde_json::Value> =
        space.read("data/clarifications.jsonl").lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let first = |i: usize| records[i]["questions"][0]["answer"].as_str().unwrap().to_owned();
    assert_eq!([first(0), first(1)], ["file Q1\n## not a heading", "stdin Q1\n## not a heading"]);
    // And no question can be skipped: neither by leaving it out nor by an empty answer, nor without a terminal.
    for bad in [r#"["a","b","c"]"#, r#"["a","b","c",""]"#] {
        space
            .run_with("govmem", &[&["clarify", "--story", "PD-3"][..], &place, &["-"]].concat(), bad)
            .expect(2);
    }
    space
        .run("govmem", &["clarify", "--story", "PD-3", "--domain", "auth", "--project", "backend"])
        .expect(2);
    assert!(!space.path("docs/epics/auth/PD-3-clarifications").exists());
}
