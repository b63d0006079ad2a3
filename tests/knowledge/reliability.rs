//! Bad input and faults through the binary: days that are none, compressed and giant pages, closed
//! pipes, pages that cannot be read and move or are filtered.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

use govmem::knowledge::Code;

use crate::world::{World, err, out, page};

fn command(w: &World, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_govrag"));
    command.current_dir(w.home()).env_clear().env("HOME", w.home()).env("GOVMEM_LANG", "en").args(args);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

fn govrag(w: &World, args: &[&str]) -> Output {
    let out = command(w, args).output().expect("run");
    let said = err(&out);
    assert!(!said.contains("panicked"), "{args:?}: {said}");
    out
}

fn two_pages() -> World {
    let w = World::new("");
    w.page("a.md", "", "# A\n\n[b](b.md)");
    w.page("b.md", "", "# B\n\n[a](a.md)\n\nzanzibar");
    w.index();
    w
}

#[test]
fn a_day_that_does_not_exist_is_an_error_of_its_field() {
    let w = two_pages();
    for day in
        ["2026-02-30", "2026-13-01", "2026-00-10", "2026-04-31", "2025-02-29", "2026-07-01T10:00", "yes"]
    {
        w.write("docs/a.md", &page(day, "", "[b](b.md)"));
        w.index();
        let report = w.check();
        let found: Vec<_> = report.findings.iter().filter(|f| f.file == "docs/a.md").collect();
        assert_eq!(found.iter().map(|f| f.code).collect::<Vec<_>>(), [Code::E003], "{day}");
        // On its line, under the value.
        assert_eq!((found[0].start.line, found[0].start.column), (7, 10), "{day}");
        // The page is whole but for its day, and the indexes are dated by the other page.
        assert_eq!(report.unreadable, 0);
        assert!(w.read("docs/INDEX.md").contains("| a.md | feature | stable |"));
        assert!(w.read("docs/INDEX.md").contains("Généré le 2026-07-01"));
    }
    w.write("docs/a.md", &page("2026-07-01", "created: 2026-02-30\n", "[b](b.md)"));
    w.index();
    assert_eq!(w.codes("a.md"), [Code::E003]);
}

#[test]
fn a_compressed_page_is_listed_refused_and_kept() {
    let w = two_pages();
    // Two streams of gzip: the second holds no NUL in its first bytes.
    let streams: [&[u8]; 2] = [
        b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\xc8\xe4\x02\x00\x7a\x7a\x6f\xed\x03\x00\x00\x00",
        b"\x1f\x8b\x08\x08\xff\xff\xff\xff\x02\x03\xcb\xc8\xe4\x02",
    ];
    for (n, bytes) in streams.into_iter().enumerate() {
        let name = format!("z{n}.md");
        let path = w.path(&format!("docs/{name}"));
        std::fs::write(&path, bytes).expect("write");
        w.index();
        assert_eq!(w.codes(&name), [Code::E002]);
        assert!(w.read("docs/INDEX.md").contains(&format!("| {name} | ? |")));
        for (args, exit) in [
            (vec!["check", "--fix"], 1),
            (vec!["index"], 0),
            (vec!["update"], 0),
            (vec!["stats"], 0),
            (vec!["show", &name], 1),
            (vec!["ack", &name], 2),
            (vec!["query", "zanzibar"], 0),
        ] {
            let run = govrag(&w, &args);
            assert_eq!(run.status.code(), Some(exit), "{args:?}: {}", err(&run));
            if args[0] == "stats" || args[0] == "query" {
                assert!(out(&run).contains("govrag check"), "{args:?}: {}", out(&run));
            }
        }
        assert_eq!(std::fs::read(&path).expect("read"), bytes);
    }
}

#[test]
fn a_giant_page_is_named_everywhere_and_never_read() {
    let w = two_pages();
    let path = w.path("docs/giant.md");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).expect("file"));
    file.write_all(page("2026-07-01", "", "# Giant").as_bytes()).expect("write");
    let line = "zanzibar [a](a.md) lorem ipsum dolor sit amet, consectetur adipiscing\n".repeat(1000);
    while file.get_ref().metadata().expect("size").len() < 50_000_000 {
        file.write_all(line.as_bytes()).expect("write");
    }
    drop(file);
    let size = std::fs::metadata(&path).expect("size").len();
    for (args, exit) in [
        (&["index"][..], 0),
        (&["check"], 1),
        (&["check", "--fix"], 1),
        (&["update"], 0),
        (&["query", "zanzibar"], 0),
        (&["show", "giant.md"], 1),
        (&["show", "giant.md#giant"], 1),
        (&["ack", "giant.md"], 2),
        (&["stats"], 0),
        (&["graph"], 0),
    ] {
        let run = govrag(&w, args);
        assert_eq!(run.status.code(), Some(exit), "{args:?}: {} {}", out(&run), err(&run));
        let said = out(&run) + &err(&run);
        let named = said.contains("giant.md") || said.contains("govrag check");
        assert!(named, "{args:?}: {said}");
    }
    let said = out(&govrag(&w, &["check"]));
    assert!(said.contains(&format!("docs/giant.md:1:1: E002 {size} bytes")), "{said}");
    assert!(said.contains("3 pages seen, 1 unreadable"), "{said}");
    assert!(w.read("docs/INDEX.md").contains("| giant.md | ? | ? | ? | ? | ? |"));
    let moved = govrag(&w, &["mv", "giant.md", "big.md"]);
    assert_eq!(moved.status.code(), Some(0), "{}", err(&moved));
    assert_eq!(std::fs::metadata(w.path("docs/big.md")).expect("size").len(), size);
}

