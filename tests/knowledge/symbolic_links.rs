//! Symbolic links: never followed, never left out in silence.

use std::os::unix::fs::symlink;

use govmem::knowledge::code::Severity;
use govmem::knowledge::{Code, edit, indexes};

use crate::world::World;

/// A page of the base, and links: to a page of the base, to a file of the repository, to a folder with
/// pages outside, to a folder without any, round in a circle, to nothing, and one that is no page.
fn world() -> World {
    let w = World::new("");
    w.page("a.md", "", "# A\n\n[b](b.md) [r](readme.md#install) ![p](picture.png)");
    w.page("b.md", "", "# B\n\n[a](a.md)");
    w.write("README.md", "# Read me\n\n## Install\n\nzanzibar\n");
    w.write("pictures/x.png", "x");
    w.write("more/sub/c.md", "# C\n\nzanzibar\n");
    std::fs::create_dir(w.path("docs/theme")).expect("folder");
    for (target, link) in [
        ("a.md", "docs/alias.md"),
        ("../README.md", "docs/readme.md"),
        ("../more", "docs/shared"),
        ("../pictures", "docs/pictures"),
        ("..", "docs/theme/round"),
        ("none.md", "docs/lost.md"),
        ("../pictures/x.png", "docs/picture.png"),
        ("../../README.md", "docs/theme/index.md"),
        ("../README.md", "docs/_draft.md"),
    ] {
        symlink(target, w.path(link)).expect("link");
    }
    w
}

/// What must be named, sorted.
const NAMED: [&str; 6] = ["alias.md", "lost.md", "readme.md", "shared", "theme/index.md", "theme/round"];

#[test]
fn check_names_each_with_where_it_leads() {
    let w = world();
    w.index();
    let report = w.check();
    let links: Vec<_> = report.findings.iter().filter(|f| f.code == Code::I005).collect();
    assert_eq!(links.iter().filter_map(|f| f.page.as_deref()).collect::<Vec<_>>(), NAMED);
    assert!(links.iter().all(|f| f.severity == Severity::Info));
    let of = |page: &str| links.iter().find(|f| f.page.as_deref() == Some(page)).expect("finding");
    assert!(of("readme.md").message.contains("../README.md"));
    assert!(of("lost.md").message.contains("does not exist"), "{}", of("lost.md").message);
    assert!(of("shared").hint.contains("I005:shared"), "{}", of("shared").hint);
    assert_eq!((report.pages, report.unreadable), (8, 6));
    // Nothing else is said of them, and a link to one of them is whole.
    assert!(report.findings.iter().all(|f| f.severity == Severity::Info), "{:?}", report.findings);
    w.write(".rag", "version: 1\nroot: docs\ncheck: {ignore: [\"I005:shared\"]}\n");
    assert_eq!((w.codes("shared"), w.check().suppressed.ignored), (vec![], 1));
}

#[test]
fn every_index_lists_them_and_holds_nothing_from_behind() {
    let w = world();
    w.index();
    let (manifest, map, graph) =
        (w.read("docs/INDEX.md"), w.read("docs/OVERVIEW.md"), w.read("docs/RELATIONS.yaml"));
    assert!(manifest.contains("Documents : 8."), "{manifest}");
    for path in NAMED {
        assert!(manifest.contains(&format!("| {path} | ? | ? | ? | ? | ? |\n")), "{path}: {manifest}");
        let name = path.rsplit('/').next().expect("name");
        assert!(map.contains(&format!("{name} ?\n")), "{path}: {map}");
        assert!(graph.contains(&format!("  {path}:\n    mark: \"?\"\n")), "{path}: {graph}");
    }
    for text in [manifest, map, graph] {
        assert!(!text.contains("picture") && !text.contains("_draft") && !text.contains("c.md"), "{text}");
    }
    assert!(indexes::plan(&w.base()).is_current(), "the same bytes again");
}

#[test]
fn a_link_is_neither_moved_nor_taken_for_a_base_of_its_own() {
    let w = world();
    let refused = edit::moves::plan(&w.base(), "readme.md", "other.md").expect_err("a link");
    assert_eq!(refused.exit(), 2);
    assert!(edit::ack::plan(&w.base(), w.base().page("readme.md").expect("page"), None).is_err());
    // A reserved name at the root is never written through.
    symlink("../README.md", w.path("docs/INDEX.md")).expect("link");
    let before = w.read("README.md");
    w.index();
    assert_eq!(w.read("README.md"), before);
    assert!(w.codes("INDEX.md").contains(&Code::E006));
}

#[test]
fn a_folder_outside_is_named_without_a_look_into_it() {
    let w = World::new("");
    w.page("a.md", "", "texte");
    let outside = tempfile::tempdir().expect("folder");
    symlink(outside.path(), w.path("docs/elsewhere")).expect("link");
    assert_eq!(w.base().tree.pages, ["a.md", "elsewhere"], "empty, but nobody looked");
}
