//! Sharding, merges, foreign files, names.

use crate::world::{World, git_in, page};
use govmem::knowledge::{Code, indexes};

#[test]
fn a_large_base_is_sharded_and_shrinks_back_later() {
    let w = World::new("tokens: {pages: 20}\n");
    for i in 0..30 {
        w.page(&format!("{}/p{i:02}.md", if i % 2 == 0 { "un" } else { "deux" }), "", "texte");
    }
    w.index();
    let root = w.read("docs/INDEX.md");
    assert!(root.contains("| un | 15 | a | un/INDEX.md |"), "{root}");
    assert!(w.read("docs/un/INDEX.md").contains("Documents : 15."));
    assert!(
        w.read("docs/OVERVIEW.md").contains("un (15)\n") && !w.read("docs/OVERVIEW.md").contains("p00.md")
    );
    for i in 18..30 {
        std::fs::remove_file(w.path(&format!("docs/{}/p{i:02}.md", if i % 2 == 0 { "un" } else { "deux" })))
            .expect("rm");
    }
    w.index();
    assert!(w.read("docs/INDEX.md").contains("un/INDEX.md"), "18 of 20 is still above 80 %");
    for i in 16..18 {
        std::fs::remove_file(w.path(&format!("docs/{}/p{i:02}.md", if i % 2 == 0 { "un" } else { "deux" })))
            .expect("rm");
    }
    w.index();
    assert!(w.read("docs/INDEX.md").contains("| un/p00.md |"));
    assert!(!w.path("docs/un/INDEX.md").exists(), "a stale shard goes");
    assert!(indexes::plan(&w.base()).is_current());
}

#[test]
fn what_is_not_ours_is_neither_overwritten_nor_removed() {
    let w = World::new("");
    w.page("a.md", "", "[b](b.md)");
    w.page("b.md", "", "texte");
    w.write("docs/INDEX.md", "# My own index\n");
    w.write("docs/un/INDEX.md", "# Mine too\n");
    w.index();
    assert_eq!(w.read("docs/INDEX.md"), "# My own index\n");
    assert_eq!(w.read("docs/un/INDEX.md"), "# Mine too\n");
    assert_eq!(w.codes("INDEX.md"), [Code::E006, Code::W005]);
    assert!(w.codes("un/INDEX.md").contains(&Code::E001), "below the root it is a page, badly named");
}

#[test]
fn index_names_below_the_root_are_pages_until_there_are_shards() {
    let w = World::new("tokens: {pages: 3}\n");
    w.page("un/index.md", "", "[a](../a.md)");
    w.page("a.md", "", "[i](un/index.md)");
    w.index();
    assert!(w.read("docs/INDEX.md").contains("| un/index.md | feature |"));
    assert_eq!(w.codes("un/index.md"), []);
    w.page("index.md", "", "[a](a.md)");
    assert!(w.codes("index.md").contains(&Code::E006), "at the root always");
    w.page("b.md", "", "[a](a.md)");
    w.index();
    assert_eq!(w.codes("un/index.md"), [Code::E006]);
    assert!(w.read("docs/un/INDEX.md").contains("| un/index.md | feature |"), "and still listed");
}

#[test]
fn two_branches_that_each_add_a_page_merge() {
    let w = World::new("");
    w.page("a.md", "", "texte");
    w.index();
    w.git("2026-07-01", &["init", "-q"]);
    w.commit("2026-07-01", "base");
    for (branch, name) in [("one", "b.md"), ("two", "c.md")] {
        w.git("2026-07-02", &["checkout", "-q", "-b", branch, "main"]);
        w.page(name, "", "[a](a.md)");
        w.index();
        w.commit("2026-07-02", branch);
    }
    let merge = std::process::Command::new("git")
        .current_dir(w.home())
        .args(["-c", "user.name=n", "-c", "user.email=n@example.org", "merge", "-q", "one"])
        .output()
        .expect("git");
    assert!(!merge.status.success(), "both branches touched the same rows");
    assert!(w.read("docs/INDEX.md").contains("<<<<<<<"));
    w.index();
    let index = w.read("docs/INDEX.md");
    assert!(index.contains("| b.md |") && index.contains("| c.md |") && !index.contains("<<<<"));
    assert!(indexes::plan(&w.base()).is_current());
    git_in(w.home(), "2026-07-03", &["add", "-A"]);
    git_in(w.home(), "2026-07-03", &["commit", "-q", "-m", "merge"]);
}

