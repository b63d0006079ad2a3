//! `govrag` as a process: what it prints, writes and returns.

use std::process::Output;

use assert_cmd::Command;

use crate::world::{World, err, out};

fn govrag(w: &World, args: &[&str]) -> Output {
    Command::cargo_bin("govrag")
        .expect("binary")
        .current_dir(w.home())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", w.home())
        .env("GOVMEM_LANG", "en")
        .args(args)
        .output()
        .expect("run")
}

fn two_pages() -> World {
    let w = World::new("");
    w.write("src/a.rs", "fn a() {}\n");
    w.page("a.md", "impl_refs: [src/a.rs]\n", "# A\n\n## Un\n\n[b](b.md)\n\n## Deux\n\ntexte");
    w.page("b.md", "", "# B\n\n[a](a.md)");
    w
}

#[test]
fn without_a_marker_every_command_says_so() {
    let dir = tempfile::tempdir().expect("folder");
    for args in [
        &["check"][..],
        &["index"],
        &["update"],
        &["show", "a.md"],
        &["refs", "x"],
        &["graph"],
        &["mv", "a.md", "b.md"],
        &["ack", "a.md"],
        &["stats"],
    ] {
        let o = Command::cargo_bin("govrag")
            .expect("binary")
            .current_dir(dir.path())
            .args(args)
            .output()
            .expect("run");
        assert_eq!(o.status.code(), Some(1), "{args:?}");
        assert!(err(&o).contains("govrag init"), "{args:?}: {}", err(&o));
        assert!(out(&o).is_empty());
    }
    assert_eq!(std::fs::read_dir(dir.path()).expect("folder").count(), 0, "nothing is written");
}

