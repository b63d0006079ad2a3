//! `ls`, `get`, `multi-get`: names, ranges, bounds.

use crate::world::World;

fn world() -> World {
    let long: String = (1..=600).map(|i| format!("line {i}\n")).collect();
    let wide = "x".repeat(11 * 1024);
    World::indexed(&[
        ("a.md", "one\ntwo\nthree\nfour\n"),
        ("sub/b.md", "# B\n\nbee\n"),
        ("sub/c:7.md", "colon\n"),
        ("long.md", &long),
        ("wide.md", &wide),
    ])
}

#[test]
fn one_document_by_every_name() {
    let w = world();
    let hash = govmem::base::id::sha256_hex("one\ntwo\nthree\nfour\n");
    let plain = "one\ntwo\nthree\nfour\n";
    let absolute = w.docs().join("a.md");
    for name in [
        "docs/a.md",
        "gf://docs/a.md",
        "a.md",
        &hash[..6],
        &format!("#{}", &hash[..6]),
        &hash,
        absolute.to_str().unwrap(),
    ] {
        let got = w.run(&["get", name, "--no-line-numbers"]).exits(0);
        assert_eq!(got.stdout, plain, "{name}");
    }
    assert_eq!(w.run(&["get", "a.md"]).stdout, "1  one\n2  two\n3  three\n4  four\n");
    assert_eq!(w.run(&["get", "a.md:2"]).stdout, "2  two\n3  three\n4  four\n");
    assert_eq!(w.run(&["get", "a.md:2:2"]).stdout, "2  two\n3  three\n");
    assert_eq!(w.run(&["get", &format!("#{}:4:9", &hash[..8])]).stdout, "4  four\n");
    assert_eq!(w.run(&["get", "a.md", "--from", "3", "-l", "1"]).stdout, "3  three\n");
    assert_eq!(w.run(&["get", "sub/c:7.md", "--no-line-numbers"]).stdout, "colon\n");
    assert!(
        w.run(&["get", "b.md", "--full-path"])
            .stdout
            .starts_with(w.docs().join("sub/b.md").to_str().unwrap())
    );
    assert!(!w.run(&["get", "b.md"]).stdout.contains(w.root().to_str().unwrap()));
    w.run(&["get", "absent.md"]).exits(1);
    w.run(&["get", "gf://docs/absent.md"]).exits(1);
    w.run(&["get", "#ffffffffffff"]).exits(1);
    w.run(&["get", "a.md:5"]).exits(2);
    w.run(&["get", "a.md:0"]).exits(2);
    w.run(&["get", "a.md:1", "--from", "2"]).exits(2);
    w.run(&["get", "../../etc/passwd"]).exits(1);
    let json = w.run(&["get", "a.md:2:1", "--json"]).json();
    assert_eq!(
        (json["document"]["text"].as_str(), json["document"]["line_start"].as_i64()),
        (Some("two\n"), Some(2))
    );
}

#[test]
fn stale_files_are_said_and_disk_reads_them() {
    let w = world();
    w.write("a.md", "changed content\n");
    let got = w.run(&["get", "a.md", "--no-line-numbers"]).exits(0);
    assert!(got.stdout.starts_with("one") && got.stderr.contains("has changed"), "{}", got.stderr);
    assert_eq!(w.run(&["get", "a.md", "--disk", "--no-line-numbers"]).stdout, "changed content\n");
    assert_eq!(w.run(&["search", "three", "--json"]).json()["results"][0]["stale"], true);
    let many = w.run(&["multi-get", "a.md,b.md", "--no-line-numbers"]).exits(0);
    assert!(many.stdout.contains("gf://docs/a.md  [stale] <==\none"), "{}", many.stdout);
    assert!(many.stdout.contains("gf://docs/sub/b.md <==") && many.stderr.contains("have changed"));
    std::fs::remove_file(w.docs().join("a.md")).unwrap();
    assert_eq!(w.run(&["get", "a.md", "--json"]).json()["document"]["stale"], true);
    w.run(&["get", "a.md", "--disk"]).exits(74);
}

