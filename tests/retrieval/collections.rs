//! Collections: nothing by itself, each change with its effect, exclusion apart from removal.

use crate::world::World;

#[test]
fn nothing_happens_unasked() {
    let w = World::new();
    w.write("a.md", "# A\n\nzebra\n");
    let none = w.run(&["search", "zebra"]).exits(3);
    let told =
        format!("collection add . --name {} && govfind update (1 files, about 1 s, about 11 B", name(&w));
    assert!(none.stderr.contains(&told), "{told}: {}", none.stderr);
    assert!(!w.database().exists(), "a search makes no database");
    let added = w.run(&["collection", "add", "docs", "--name", "docs"]).exits(0);
    assert!(added.stdout.contains("1 files") && added.stderr.contains("govfind update"), "{}", added.stderr);
    let empty = w.run(&["search", "zebra"]).exits(3);
    assert!(empty.stderr.contains("govfind update (1 files, about 1 s"), "{}", empty.stderr);
    w.run(&["update"]).exits(0);
    w.run(&["search", "zebra"]).exits(0);
    let vectors = w.run(&["vsearch", "zebra"]).exits(3);
    assert!(vectors.stderr.contains("govfind embed --model NAME|DIR (1 chunks"), "{}", vectors.stderr);
    let hybrid = w.run(&["query", "zebra", "--json"]).exits(3);
    assert_eq!(hybrid.json()["results"][0]["path"], "a.md");
    assert_eq!(hybrid.json()["degraded"], true);
    // A new file is not found until asked for.
    w.write("b.md", "# B\n\ngiraffe\n");
    w.run(&["search", "giraffe"]).exits(1);
}

/// What the current directory is called in a suggested command: letters, digits and hyphens.
fn name(w: &World) -> String {
    let dir = w.root().file_name().unwrap().to_str().unwrap();
    dir.replace(|c: char| !c.is_ascii_alphanumeric(), "-").trim_matches('-').to_owned()
}

#[test]
fn a_collection_that_was_never_indexed_is_told() {
    let w = World::indexed(&[("a.md", "zebra one\n")]);
    std::fs::create_dir(w.root().join("more")).unwrap();
    std::fs::write(w.root().join("more/b.md"), "zebra two\n").unwrap();
    w.run(&["collection", "add", "more", "--name", "more"]).exits(0);
    let part = w.run(&["search", "zebra", "--json"]).exits(3).json();
    assert_eq!((&part["count"], &part["degraded"]), (&1.into(), &true.into()));
    let note = part["notes"][0].as_str().unwrap();
    assert!(note.contains("govfind update -c more (1 files, about 1 s, about 10 B on disk)"), "{note}");
    let none = w.run(&["search", "zebra", "-c", "more"]).exits(3);
    assert!(
        none.stdout.is_empty() && none.stderr.contains("govfind update -c more (1 files"),
        "{}",
        none.stderr
    );
    w.run(&["search", "zebra", "-c", "docs"]).exits(0);
    w.run(&["collection", "exclude", "more"]).exits(0);
    w.run(&["search", "zebra"]).exits(0);
}

#[test]
fn exclusion_hides_and_removal_forgets() {
    let w = World::indexed(&[("a.md", "zebra one\n")]);
    std::fs::create_dir(w.root().join("more")).unwrap();
    std::fs::write(w.root().join("more/b.md"), "zebra two\n").unwrap();
    w.run(&["collection", "add", "more", "--name", "more", "--exclude-by-default"]).exits(0);
    w.run(&["update"]).exits(0);
    assert_eq!(w.paths(&["search", "zebra"]), ["a.md"]);
    assert_eq!(w.paths(&["search", "zebra", "-c", "more"]), ["b.md"]);
    assert_eq!(w.paths(&["search", "zebra", "-c", "more", "-c", "docs"]).len(), 2);
    w.run(&["collection", "include", "more"]).exits(0);
    assert_eq!(w.paths(&["search", "zebra"]).len(), 2);
    w.run(&["collection", "exclude", "docs"]).exits(0);
    assert_eq!(w.paths(&["search", "zebra"]), ["b.md"]);

    let refused = w.run(&["collection", "remove", "docs"]).exits(2);
    assert!(
        refused.stderr.contains("1 files forgotten") && refused.stderr.contains("--yes"),
        "{}",
        refused.stderr
    );
    w.run(&["search", "zebra", "-c", "docs"]).exits(0);
    w.run(&["collection", "remove", "docs", "--yes"]).exits(0);
    w.run(&["search", "zebra", "-c", "docs"]).exits(2);
    assert!(w.docs().join("a.md").exists(), "files stay");
    let list = w.run(&["collection", "list", "--json"]).json();
    assert_eq!(list["collections"].as_array().unwrap().len(), 1);
}

