//! Lessons and gate records: what is recorded, refused, listed, shown.

use crate::space::Space;

#[test]
fn lessons_have_their_identity_and_are_never_doubled() {
    let space = Space::new("");
    // SHA-256 of the folded tags: 5fb17410e191 for MFA and timing, whatever their case.
    assert_eq!(space.learn("PD-7", "MFA,timing,mfa ", "Compare in constant time"), "PD-7-8-5fb17410e191");
    let again = [
        "learn",
        "--story",
        "PD-7",
        "--gate",
        "8",
        "--domain",
        "auth",
        "--project",
        "backend",
        "--tags",
        "mfa,timing",
        "--lesson",
        "Compare in constant time",
    ];
    space.run("govmem", &again).expect(2);
    assert_eq!(space.read("data/learnings.jsonl").lines().count(), 1);
    let other = space.learn("PD-7", "mfa,timing", "Another lesson");
    assert_ne!(other, "PD-7-8-5fb17410e191");
    let listed = space.run("govmem", &["list", "learnings"]).expect(0).out;
    assert_eq!(listed.lines().count(), 2);
    let shown = space.run("govmem", &["show", &other]).expect(0).out;
    assert!(shown.contains("Another lesson") && shown.contains("data/learnings.jsonl:2"), "{shown}");
    space.run("govmem", &["show", "PD-999"]).expect(1);
    assert_eq!(
        space.run("govmem", &["--json", "show", "PD-7"]).expect(0).json()["records"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn refused_lessons_leave_no_byte() {
    let space = Space::new("");
    let base = ["learn", "--story", "PD-7", "--gate", "8", "--domain", "auth", "--project", "backend"];
    let with = |more: &[&str]| space.run("govmem", &[&base[..], more].concat());
    with(&["--tags", "a", "--lesson", "  "]).expect(2);
    with(&["--tags", " , ", "--lesson", "x"]).expect(2);
    let answer = with(&["--tags", "a", "--lesson", "AKIAIOSFODNN7QRSTUVW is the key"]).expect(2);
    assert!(!answer.err.contains("AKIAIOSFODNN7QRSTUVW"), "{}", answer.err);
    space.run("govmem", &["learn", "--story", "pd-7"]).expect(2);
    with(&["--tags", "a", "--lesson", "x", "--gate", "-1"]).expect(2);
    with(&["--tags", "line\nbreak", "--lesson", "x"]).expect(2);
    space.write("odd.jsonl", r#"{"lesson":"x","tags":["a"],"gate":12345}"#);
    let import = [
        "--json",
        "import",
        "learnings",
        "odd.jsonl",
        "--story",
        "PD-7",
        "--domain",
        "auth",
        "--project",
        "backend",
    ];
    let report = space.run("govmem", &import).expect(3).json();
    assert_eq!(
        (report["added"].as_u64(), report["excluded"].as_array().map(Vec::len)),
        (Some(0), Some(1)),
        "{report}"
    );
    assert_eq!(space.read("data/learnings.jsonl"), "");
}

#[test]
fn gates_are_recorded_and_imported_once() {
    let space = Space::new("");
    let base = ["gate", "--story", "PD-7", "--gate", "8", "--version", "1", "--verdict"];
    space.run("govmem", &[&base[..], &["GO"]].concat()).expect(2);
    let place = ["--domain", "auth", "--project", "backend"];
    space.run("govmem", &[&base[..], &["GO"], &place[..]].concat()).expect(0);
    space.run("govmem", &[&base[..], &["MAYBE"], &place[..]].concat()).expect(2);
    space
        .run(
            "govmem",
            &[&["gate", "--story", "PD-7", "--gate", "8", "--version", "0", "--verdict", "GO"][..], &place]
                .concat(),
        )
        .expect(2);
    let line = r#"{"story":"PD-8","gate":8,"version":2,"verdict":"RESERVE","timestamp":"2026-01-02T03:04:05Z","domain":"auth","project":"backend","extra":1}"#;
    space.write("in.jsonl", format!("{line}\n{line}\nnot json\n{{\"story\":\"PD-8\"}}\n"));
    let report = space.run("govmem", &["--json", "import", "metrics", "in.jsonl"]).expect(3).json();
    assert_eq!(
        (report["read"].as_u64(), report["added"].as_u64(), report["same"].as_u64()),
        (Some(4), Some(1), Some(1))
    );
    assert_eq!(report["excluded"].as_array().unwrap().len(), 2);
    assert!(space.read("data/metrics.jsonl").contains("\"extra\":1"));
    assert_eq!(space.run("govmem", &["list", "gates"]).expect(0).out.lines().count(), 2);
    space.run("govmem", &["import", "metrics", "absent.jsonl"]).expect(74);
}

#[test]
fn record_files_with_bad_lines_lose_nothing() {
    let space = Space::new("");
    let id = space.learn("PD-7", "a", "Good lesson");
    let good = space.read("data/learnings.jsonl");
    let drift = good.replace("\"tags\":[\"a\"]", "\"tags\":[\"b\"]");
    let bad =
        format!("{good}{good}{drift}{{\"story\":1}}\n<<<<<<< HEAD\n{{\"a\":1}}{{\"b\":2}}\n\n{{\"torn\":");
    space.write("data/learnings.jsonl", &bad);
    let report = &space.run("govmem", &["--json", "reindex"]).expect(0).json()["sources"][0];
    assert_eq!((report["read"].as_u64(), report["kept"].as_u64()), (Some(6), Some(1)), "{report}");
    let reasons: Vec<&str> =
        report["excluded"].as_array().unwrap().iter().map(|e| e["reason"].as_str().unwrap()).collect();
    for reason in ["duplicate_id", "learning_id_drift", "merge_conflict"] {
        assert!(reasons.iter().any(|r| r.contains(reason)), "{reason} in {reasons:?}");
    }
    assert_eq!(space.read("data/learnings.jsonl"), bad, "indexing changes no byte");
    let found = space.run("govmem", &["--json", "search", "learnings", "good lesson"]).expect(0).json();
    assert_eq!(found["results"][0]["id"].as_str(), Some(id.as_str()));
    // The next append keeps the torn tail aside.
    space.learn("PD-8", "c", "After the crash");
    let torn: Vec<_> = std::fs::read_dir(space.path("data"))
        .unwrap()
        .filter_map(|e| e.unwrap().file_name().into_string().ok())
        .filter(|n| n.contains(".torn-"))
        .collect();
    assert_eq!(torn.len(), 1);
    assert_eq!(space.read(&format!("data/{}", torn[0])), "{\"torn\":");
    // A whole file that is no text is refused, and said.
    space.write("data/learnings.jsonl", [0x1f, 0x8b, 8, 0]);
    assert!(space.run("govmem", &["reindex"]).expect(65).err.contains("ERR-295-15"));
}

#[test]
fn a_lesson_comes_as_json_so_that_no_shell_reads_it() {
    let space = Space::new("");
    let text = "a `b` $(c) \"d\"\nand 'e'";
    let lesson = serde_json::json!({
        "story": "PD-7", "gate": 8, "domain": "auth", "project": "backend", "tags": ["MFA", "a, b; rm"],
        "lesson": text, "title": "T",
    });
    let id = space.run_with("govmem", &["learn", "--from-json", "-"], &lesson.to_string()).expect(0).out;
    let stored: serde_json::Value = serde_json::from_str(space.read("data/learnings.jsonl").trim()).unwrap();
    assert_eq!(
        (&stored["lesson"], &stored["tags"][1], &stored["title"]),
        (&text.into(), &"a, b; rm".into(), &"T".into())
    );
    assert_eq!(stored["learning_id"].as_str(), Some(id.trim()));
    for bad in [
        "{}".to_owned(),
        lesson.to_string().replace("\"gate\":8", "\"gate\":-1"),
        lesson.to_string().replace("\"gate\"", "\"other\":1,\"gate\""),
    ] {
        let refused = space.run_with("govmem", &["learn", "--from-json", "-"], &bad).expect(2).err;
        assert!(refused.contains("--from-json"), "{refused}");
    }
    space.run_with("govmem", &["learn", "--from-json", "-", "--tags", "a"], "{}").expect(2);
    space.run("govmem", &["learn", "--story", "PD-7"]).expect(2);
    assert_eq!(space.read("data/learnings.jsonl").lines().count(), 1);
}