#[test]
fn many_documents_within_bounds() {
    let w = world();
    let all = w.run(&["multi-get", "**/*.md", "--json"]).exits(0);
    let json = all.json();
    assert_eq!(json["count"], 3);
    let skipped: Vec<&str> =
        json["skipped"].as_array().unwrap().iter().map(|s| s["command"].as_str().unwrap()).collect();
    assert_eq!(skipped, ["govfind get gf://docs/long.md", "govfind get gf://docs/wide.md"]);
    assert!(all.stderr.contains("gf://docs/wide.md"));
    let more =
        w.run(&["multi-get", "long.md,wide.md", "--max-lines", "600", "--max-bytes", "20000", "--json"]);
    assert_eq!(more.exits(0).json()["count"], 2);
    // A range is what was asked for, however long the file.
    assert_eq!(w.run(&["multi-get", "long.md:599:2", "--json"]).exits(0).json()["count"], 1);
    assert_eq!(
        w.run(&["multi-get", "long.md:599:2", "--no-line-numbers", "--format", "files"]).stdout,
        "gf://docs/long.md\n"
    );
    assert_eq!(w.run(&["multi-get", "docs/sub/*", "--json"]).json()["count"], 2);
    assert_eq!(w.run(&["multi-get", "gf://docs/sub/b.md", "--json"]).json()["count"], 1);
    w.run(&["multi-get", "nothing/*.md"]).exits(1);
    w.run(&["multi-get", "["]).exits(2);
    w.run(&["multi-get", ","]).exits(1);
}

