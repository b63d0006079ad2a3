//! Cases of the collection that need a base, a file system or git, each by its number.

use std::os::unix::fs::symlink;

use crate::world::{World, options, page};
use govmem::base::lang::Lang;
use govmem::knowledge::check::repair;
use govmem::knowledge::code::Severity;
use govmem::knowledge::drift::{Missing, State};
use govmem::knowledge::edit::update;
use govmem::knowledge::{Base, Code, indexes, marker};
use govmem::markdown::slug::{Refused, free_slug, slug};

fn with(body: &str) -> World {
    let w = World::new("");
    w.page("a.md", "", &format!("# A\n\n[b](b.md) {body}"));
    w.page("b.md", "", "# B\n\n[a](a.md)");
    w.write("AGENTS.md", ".rag\n");
    w.index();
    w
}

/// Codes on `a.md`, infos aside.
fn codes(w: &World) -> Vec<Code> {
    w.check()
        .findings
        .iter()
        .filter(|f| f.file == "docs/a.md" && f.severity != Severity::Info)
        .map(|f| f.code)
        .collect()
}

fn edges(w: &World, page: &str) -> Vec<String> {
    w.base().graph.nodes[page].links.iter().cloned().collect()
}

#[test]
fn case_13_an_unused_definition_has_its_finding_and_no_edge() {
    let w = with("\n\n[x]: c.md\n");
    w.page("c.md", "", "[a](a.md)");
    assert_eq!(edges(&w, "a.md"), ["b.md"]);
    assert!(w.check().findings.iter().any(|f| f.code == Code::W007 && f.severity == Severity::Info));
}

#[test]
fn case_23_an_image_is_an_asset() {
    let w = with("![x](c.md) ![y](none.png)");
    w.page("c.md", "", "[a](a.md)");
    w.index();
    assert_eq!(edges(&w, "a.md"), ["b.md"]);
    assert_eq!(codes(&w), [Code::W001], "the missing asset");
}

#[test]
fn case_28_a_link_to_itself_is_no_edge() {
    let w = with("[self](a.md#a) [here](#a)");
    assert_eq!(edges(&w, "a.md"), ["b.md"]);
    assert_eq!(codes(&w), []);
}

#[test]
fn case_29_30_wiki_links_are_reported_and_never_guessed() {
    let w = with("[[b]] ![[b]]");
    assert_eq!(codes(&w), [Code::W007, Code::W007]);
    assert_eq!(edges(&w, "a.md"), ["b.md"]);
}

#[test]
fn case_31_absolute_paths_start_at_the_root() {
    let w = with("[c](/dir/c.md)");
    w.page("dir/c.md", "", "[a](/a.md)");
    w.index();
    assert_eq!(codes(&w), []);
    assert_eq!(edges(&w, "dir/c.md"), ["a.md"]);
}

#[test]
fn case_32_33_outside_the_root() {
    let w = with(
        "[code](../src/x.rs) [gone](../src/y.rs) [out](../../etc/passwd) [far](../../../../../../etc/passwd)",
    );
    w.write("src/x.rs", "fn x() {}\n");
    assert_eq!(codes(&w), [Code::W001, Code::W001, Code::W001]);
    assert_eq!(edges(&w, "a.md"), ["b.md"]);
}

#[test]
fn case_34_35_folders_and_missing_extensions_get_a_proposal() {
    let w = with("[d](dir) [e](dir/) [f](dir/c)");
    w.page("dir/c.md", "", "[a](/a.md)");
    w.page("dir.md", "", "[a](/a.md)");
    w.index();
    let found: Vec<_> = w.check().findings.into_iter().filter(|f| f.code == Code::W001).collect();
    assert_eq!(found.len(), 3);
    assert!(found[0].message.contains("dir.md") && found[2].message.contains("dir/c.md"));
}

#[test]
fn case_36_37_a_file_is_no_folder_and_html_is_no_page() {
    assert_eq!(codes(&with("[x](b.md/foo/bar) [y](b.html)")), [Code::W001, Code::W001]);
}

