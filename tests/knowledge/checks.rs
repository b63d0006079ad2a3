//! Every code of `check`, where it stands and what it proposes.

use crate::world::{World, options};
use govmem::base::Date;
use govmem::knowledge::check::{Options, Strict, check, repair, report};
use govmem::knowledge::code::Severity;
use govmem::knowledge::{Code, edit};

/// A base that is clean apart from infos: two pages that link to each other.
fn clean() -> World {
    let w = World::new("");
    w.page("a.md", "", "# A\n\n[b](b.md)");
    w.page("b.md", "", "# B\n\n[a](a.md)");
    w.write("AGENTS.md", "see .rag\n");
    w.index();
    w
}

#[test]
fn a_clean_base_has_infos_at_most() {
    let w = clean();
    let report = w.check();
    assert!(report.findings.iter().all(|f| f.severity == Severity::Info), "{:?}", report.findings);
    assert_eq!(report.exit(Strict::All), 0);
    w.git("2026-07-01", &["init", "-q"]);
    w.commit("2026-07-01", "all");
    assert_eq!(w.check().findings, []);
}

#[test]
fn links_are_judged_with_place_and_proposal() {
    let w = clean();
    w.page("dir/c.md", "", "# C\n\n## Deux mots");
    w.write("src/code.rs", "fn main() {}\n");
    w.write("docs/asset.png", "x");
    for (link, code, hint) in [
        ("dir/c.md", None, ""),
        ("dir/c.md#deux-mots", None, ""),
        ("/dir/c.md", None, ""),
        ("asset.png", None, ""),
        ("../src/code.rs", None, ""),
        ("#x", None, ""),
        ("https://example.org/a", None, ""),
        ("mailto:a@b.c", None, ""),
        ("xref:a", None, ""),
        ("none.md", Some(Code::W001), "remove the link"),
        ("dir/C.md", Some(Code::W001), "dir/c.md"),
        ("Dir/c.md", Some(Code::W001), "dir/c.md"),
        ("dir/c.md#trois", Some(Code::W001), ""),
        ("dir/c.md#Deux-mots", Some(Code::W001), "#deux-mots"),
        ("dir/c", Some(Code::W001), ""),
        ("dir", Some(Code::W001), ""),
        ("dir/", Some(Code::W001), ""),
        ("a.md/x", Some(Code::W001), ""),
        ("dir%2Fc.md", Some(Code::W001), ""),
        ("dir\\\\c.md", Some(Code::W001), "dir/c.md"),
        ("../../outside.md", Some(Code::W001), ".rag"),
        ("dir/c.html", Some(Code::W001), ""),
        ("https://host/docs/dir/c.md", Some(Code::W010), "dir/c.md"),
    ] {
        w.page("a.md", "", &format!("# X\n\n[b](b.md) [l]({link})"));
        w.index();
        let found: Vec<_> = w
            .check()
            .findings
            .into_iter()
            .filter(|f| f.file == "docs/a.md" && f.severity != Severity::Info)
            .collect();
        assert_eq!(found.first().map(|f| f.code), code, "{link}: {found:?}");
        assert!(found.len() <= 1, "{link}: {found:?}");
        if let Some(f) = found.first() {
            assert_eq!(f.start.line, 12, "{link}");
            assert!(f.hint.contains(hint) || f.message.contains(hint), "{link}: {} — {}", f.message, f.hint);
            assert!(!f.message.is_empty() && !f.hint.is_empty());
        }
    }
}

#[test]
fn a_name_with_an_encoded_space_is_found() {
    let w = clean();
    w.write("docs/mon image.png", "x");
    w.page("a.md", "", "[b](b.md) ![i](mon%20image.png) ![j](<mon image.png>) ![k](none.png)");
    assert_eq!(w.codes("a.md"), [Code::W001], "the missing one only");
}

#[test]
fn related_is_from_the_root() {
    let w = clean();
    w.page("dir/c.md", "related: [a.md, dir/c.md, none.md, A.md]\n", "texte");
    assert_eq!(
        w.codes("dir/c.md").iter().filter(|c| **c == Code::W001).count(),
        2,
        "none and the wrong case"
    );
}

#[test]
fn fields_secrets_and_sizes() {
    let w = clean();
    w.page("a.md", "impl_refs: [.env, src/none.rs]\n", &format!("[b](b.md)\n{}", "ligne\n".repeat(300)));
    w.write(
        "docs/b.md",
        &w.read("docs/b.md").replace("# B", "password = \"ghp_x9Kq2LmT7vWb4RzY8nPd3HsF6jGc1QaE5uXk\""),
    );
    w.page("d/e/f/g/h.md", "status: draft2\n", "[b](../../../../b.md)");
    let a = w.codes("a.md");
    for code in [Code::E005, Code::W003, Code::W008] {
        assert!(a.contains(&code), "{code} in {a:?}");
    }
    assert!(w.codes("b.md").contains(&Code::E005));
    let h = w.codes("d/e/f/g/h.md");
    assert!(h.contains(&Code::W008) && h.contains(&Code::E002), "{h:?}");
}