#[test]
fn a_name_that_fails_takes_nothing_from_the_others() {
    let w = world();
    let list = "a.md,sub/be.md,#ffffff,b.md,nothing/*.md,long.md,a.md:9";
    let part = w.run(&["multi-get", list, "--json"]).exits(3);
    let json = part.json();
    let uris: Vec<&str> =
        json["documents"].as_array().unwrap().iter().map(|d| d["uri"].as_str().unwrap()).collect();
    assert_eq!(uris, ["gf://docs/a.md", "gf://docs/sub/b.md"]);
    assert_eq!((&json["count"], json["skipped"].as_array().unwrap().len()), (&2.into(), 1));
    let failed: Vec<(&str, &str)> = json["failed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| (f["name"].as_str().unwrap(), f["error"]["name"].as_str().unwrap()))
        .collect();
    assert_eq!(
        failed,
        [
            ("sub/be.md", "NEGATIVE"),
            ("#ffffff", "NEGATIVE"),
            ("nothing/*.md", "NEGATIVE"),
            ("a.md:9", "USAGE")
        ]
    );
    // What came close is named there and on stderr, where each error is a document of its own.
    assert!(json["failed"][0]["error"]["hint"].as_str().unwrap().contains("gf://docs/sub/b.md"));
    assert_eq!(part.stderr.lines().filter(|l| l.starts_with("{\"error\":")).count(), 4, "{}", part.stderr);

    let text = w.run(&["multi-get", "a.md,be.md", "--no-line-numbers", "-q"]).exits(3);
    assert!(text.stdout.ends_with("gf://docs/a.md <==\none\ntwo\nthree\nfour\n\n"), "{}", text.stdout);
    assert!(text.stderr.contains("\"be.md\"") && text.stderr.contains("did you mean gf://docs/sub/b.md"));
    for (format, part) in [
        ("csv", ",be.md,,,,,,\"there is no document"),
        ("csv", ",gf://docs/long.md,,,,,,\"600 lines"),
        ("md", "## be.md\n\n> there is no document"),
        ("xml", "<failed name=\"be.md\" code=\"ERR-NEGATIVE\">there is no document"),
        ("xml", "<skipped uri=\"gf://docs/long.md\" reason=\"600 lines"),
    ] {
        let got = w.run(&["multi-get", "a.md,be.md,long.md", "--format", format]).exits(3);
        assert!(got.stdout.contains(part), "{format}: {}", got.stdout);
    }
    assert_eq!(w.run(&["multi-get", "a.md,be.md", "--format", "files"]).exits(3).stdout, "gf://docs/a.md\n");
    // A file that vanished fails alone when the disk is read.
    std::fs::remove_file(w.docs().join("a.md")).unwrap();
    let disk = w.run(&["multi-get", "a.md,b.md", "--disk", "--json"]).exits(3).json();
    assert_eq!((&disk["count"], &disk["failed"][0]["error"]["name"]), (&1.into(), &"IO".into()));

    // Nothing at all is the failure it is, with every name.
    w.run(&["multi-get", "absent.md"]).exits(1);
    let none = w.run(&["multi-get", "absent.md,sub/be.md"]).exits(1);
    assert!(none.stdout.is_empty() && none.stderr.contains("absent.md") && none.stderr.contains("sub/be.md"));
    w.run(&["multi-get", "absent.md,a.md:0"]).exits(2);
    w.run(&["multi-get", &"x,".repeat(1001)]).exits(2);
}

#[test]
fn names_with_commas_and_brackets_and_globs_with_braces() {
    let w = World::indexed(&[("a,b.md", "comma\n"), ("[slug].md", "bracket\n"), ("a.md", "plain\n")]);
    let files = |list: &str| w.run(&["multi-get", list, "--format", "files"]).exits(0).stdout;
    assert_eq!(files("a,b.md"), "gf://docs/a,b.md\n");
    assert_eq!(files("[slug].md, a.md"), "gf://docs/[slug].md\ngf://docs/a.md\n");
    assert_eq!(files("{a,x}.md"), "gf://docs/a.md\n");
}

#[test]
fn a_slip_of_the_pen_is_answered_with_close_names() {
    let w = world();
    for (name, close) in [("docs/lnog.md", "gf://docs/long.md"), ("gf://doc/wide.md:3", "gf://docs/wide.md")]
    {
        let got = w.run(&["get", name]).exits(1);
        assert!(got.stderr.contains(&format!("did you mean {close}?")), "{}", got.stderr);
    }
    assert!(!w.run(&["get", "entirely-different.md"]).exits(1).stderr.contains("did you mean"));
}

#[test]
fn listings() {
    let w = world();
    assert_eq!(w.run(&["ls", "--json"]).json()["count"], 5);
    let sub = w.run(&["ls", "docs/sub", "--format", "files"]).exits(0).stdout;
    assert_eq!(sub, "gf://docs/sub/b.md\ngf://docs/sub/c:7.md\n");
    assert_eq!(w.run(&["ls", "gf://docs/sub/", "--format", "files"]).stdout, sub);
    w.run(&["ls", "docs/su"]).exits(1);
    w.run(&["ls", "nowhere"]).exits(2);
    assert!(w.run(&["ls", "--full-path"]).stdout.contains(w.docs().join("a.md").to_str().unwrap()));
}

#[test]
fn two_contents_with_one_prefix_are_candidates() {
    // Two short texts whose hashes share their first hex digit.
    let mut by_digit = std::collections::BTreeMap::new();
    let (mut one, mut two) = (String::new(), String::new());
    for i in 0..100 {
        let text = format!("text {i}\n");
        let digit = govmem::base::id::sha256_hex(&text)[..1].to_owned();
        if let Some(other) = by_digit.insert(digit, text.clone()) {
            (one, two) = (other, text);
            break;
        }
    }
    let w = World::indexed(&[("1.md", &one), ("2.md", &two)]);
    let hash = govmem::base::id::sha256_hex(&one);
    let refused = w.run(&["get", &format!("#{}", &hash[..1])]).exits(2);
    assert!(refused.stderr.contains(&hash[..12]), "{}", refused.stderr);
    assert_eq!(w.run(&["get", &format!("#{}", &hash[..12]), "--no-line-numbers"]).stdout, one);
}