#[test]
fn case_38_other_tools_links_are_counted_not_judged() {
    let w = with("[x](xref:System.String) [y]({{ref}}) [z](~/x.md)");
    assert_eq!(codes(&w), []);
    assert_eq!(w.check().unjudged, 3);
}

#[test]
fn case_39_backslashes() {
    let w = with("[x](dir\\\\c.md)");
    w.page("dir/c.md", "", "[a](/a.md)");
    w.index();
    assert_eq!(codes(&w), [Code::W001]);
}

#[test]
fn case_40_one_finding_each() {
    let w = with("[x](none.md)");
    let all = w.check().findings;
    assert_eq!(all.iter().filter(|f| f.code == Code::W001).count(), 1);
}

#[test]
fn case_41_a_moved_target_is_seen_without_a_change_of_the_page() {
    let w = with("");
    assert_eq!(codes(&w), []);
    std::fs::rename(w.path("docs/b.md"), w.path("docs/c.md")).expect("rename");
    assert_eq!(codes(&w), [Code::W001]);
}

#[test]
fn case_42_absolute_url_of_a_page() {
    let w = with(
        "[m](https://example.org/docs/dir/c.md) [n](https://example.org/dir/c?x=1#y) [o](https://example.org/other)",
    );
    w.page("dir/c.md", "", "[a](/a.md)");
    w.index();
    assert_eq!(codes(&w), [Code::W010, Code::W010]);
}

#[test]
fn case_43_hostile_fields_stay_in_their_cell() {
    let w = with("");
    w.write(
        "docs/c.md",
        &page("2026-07-01", "", "[a](a.md)").replace("Un résumé.", "a | b [c](d.md) `e|f` <b>\\n| x | y |"),
    );
    w.index();
    let row = w.read("docs/INDEX.md").lines().find(|l| l.starts_with("| c.md")).expect("row").to_owned();
    assert_eq!(
        row,
        "| c.md | feature | stable | | a | a \\| b \\[c\\](d.md) `e\\|f` \\<b> \\| x \\| y \\| |"
    );
}

#[test]
fn case_51_a_page_and_a_folder_of_one_stem() {
    let w = with("[c](c.md) [d](c/d.md)");
    w.page("c.md", "", "[a](a.md)");
    w.page("c/d.md", "", "[c](../c.md) [a](/a.md)");
    w.index();
    assert_eq!(codes(&w), []);
    assert_eq!(edges(&w, "c/d.md"), ["a.md", "c.md"]);
}

#[test]
fn case_58_an_empty_block_is_missing_fields_not_a_missing_block() {
    let w = with("");
    w.write("docs/a.md", "---\n---\n[b](b.md)\n");
    let found = w.check().findings;
    let f = found.iter().find(|f| f.code == Code::E002).expect("finding");
    assert!(f.message.contains("title, summary, type, status, tags, updated"), "{}", f.message);
}

#[test]
fn case_71_days() {
    let w = with("");
    let set = |day: &str, more: &str| w.write("docs/a.md", &page(day, more, "[b](b.md)"));
    for (day, more, code) in [
        ("2027-01-01", "", Some(Code::E003)),
        ("2026-07-01", "created: 2026-07-02\n", Some(Code::E003)),
        ("2024-02-29", "", Some(Code::W004)),
        ("2025-02-29", "", Some(Code::E003)),
        ("2026-07-01", "created: 2026-07-01\n", None),
    ] {
        set(day, more);
        w.index();
        assert_eq!(codes(&w).first().copied(), code, "{day} {more}");
    }
}

#[test]
fn case_86_a_failure_is_listed_and_counted() {
    let w = with("");
    w.write("docs/c.md", "---\ntitle: [\n---\n");
    w.index();
    let report = w.check();
    assert_eq!((report.pages, report.unreadable), (3, 1));
    assert!(
        w.read("docs/INDEX.md").contains("| c.md | ? |")
            && w.read("docs/INDEX.md").contains("Documents : 3.")
    );
}

