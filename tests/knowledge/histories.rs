//! Drift over scripted git histories: what is fresh, what changed, what cannot be known.

use crate::world::{World, git_in, options};
use govmem::knowledge::check::check;
use govmem::knowledge::drift::{Changed, Missing, State, Unknown};
use govmem::knowledge::edit::{ack, update};
use govmem::knowledge::{Code, indexes};

/// One page, updated on 2026-07-01, that describes `refs`; `src/a.rs` committed that day.
fn world(refs: &str) -> World {
    let w = World::new("");
    w.write("src/a.rs", "fn one() {\n    1\n}\n\nfn two() {}\n");
    w.write("src/b.rs", "fn b() {}\n");
    w.page("p.md", &format!("impl_refs: [{refs}]\n"), "# P\n\n[q](q.md)");
    w.page("q.md", "", "# Q\n\n[p](p.md)");
    w.index();
    w.git("2026-07-01", &["init", "-q"]);
    w.commit("2026-07-01", "start");
    w
}

fn state(w: &World) -> State {
    w.drift().verdicts.first().expect("verdict").state.clone()
}

fn changed(w: &World) -> Changed {
    match state(w) {
        State::Changed(c) => c,
        other => panic!("{other:?}"),
    }
}

fn edit(w: &World) {
    w.write("src/a.rs", &w.read("src/a.rs").replace("    1\n", "    2\n    3\n"));
}

#[test]
fn an_edit_after_updated_is_drift_and_names_its_commit() {
    let w = world("src/a.rs");
    assert_eq!(state(&w), State::Fresh);
    edit(&w);
    w.commit("2026-07-05", "change one");
    let c = changed(&w);
    assert_eq!((c.added, c.removed, c.commits.len()), (2, 1, 1));
    assert_eq!((c.commits[0].subject.as_str(), c.commits[0].day.as_str()), ("change one", "2026-07-05"));
    assert!(w.codes("p.md").contains(&Code::W006));
    w.ack("p.md");
    assert_eq!(state(&w), State::Fresh);
    w.write("src/a.rs", "fn other() {}\n");
    w.commit("2026-07-06", "again");
    let c = changed(&w);
    assert_eq!(
        c.commits.iter().map(|c| c.subject.as_str()).collect::<Vec<_>>(),
        ["again"],
        "since the acknowledgement"
    );
}

#[test]
fn case_107_an_edit_on_the_day_of_updated_or_with_the_page_is_fresh() {
    let w = world("src/a.rs");
    edit(&w);
    w.commit("2026-07-01", "same day");
    assert_eq!(state(&w), State::Fresh);
    let w = world("src/a.rs");
    edit(&w);
    w.write("docs/p.md", &format!("{}\nmore\n", w.read("docs/p.md")));
    w.commit("2026-07-05", "code and page together");
    assert_eq!(state(&w), State::Fresh);
}

#[test]
fn case_105_white_space_is_graded_lower() {
    let w = world("src/a.rs");
    w.ack("p.md");
    w.write("src/a.rs", &w.read("src/a.rs").replace("    1", "\t1"));
    w.commit("2026-07-05", "tabs");
    assert!(changed(&w).whitespace_only);
    let found = w.check().findings;
    assert!(
        found.iter().any(|f| f.code == Code::W006 && f.severity == govmem::knowledge::code::Severity::Info)
    );
    let update = update::plan(w.base(), &update::Scope::Everything, &[]).expect("plan");
    assert!(update.marked.is_empty());
}

#[test]
fn line_endings_are_no_change() {
    let w = world("src/a.rs");
    w.ack("p.md");
    w.write("src/a.rs", &w.read("src/a.rs").replace('\n', "\r\n"));
    assert_eq!(state(&w), State::Fresh);
}

