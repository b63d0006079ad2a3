//! The four questions: recorded verbatim, refused, replaced, collected, found.

use crate::space::{Answer, Space};

const PLACE: [&str; 7] = ["clarify", "--story", "PD-42", "--domain", "auth", "--project", "backend"];

fn clarify(space: &Space, answers: &str, more: &[&str]) -> Answer {
    let args = [&PLACE[..], &["--answers", "-"], more].concat();
    space.run_with("govmem", &args, answers)
}

#[test]
fn recorded_answers_are_found_at_once_and_verbatim() {
    let space = Space::new("");
    let answers = serde_json::json!({
        "Q1": "Partners log in with a password alone.\n## Q2 — not a heading\n> a quote",
        "Q2": "Every partner login asks for a second factor.",
        "Q3": "No SMS.", "Q4": "Partners first.",
    });
    let path = clarify(&space, &answers.to_string(), &["--slug", "mfa"]).expect(0).out;
    assert_eq!(path, "docs/epics/auth/PD-42-mfa/PD-42-clarifications.md\n");
    let found = space
        .run(
            "govmem",
            &[
                "--json",
                "search",
                "clarifications",
                "second factor",
                "--domain",
                "auth",
                "--project",
                "backend",
            ],
        )
        .expect(0)
        .json();
    assert_eq!(found["count"], 1);
    let record: serde_json::Value =
        serde_json::from_str(space.read("data/clarifications.jsonl").lines().next().unwrap()).unwrap();
    for (i, theme) in ["probleme", "criteres", "contraintes", "priorites"].iter().enumerate() {
        let id = format!("Q{}", i + 1);
        assert_eq!(
            record["questions"][i],
            serde_json::json!({"id": id, "theme": theme, "answer": answers[&id]})
        );
    }
    let block = space.inject("PD-50", "Second factor").expect(0).json();
    assert_eq!(block["sources"]["clarification"]["count"], 1);

    // There already: refused, nothing changes; replaced: the old file is kept.
    let before = space.read(path.trim());
    assert!(clarify(&space, &answers.to_string(), &[]).expect(2).err.contains("ERR-295-03"));
    assert_eq!(space.read(path.trim()), before);
    let other = answers.to_string().replace("No SMS.", "No voice calls.");
    clarify(&space, &other, &["--replace"]).expect(0);
    assert_eq!(space.read(&format!("{}.1", path.trim())), before);
    assert!(space.read(path.trim()).contains("> No voice calls."));
    assert_eq!(space.read("data/clarifications.jsonl").lines().count(), 1);
    // A story has one file, whatever domain is given the second time.
    let elsewhere =
        ["clarify", "--story", "PD-42", "--domain", "other", "--project", "backend", "--answers", "-"];
    space.run_with("govmem", &elsewhere, &other).expect(2);
    assert!(!space.path("docs/epics/other").exists());
}

#[test]
fn bad_answers_write_nothing() {
    let space = Space::new("");
    let secret = "ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5";
    let cases = [
        r#"["a", "b", "c"]"#.to_owned(),
        r#"["a", "b", "c", "d", "e"]"#.to_owned(),
        r#"{"Q1": "a", "Q2": "b", "Q3": "c"}"#.to_owned(),
        r#"{"Q1": "a", "Q2": "b", "Q3": "c", "Q4": "d", "Q5": "e"}"#.to_owned(),
        r#"{"Q1": "a", "Q1": "b", "Q3": "c", "Q4": "d"}"#.to_owned(),
        r#"["a", "b", "c", "  \n "]"#.to_owned(),
        r#"["a", "b", "c", "nul \u0000"]"#.to_owned(),
        format!(r#"["a", "b", "c", "token {secret}"]"#),
        "not json".to_owned(),
        String::new(),
    ];
    for case in cases {
        let answer = clarify(&space, &case, &[]).expect(2);
        assert!(answer.err.contains("ERR-295-03"), "{case}: {}", answer.err);
        assert!(!answer.err.contains(secret));
    }
    assert!(!space.path("docs/epics/auth").exists());
    space.run("govmem", &PLACE).expect(2);
}

#[test]
fn invalid_files_are_excluded_and_counted() {
    let space = Space::new("");
    let good = r#"["a", "b", "c", "d"]"#;
    clarify(&space, good, &[]).expect(0);
    let dir = "docs/epics/auth/PD-42-clarifications";
    let text = space.read(&format!("{dir}/PD-42-clarifications.md"));
    let other = |story: &str, text: &str| {
        space.write(
            &format!("docs/epics/auth/{story}-x/{story}-clarifications.md"),
            text.replace("PD-42", story),
        );
    };
    other("PD-1", &text.replace("## Q4", "## Q3"));
    other("PD-2", &text.replace("date: ", "date: 2026-02-30 #"));
    other("PD-3", &text.replace("---\nstory", "story"));
    other("PD-4", &text.replace("> c", ">"));
    other("PD-5", &text.replace("domain: auth", "domain: ../auth"));
    other("PD-7", &text.split("date:").next().map(|t| format!("{t}date: 2024-01-15\n---\n")).unwrap());
    space.write("docs/epics/auth/PD-6-x/PD-6-clarifications.md", &text);
    space.write("docs/epics/auth/PD-8-x/PD-8-clarifications.md", [0xff, 0xfe, 0x00]);
    // The retention of 2024-01-15 passed on 2025-07-15: counted, not collected.
    let expired = format!(
        "{}date: 2024-01-15\n---\n{}",
        text.split("date:").next().unwrap(),
        text.splitn(3, "---\n").nth(2).unwrap()
    );
    other("PD-9", &expired);
    let answer = space.run("clarifications-collect", &["--json"]).expect(0);
    let report = &answer.json()["sources"][0];
    assert_eq!(report["read"], 10, "{report}");
    assert_eq!(report["kept"], 1, "{report}");
    assert_eq!(report["skipped"]["expired"], 1, "{report}");
    assert_eq!(report["excluded"].as_array().unwrap().len(), 8, "{report}");
    assert!(answer.err.contains("ERR-295-03"));
    space.run("clarifications-collect", &["--strict"]).expect(3);
}
