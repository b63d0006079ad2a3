//! Two branches that each add a page: no conflict in an index, and one run repairs them.

use crate::world::World;

fn page(title: &str) -> String {
    format!(
        "---\ntitle: {title}\nsummary: Une page sur {title}.\ntype: guide\nstatus: draft\ntags: [t]\nupdated: 2026-07-01\n---\n# {title}\n\n[a](a.md)\n"
    )
}

fn branches(install: bool) -> World {
    let world = World::with(&[
        (".rag", "version: \"1\"\nroot: ./kb\nlang: fr\n"),
        ("kb/t/a.md", &page("A")),
        (".gitignore", ".home\n"),
    ]);
    world.git(&["init", "-q"]);
    world.govrag(&["index"]);
    if install {
        let run = world.govrag(&["install", "--git"]);
        assert_eq!(run.code, 0, "{}", run.err);
    }
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "base"]);
    for (branch, name) in [("one", "b"), ("two", "c")] {
        world.git(&["checkout", "-q", "-b", branch, "main"]);
        world.write(&format!("kb/t/{name}.md"), &page(name));
        world.govrag(&["index"]);
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", name]);
    }
    world
}

#[test]
fn with_the_driver_a_merge_has_no_conflict_and_current_indexes() {
    let world = branches(true);
    let merge = world.git(&["merge", "-q", "--no-edit", "one"]);
    assert_eq!(merge.code, 0, "{}{}", merge.out, merge.err);
    let index = world.read("kb/INDEX.md");
    assert!(["t/a.md", "t/b.md", "t/c.md"].iter().all(|p| index.contains(p)), "{index}");
    let made = world.files();
    world.govrag(&["index"]);
    assert_eq!(world.files(), made);
    let again = world.govrag(&["install", "--git"]);
    assert!(again.code == 0 && world.files() == made, "{}", again.out);
}

#[test]
fn without_it_one_run_of_index_repairs_the_conflict() {
    let world = branches(false);
    assert_ne!(world.git(&["merge", "-q", "--no-edit", "one"]).code, 0);
    assert!(world.read("kb/INDEX.md").contains("<<<<<<<"));
    assert_eq!(world.govrag(&["index"]).code, 0);
    let index = world.read("kb/INDEX.md");
    assert!(!index.contains("<<<<<<<") && index.contains("t/b.md") && index.contains("t/c.md"), "{index}");
    assert_eq!(world.govrag(&["check"]).code, 0);
}

#[test]
fn a_hook_of_the_team_stays() {
    let world = World::with(&[(".rag", "version: \"1\"\nroot: ./kb\n"), ("kb/a.md", &page("A"))]);
    world.git(&["init", "-q"]);
    world.write(".git/hooks/post-merge", "#!/bin/sh\necho ours\n");
    let run = world.govrag(&["install", "--git"]);
    assert!(run.out.contains("add 'govrag index'"), "{}", run.out);
    assert_eq!(world.read(".git/hooks/post-merge"), "#!/bin/sh\necho ours\n");
    let outside = World::with(&[(".rag", "version: \"1\"\nroot: ./kb\n")]);
    assert_eq!(outside.govrag(&["install", "--git"]).code, 69);
}