#[test]
fn hidden_drafts_and_ignored_files_are_no_pages() {
    let w = World::new("");
    w.page("a.md", "", "[d](_drafts/x.md) [h](.hidden.md) [i](ignored.md)");
    for path in ["_drafts/x.md", ".hidden.md", "ignored.md", ".dir/y.md", "b/_z.md"] {
        w.page(path, "", "texte");
    }
    w.write(".gitignore", "ignored.md\n");
    let base = w.base();
    assert_eq!(base.tree.pages, ["a.md"]);
    assert_eq!(w.codes("a.md"), [Code::W002, Code::W001, Code::W001, Code::W001]);
}

#[test]
fn names_are_judged() {
    let w = World::new("");
    w.page("Bon Jour.md", "", "[a](a.md)");
    w.page("a.md", "", "[b](Dossier/b.md)");
    w.page("Dossier/b.md", "", "texte");
    w.page("con.md", "", "[a](a.md)");
    w.page("x.MD", "", "[a](a.md)");
    assert_eq!(w.codes("Bon Jour.md"), [Code::E001]);
    assert_eq!(w.codes("Dossier"), [Code::E001]);
    assert_eq!(w.codes("con.md"), [Code::E001]);
    assert_eq!(w.codes("x.MD"), [Code::E001]);
}

#[test]
fn names_that_collide_are_errors() {
    let w = World::new("");
    w.page("a.md", "", "[b](été.md)");
    w.page("A.md", "", "[a](a.md)");
    w.page("\u{e9}t\u{e9}.md", "", "[a](a.md)");
    w.page("e\u{301}te\u{301}.md", "", "[a](a.md)");
    assert!(w.codes("a.md").contains(&Code::E006));
    let all = w.check().findings;
    assert_eq!(all.iter().filter(|f| f.code == Code::E006).count(), 2);
}

#[test]
fn extensions_make_pages() {
    let w = World::new("extensions: [.mdx]\n");
    w.page("a.mdx", "", "[b](b.markdown)");
    w.page("b.markdown", "", "texte");
    assert_eq!(w.base().tree.pages, ["a.mdx", "b.markdown"]);
}

#[test]
fn symbolic_links_are_not_followed() {
    let w = World::new("");
    w.page("a.md", "", "texte");
    std::os::unix::fs::symlink("..", w.path("docs/loop")).expect("link");
    std::os::unix::fs::symlink("/etc/hostname", w.path("docs/out.md")).expect("link");
    let base = w.base();
    assert_eq!(base.tree.pages, ["a.md", "loop", "out.md"], "named, and not read");
    for name in ["loop", "out.md"] {
        std::fs::remove_file(w.path(&format!("docs/{name}"))).expect("rm");
    }
    std::os::unix::fs::symlink(w.path("docs"), w.path("alias")).expect("link");
    w.write(".rag", "version: 1\nroot: alias\n");
    assert_eq!(w.base().tree.pages, ["a.md"], "a linked root is the root");
}

#[test]
fn a_missing_or_empty_root_is_not_initialised() {
    let w = World::new("");
    let load = || govmem::knowledge::Base::load(govmem::knowledge::marker::open(w.home()).expect("marker"));
    assert_eq!(load().expect_err("missing").exit(), 1);
    std::fs::create_dir(w.path("docs")).expect("folder");
    assert_eq!(load().expect_err("empty").exit(), 1);
    std::fs::remove_file(w.path(".rag")).expect("rm");
    let none = govmem::knowledge::marker::open(w.home()).expect_err("no marker");
    assert_eq!((none.exit(), none.hint_text()), (1, Some("govrag init")));
}

#[test]
fn bytes_that_are_no_text_are_listed_and_counted() {
    let w = World::new("");
    w.page("a.md", "", "[b](b.md)");
    std::fs::write(w.path("docs/b.md"), b"---\ntitle: \xff\n---\n").expect("write");
    std::fs::write(w.path("docs/c.md"), b"").expect("write");
    w.write("docs/d.md", &page("2026-07-01", "x: [\n", "texte"));
    w.index();
    let report = w.check();
    assert_eq!((report.pages, report.unreadable), (4, 3));
    for name in ["b.md", "c.md", "d.md"] {
        assert!(w.codes(name).contains(&Code::E002), "{name}");
        assert!(w.read("docs/INDEX.md").contains(&format!("| {name} | ? |")), "{name}");
    }
}