#[test]
fn a_revert_is_fresh_again() {
    for acknowledged in [false, true] {
        let w = world("src/a.rs");
        if acknowledged {
            w.ack("p.md");
        }
        edit(&w);
        w.commit("2026-07-05", "change");
        assert!(matches!(state(&w), State::Changed(_)));
        w.git("2026-07-06", &["revert", "--no-edit", "HEAD"]);
        assert_eq!(state(&w), State::Fresh, "{acknowledged}");
    }
}

#[test]
fn a_rename_is_followed_by_update() {
    let w = world("src/a.rs, src/b.rs");
    w.ack("p.md");
    std::fs::create_dir(w.path("lib")).expect("folder");
    w.git("2026-07-05", &["mv", "src/a.rs", "lib/new.rs"]);
    w.commit("2026-07-05", "move");
    assert_eq!(state(&w), State::Missing(Missing::Renamed("lib/new.rs".to_owned())));
    let plan = update::plan(w.base(), &update::Scope::Everything, &[]).expect("plan");
    assert_eq!(plan.renamed, [("p.md".to_owned(), "src/a.rs".to_owned(), "lib/new.rs".to_owned())]);
    assert!(plan.marked.is_empty() && plan.lost.is_empty());
    plan.write(&w.base().marker).expect("write");
    assert!(w.read("docs/p.md").contains("impl_refs: [lib/new.rs, src/b.rs]"));
    assert_eq!(state(&w), State::Fresh, "the same content under its new name");
    let again = update::plan(w.base(), &update::Scope::Everything, &[]).expect("plan");
    assert!(again.is_empty(w.home()), "{again:?}");
}

#[test]
fn a_moved_folder_is_followed() {
    let w = world("src");
    w.git("2026-07-05", &["mv", "src", "lib"]);
    w.commit("2026-07-05", "move");
    assert_eq!(state(&w), State::Missing(Missing::Renamed("lib".to_owned())));
}

#[test]
fn a_deletion_is_missing_and_the_page_is_told_lost() {
    let w = world("src/a.rs");
    w.git("2026-07-05", &["rm", "-q", "src/a.rs"]);
    w.commit("2026-07-05", "delete");
    assert_eq!(state(&w), State::Missing(Missing::Gone));
    assert!(w.codes("p.md").contains(&Code::W003));
    let plan = update::plan(w.base(), &update::Scope::Everything, &[]).expect("plan");
    assert_eq!(plan.lost, ["p.md"]);
    assert_eq!(plan.marked.len(), 1);
    plan.write(&w.base().marker).expect("write");
    assert!(
        w.read("docs/p.md").contains("status: needs-review\n")
            && w.read("docs/p.md").contains("updated: 2026-07-01\n")
    );
    let base = w.base();
    let refused = ack::plan(&base, base.page("p.md").expect("page"), Some("stable")).expect_err("missing");
    assert_eq!(refused.exit(), 2);
}

#[test]
fn update_marks_once_and_ack_clears() {
    let w = world("src/a.rs");
    w.ack("p.md");
    edit(&w);
    w.commit("2026-07-05", "change");
    let run = || {
        let plan = update::plan(w.base(), &update::Scope::Everything, &[]).expect("plan");
        plan.write(&plan.base.marker).expect("write");
        w.index();
        plan
    };
    assert_eq!(run().marked.len(), 1);
    let lock = w.read(".rag.lock");
    assert!(lock.starts_with("p.md\tsrc/a.rs\t") && lock.trim_end().split('\t').count() == 4, "{lock}");
    let before = w.files();
    let second = run();
    assert!(second.marked.is_empty() && second.changes.is_empty() && second.drifted.len() == 1);
    assert_eq!(w.files(), before);
    assert!(w.codes("p.md").contains(&Code::W011));
    let base = w.base();
    ack::plan(&base, base.page("p.md").expect("page"), Some("stable"))
        .expect("ack")
        .write(&base)
        .expect("write");
    w.index();
    assert!(!w.codes("p.md").contains(&Code::W011) && !w.codes("p.md").contains(&Code::W006));
    assert_eq!(w.read(".rag.lock").trim_end().split('\t').count(), 3, "the reason is gone");
}