#[test]
fn index_check_and_their_exit_codes() {
    let w = two_pages();
    assert_eq!(govrag(&w, &["index"]).status.code(), Some(0));
    assert!(w.read("docs/INDEX.md").contains("| a.md |"));
    let clean = govrag(&w, &["check", "--today", "2026-07-10"]);
    assert_eq!(clean.status.code(), Some(0), "{}", out(&clean));
    w.page("c.md", "", "[x](none.md)");
    let warned = govrag(&w, &["check", "--today", "2026-07-10"]);
    assert_eq!(warned.status.code(), Some(0));
    assert!(out(&warned).contains("docs/c.md:10:5: W001"), "{}", out(&warned));
    assert_eq!(govrag(&w, &["check", "--today", "2026-07-10", "--strict"]).status.code(), Some(1));
    w.write("docs/d.md", "no front matter\n");
    assert_eq!(govrag(&w, &["check"]).status.code(), Some(1));
    for wrong in
        [&["check", "--today", "x"][..], &["check", "nowhere"], &["check", "--nope"], &["check", "--dry-run"]]
    {
        assert_eq!(govrag(&w, wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn formats_are_what_they_say() {
    let w = two_pages();
    let json: serde_json::Value =
        serde_json::from_slice(&govrag(&w, &["check", "--json"]).stdout).expect("json");
    assert_eq!(json["pages"], 2);
    let sarif: serde_json::Value =
        serde_json::from_slice(&govrag(&w, &["check", "--format", "sarif"]).stdout).expect("sarif");
    assert_eq!(sarif["version"], "2.1.0");
    assert!(out(&govrag(&w, &["check", "--format", "github"])).starts_with("::"));
}

#[test]
fn fix_repairs_and_a_dry_run_does_not() {
    let w = two_pages();
    w.page("c.md", "", "[a](A.md)");
    let before = w.files();
    let dry = govrag(&w, &["check", "--fix", "--dry-run"]);
    assert!(out(&dry).contains("+[a](a.md)"), "{}", out(&dry));
    assert_eq!(w.files(), before);
    let fixed = govrag(&w, &["check", "--fix"]);
    assert!(
        out(&fixed).contains("repaired: c.md") && out(&fixed).contains("repaired: INDEX.md"),
        "{}",
        out(&fixed)
    );
    let after = w.files();
    govrag(&w, &["check", "--fix"]);
    assert_eq!(w.files(), after);
}

#[test]
fn show_keeps_to_its_budget() {
    let w = two_pages();
    let whole = govrag(&w, &["show", "a.md"]);
    assert!(out(&whole).contains("## Deux"));
    let section = out(&govrag(&w, &["show", "docs/a.md#deux"]));
    assert_eq!(section, "## Deux\n\ntexte\n");
    let small = out(&govrag(&w, &["show", "a.md", "--max-tokens", "60"]));
    assert!(small.contains("#deux — Deux") && !small.contains("texte"), "{small}");
    let none = govrag(&w, &["show", "a.md#trois"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(err(&none).contains("#deux"));
    assert_eq!(govrag(&w, &["show", "none.md"]).status.code(), Some(2));
}

#[test]
fn refs_graph_stats_and_slug() {
    let w = two_pages();
    assert_eq!(out(&govrag(&w, &["refs", "src/a.rs"])), "a.md [stable] src/a.rs\n");
    assert_eq!(govrag(&w, &["refs", "src/b.rs"]).status.code(), Some(1));
    let graph: serde_json::Value = serde_json::from_slice(&govrag(&w, &["graph"]).stdout).expect("json");
    assert_eq!(graph["nodes"]["a.md"]["links"][0], "b.md");
    assert!(out(&govrag(&w, &["graph", "--format", "mermaid"])).contains("n0 --> n1"));
    assert!(out(&govrag(&w, &["graph", "a.md", "--depth", "0", "--format", "dot"])).contains("\"a.md\";"));
    let stats: serde_json::Value =
        serde_json::from_slice(&govrag(&w, &["stats", "--json"]).stdout).expect("json");
    assert_eq!((stats["documents"].as_u64(), stats["statuses"]["stable"].as_u64()), (Some(2), Some(2)));
    assert_eq!(out(&govrag(&w, &["slug", "Gestion des accès"])), "gestion-des-acces\n");
    let con = govrag(&w, &["slug", "CON"]);
    assert_eq!(con.status.code(), Some(2));
    assert!(err(&con).contains("con-1"));
}

#[test]
fn mv_ack_and_update_go_together() {
    let w = two_pages();
    govrag(&w, &["index"]);
    assert_eq!(govrag(&w, &["ack", "a.md"]).status.code(), Some(0));
    assert!(w.read(".rag.lock").starts_with("a.md\tsrc/a.rs\t"));
    assert_eq!(govrag(&w, &["mv", "a.md", "un/a.md"]).status.code(), Some(0));
    assert!(w.read("docs/b.md").contains("(un/a.md)"));
    assert!(w.read("docs/INDEX.md").contains("| un/a.md |"));
    w.write("src/a.rs", "fn changed() {}\n");
    let update = govrag(&w, &["update"]);
    assert_eq!(update.status.code(), Some(0), "{}", err(&update));
    assert!(w.read("docs/un/a.md").contains("status: needs-review"));
    let before = w.files();
    govrag(&w, &["update"]);
    assert_eq!(w.files(), before, "a second update writes nothing");
    assert_eq!(govrag(&w, &["ack", "un/a.md", "--status", "stable"]).status.code(), Some(0));
    assert!(w.read("docs/un/a.md").contains("status: stable"));
    std::fs::remove_file(w.path("src/a.rs")).expect("rm");
    assert_eq!(govrag(&w, &["ack", "un/a.md", "--status", "stable"]).status.code(), Some(2));
    assert_eq!(govrag(&w, &["update", "no-such-thing"]).status.code(), Some(2));
}

#[test]
fn commands_that_write_take_turns() {
    let w = two_pages();
    for i in 0..6 {
        w.page(&format!("p{i}.md"), "impl_refs: [src/a.rs]\n", "[a](a.md)");
    }
    std::thread::scope(|scope| {
        for i in 0..6 {
            let w = &w;
            scope.spawn(move || assert_eq!(govrag(w, &["ack", &format!("p{i}.md")]).status.code(), Some(0)));
        }
    });
    assert_eq!(w.read(".rag.lock").lines().count(), 6, "no acknowledgement is lost");
}

#[test]
fn the_baseline_is_written_where_the_marker_says() {
    let w = two_pages();
    assert_eq!(govrag(&w, &["check", "--write-baseline"]).status.code(), Some(2));
    w.write(".rag", "version: 1\nroot: docs\ncheck: {baseline: .rag-known}\n");
    w.page("c.md", "", "[x](none.md)");
    assert_eq!(govrag(&w, &["check", "--write-baseline"]).status.code(), Some(0));
    assert_eq!(govrag(&w, &["check", "--strict=all"]).status.code(), Some(0));
}

#[test]
fn messages_follow_the_base_s_language() {
    let w = two_pages();
    let french = Command::cargo_bin("govrag")
        .expect("binary")
        .current_dir(w.home())
        .env_remove("GOVMEM_LANG")
        .args(["check"])
        .output()
        .expect("run");
    assert!(out(&french).contains("pages vues"), "{}", out(&french));
    assert!(out(&govrag(&w, &["check"])).contains("pages seen"));
}

#[test]
fn completions_and_manual() {
    let w = two_pages();
    assert!(out(&govrag(&w, &["completions", "bash"])).contains("govrag"));
    assert!(out(&govrag(&w, &["man"])).contains(".TH"));
}
