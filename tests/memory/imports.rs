//! `import veille` and `import clarifications`: other people's files become our own, counted, once.

use crate::space::{Answer, Space, shared};

fn counts(answer: &Answer, names: &[&str]) -> Vec<u64> {
    let report = answer.json();
    let number = |name: &str| match &report[name] {
        serde_json::Value::Array(list) => list.len() as u64,
        other => other.as_u64().unwrap_or_else(|| panic!("{name} in {report}")),
    };
    names.iter().map(|name| number(name)).collect()
}

const NOTES: [&str; 7] = ["read", "added", "disambiguated", "same", "superseded", "not_notes", "excluded"];
const ANSWERS: [&str; 7] = ["read", "added", "same", "expired", "without_answers", "unanswered", "excluded"];

fn radar(space: &Space) {
    let note = |title: &str, ring: &str| {
        format!("---\ntitle: {title}\nring: {ring}\nfeatured: yes\n---\nText of {title}\n")
    };
    space.write("radar/2023-01-31/vite.md", note("Vite", "trial"));
    space.write("radar/2024-02-29/vite.md", note("VITE", "Adopt"));
    space.write("radar/2024-02-29/vite too.md", note("vite!", "hold"));
    space.write("radar/2024-02-29/odd.md", note("Odd", "maybe"));
    space.write("radar/2024-02-29/README.md", "# No note\n");
    space.write("radar/2024-02-29/key.md", note("Key AKIAIOSFODNN7QRSTUVW", "hold"));
    space.write("radar/blips.yaml", "- name: Deno\n  blip: [{date: 2019-02-26, ring: TRIAL}]\n- 7\n");
    space.write("radar/utf16.md", b"\xff\xfe#\0");
}

#[test]
fn foreign_notes_become_ours_once() {
    let space = Space::new("");
    radar(&space);
    let args = ["--json", "import", "veille", "radar", "--impact", "Modéré", "--map"];
    let map = "title=title|name,verdict=ring|blip[-1].ring,date=blip[-1].date";
    let import = |more: &[&str]| space.run("govmem", &[&args[..], &[map], more].concat());

    // Deno has no text; 7 and the README are no notes; odd ring, secret, UTF-16 are left out.
    let dry = import(&["--dry-run"]).expect(3);
    assert_eq!(counts(&dry, &NOTES), [9, 3, 1, 0, 0, 2, 4]);
    assert_eq!(std::fs::read_dir(space.path("docs/veille")).unwrap().count(), 0);
    assert!(!dry.out.contains("AKIAIOSFODNN7QRSTUVW") && !dry.err.contains("AKIAIOSFODNN7QRSTUVW"));
    let done = import(&[]).expect(3);
    assert_eq!(counts(&done, &NOTES), [9, 3, 1, 0, 0, 2, 4]);
    assert_eq!(done.json()["unmapped"], serde_json::json!({"featured": 4}));
    let paths = done.json()["paths"].clone();
    assert_eq!(
        paths,
        serde_json::json!([
            "docs/veille/2023-01-31-vite.md",
            "docs/veille/2024-02-29-vite.md",
            "docs/veille/2024-02-29-vite-2.md"
        ])
    );
    let note = space.read("docs/veille/2024-02-29-vite-2.md");
    assert!(note.contains("verdict: adopter") || note.contains("verdict: ignorer"), "{note}");
    assert!(note.contains("Text of ") && note.contains("imported_from: \"radar/2024-02-29/vite"), "{note}");
    // Again: nothing new, nothing changed.
    assert_eq!(counts(&import(&[]).expect(3), &NOTES), [9, 0, 0, 3, 0, 2, 4]);
    // A colleague moved one: it is still the same note.
    std::fs::rename(space.path("docs/veille/2024-02-29-vite.md"), space.path("docs/veille/moved.md"))
        .unwrap();
    assert_eq!(counts(&import(&[]).expect(3), &NOTES), [9, 0, 0, 3, 0, 2, 4]);
    assert_eq!(counts(&import(&["--latest"]).expect(3), &NOTES), [9, 0, 0, 2, 1, 2, 4]);
    let indexed = space.run("govmem", &["--json", "index", "veille", "--strict"]).expect(0).json();
    assert_eq!(indexed["sources"][0]["kept"], 3, "{indexed}");
    let found = space.run("govmem", &["--json", "search", "veille", "vite"]).expect(0).json();
    assert_eq!(found["count"], 3);
}

