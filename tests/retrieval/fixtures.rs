//! The committed fixture over our own pages, and fixtures that say what they are for.

use std::path::Path;

use crate::world::World;

#[test]
fn the_committed_fixture_runs_on_our_own_pages() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let w = World::new();
    let at = |name: &str| root.join(name).to_str().unwrap().to_owned();
    w.run(&["collection", "add", &at("specs"), "--name", "specs"]).exits(0);
    w.run(&["update"]).exits(0);
    let fixture = at("tests/bench/fixtures/specs.yaml");
    let run = w.run(&["bench", &fixture, "--mode", "search", "--json"]).exits(0).json();
    let search = &run["modes"]["search"];
    assert!(search["queries"].as_u64().unwrap() >= 25);
    // Five of six questions are answered among the first five pages, or the search is broken.
    assert!(search["hit"].as_f64().unwrap() > 0.83, "{search}");
    assert!(run["stale"].as_array().unwrap().is_empty());
}

#[test]
fn a_fixture_may_name_what_it_is_for() {
    let w = World::indexed(&[("a.md", "zebra\n")]);
    let write = |extra: &str| {
        let text = format!("version: 1\n{extra}queries: [{{query: zebra, relevant: [a.md]}}]\n");
        std::fs::write(w.root().join("f.yaml"), text).unwrap();
    };
    let bench = ["bench", "f.yaml", "--mode", "search", "--json"];
    write("");
    let run = w.run(&bench).exits(0).json();
    write(&format!("index: {}\n", run["index"]));
    w.run(&bench).exits(0);
    write(&format!("configuration: '{}'\n", run["configuration"].as_str().unwrap()));
    w.run(&bench).exits(0);
    for (extra, what) in [
        ("index: other\n", "another index"),
        ("model: m@d\n", "another model"),
        ("configuration: x\n", "configuration"),
    ] {
        write(extra);
        let refused = w.run(&bench).exits(2);
        assert!(refused.stderr.contains(what) && refused.stderr.contains("--force"), "{}", refused.stderr);
        w.run(&[&bench[..], &["--force"]].concat()).exits(0);
    }
    write("surprise: 1\n");
    w.run(&bench).exits(2);
}