#[test]
fn ages_count_from_the_given_day_and_never_fail_strict() {
    let w = clean();
    let at = |day: &str| check(&w.base(), &Options::on(Date::parse(day).expect("day"))).expect("check");
    assert_eq!(at("2026-09-29").count(Severity::Warning), 0);
    let old = at("2026-09-30");
    assert_eq!(old.findings.iter().filter(|f| f.code == Code::W004).count(), 2);
    assert_eq!((old.exit(Strict::No), old.exit(Strict::Warnings), old.exit(Strict::All)), (0, 0, 1));
    let future = at("2026-06-30");
    assert_eq!(future.findings.iter().filter(|f| f.code == Code::E003).count(), 2);
    assert_eq!(future.exit(Strict::No), 0, "a clock behind is a warning");
}

#[test]
fn stale_indexes_are_found_and_repaired() {
    let w = clean();
    w.page("c.md", "", "[a](a.md)");
    let report = w.check();
    assert_eq!(report.findings.iter().filter(|f| f.code == Code::W005).count(), 3);
    assert_eq!((report.exit(Strict::No), report.exit(Strict::Warnings)), (0, 1));
    w.index();
    assert!(w.check().findings.iter().all(|f| f.code != Code::W005));
}

#[test]
fn status_and_drafts() {
    let w = clean();
    let set = |s: &str| {
        w.write("docs/a.md", &crate::world::page("2026-07-01", "", "[b](b.md)").replace("stable", s))
    };
    set("needs-review");
    assert_eq!(w.codes("a.md"), [Code::W011]);
    set("draft");
    assert_eq!(w.codes("a.md"), [Code::I004]);
    set("archived");
    assert_eq!(w.codes("a.md"), []);
}

#[test]
fn findings_are_left_out_only_with_a_reason() {
    let w = clean();
    w.page("c.md", "", "<!-- govrag-disable W002 seule par nature -->\n\n[x](none.md)");
    w.page("d.md", "", "<!-- govrag-disable W002 -->");
    w.index();
    assert_eq!(w.codes("c.md"), [Code::W001]);
    assert_eq!(w.codes("d.md"), [Code::W002]);
    let report = w.check();
    assert_eq!(report.suppressed.disabled, 1);
    assert!(report.notes.iter().any(|n| n.starts_with("d.md")));
    w.write(".rag", "version: 1\nroot: docs\ncheck: {ignore: [W002, \"W001:c.md\"]}\n");
    assert_eq!((w.codes("c.md"), w.codes("d.md")), (vec![], vec![]));
}

#[test]
fn a_baseline_hides_what_was_there_and_nothing_new() {
    let w = clean();
    w.write(".rag", "version: 1\nroot: docs\ncheck: {baseline: known.txt}\n");
    w.page("c.md", "", "[x](none.md) [a](a.md)");
    w.index();
    let known = w.check().findings;
    govmem::knowledge::check::baseline::Baseline::write(&w.path("known.txt"), &known).expect("write");
    assert_eq!(w.check().findings, []);
    w.page("c.md", "", "moved down\n\n[x](none.md) [y](other.md) [a](a.md)");
    w.index();
    assert_eq!(w.codes("c.md"), [Code::W001], "the new one");
}

#[test]
fn fix_is_idempotent_and_keeps_every_other_byte() {
    let w = clean();
    w.page("dir/c.md", "", "[a](../a.md)");
    let page = "---\r\ntitle: L'accès : lecture # note\r\nsummary: 'L'accès'\r\ntype: guide\r\nstatus: draft\r\ntags: [x]\r\nupdated: 2026-07-01\r\n---\r\n\r\n# T\r\n[c](Dir/C.md#Deux \"t\") [r][ref] ![i](<no image.png>)\r\n\r\n[ref]: DIR/c.md\r\nno final newline";
    w.write("docs/p.md", page);
    let fixes = repair::plan(w.base(), &options()).expect("plan");
    let diff = fixes.diff();
    assert!(diff.contains("+++ b/p.md") && diff.contains("+++ b/INDEX.md"), "{diff}");
    let before = w.files();
    assert_eq!(w.files(), before, "planning writes nothing");
    fixes.write().expect("write");
    let expected = page
        .replace("L'accès : lecture # note", "\"L'accès : lecture # note\"")
        .replace("'L'accès'", "\"L'accès\"")
        .replace("Dir/C.md#Deux", "dir/c.md#Deux")
        .replace("DIR/c.md", "dir/c.md");
    assert_eq!(w.read("docs/p.md"), expected);
    let again = repair::plan(w.base(), &options()).expect("plan");
    assert!(again.is_empty(), "{}", again.diff());
}