#[test]
fn a_page_that_cannot_be_read_moves_with_its_bytes() {
    let w = two_pages();
    let latin = b"---\ntitle: \xe9t\xe9\n---\nnothing may be lost\n";
    std::fs::write(w.path("docs/latin.md"), latin).expect("write");
    w.page("a.md", "related: [latin.md]\n", "[b](b.md) [l](latin.md)");
    let moved = govrag(&w, &["mv", "latin.md", "dir/summer.md"]);
    assert_eq!(moved.status.code(), Some(0), "{}", err(&moved));
    assert_eq!(std::fs::read(w.path("docs/dir/summer.md")).expect("read"), latin);
    assert!(!w.path("docs/latin.md").exists());
    let a = w.read("docs/a.md");
    assert!(a.contains("[l](dir/summer.md)") && a.contains("related: [dir/summer.md]"), "{a}");
    // Another page moves: what the unreadable one may say of it is told.
    let other = out(&govrag(&w, &["mv", "b.md", "c.md"]));
    assert!(other.contains("1 pages that cannot be read may still name b.md"), "{other}");
    govrag(&w, &["mv", "dir", "folder"]);
    assert_eq!(std::fs::read(w.path("docs/folder/summer.md")).expect("read"), latin);
}

#[test]
fn filters_count_the_pages_that_they_cannot_judge() {
    let w = two_pages();
    w.write("docs/c.md", "---\ntitle: [\nstatus: stable\n---\n\nzanzibar\n");
    std::fs::write(w.path("docs/d.md"), b"\xff").expect("write");
    let unread = |args: &[&str]| {
        let run = govrag(&w, &[&["query", "--json", "zanzibar"], args].concat());
        let answer: serde_json::Value = serde_json::from_slice(&run.stdout).expect("json");
        let paths: Vec<String> = answer["entries"]
            .as_array()
            .expect("entries")
            .iter()
            .filter_map(|e| e["path"].as_str().map(str::to_owned))
            .collect();
        (paths, answer["unreadable"].as_u64())
    };
    let (mut paths, n) = unread(&[]);
    paths.sort();
    assert_eq!((paths, n), (vec!["b.md".to_owned(), "c.md".to_owned()], Some(1)));
    assert_eq!(unread(&["--status", "stable"]), (vec!["b.md".to_owned()], Some(2)));
    let refs: serde_json::Value =
        serde_json::from_slice(&govrag(&w, &["refs", "--json", "src/x.rs"]).stdout).expect("json");
    assert_eq!(refs["unreadable"], 2);
    let stats: serde_json::Value =
        serde_json::from_slice(&govrag(&w, &["stats", "--json"]).stdout).expect("json");
    assert_eq!(stats["unreadable_pages"], serde_json::json!(["c.md", "d.md"]));
}

#[test]
fn an_anchor_of_a_page_that_cannot_be_read_is_not_judged() {
    let w = two_pages();
    std::fs::write(w.path("docs/c.md"), b"# Title \xff\n").expect("write");
    w.page("a.md", "", "[b](b.md) [c](c.md#title)");
    w.index();
    assert_eq!(w.codes("a.md"), []);
    assert_eq!(w.codes("c.md"), [Code::E002]);
}

/// F18: a reader that goes away after the first line changes neither exit code nor files.
#[test]
fn a_closed_pipe_ends_quietly_with_the_exit_code_of_the_work() {
    let w = two_pages();
    for n in 0..400 {
        w.page(&format!("p{n}.md"), "impl_refs: [src/none.rs]\n", "[x](none.md) [y](none2.md) zanzibar");
    }
    w.write("docs/bad.md", "no front matter\n");
    let long = "word ".repeat(40_000);
    w.page("long.md", "", &long);
    for (args, exit) in [
        (&["check"][..], 1),
        (&["check", "--json"], 1),
        (&["check", "--format", "sarif"], 1),
        (&["check", "--format", "github"], 1),
        (&["check", "--fix", "--dry-run"], 0),
        (&["query", "zanzibar", "--max-tokens", "100000"], 0),
        (&["show", "long.md", "--max-tokens", "1000000"], 0),
        (&["graph"], 0),
        (&["graph", "--format", "mermaid"], 0),
        (&["stats"], 0),
        (&["refs", "src/none.rs"], 0),
        (&["index"], 0),
        (&["update"], 0),
        (&["man"], 0),
        (&["completions", "bash"], 0),
        (&["--help"], 0),
    ] {
        for read_a_line in [true, false] {
            let mut child =
                command(&w, args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("run");
            let pipe = child.stdout.take().expect("pipe");
            if read_a_line {
                let mut line = String::new();
                BufReader::with_capacity(64, pipe).read_line(&mut line).expect("line");
            } else {
                drop(pipe);
            }
            let ended = child.wait_with_output().expect("end");
            let said = err(&ended);
            assert_eq!(ended.status.code(), Some(exit), "{args:?}: {said}");
            assert!(!said.contains("panicked") && !said.to_lowercase().contains("pipe"), "{args:?}: {said}");
        }
    }
    assert!(govmem::knowledge::indexes::plan(&w.base()).is_current(), "the indexes were written whole");
}
