//! Bytes that no one wrote on purpose, in every place that `govrag` reads: pages, `.rag`, the ledger, the
//! baseline, the sources of `init`. A code and a reason, never a panic, never a byte lost.

use crate::world::{Run, World};

/// The corpus: a name and the bytes.
fn corpus() -> Vec<(&'static str, Vec<u8>)> {
    let front =
        "title: \"T\"\nsummary: \"S.\"\ntype: guide\nstatus: stable\ntags: [a]\nupdated: 2026-07-01\n";
    let page = |yaml: &str| format!("---\n{yaml}---\n\n# T\n").into_bytes();
    let bomb = (0..12).fold("a: &a [x]\n".to_owned(), |text, n| {
        let name = |n: u8| char::from(b'a' + n);
        format!("{text}{}: &{0} [*{1}, *{1}, *{1}, *{1}]\n", name(n + 1), name(n))
    });
    vec![
        ("empty", vec![]),
        ("newlines", b"\n\n\n\n".to_vec()),
        ("no-final-newline", page(front).strip_suffix(b"\n").unwrap_or_default().to_vec()),
        ("crlf", String::from_utf8(page(front)).expect("text").replace('\n', "\r\n").into_bytes()),
        ("bom", [b"\xef\xbb\xbf".to_vec(), page(front)].concat()),
        ("invalid-utf8", [page(front), b"\xff\xfe\xfd".to_vec()].concat()),
        ("overlong", [page(front), b"\xc0\xaf".to_vec()].concat()),
        ("surrogate", [page(front), b"\xed\xa0\x80".to_vec()].concat()),
        ("nul", vec![0; 4096]),
        ("gzip", b"\x1f\x8b\x08\x08\xff\xff\xff\xff\x02\x03\xcb\xc8\xe4\x02".to_vec()),
        ("duplicate-keys", page(&format!("{front}title: \"U\"\nversion: 1\nversion: 2\n"))),
        (
            "wrong-types",
            page(
                "title: [a]\nsummary: {a: b}\ntype: 3\nstatus: ~\ntags: x\nupdated: [1]\nversion: {}\nroot: []\n",
            ),
        ),
        (
            "huge-numbers",
            page(
                "title: 1e999\nsummary: .nan\ntype: 99999999999999999999999\nstatus: -0\ntags: [0x1F]\nupdated: 1e3\nversion: 1e999\nsummary_max: 99999999999999999999\n",
            ),
        ),
        (
            "norway",
            page(
                "title: yes\nsummary: no\ntype: on\nstatus: off\ntags: [y]\nupdated: 2026-02-30\nversion: yes\nroot: no\n",
            ),
        ),
        ("deep", page(&format!("{front}x: {}{}\n", "[".repeat(200), "]".repeat(200)))),
        ("bomb", page(&bomb)),
        ("tabs", page(&format!("{front}x:\n\ty: z\n"))),
        ("unclosed", format!("---\n{front}\n# T\n").into_bytes()),
        ("doubled", [page(front), page(front)].concat()),
        (
            "conflict",
            format!("---\n<<<<<<< ours\ntitle: \"A\"\n=======\ntitle: \"B\"\n>>>>>>> theirs\n{front}---\n")
                .into_bytes(),
        ),
        ("long-line", format!("---\n{front}---\n\n{}\n", "word ".repeat(400_000)).into_bytes()),
        (
            "brackets",
            [page(front), "[".repeat(50_000).into_bytes(), "](".repeat(20_000).into_bytes()].concat(),
        ),
        ("quotes", [page(front), "> ".repeat(20_000).into_bytes()].concat()),
        ("fence", [page(front), b"```\n~~~\n# no\n".to_vec()].concat()),
        ("binary", (0..=255).cycle().take(10_000).collect()),
        ("controls", [page(front), b"\x1b[31m\x07\x08 \xe2\x80\xae \xf3\xa0\x80\x81\n".to_vec()].concat()),
    ]
}

fn base() -> World {
    let page = |to: &str| {
        format!(
            "---\ntitle: \"P\"\nsummary: \"S.\"\ntype: guide\nstatus: stable\ntags: [a]\nimpl_refs: [src/a.rs]\nupdated: 2026-07-01\n---\n\n# P\n\nzanzibar [x]({to})\n"
        )
    };
    World::with(&[
        (".rag", "version: \"1\"\nroot: ./kb\nlang: en\ncheck_on_update: false\ncheck: {baseline: .known}\n"),
        ("src/a.rs", "fn a() {}\n"),
        ("kb/one.md", &page("two.md")),
        ("kb/two.md", &page("one.md")),
    ])
}

/// A run that ended by itself with a code that is told.
fn ended(run: &Run, codes: &[i32], what: &str) {
    assert!(codes.contains(&run.code), "{what}: {} {} {}", run.code, run.out, run.err);
    assert!(!run.err.contains("panicked") && !run.err.contains('\u{1b}'), "{what}: {}", run.err);
    assert!(!run.out.contains('\u{1b}') && !run.out.contains('\u{202e}'), "{what}: {}", run.out);
    // Wrong usage, wrong data and unreadable files say what to do.
    assert!(run.code < 2 || run.err.contains("hint:"), "{what}: {}", run.err);
}