#[test]
fn a_workspace_that_would_not_read_the_notes_says_so() {
    let note = "---\ntitle: A\nring: adopt\ndate: 2026-01-01\n---\nx\n";
    let args = ["import", "veille", "a.md", "--map", "verdict=ring", "--impact", "nul"];
    // Roots without Markdown inside the workspace: refused whole.
    let space = Space::new("[veille]\nroots = [\"/nowhere\"]\n");
    space.write("a.md", note);
    let refused = space.run("govmem", &args).expect(2);
    assert!(refused.err.contains("docs/veille"), "{}", refused.err);
    // A mapping of the workspace's own that does not know our names: left out, with the way out.
    let space = Space::new("[veille]\nfields = { verdict = \"ring\" }\n");
    space.write("a.md", note);
    let out = space.run("govmem", &args).expect(3);
    assert!(out.err.contains("ERR-295-01") && out.err.contains("ring|verdict"), "{}", out.err);
    assert_eq!(std::fs::read_dir(space.path("docs/veille")).unwrap().count(), 0);
    let space = Space::new("[veille]\nroots = [\"radar\"]\nfields = { verdict = \"ring|verdict\" }\n");
    space.write("a.md", note);
    space.run("govmem", &args).expect(0);
    assert!(space.read("radar/2026-01-01-a.md").contains("impact_pv: nul"));
    for (more, code) in [
        (&["--map", "ringg=x"][..], 2),
        (&["--impact", "huge"], 2),
        (&["--verdicts", "x=maybe"], 2),
        (&["--verdicts", "x"], 2),
        (&["absent.md"], 74),
        (&["--nonsense"], 2),
    ] {
        let base = ["import", "veille", "a.md"];
        space.run("govmem", &[&base[..], more].concat()).expect(code);
    }
}