#[test]
fn a_squash_and_a_rebase_change_nothing_for_the_ledger() {
    let w = world("src/a.rs");
    w.git("2026-07-02", &["checkout", "-q", "-b", "work"]);
    edit(&w);
    w.commit("2026-07-03", "first");
    w.write("src/a.rs", &format!("{}// more\n", w.read("src/a.rs")));
    w.commit("2026-07-04", "second");
    w.ack("p.md");
    w.commit("2026-07-04", "ack");
    w.git("2026-07-05", &["checkout", "-q", "main"]);
    w.write("other.txt", "x");
    w.commit("2026-07-05", "elsewhere");
    w.git("2026-07-06", &["checkout", "-q", "work"]);
    w.git("2026-07-06", &["rebase", "-q", "main"]);
    assert_eq!(state(&w), State::Fresh, "after the rebase");
    w.git("2026-07-07", &["checkout", "-q", "main"]);
    w.git("2026-07-07", &["merge", "-q", "--squash", "work"]);
    w.commit("2026-07-07", "squashed");
    assert_eq!(state(&w), State::Fresh, "after the squash");
}

#[test]
fn uncommitted_work_is_said_to_be_so() {
    let w = world("src/a.rs");
    w.ack("p.md");
    edit(&w);
    let c = changed(&w);
    assert!(c.uncommitted && c.commits.is_empty());
    assert_eq!((c.added, c.removed), (2, 1));
}

#[test]
fn folders_globs_symbols_and_lines() {
    let w = world("src, \"src/*.rs\", \"src/a.rs#two\", \"src/a.rs:5\", \"src/a.rs:50-60\", ../out.rs");
    let states = |w: &World| w.drift().verdicts.iter().map(|v| v.state.clone()).collect::<Vec<_>>();
    w.ack("p.md");
    let fresh = states(&w);
    assert!(fresh[..4].iter().all(|s| *s == State::Fresh), "{fresh:?}");
    assert_eq!(fresh[4..], [State::Missing(Missing::Lines), State::Missing(Missing::Outside)]);
    edit(&w);
    w.commit("2026-07-05", "change one");
    let after = states(&w);
    assert!(matches!(after[0], State::Changed(_)) && matches!(after[1], State::Changed(_)));
    assert_eq!(after[2], State::Fresh, "the other function");
    assert!(matches!(after[3], State::Changed(_)), "line 5 moved");
    let State::Changed(folder) = &after[0] else { panic!() };
    assert_eq!(folder.commits[0].subject, "change one");
}

#[test]
fn a_folder_names_the_files_and_commits_since_its_acknowledgement() {
    let w = world("src");
    // Two commits that cancel each other, before the page is acknowledged.
    edit(&w);
    w.commit("2026-07-02", "there");
    w.git("2026-07-03", &["revert", "--no-edit", "HEAD"]);
    w.ack("p.md");
    w.commit("2026-07-03", "acknowledged");
    // The page changes with the code: the ledger says that nobody read it again.
    edit(&w);
    w.page("p.md", "impl_refs: [src]\n", "# P\n\n[q](q.md) more");
    w.commit("2026-07-04", "edit with page");
    let c = changed(&w);
    let subjects: Vec<&str> = c.commits.iter().map(|c| c.subject.as_str()).collect();
    assert_eq!((subjects, c.uncommitted), (vec!["edit with page"], false));
    assert_eq!((c.files, c.added, c.removed), (vec!["src/a.rs".to_owned()], 2, 1));
    let message =
        |w: &World| w.check().findings.into_iter().find(|f| f.code == Code::W006).expect("drift").message;
    assert!(message(&w).contains("(src/a.rs ; +2 −1 ; "), "{}", message(&w));
    // In the work tree: a file more, a file less.
    w.ack("p.md");
    w.write("src/new.rs", "fn n() {}\n");
    std::fs::remove_file(w.path("src/b.rs")).expect("rm");
    let c = changed(&w);
    assert!(c.commits.is_empty() && c.uncommitted, "{c:?}");
    assert_eq!((c.files, c.added, c.removed), (vec!["src/b.rs".to_owned(), "src/new.rs".to_owned()], 1, 1));
    w.commit("2026-07-05", "moved about");
    let c = changed(&w);
    assert_eq!((c.commits.len(), c.uncommitted), (1, false));
    // White space alone is graded lower, in a folder too.
    w.ack("p.md");
    w.write("src/a.rs", &w.read("src/a.rs").replace("fn two() {}", "fn  two()  {}"));
    let c = changed(&w);
    assert!(c.whitespace_only && c.files == ["src/a.rs"], "{c:?}");
}