#[test]
fn as_pages() {
    for (name, bytes) in corpus() {
        let world = base();
        let path = world.path("kb/odd.md");
        std::fs::write(&path, &bytes).expect("write");
        for (arguments, codes) in [
            (&["index"][..], &[0][..]),
            (&["check"], &[0, 1]),
            (&["check", "--format", "sarif"], &[0, 1]),
            (&["update"], &[0]),
            (&["query", "zanzibar"], &[0]),
            (&["query", "zanzibar", "--status", "stable"], &[0, 1]),
            (&["stats"], &[0]),
            (&["graph", "--format", "dot"], &[0]),
            (&["refs", "src/a.rs"], &[0]),
            (&["show", "odd.md"], &[0, 1]),
        ] {
            ended(&world.govrag(arguments), codes, &format!("{name} {arguments:?}"));
        }
        let listed = world.read("kb/INDEX.md");
        assert!(listed.contains("| odd.md |") && listed.contains("Documents : 3."), "{name}: {listed}");
        assert!(
            world.read("kb/OVERVIEW.md").contains("odd.md")
                && world.read("kb/RELATIONS.yaml").contains("odd.md")
        );
        assert_eq!(std::fs::read(&path).expect("read"), bytes, "{name}");
        // A move keeps every byte; there is no link to repair in any of them.
        let moved = world.govrag(&["mv", "odd.md", "dir/even.md"]);
        ended(&moved, &[0], name);
        assert_eq!(std::fs::read(world.path("kb/dir/even.md")).expect("read"), bytes, "{name} moved");
        // What is repaired is repaired once.
        ended(&world.govrag(&["check", "--fix"]), &[0, 1], name);
        let once = world.files();
        ended(&world.govrag(&["check", "--fix"]), &[0, 1], name);
        assert_eq!(world.files(), once, "{name}");
    }
}

#[test]
fn as_the_marker() {
    for (name, bytes) in corpus() {
        let world = base();
        std::fs::write(world.path(".rag"), &bytes).expect("write");
        let before = world.files();
        for command in [&["check"][..], &["index"], &["update"], &["query", "x"], &["stats"], &["init"]] {
            // None of them names a root: nothing is done, and the line is told.
            ended(&world.govrag(command), &[2, 65], &format!("{name} {command:?}"));
        }
        assert_eq!(world.files(), before, "{name}");
    }
}

#[test]
fn as_ledger_and_baseline() {
    for (name, bytes) in corpus() {
        for file in [".rag.lock", ".known"] {
            let world = base();
            std::fs::write(world.path(file), &bytes).expect("write");
            for (command, codes) in [
                (&["check"][..], &[0, 1, 65, 74][..]),
                (&["query", "zanzibar"], &[0]),
                (&["index"], &[0, 65, 74]),
            ] {
                ended(&world.govrag(command), codes, &format!("{name} {file} {command:?}"));
            }
            assert_eq!(std::fs::read(world.path(file)).expect("read"), bytes, "{name} {file}");
        }
        let world = base();
        std::fs::write(world.path(".rag.lock"), &bytes).expect("write");
        ended(&world.govrag(&["ack", "one.md"]), &[0], name);
        let line = |l: &str| l.starts_with("one.md\tsrc/a.rs\t");
        assert!(world.read(".rag.lock").lines().any(line), "{name}");
        let check = world.govrag(&["check"]).out;
        assert!(!check.lines().any(|l| l.starts_with("kb/one.md") && l.contains("W006")), "{name}: {check}");
    }
}

#[test]
fn as_sources_of_init() {
    for (name, bytes) in corpus() {
        let world = World::with(&[
            ("README.md", "# Lock\n\nA lock that closes by itself after repeated failures.\n"),
            ("src/lib.rs", "//! A lock.\n\n/// Opens it.\npub fn open() {}\n"),
        ]);
        for file in [
            "CONTRIBUTING.md",
            "docs/odd.md",
            "Cargo.toml",
            "package.json",
            "config.yaml",
            "openapi.yaml",
            "x.schema.json",
            "db/001.sql",
            ".github/workflows/ci.yml",
            "Dockerfile",
            "Makefile",
            "src/odd.rs",
            "app/odd.py",
            "web/odd.ts",
            "web/odd.tsx",
            "cmd/odd.go",
            "tests/odd.rs",
        ] {
            let path = world.path(file);
            std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
            std::fs::write(path, &bytes).expect("write");
        }
        let before = world.files();
        ended(&world.govrag(&["init"]), &[0], name);
        let after = world.files();
        assert!(
            before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)),
            "{name}: a source changed"
        );
        let check = world.govrag(&["check"]);
        ended(&check, &[0], name);
        assert!(check.out.contains(" 0 unreadable; 0 errors"), "{name}: {}", check.out);
        ended(&world.govrag(&["update"]), &[0], name);
        assert_eq!(world.files(), after, "{name}: a second run writes nothing");
    }
}
