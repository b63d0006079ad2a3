//! Repositories that git shows in part, refuses or does not have: case 102 of the collection.

use govmem::knowledge::Code;
use govmem::knowledge::check::check;
use govmem::knowledge::drift::{Missing, State, Unknown};
use govmem::knowledge::edit::update;

use crate::world::{World, git_in, options};

#[test]
fn case_102_a_repository_git_refuses_is_unknown_not_fresh() {
    let w = World::new("");
    w.write("src/a.rs", "one\n");
    w.page("a.md", "impl_refs: [src/a.rs]\n", "texte");
    w.write(".git", "gitdir: /nowhere/at/all\n");
    assert!(!matches!(w.drift().verdicts[0].state, State::Fresh), "{:?}", w.drift().verdicts[0].state);
}

#[test]
fn case_102_no_git_a_worktree_and_a_submodule_are_judged() {
    // Without git the ledger alone decides.
    let w = World::new("");
    w.write("src/a.rs", "one\n");
    w.page("a.md", "impl_refs: [src/a.rs]\n", "texte");
    w.ack("a.md");
    assert_eq!(w.drift().verdicts[0].state, State::Fresh);
    w.write("src/a.rs", "two\n");
    assert!(matches!(w.drift().verdicts[0].state, State::Changed(_)));
}

#[test]
fn case_102_a_sparse_checkout_is_no_deletion() {
    let w = World::new("");
    w.write("src/a.rs", "one\n");
    w.write("lib/b.rs", "two\n");
    w.write("lib/c.rs", "three\n");
    w.page("a.md", "impl_refs: [src/a.rs, lib/b.rs, lib, \"lib/*.rs\", lib/gone.rs]\n", "texte");
    w.git("2026-07-01", &["init", "-q"]);
    w.commit("2026-07-01", "start");
    w.git("2026-07-02", &["sparse-checkout", "set", "--no-cone", "/*", "!/lib/"]);
    assert!(!w.path("lib/b.rs").exists() && w.path("src/a.rs").exists());
    let states: Vec<State> = w.drift().verdicts.into_iter().map(|v| v.state).collect();
    assert_eq!(states[0], State::Fresh);
    for state in &states[1..4] {
        assert_eq!(*state, State::Unknown(Unknown::Sparse), "{states:?}");
    }
    assert_eq!(states[4], State::Missing(Missing::Gone), "git does not know it either");
    let found = w.check().findings;
    assert_eq!(found.iter().filter(|f| f.code == Code::W003).count(), 1, "{found:?}");
    assert!(found.iter().any(|f| f.code == Code::W006 && f.hint.contains("sparse-checkout")), "{found:?}");
    // Neither does `update` call the page lost or mark it.
    let plan = update::plan(w.base(), &update::Scope::Everything, &[]).expect("plan");
    assert!(plan.lost.is_empty(), "{:?}", plan.lost);
}

#[test]
fn case_102_a_submodule_that_is_not_checked_out_is_no_deletion() {
    let library = tempfile::tempdir().expect("folder");
    git_in(library.path(), "2026-06-01", &["init", "-q"]);
    std::fs::write(library.path().join("lib.rs"), "fn l() {}\n").expect("write");
    git_in(library.path(), "2026-06-01", &["add", "-A"]);
    git_in(library.path(), "2026-06-01", &["commit", "-q", "-m", "lib"]);
    let w = World::new("");
    w.page("a.md", "impl_refs: [vendor/lib.rs, vendor, \"vendor/**\", vendored.rs]\n", "texte");
    w.git("2026-07-01", &["init", "-q"]);
    w.git("2026-07-01", &["submodule", "--quiet", "add", &library.path().display().to_string(), "vendor"]);
    w.ack("a.md");
    w.commit("2026-07-01", "start");
    // The submodule moves on, and the move is committed: nothing of it is uncommitted.
    std::fs::write(w.path("vendor/lib.rs"), "fn changed() {}\n").expect("write");
    let drift = |w: &World| match w.drift().verdicts.swap_remove(0).state {
        State::Changed(c) => (c.commits.into_iter().map(|c| c.subject).collect::<Vec<_>>(), c.uncommitted),
        other => panic!("{other:?}"),
    };
    assert_eq!(drift(&w), (vec![], true));
    git_in(&w.path("vendor"), "2026-07-02", &["commit", "-q", "-a", "-m", "inside"]);
    w.commit("2026-07-02", "bump");
    assert_eq!(drift(&w), (vec!["bump".to_owned()], false));
    // A clone without its submodules.
    let clone = tempfile::tempdir().expect("folder");
    git_in(clone.path(), "2026-07-03", &["clone", "-q", &w.home().display().to_string(), "c"]);
    let marker = govmem::knowledge::marker::open(&clone.path().join("c")).expect("marker");
    let base = govmem::knowledge::Base::load(marker).expect("base");
    let report = check(&base, &options()).expect("check");
    let missing: Vec<_> = report.findings.iter().filter(|f| f.code == Code::W003).collect();
    assert!(missing.len() == 1 && missing[0].message.contains("vendored.rs"), "{missing:?}");
    let told = report.findings.iter().find(|f| f.code == Code::W006).expect("told");
    assert!(told.message.contains("3 references") && told.hint.contains("submodule"), "{told:?}");
    let plan = update::plan(base, &update::Scope::Everything, &[]).expect("plan");
    assert!(plan.lost.is_empty(), "{:?}", plan.lost);
}

#[test]
fn case_102_dubious_ownership_is_unknown_and_says_git_s_words() {
    if std::fs::metadata("/proc/self").map(|m| std::os::unix::fs::MetadataExt::uid(&m)).ok() != Some(0) {
        println!("SKIPPED: only root can give a folder away");
        return;
    }
    let w = World::new("");
    w.write("src/a.rs", "one\n");
    w.page("a.md", "impl_refs: [src/a.rs]\n", "texte");
    w.git("2026-07-01", &["init", "-q"]);
    w.commit("2026-07-01", "start");
    assert_eq!(w.drift().verdicts[0].state, State::Fresh);
    std::os::unix::fs::chown(w.home(), Some(65534), None).expect("chown");
    std::os::unix::fs::chown(w.path(".git"), Some(65534), None).expect("chown");
    match &w.drift().verdicts[0].state {
        State::Unknown(Unknown::Git(words)) => assert!(words.contains("dubious ownership"), "{words}"),
        other => panic!("{other:?}"),
    }
    let found = w.check().findings;
    assert!(found.iter().any(|f| f.message.contains("dubious ownership")), "{found:?}");
    w.ack("a.md");
    assert_eq!(w.drift().verdicts[0].state, State::Fresh, "the ledger needs no git");
}