#[test]
fn case_101_a_shallow_clone_is_never_fresh() {
    let w = world("src/a.rs");
    edit(&w);
    w.commit("2026-07-05", "change");
    let clone = tempfile::tempdir().expect("folder");
    let url = format!("file://{}", w.home().display());
    git_in(clone.path(), "2026-07-06", &["clone", "-q", "--depth", "1", &url, "c"]);
    let marker = govmem::knowledge::marker::open(&clone.path().join("c")).expect("marker");
    let base = govmem::knowledge::Base::load(marker).expect("base");
    let ledger = govmem::knowledge::drift::Ledger::default();
    let drift = govmem::knowledge::drift::judge(&base, &ledger, |_| true);
    assert_eq!(drift.verdicts[0].state, State::Unknown(Unknown::Shallow));
    assert!(drift.shallow);
    let report = check(&base, &options()).expect("check");
    assert!(
        report
            .findings
            .iter()
            .any(|f| f.code == Code::W006 && f.file == ".rag" && f.hint.contains("unshallow"))
    );
    let mut ledger = govmem::knowledge::drift::Ledger::default();
    ledger.acknowledge("p.md", "src/a.rs", drift.verdicts[0].id.as_deref().expect("id"));
    let judged = govmem::knowledge::drift::judge(&base, &ledger, |_| true);
    assert_eq!(judged.verdicts[0].state, State::Fresh, "the ledger needs no history");
}

#[test]
fn without_git_times_decide() {
    let w = World::new("");
    w.write("src/a.rs", "fn a() {}\n");
    w.page("p.md", "impl_refs: [src/a.rs]\n", "texte");
    assert!(matches!(state(&w), State::Changed(_)), "written now, after 2026-07-01");
    let drift = w.check().findings.into_iter().find(|f| f.code == Code::W006).expect("drift");
    assert!(drift.message.contains("without git") && !drift.message.contains("commit"), "{}", drift.message);
    w.write("docs/p.md", &w.read("docs/p.md").replace("2026-07-01", "9998-01-01"));
    assert_eq!(state(&w), State::Fresh);
    assert!(w.drift().no_git);
    assert!(w.check().findings.iter().any(|f| f.code == Code::I003));
}

#[test]
fn case_102_a_worktree_and_a_submodule_are_read() {
    let w = world("src/a.rs");
    edit(&w);
    w.commit("2026-07-05", "change");
    let other = tempfile::tempdir().expect("folder");
    let path = other.path().join("tree");
    w.git("2026-07-05", &["worktree", "add", "-q", path.to_str().expect("path"), "-b", "side"]);
    let base =
        govmem::knowledge::Base::load(govmem::knowledge::marker::open(&path).expect("marker")).expect("base");
    let drift = govmem::knowledge::drift::judge(&base, &Default::default(), |_| true);
    assert!(matches!(drift.verdicts[0].state, State::Changed(_)), "a .git file is followed");

    let library = tempfile::tempdir().expect("folder");
    git_in(library.path(), "2026-06-01", &["init", "-q"]);
    std::fs::write(library.path().join("lib.rs"), "fn l() {}\n").expect("write");
    git_in(library.path(), "2026-06-01", &["add", "-A"]);
    git_in(library.path(), "2026-06-01", &["commit", "-q", "-m", "lib"]);
    let w = world("vendor/lib.rs");
    w.git("2026-07-01", &["submodule", "--quiet", "add", &library.path().display().to_string(), "vendor"]);
    w.commit("2026-07-01", "vendor");
    assert_eq!(state(&w), State::Fresh);
    w.ack("p.md");
    std::fs::write(w.path("vendor/lib.rs"), "fn changed() {}\n").expect("write");
    assert!(matches!(state(&w), State::Changed(_)));
}