#[test]
fn case_87_88_case_is_compared_with_the_directory() {
    let w = with("[x](B.md) [y](DIR/c.md) [z](c2.md)");
    w.page("dir/c.md", "", "[a](/a.md)");
    w.page("c2.MD", "", "[a](/a.md)");
    w.index();
    assert_eq!(codes(&w), [Code::W001, Code::W001, Code::W001]);
    assert!(w.base().page("c2.MD").is_some(), "found and linkable under its own name");
    let fixes = repair::plan(w.base(), &options()).expect("plan");
    assert!(fixes.diff().contains("+[b](b.md) [x](b.md) [y](dir/c.md) [z](c2.MD)"), "{}", fixes.diff());
}

#[test]
fn case_89_normal_forms_of_names() {
    let w = with("[x](été.md)");
    w.page("e\u{301}te\u{301}.md", "", "[a](a.md)");
    w.index();
    let found: Vec<_> = w.check().findings.into_iter().filter(|f| f.file == "docs/a.md").collect();
    assert_eq!(found.iter().map(|f| f.code).collect::<Vec<_>>(), [Code::W001]);
    assert!(found[0].repair.is_some(), "the directory's form is certain");
}

#[test]
fn case_90_names_that_differ_by_case_only() {
    let w = with("");
    w.page("B.md", "", "[a](a.md)");
    assert!(w.check().findings.iter().any(|f| f.code == Code::E006));
}

#[test]
fn case_91_symbolic_links() {
    let w = with("");
    symlink(w.path("docs"), w.path("docs/loop")).expect("link");
    symlink("/etc/passwd", w.path("docs/out.md")).expect("link");
    let base = w.base();
    let read: Vec<&str> = base.pages.iter().filter(|p| !p.is_link()).map(|p| p.path.as_str()).collect();
    assert_eq!(read, ["a.md", "b.md"]);
    assert_eq!((w.codes("loop"), w.codes("out.md")), (vec![Code::I005], vec![Code::I005]));
}

#[test]
fn case_92_93_94_hidden_ignored_and_draft_targets() {
    let w = with("[h](.h.md) [i](dir/i.md) [d](_drafts/d.md)");
    for path in [".h.md", "dir/i.md", "_drafts/d.md"] {
        w.page(path, "", "texte");
    }
    w.write("docs/dir/.gitignore", "i.md\n");
    let found: Vec<_> = w.check().findings.into_iter().filter(|f| f.code == Code::W001).collect();
    assert_eq!(found.len(), 3);
    w.write(".gitignore", "/docs/\n");
    assert_eq!(w.base().tree.pages, ["a.md", "b.md"], "an ignored base is still a base");
}

#[test]
fn case_95_reserved_and_long_names() {
    for name in ["con", "aux", "nul", "lpt1"] {
        assert!(matches!(slug(name, Lang::En), Err(Refused::Reserved(_))), "{name}");
    }
    let w = with("");
    w.page("aux.md", "", "[a](a.md)");
    assert_eq!(w.codes("aux.md"), [Code::E001]);
    assert!(matches!(slug(&"a".repeat(300), Lang::En), Err(Refused::TooLong(_))));
}

#[test]
fn case_96_97_98_slugs() {
    for empty in ["日本語", "🚀", "«»"] {
        assert_eq!(slug(empty, Lang::Fr), Err(Refused::Empty), "{empty}");
    }
    assert_eq!(free_slug("Été", Lang::Fr, |s| s == "ete"), Err(Refused::Taken("ete-2".into())));
    assert_eq!(
        slug("ﬁche n° 3 : l’œuvre & le cœur + €", Lang::Fr).as_deref(),
        Ok("fiche-n-3-l-oeuvre-et-le-coeur-plus-euro")
    );
}

#[test]
fn case_99_a_checkout_with_crlf_changes_no_identity() {
    let w = World::new("");
    w.write("src/a.rs", "one\ntwo\n");
    w.page("a.md", "impl_refs: [src/a.rs]\n", "texte");
    w.ack("a.md");
    w.write("src/a.rs", "one\r\ntwo\r\n");
    assert_eq!(w.drift().verdicts[0].state, State::Fresh);
}

#[test]
fn case_100_paths_are_written_with_slashes() {
    let w = with("");
    w.page("x/y/z.md", "", "[a](/a.md)");
    w.index();
    for file in ["docs/INDEX.md", "docs/RELATIONS.yaml"] {
        assert!(w.read(file).contains("x/y/z.md") && !w.read(file).contains('\\'));
    }
}