#[test]
fn renaming_moves_addresses_and_contexts() {
    let w = World::indexed(&[("a.md", "zebra\n")]);
    w.run(&["context", "add", "docs", "about animals"]).exits(0);
    w.run(&["collection", "rename", "docs", "zoo"]).exits(0);
    let hit = w.run(&["search", "zebra", "--json"]).json()["results"][0].clone();
    assert_eq!(hit["uri"], "gf://zoo/a.md");
    assert_eq!(hit["contexts"][0]["scope"], "gf://zoo/");
    w.run(&["collection", "rename", "docs", "x"]).exits(2);
    w.run(&["collection", "rename", "zoo", "../x"]).exits(2);
}

#[test]
fn names_and_roots_are_checked() {
    let w = World::new();
    for name in ["", "-x", ".x", "a/b", "a b"] {
        let arg = format!("--name={name}");
        w.run(&["collection", "add", "docs", &arg]).exits(2);
    }
    w.run(&["collection", "add", "absent", "--name", "a"]).exits(74);
    w.run(&["collection", "add", "docs", "--name", "a", "--mask", "a/["]).exits(2);
    w.run(&["collection", "add", "docs", "--name", "a", "--language", "klingon"]).exits(2);
    assert!(w.run(&["collection", "list"]).exits(3).stdout.is_empty());
    w.run(&["collection", "add", "docs", "--name", "a"]).exits(0);
    w.run(&["collection", "add", "docs", "--name", "a"]).exits(2);
}

#[test]
fn the_same_content_is_one_document() {
    let w = World::indexed(&[("a.md", "zebra\n"), ("b.md", "zebra\n"), ("c.md", "other\n")]);
    let json = w.run(&["search", "zebra", "--json"]).json();
    assert_eq!(json["count"], 1);
    assert_eq!(json["results"][0]["also"][0], "gf://docs/b.md");
    let status = w.run(&["status", "--json"]).json();
    assert_eq!(
        (status["documents"].as_i64(), status["collections"][0]["size"]["files"].as_i64()),
        (Some(2), Some(3))
    );
    // Either path finds it, and the loss of one keeps it.
    assert_eq!(w.run(&["search", "zebra", "--json"]).json()["results"][0]["path"], "a.md");
    std::fs::remove_file(w.docs().join("a.md")).unwrap();
    w.run(&["update"]).exits(0);
    assert_eq!(w.paths(&["search", "zebra"]), ["b.md"]);
}

#[test]
fn several_indexes_and_projects() {
    let w = World::indexed(&[("a.md", "zebra\n")]);
    w.run(&["--index", "work", "search", "zebra"]).exits(3);
    let project = w.root().join("docs/.govfind");
    w.run(&["--index", "docs/.govfind/", "collection", "add", "docs", "--name", "here"]).exits(0);
    assert!(project.join("index.db").exists());
    w.run(&["--index", "docs/.govfind/", "update"]).exits(0);
    let mut inside = w.command(&["search", "zebra", "--json"]);
    let out = crate::world::ran(inside.current_dir(w.docs()).output().unwrap()).exits(0);
    assert_eq!(out.json()["results"][0]["collection"], "here", "the project's index is found from inside");
    w.run(&["--index", "../x/", "search", "zebra"]).exits(3);
    w.run(&["--index", ".hidden", "search", "zebra"]).exits(2);
}

#[test]
fn configuration_travels_as_yaml() {
    let w = World::indexed(&[("a.md", "zebra\n")]);
    w.run(&["context", "add", "/", "animals"]).exits(0);
    w.run(&["config", "set", "factory", "SQ8"]).exits(0);
    w.run(&["config", "set", "factory", "PQ8"]).exits(2);
    w.run(&["config", "set", "nonsense", "x"]).exits(2);
    let yaml = w.run(&["config", "export"]).exits(0).stdout;
    std::fs::write(w.root().join("c.yaml"), &yaml).unwrap();
    w.run(&["--index", "copy", "config", "import", "c.yaml"]).exits(0);
    assert_eq!(w.run(&["--index", "copy", "config", "export"]).stdout, yaml);
    w.run(&["--index", "copy", "search", "zebra"]).exits(3);
    w.run(&["--index", "copy", "update"]).exits(0);
    w.run(&["--index", "copy", "search", "zebra"]).exits(0);
    for bad in
        ["", "version: 2", "version: 1\nnope: 1", "version: 1\ncollections: [{name: x, root: rel}]", "\u{0}"]
    {
        std::fs::write(w.root().join("bad.yaml"), bad).unwrap();
        w.run(&["--index", "bad", "config", "import", "bad.yaml"]).exits(2);
    }
}

#[test]
fn messages_speak_french() {
    let w = World::new();
    let mut command = w.command(&["search", "zebra"]);
    let ran = crate::world::ran(command.env("GOVMEM_LANG", "fr").output().unwrap()).exits(3);
    assert!(ran.stderr.contains("aucun index ici"), "{}", ran.stderr);
}
