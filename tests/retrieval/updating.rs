//! `update`: only what changed, what is left out and why, cutting, cleaning.

use crate::world::World;

fn report(w: &World, args: &[&str]) -> serde_json::Value {
    w.run(&[&["update", "--json"], args].concat()).exits(0).json()["collections"][0].clone()
}

fn counts(r: &serde_json::Value) -> [i64; 4] {
    ["added", "changed", "removed", "unchanged"].map(|k| r[k].as_i64().unwrap())
}

#[test]
fn only_what_changed() {
    let w = World::indexed(&[("a.md", "alpha\n"), ("b.md", "beta\n"), ("c.md", "gamma\n")]);
    let before = std::fs::read(w.database()).unwrap();
    assert_eq!(counts(&report(&w, &[])), [0, 0, 0, 3]);
    assert_eq!(std::fs::read(w.database()).unwrap(), before, "nothing to do writes nothing");
    w.write("a.md", "alpha changed\n");
    w.write("d.md", "delta\n");
    std::fs::remove_file(w.docs().join("c.md")).unwrap();
    assert_eq!(counts(&report(&w, &[])), [1, 1, 1, 1]);
    assert_eq!(w.paths(&["search", "changed"]), ["a.md"]);
    assert!(w.paths(&["search", "gamma"]).is_empty());
    // Another time, the same bytes: read, and unchanged.
    let file = std::fs::File::options().write(true).open(w.docs().join("b.md")).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(counts(&report(&w, &[])), [0, 0, 0, 3]);
    assert_eq!(w.run(&["search", "beta", "--json"]).json()["results"][0]["stale"], false);
}

#[test]
fn what_is_left_out_is_counted() {
    let w = World::new();
    w.write("ok.md", "zebra\n");
    w.write("binary.md", b"ze\0bra".as_slice());
    w.write("latin1.md", b"caf\xe9 zebra".as_slice());
    w.write("empty.md", "");
    w.write("skip/me.md", "zebra\n");
    w.write(".hidden.md", "zebra\n");
    w.write("note.txt", "zebra\n");
    std::os::unix::fs::symlink("/etc/passwd", w.docs().join("link.md")).unwrap();
    w.run(&["collection", "add", "docs", "--name", "docs", "--ignore", "skip"]).exits(0);
    let r = report(&w, &[]);
    assert_eq!(counts(&r), [2, 0, 0, 0]);
    for reason in ["binary", "not UTF-8", "ignored", "symbolic link"] {
        assert_eq!(r["skipped"][reason], 1, "{reason}: {r}");
    }
    assert_eq!(w.paths(&["search", "zebra"]), ["ok.md"]);
    // A text that turns into something else is no longer found.
    w.write("ok.md", b"\0\0\0".as_slice());
    assert_eq!(report(&w, &[])["removed"], 1);
    w.run(&["search", "zebra"]).exits(1);
}

#[test]
fn another_strategy_cuts_again() {
    let function =
        |i: usize| format!("/// Function {i}\nfn zebra_{i}() {{\n{}}}\n\n", "    call(1, 2);\n".repeat(60));
    let code: String = (0..12).map(function).collect();
    let w = World::new();
    w.write("x.rs", &code);
    w.run(&["collection", "add", "docs", "--name", "docs", "--mask", "**/*.rs"]).exits(0);
    report(&w, &[]);
    report(&w, &["--chunk-strategy", "auto"]);
    let status = w.run(&["status", "--json"]).json();
    assert_eq!((status["strategy"].as_str(), status["documents"].as_i64()), (Some("auto"), Some(1)));
    let hit = w.run(&["search", "zebra_7", "--json"]).json()["results"][0].clone();
    let first = hit["line_start"].as_u64().unwrap() as usize;
    assert!(code.lines().nth(first - 1).unwrap().starts_with("/// Function"), "{hit}");
    assert_eq!(counts(&report(&w, &[])), [0, 0, 0, 1], "the strategy is kept");
    w.run(&["update", "--chunk-strategy", "magic"]).exits(2);
}