#[test]
fn case_103_uncommitted_code_acknowledged_is_fresh_after_its_commit() {
    let w = World::new("");
    w.write("src/a.rs", "one\n");
    w.page("a.md", "impl_refs: [src/a.rs]\n", "texte");
    w.git("2026-07-01", &["init", "-q"]);
    w.commit("2026-07-01", "start");
    w.write("src/a.rs", "two\n");
    assert!(matches!(w.drift().verdicts[0].state, State::Changed(_)));
    w.ack("a.md");
    assert_eq!(w.drift().verdicts[0].state, State::Fresh);
    w.commit("2026-07-09", "two");
    assert_eq!(w.drift().verdicts[0].state, State::Fresh);
}

#[test]
fn case_104_a_rename_is_no_deletion() {
    let w = World::new("");
    w.write("src/a.rs", "fn one() {}\nfn two() {}\nfn three() {}\n");
    w.page("a.md", "impl_refs: [src/a.rs:1-2, \"src/a.rs#two\"]\n", "texte");
    w.git("2026-07-01", &["init", "-q"]);
    w.commit("2026-07-01", "start");
    w.git("2026-07-02", &["mv", "src/a.rs", "src/b.rs"]);
    w.commit("2026-07-02", "rename");
    w.git("2026-07-03", &["mv", "src/b.rs", "src/c.rs"]);
    w.commit("2026-07-03", "rename again");
    let states: Vec<State> = w.drift().verdicts.into_iter().map(|v| v.state).collect();
    let to = |t: &str| State::Missing(Missing::Renamed(t.to_owned()));
    assert_eq!(states, [to("src/c.rs:1-2"), to("src/c.rs#two")]);
    let plan = update::plan(w.base(), &update::Scope::Everything, &[]).expect("plan");
    plan.write(&plan.base.marker).expect("write");
    assert!(w.read("docs/a.md").contains("impl_refs: [src/c.rs:1-2, \"src/c.rs#two\"]"), "quotes stay");
}

#[test]
fn case_106_a_reference_to_very_many_files_is_said_to_be_wide() {
    let w = with("");
    for i in 0..101 {
        w.write(&format!("src/f{i}.rs"), "x\n");
    }
    w.page("a.md", "impl_refs: [src]\n", "[b](b.md)");
    w.ack("a.md");
    let found = w.check().findings;
    assert!(found.iter().any(|f| f.code == Code::W006 && f.message.contains("101")), "{found:?}");
}

#[test]
fn case_109_secrets_are_no_references() {
    let w = with("");
    w.write(".env", "A=1\n");
    w.page("a.md", "impl_refs: [.env, .env.example]\n", "[b](b.md)");
    assert_eq!(codes(&w).iter().filter(|c| **c == Code::E005).count(), 1);
}

#[test]
fn case_110_111_the_index_holds_no_count_that_merges_wrongly() {
    // Both sides add one page: git may merge rows and header without a conflict; `index` settles it.
    let w = with("");
    w.page("c.md", "", "[a](a.md)");
    w.page("d.md", "", "[a](a.md)");
    w.write("docs/INDEX.md", &w.read("docs/INDEX.md").replace("| b.md", "| d.md | x |\n| b.md"));
    assert!(!indexes::plan(&w.base()).is_current());
    w.index();
    assert!(w.read("docs/INDEX.md").contains("Documents : 4."));
}

#[test]
fn case_112_two_regenerations_at_once_leave_whole_files() {
    let w = with("");
    for i in 0..40 {
        w.page(&format!("p{i}.md"), "", "[a](a.md)");
    }
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let base = Base::load(marker::open(w.home()).expect("marker")).expect("base");
                    indexes::write(&base.marker, &indexes::plan(&base)).expect("write");
                }
            });
        }
    });
    assert!(indexes::plan(&w.base()).is_current());
    let names: Vec<_> = w.files().into_iter().map(|(path, _)| path).collect();
    assert_eq!(names.len(), 2 + 42 + 3, "marker, AGENTS.md, pages, indexes, nothing left behind: {names:?}");
}
