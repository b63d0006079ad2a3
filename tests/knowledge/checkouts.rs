//! Repositories that git shows in part, refuses or does not have: case 102 of the collection.

use govmem::knowledge::Code;
use govmem::knowledge::drift::{Missing, State, Unknown};
use govmem::knowledge::edit::update;

use crate::world::World;

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