#[test]
fn fix_follows_a_move_that_git_knows() {
    let w = clean();
    w.page("c.md", "related: [b.md]\n", "# C\n\n[b](b.md#b) texte assez long pour être suivi");
    w.git("2026-07-01", &["init", "-q"]);
    w.commit("2026-07-01", "one");
    std::fs::create_dir(w.path("docs/dir")).expect("folder");
    w.git("2026-07-02", &["mv", "docs/b.md", "docs/dir/b.md"]);
    w.commit("2026-07-02", "move");
    let fixes = repair::plan(w.base(), &options()).expect("plan");
    fixes.write().expect("write");
    assert!(
        w.read("docs/c.md").contains("related: [dir/b.md]") && w.read("docs/c.md").contains("(dir/b.md#b)")
    );
    assert!(w.read("docs/a.md").contains("(dir/b.md)"));
}

#[test]
fn a_bom_is_reported_tolerated_and_removed() {
    let w = clean();
    w.write("docs/a.md", &format!("\u{feff}{}", w.read("docs/a.md")));
    let found = w.check().findings;
    let bom = found.iter().find(|f| f.file == "docs/a.md" && f.code == Code::E002).expect("finding");
    assert_eq!(bom.severity, Severity::Warning);
    repair::plan(w.base(), &options()).expect("plan").write().expect("write");
    assert!(w.read("docs/a.md").starts_with("---\n"));
}

#[test]
fn scope_restricts_to_a_theme() {
    let w = clean();
    w.page("un/x.md", "", "[n](none.md)");
    w.page("deux/y.md", "", "[n](none.md)");
    let report = check(&w.base(), &Options { scope: Some("un".to_owned()), ..options() }).expect("check");
    assert!(!report.findings.is_empty() && report.findings.iter().all(|f| f.file.starts_with("docs/un/")));
}

#[test]
fn reports_hold_what_their_format_requires() {
    let w = clean();
    w.page("c d.md", "", "[x](none.md)\n[y][z]");
    let found = w.check();
    let sarif = report::sarif(&found);
    // Types made from the published schema of SARIF 2.1.0: what they require is there, with the values
    // that they allow, and nothing is there that they do not know.
    let log: serde_sarif::sarif::Sarif = serde_json::from_value(sarif.clone()).expect("SARIF 2.1.0");
    assert_eq!(serde_json::to_value(log).expect("json"), sarif);
    assert!(sarif["runs"][0]["results"].as_array().is_some_and(|r| r.len() == found.findings.len()));
    let github = report::github(&found);
    assert_eq!(github.lines().count(), found.findings.len());
    assert!(github.lines().all(|l| l.starts_with("::") && l.contains("file=")));
    let json = report::json(&found);
    assert_eq!(json["findings"].as_array().map(Vec::len), Some(found.findings.len()));
    let text = report::text(&found, true, false);
    assert!(text.contains("docs/c d.md:10:5: W001") && !text.contains('\u{1b}'), "{text}");
}

#[test]
fn hostile_names_do_not_drive_the_terminal() {
    let w = clean();
    w.page("x\u{1b}[31m\ny.md", "", "[l](none\u{202e}.md)");
    let found = w.check();
    for out in [report::text(&found, true, false), report::github(&found)] {
        assert!(!out.contains('\u{1b}') && !out.contains('\u{202e}'));
    }
    assert_eq!(report::github(&found).lines().count(), found.findings.len());
}

