//! Input that is refused, and how.

use crate::world::World;

#[test]
fn wrong_usage_is_exit_2() {
    let w = World::indexed(&[("a.md", "zebra\n")]);
    let cases: &[&[&str]] = &[
        &["search", "zebra", "--nonsense"],
        &["search", "zebra", "-n", "-5"],
        &["search", "zebra", "-n", "0"],
        &["search", "zebra", "-n", "many"],
        &["search", "zebra", "-n", "99999999999999999999999"],
        &["search", "zebra", "--format", "yaml"],
        &["search", "zebra", "--csv", "--xml"],
        &["search", "zebra", "--min-score", "NaN"],
        &["search", "zebra", "-c", "absent"],
        &["search"],
        &["search", ""],
        &["search", "--", "-zebra"],
        &["search", "\"\""],
        &["search", "--", "--- *** &&& ||"],
        &["search", "lex:"],
        &["search", "vec: only meaning"],
        &["get"],
        &["get", "a.md", "--from", "0"],
        &["multi-get", "a.md", "--max-lines", "-1"],
        &["nonsense"],
        &["collection"],
    ];
    for args in cases {
        let ran = w.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {} {}", ran.stdout, ran.stderr);
        assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{args:?}");
        assert!(!ran.stderr.contains("panicked"), "{args:?}");
    }
    w.run(&["search", "zebra AND (NOT OR *"]).exits(0);
    w.run(&["search", "'; DROP TABLE words; --"]).exits(1);
    w.run(&["--help"]).exits(0);
    assert!(w.run(&["search", "--help"]).exits(0).stdout.contains("--min-score"));
}

#[test]
fn errors_of_machines_are_json() {
    let w = World::indexed(&[("a.md", "zebra\n")]);
    let ran = w.run(&["search", "--json", "--", "-zebra"]).exits(2);
    let error: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!(error["error"]["name"], "USAGE");
    let ran = w.run(&["search", "--format", "json", "--", "-zebra"]).exits(2);
    assert!(serde_json::from_str::<serde_json::Value>(&ran.stderr).is_ok());
}

#[test]
fn queries_from_a_pipe() {
    let w = World::indexed(&[("a.md", "zebra\n")]);
    w.run_with_input(&["search", "-"], b"zebra\n").exits(0);
    w.run_with_input(&["search", "-"], b"lex: zebra\nintent: stripes\n").exits(0);
    w.run_with_input(&["search", "-"], b"ze\0bra zebra").exits(0);
    w.run_with_input(&["search", "-"], b"").exits(2);
    w.run_with_input(&["search", "-"], b"\xff\xfe zebra").exits(2);
    w.run_with_input(&["search", "-"], b"\0\0\0").exits(2);
    let huge = "zebra ".repeat(10 * 1024 * 1024 / 6);
    w.run_with_input(&["search", "-"], huge.as_bytes()).exits(2);
    w.run(&["search", &"zebra ".repeat(2000)]).exits(2);
    let wide: String = (0..1000).map(|i| format!("w{i} ")).collect();
    w.run(&["search", &format!("zebra {wide}")]).exits(0);
}

#[test]
fn odd_documents_are_indexed_or_left_out() {
    let w = World::new();
    w.write("bom.md", "\u{feff}# Title\n\nzebra bom\n");
    w.write("crlf.md", "# Title\r\n\r\nzebra crlf\r\n");
    w.write("nofinal.md", "zebra nofinal");
    w.write("deep.md", format!("{}zebra deep\n", "> ".repeat(5000)));
    w.write("fence.md", format!("zebra fence\n```\n{}", "code\n".repeat(5000)));
    w.write("line.md", format!("zebra line {}", "x ".repeat(500_000)));
    w.write("marks.md", "<<<<<<< HEAD\nzebra marks\n=======\n>>>>>>> x\n");
    w.write("combining.md", format!("zebra combining a{}\n", "\u{301}".repeat(10_000)));
    w.write("newlines.md", "\n".repeat(10_000));
    w.write("gzip.md", [0x1f, 0x8b, 0x08, 0, 0, 0xff]);
    w.run(&["collection", "add", "docs", "--name", "docs"]).exits(0);
    w.run(&["update"]).exits(0);
    for name in ["bom", "crlf", "nofinal", "deep", "fence", "line", "marks", "combining"] {
        assert_eq!(w.paths(&["search", &format!("zebra {name}"), "-n", "1"]), [format!("{name}.md")]);
    }
    assert_eq!(w.run(&["search", "bom", "--json"]).json()["results"][0]["title"], "Title");
    w.run(&["get", "newlines.md"]).exits(0);
    w.run(&["doctor"]).exits(0);
}