#[test]
fn an_index_keeps_its_way_of_counting_tokens() {
    use govmem::retrieval::Catalog;
    use govmem::retrieval::catalog::Location;
    use govmem::retrieval::indexing::{Counter, Settings, update};
    let w = World::new();
    w.write("a.md", "one two three four five\n".repeat(200));
    w.run(&["collection", "add", "docs", "--name", "docs"]).exits(0);
    let location = Location { path: w.database(), option: String::new() };
    let mut catalog = Catalog::open_existing(&location).unwrap();
    let clock = govmem::base::SystemClock;
    let count = |text: &str| text.len();
    let counter = Counter { name: "bytes@1".into(), count: &count };
    let settings = Settings { counter: Some(counter), ..Settings::default() };
    update(&mut catalog, &settings, &clock, &mut |_, _| {}).unwrap();
    let status = w.run(&["status", "--json"]).json();
    assert_eq!(status["tokens"], "bytes@1");
    // 4,800 bytes at 900 a chunk, 135 shared.
    assert!((6..=7).contains(&status["chunks"].as_i64().unwrap()), "{status}");
    drop(catalog);
    let refused = w.run(&["update"]).exits(2);
    assert!(
        refused.stderr.contains("bytes@1") && refused.stderr.contains("update --rebuild"),
        "{}",
        refused.stderr
    );
    w.run(&["update", "--rebuild"]).exits(0);
    assert_eq!(w.run(&["status", "--json"]).json()["tokens"], "estimate-o200k-1");
}

#[test]
fn updates_of_one_collection_leave_others() {
    let w = World::indexed(&[("a.md", "alpha\n")]);
    std::fs::create_dir(w.root().join("more")).unwrap();
    std::fs::write(w.root().join("more/b.md"), "beta\n").unwrap();
    w.run(&["collection", "add", "more", "--name", "more"]).exits(0);
    w.write("a.md", "changed\n");
    w.run(&["update", "-c", "more"]).exits(0);
    assert_eq!(w.paths(&["search", "alpha"]), ["a.md"]);
    assert_eq!(w.paths(&["search", "beta"]), ["b.md"]);
    w.run(&["update", "-c", "absent"]).exits(2);
    // A root that went away is said, and what was indexed stays.
    std::fs::remove_dir_all(w.root().join("more")).unwrap();
    w.run(&["update", "-c", "more"]).exits(74);
    assert_eq!(w.paths(&["search", "beta"]), ["b.md"]);
    assert!(w.run(&["doctor"]).exits(1).stdout.contains("root is gone"));
}

#[test]
fn ranking_is_the_same_after_changes_as_afresh() {
    let text = |i: usize| format!("# Title {i}\n\n{}", "alpha beta gamma delta ".repeat(i * 40 + 1));
    let w = World::new();
    for i in 0..30 {
        w.write(&format!("{i}.md"), text(i));
    }
    w.run(&["collection", "add", "docs", "--name", "docs"]).exits(0);
    w.run(&["update"]).exits(0);
    for i in 0..15 {
        w.write(&format!("{i}.md"), format!("{}\nzeta\n", text(i)));
    }
    std::fs::remove_file(w.docs().join("20.md")).unwrap();
    w.run(&["update"]).exits(0);
    let fresh = ["--index", "fresh"];
    w.run(&[&fresh[..], &["collection", "add", "docs", "--name", "docs"]].concat()).exits(0);
    w.run(&[&fresh[..], &["update"]].concat()).exits(0);
    for query in ["alpha", "zeta", "title 7", "delta zeta"] {
        let one = w.run(&["search", query, "--all", "--json"]).json()["results"].clone();
        let two = w.run(&["--index", "fresh", "search", query, "--all", "--json"]).json()["results"].clone();
        let key = |v: &serde_json::Value| {
            let mut list: Vec<(i64, String)> = v
                .as_array()
                .unwrap()
                .iter()
                .map(|r| {
                    ((r["score"].as_f64().unwrap() * 1e9) as i64, r["path"].as_str().unwrap().to_owned())
                })
                .collect();
            list.sort();
            list
        };
        assert_eq!(key(&one), key(&two), "{query}");
    }
    w.run(&["cleanup"]).exits(0);
    assert!(w.run(&["doctor"]).exits(0).stdout.is_empty());
}