#[test]
fn case_108_a_decision_may_name_code_not_yet_written() {
    let w = world("src/later.rs");
    w.write("docs/p.md", &w.read("docs/p.md").replace("type: feature", "type: decision"));
    let found = w.check().findings;
    let missing = found.iter().find(|f| f.code == Code::W003).expect("finding");
    assert_eq!(missing.severity, govmem::knowledge::code::Severity::Info);
    w.write("src/later.rs", "fn later() {}\n");
    w.commit("2026-07-05", "write it");
    assert_eq!(state(&w), State::Fresh);
}

#[test]
fn update_takes_a_revision_a_branch_or_paths() {
    let w = world("src/a.rs");
    w.page("q.md", "impl_refs: [src/b.rs]\n", "# Q\n\n[p](p.md)");
    w.commit("2026-07-01", "q");
    w.git("2026-07-05", &["checkout", "-q", "-b", "work"]);
    edit(&w);
    w.write("src/b.rs", "fn changed() {}\n");
    w.commit("2026-07-05", "both");
    let marked = |scope: update::Scope| -> Vec<String> {
        update::plan(w.base(), &scope, &[]).expect("plan").marked.into_iter().map(|m| m.0).collect()
    };
    assert_eq!(marked(update::Scope::Paths(vec!["src/b.rs".into()])), ["q.md"]);
    assert_eq!(marked(update::Scope::Since("HEAD~1".into())), ["p.md", "q.md"]);
    assert_eq!(marked(update::Scope::Since("HEAD".into())), Vec::<String>::new());
    w.git("2026-07-06", &["checkout", "-q", "main"]);
    assert_eq!(marked(update::Scope::Branch("work".into())), ["p.md", "q.md"]);
    let unknown = update::plan(w.base(), &update::Scope::Since("nope".into()), &[]).expect_err("unknown");
    assert_eq!(unknown.exit(), 2);
    let hostile =
        update::plan(w.base(), &update::Scope::Since("--output=x".into()), &[]).expect_err("hostile");
    assert_eq!(hostile.exit(), 2);
}

#[test]
fn archiving_deletes_nothing() {
    let w = world("src/a.rs");
    let plan = update::plan(w.base(), &update::Scope::Everything, &["p.md".to_owned()]).expect("plan");
    assert_eq!(plan.archived, ["p.md"]);
    plan.write(&plan.base.marker).expect("write");
    w.index();
    assert!(w.read("docs/p.md").contains("status: archived"));
    assert!(w.read("docs/INDEX.md").contains("| p.md | feature | archived |"));
    std::fs::remove_file(w.path("src/a.rs")).expect("rm");
    assert!(w.codes("p.md").is_empty(), "an archived page owes nothing to the code");
    assert!(indexes::plan(&w.base()).is_current());
}

#[test]
fn references_find_their_pages() {
    let w = world("src/a.rs, \"lib/**/*.rs\", src/dir/");
    let pages = |file: &str| update::describing(&w.base(), file).len();
    assert_eq!(
        (pages("src/a.rs"), pages("lib/x/y.rs"), pages("src/dir/z.rs"), pages("src/b.rs")),
        (1, 1, 1, 0)
    );
}