#[test]
fn foreign_clarifications_become_ours_once() {
    let space = Space::new("");
    let four =
        r#"{"ticket":"PD-1","date":"2026-10-01","why":"Because\n\n  of x","Q2":"b","Q3":"c","Q4":"d"}"#;
    let other = four.replace("Because", "Otherwise");
    let short = r#"{"ticket":"PD-2","date":"2026-10-01","why":"a","Q2":"b","Q3":"c"}"#;
    let old = four.replace("PD-1", "PD-3").replace("2026-10-01", "2020-01-01");
    let list = r#"{"ticket":"PD-4","date":"2026-10-01","title":"Billing rules","questions":[{"q":"Who?","a":"All\n- of them\nnow"},{"q":"When?","a":""}]}"#;
    let secret = four.replace("PD-1", "PD-5").replace("\"b\"", "\"AKIAIOSFODNN7QRSTUVW\"");
    let none = r#"{"ticket":"PD-6","date":"2026-10-01","questions":[{"q":"Who?"}]}"#;
    space.write("in.jsonl", [four, &other, short, &old, list, &secret, none, "rubbish"].join("\n"));
    space.write(
        "specs/012-user-auth/spec.md",
        "# S\n## Clarifications\n### Session 2026-09-30\n- Q: One? → A: Yes\n- Q: Two?\n",
    );
    space.write("specs/013-none/spec.md", "# S\n");
    let args = ["--json", "import", "clarifications", "in.jsonl", "specs", "--map", "story=ticket,Q1=why"];
    let place = ["--domain", "auth", "--project", "backend"];
    let import = |more: &[&str]| space.run("govmem", &[&args[..], &place, more].concat());
    // Added: PD-1, PD-4, SPEC-12. Left out: other answers for PD-1, PD-2 short, the secret, rubbish.
    let expected = [10, 3, 0, 1, 2, 3, 4];
    assert_eq!(counts(&import(&["--dry-run"]).expect(3), &ANSWERS), expected);
    assert_eq!(std::fs::read_dir(space.path("docs/epics")).unwrap().count(), 0);
    let done = import(&[]).expect(3);
    assert_eq!(counts(&done, &ANSWERS), expected, "{}", done.err);
    assert!(!done.err.contains("AKIAIOSFODNN7QRSTUVW") && !done.out.contains("AKIAIOSFODNN7QRSTUVW"));
    assert_eq!(
        done.json()["paths"],
        serde_json::json!([
            "docs/epics/auth/PD-1-clarifications/PD-1-clarifications.md",
            "docs/epics/auth/PD-4-billing-rules/spec.md",
            "docs/epics/auth/SPEC-12-012-user-auth/spec.md"
        ])
    );
    assert!(
        space
            .read("docs/epics/auth/PD-1-clarifications/PD-1-clarifications.md")
            .contains("> Because\n>\n>   of x\n")
    );
    assert_eq!(counts(&import(&[]).expect(3), &ANSWERS), [10, 0, 3, 1, 2, 3, 4]);
    let collected = space.run("govmem", &["--json", "collect", "--strict"]).expect(0).json();
    assert_eq!(collected["sources"][0]["kept"], 3, "{collected}");
    let record = space.read("data/clarifications.jsonl");
    assert!(record.contains("Who? → All\\n- of them\\nnow"), "{record}");
    assert!(record.contains("\"retention_until\":\"2028-03-30\""), "18 calendar months after 2026-09-30");
    let query =
        ["--json", "search", "clarifications", "who is billed", "--domain", "auth", "--project", "backend"];
    assert_eq!(space.run("govmem", &query).expect(0).json()["count"], 3);
    // Another workspace takes our own files and records.
    let second = Space::new("");
    let files: Vec<String> = ["data/clarifications.jsonl", "docs/epics"]
        .iter()
        .map(|p| space.path(p).to_str().unwrap().to_owned())
        .collect();
    let ours =
        |more: &[&str]| second.run("govmem", &[&["--json", "import", "clarifications"][..], more].concat());
    assert_eq!(counts(&ours(&[&files[1]]).expect(0), &ANSWERS), [3, 3, 0, 0, 0, 0, 0]);
    for file in ["PD-4-billing-rules/spec.md", "SPEC-12-012-user-auth/spec.md"] {
        let file = format!("docs/epics/auth/{file}");
        assert!(!space.read(&file).is_empty());
        assert_eq!(second.read(&file), space.read(&file));
    }
    assert_eq!(counts(&ours(&[&files[0]]).expect(0), &ANSWERS), [3, 0, 3, 0, 0, 0, 0]);
    for (more, code) in [
        (&["--date", "soon"][..], 2),
        (&["--story", "x"], 2),
        (&["--map", "Q5=x"], 2),
        (&["absent.json"], 74),
    ] {
        second.run("govmem", &[&["import", "clarifications", "../x.json"][..], more].concat()).expect(code);
    }
}

/// The real documents: every one is counted, what is written is read back by the index run.
#[test]
fn real_documents_are_all_accounted_for() {
    let (Some(notes), Some(specs)) = (shared("memory/veille"), shared("memory/clarifications")) else {
        return;
    };
    let space = Space::new("");
    let notes = notes.to_str().unwrap();
    let report = space.run("govmem", &["--json", "import", "veille", notes, "--impact", "faible", "--map",
        "title=title|name,verdict=ring|blip[-1].ring,date=blip[-1].date|date,summary=description+rationale"]);
    let n = counts(&report, &NOTES);
    assert_eq!(n[0], n[1] + n[3] + n[4] + n[5] + n[6], "{n:?}");
    assert!(n[1] > 100, "{n:?} {}", report.err);
    let report = space.run(
        "govmem",
        &[
            "--json",
            "import",
            "clarifications",
            specs.to_str().unwrap(),
            "--domain",
            "auth",
            "--project",
            "backend",
        ],
    );
    let n = counts(&report, &ANSWERS);
    assert_eq!(n[0], n[1] + n[2] + n[3] + n[4] + n[6], "{n:?}");
    assert!(n[1] > 20, "{n:?} {}", report.err);
    let collected = space.run("govmem", &["--json", "collect", "--strict"]).expect(0).json();
    assert_eq!(collected["sources"][0]["kept"].as_u64(), Some(n[1]), "{collected}");
}