#[test]
fn moving_a_page_repairs_every_name_of_it() {
    let w = clean();
    w.write("src/x.rs", "fn x() {}\n");
    w.write("docs/i.png", "x");
    w.page(
        "dir/c.md",
        "related: [\"b.md\", a.md]\nimpl_refs: [src/x.rs]\n",
        "[b](../b.md#b) [same](../b.md) [r]\n\n[r]: </b.md>\n\n<a href=\"../b.md?x=1\">b</a> `[b](../b.md)`",
    );
    w.page(
        "b.md",
        "",
        "# B\n\n[a](a.md) ![i](i.png) [src](../src/x.rs) [self](b.md#b) [here](#b) [gone](gone.md)",
    );
    w.ack("dir/c.md");
    let base = w.base();
    let plan = edit::moves::plan(&base, "b.md", "dir/sub/").expect("plan");
    assert_eq!(plan.new, "dir/sub/b.md");
    plan.write(&base.marker).expect("write");
    w.index();
    let c = w.read("docs/dir/c.md");
    assert!(c.contains("related: [\"dir/sub/b.md\", a.md]"), "{c}");
    assert!(c.contains("[b](sub/b.md#b) [same](sub/b.md)") && c.contains("[r]: </dir/sub/b.md>"), "{c}");
    assert!(c.contains("href=\"sub/b.md?x=1\"") && c.contains("`[b](../b.md)`"), "{c}");
    let b = w.read("docs/dir/sub/b.md");
    assert!(b.contains("[a](../../a.md) ![i](../../i.png) [src](../../../src/x.rs) [self](b.md#b) [here](#b) [gone](../../gone.md)"), "{b}");
    assert!(w.read("docs/a.md").contains("[b](dir/sub/b.md)"));
    assert!(!w.path("docs/b.md").exists());
    let broken: Vec<_> = w.check().findings.into_iter().filter(|f| f.code == Code::W001).collect();
    assert_eq!(broken.len(), 1, "only the one that was broken before: {broken:?}");
}

#[test]
fn moving_a_folder_takes_its_pages_and_files_along() {
    let w = clean();
    w.write("src/x.rs", "fn x() {}\n");
    w.write("docs/Dossier/i.png", "x");
    w.page(
        "Dossier/c.md",
        "related: [Dossier/d.md, a.md]\nimpl_refs: [src/x.rs]\n",
        "[d](d.md#d) ![i](i.png) [a](../a.md) [src](../../src/x.rs) [abs](/Dossier/d.md)",
    );
    w.page("Dossier/d.md", "", "# D\n\n[c](./c.md)");
    w.page("e.md", "related: [\"Dossier/c.md\"]\n", "[c](Dossier/c.md) ![i](Dossier/i.png)");
    w.index();
    w.ack("Dossier/c.md");
    let named = w.check().findings.into_iter().find(|f| f.code == Code::E001 && f.file == "docs/Dossier");
    assert_eq!(named.expect("the folder's name").hint, "govrag mv Dossier dossier");
    let base = w.base();
    let plan = edit::moves::plan(&base, "Dossier/", "sujets/dossier").expect("plan");
    plan.write(&base.marker).expect("write");
    w.index();
    let c = w.read("docs/sujets/dossier/c.md");
    assert!(c.contains("related: [sujets/dossier/d.md, a.md]"), "{c}");
    let links =
        "[d](d.md#d) ![i](i.png) [a](../../a.md) [src](../../../src/x.rs) [abs](/sujets/dossier/d.md)";
    assert!(c.contains(links), "{c}");
    assert!(
        w.read("docs/sujets/dossier/d.md").contains("[c](./c.md)"),
        "what still leads there stays as it is"
    );
    let e = w.read("docs/e.md");
    assert!(e.contains("related: [\"sujets/dossier/c.md\"]"), "{e}");
    assert!(e.contains("[c](sujets/dossier/c.md) ![i](sujets/dossier/i.png)"), "{e}");
    assert!(w.read(".rag.lock").starts_with("sujets/dossier/c.md\tsrc/x.rs\t"));
    assert!(!w.path("docs/Dossier").exists());
    let left: Vec<_> =
        w.check().findings.into_iter().filter(|f| f.code == Code::W001 || f.code == Code::E001).collect();
    assert!(left.is_empty(), "{left:?}");
    let base = w.base();
    for new in ["sujets/dossier/sub", "sujets/dossier", "../x", "/x", "Grand", "sujets/INDEX.md"] {
        assert_eq!(edit::moves::plan(&base, "sujets/dossier", new).expect_err(new).exit(), 2, "{new}");
    }
    // A folder that is there takes it in.
    w.page("autre/f.md", "", "[a](../a.md)");
    assert_eq!(edit::moves::plan(&w.base(), "sujets/dossier", "autre").expect("plan").new, "autre/dossier");
}

#[test]
fn moves_that_would_break_the_norm_are_refused() {
    let w = clean();
    let base = w.base();
    for new in ["a.md", "../x.md", "/x.md", "INDEX.md", "X Y.md", "b.txt", "d//e.md", "Dossier/b.md"] {
        assert_eq!(edit::moves::plan(&base, "b.md", new).expect_err(new).exit(), 2, "{new}");
    }
    assert_eq!(edit::moves::plan(&base, "none.md", "x.md").expect_err("unknown").exit(), 2);
}
