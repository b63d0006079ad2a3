//! What `init` makes of a repository: themes, pages, nothing invented, nothing overwritten.

use std::collections::BTreeSet;

use govmem::knowledge::code::Severity;
use govmem::knowledge::{Base, Page, marker};
use serde_json::Value;

use crate::repositories::{python, rust, typescript};
use crate::world::{World, copy, shared};

fn base(world: &World) -> Base {
    Base::load(marker::open(world.home()).expect("marker")).expect("base")
}

fn init(world: &World) -> Value {
    let run = world.govrag(&["init", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    serde_json::from_str(&run.out).expect("json")
}

/// Words of a text, lower-cased.
fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() > 2).map(str::to_lowercase).collect()
}

/// Words of the frame that every page has, in both languages.
const FRAME: &str = "title summary type status draft tags audience impl_refs related created updated priority \
    Scope Behaviour Flow Key points Links Sources more the sources say no Other page items described \
    Périmètre Comportement Parcours Points clés Liens autres éléments dans les sources Rien plus n'est dit \
    Aucune autre page décrits concept feature api guide process decision reference overview dev ops qa all \
    true false tests configuration Configuration du projet Project configuration SQL sql Readme modules guides \
    rust python typescript javascript";

/// What must hold of every base that `init` makes; gives the report.
fn holds(world: &World, lang: &str) -> Value {
    let before = world.files();
    let report = init(world);
    let (base, after) = (base(world), world.files());
    for (path, bytes) in &before {
        assert_eq!(after.get(path), Some(bytes), "{path} was changed");
    }
    let themes = report["themes"].as_array().expect("themes");
    assert!((3..=8).contains(&themes.len()), "{themes:?}");
    assert!(themes.iter().all(|t| t["reason"].as_str().is_some_and(|r| !r.is_empty())));
    assert_eq!(report["lang"], lang);
    assert_eq!(report["unresolved"].as_array().map(Vec::len), Some(0));
    assert_eq!(report["pages"].as_array().map(Vec::len), Some(base.pages.len()));
    let summaries = &report["report"];
    assert_eq!((&summaries["errors"], &summaries["warnings"]), (&0.into(), &0.into()), "{summaries}");
    let mut said: BTreeSet<String> = words(FRAME);
    for (path, bytes) in before.iter().filter(|(p, _)| !p.starts_with(".env")) {
        said.extend(words(path));
        said.extend(words(&String::from_utf8_lossy(bytes)));
    }
    said.extend(themes.iter().flat_map(|t| words(t["name"].as_str().expect("name"))));
    for page in &base.pages {
        page_holds(world, &base, page, &said);
    }
    report
}

fn page_holds(world: &World, base: &Base, page: &Page, said: &BTreeSet<String>) {
    let path = &page.path;
    assert!(page.is_readable() && page.objections.is_empty(), "{path}: {:?}", page.objections);
    assert_eq!(page.status(), "draft", "{path}");
    let meta = &page.meta;
    assert!(
        meta.summary.as_ref().is_some_and(|s| (8..=base.marker.summary_max).contains(&s.chars().count()))
    );
    assert!(!meta.audience.is_empty() && meta.priority.is_some() && meta.created == meta.updated, "{path}");
    assert!(!meta.impl_refs.is_empty() && !meta.related.is_empty(), "{path}");
    for item in &meta.impl_refs {
        assert!(world.path(&item.text).exists(), "{path}: {}", item.text);
    }
    let headings: Vec<u8> = page.body.headings.iter().map(|h| h.level).collect();
    assert_eq!(headings, [1, 2, 2, 2, 2], "{path}");
    let invented: Vec<String> = words(&page.source)
        .into_iter()
        .filter(|w| !said.contains(w) && !w.chars().all(|c| c.is_ascii_digit()))
        // A humanised name splits `addLine`; a slug joins words with hyphens, split above.
        .filter(|w| !said.iter().any(|s| s.contains(w.as_str())))
        .collect();
    assert!(invented.is_empty(), "{path} says what no source says: {invented:?}");
}

#[test]
fn a_rust_crate() {
    let world = rust();
    let report = holds(&world, "en");
    let pages: Vec<&str> = report["pages"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for wanted in [
        "project/readme.md",
        "project/contributing.md",
        "decisions/0001-count-by-account.md",
        "quality/tests.md",
    ] {
        assert!(pages.contains(&wanted), "{wanted}: {pages:?}");
    }
    let all: String = world
        .files()
        .into_iter()
        .filter(|(p, _)| p.starts_with("docs-rag/"))
        .map(|(_, b)| String::from_utf8(b).unwrap())
        .collect();
    for fact in [
        "`pub fn is_open(&self) -> bool` — Tells whether the owner may try again.",
        "MOST_FAILURES: u32 = 5",
        "`LOCKBOX_DIR`",
        "a_closed_lock_stays_closed",
        "jobs.test",
        "features.audit",
    ] {
        assert!(all.contains(fact), "{fact}");
    }
    for absent in ["junk", "not-a-real-one", "must never be taken over", "private"] {
        assert!(!all.contains(absent), "{absent}");
    }
    // The lock imports the counter, the README links to the design.
    let base = base(&world);
    let related = |path: &str| {
        base.page(path).map(|p| p.meta.related.iter().map(|r| r.text.clone()).collect::<Vec<_>>())
    };
    let lock = base.pages.iter().find(|p| p.meta.impl_refs[0].text == "src/lock.rs").expect("lock");
    let counter = base.pages.iter().find(|p| p.meta.impl_refs[0].text == "src/counter.rs").expect("counter");
    assert!(lock.meta.related.iter().any(|r| r.text == counter.path));
    let design = base.pages.iter().find(|p| p.meta.impl_refs[0].text == "docs/design.md").expect("design");
    assert!(related("project/readme.md").expect("readme").contains(&design.path));
}

#[test]
fn a_python_service() {
    let world = python();
    let report = holds(&world, "fr");
    let names: Vec<&str> =
        report["themes"].as_array().unwrap().iter().filter_map(|t| t["name"].as_str()).collect();
    for theme in ["comptes", "panier", "donnees", "exploitation", "qualite", "projet", "api"] {
        assert!(names.contains(&theme), "{theme}: {names:?}");
    }
    let base = base(&world);
    let routes =
        base.pages.iter().find(|p| p.meta.impl_refs[0].text == "boutique/comptes/routes.py").expect("routes");
    assert_eq!(routes.meta.kind.as_deref(), Some("api"));
    for fact in [
        "## Parcours",
        "`POST /connexion` — Ouvre une session.",
        "`GET /profil`",
        "`BOUTIQUE_CLE`",
        "`DUREE_SESSION = 3600`",
    ] {
        assert!(routes.source.contains(fact), "{fact}:\n{}", routes.source);
    }
    let all: String = base.pages.iter().map(|p| p.source.as_str()).collect();
    for fact in ["comptes.nom TEXT NOT NULL", "total: number", "FROM python:3.13", "test_refuse_une_cle_vide"]
    {
        assert!(all.contains(fact), "{fact}");
    }
    assert!(!all.contains("_interne"));
}

#[test]
fn a_typescript_front_end() {
    let world = typescript();
    holds(&world, "en");
    let base = base(&world);
    let cart = base.pages.iter().find(|p| p.meta.impl_refs[0].text == "src/cart/cart.ts").expect("cart");
    assert!(cart.source.contains("`function addLine(id: string): void` — Adds a line to the cart."));
    let pay = base.pages.iter().find(|p| p.meta.impl_refs[0].text == "src/payment/pay.ts").expect("pay");
    assert!(cart.meta.related.iter().any(|r| r.text == pay.path));
    assert!(!base.pages.iter().any(|p| p.source.contains("foreign")));
}

#[test]
fn a_second_init_refuses_and_a_second_update_writes_nothing() {
    for world in [rust(), python(), typescript()] {
        world.git(&["init", "-q"]);
        world.git(&["add", "-A"]);
        world.git(&["commit", "-qm", "code"]);
        init(&world);
        let made = world.files();
        let again = world.govrag(&["init"]);
        assert_eq!(again.code, 2, "{}", again.err);
        assert!(again.err.contains("govrag update"), "{}", again.err);
        assert_eq!(world.files(), made);
        for _ in 0..2 {
            let update = world.govrag(&["update"]);
            assert_eq!(update.code, 0, "{}", update.err);
            assert_eq!(world.files(), made, "{}", update.out);
        }
        assert_eq!(world.govrag(&["check", "--strict"]).code, 0);
    }
}

#[test]
fn the_same_repository_gives_the_same_bytes() {
    let (one, two) = (rust(), rust());
    init(&one);
    init(&two);
    assert_eq!(one.files(), two.files());
}

#[test]
fn a_changed_norm_and_an_existing_marker_stay() {
    let world = python();
    world.write("rag.md", "# Our own norm\n");
    world.write(".rag", "# ours\nversion: \"1\"\nroot: ./kb\nlang: en\nsummary_max: 120\n");
    let report = init(&world);
    assert_eq!((report["norm"].as_str(), report["lang"].as_str()), (Some("changed"), Some("en")));
    assert_eq!(world.read("rag.md"), "# Our own norm\n");
    assert!(world.read(".rag").starts_with("# ours\n"));
    assert!(base(&world).pages.iter().all(|p| p.meta.summary.as_ref().unwrap().chars().count() <= 120));
    assert!(!world.path("docs-rag").exists());
}

#[test]
fn wrong_roots_and_empty_repositories_are_refused() {
    let world = World::new();
    assert_eq!(world.govrag(&["init"]).code, 2);
    assert!(world.files().is_empty());
    let world = rust();
    assert_eq!(world.govrag(&["init", "."]).code, 2);
    assert_eq!(world.govrag(&["init", "docs"]).code, 2);
    assert!(!world.path(".rag").exists());
    assert_eq!(world.govrag(&["init", "--lang", "xx"]).code, 2);
}

#[test]
fn update_drafts_pages_for_what_is_new() {
    let world = rust();
    world.git(&["init", "-q"]);
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "code"]);
    init(&world);
    let before = base(&world).pages.len();
    world.write("src/alarm.rs", "//! Rings when a lock closes.\n\n/// Rings once.\npub fn ring() {}\n");
    let run = world.govrag(&["update", "--json"]);
    let report: Value = serde_json::from_str(&run.out).expect("json");
    let created: Vec<&str> = report["created"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!((created.len(), base(&world).pages.len()), (1, before + 1), "{created:?}");
    assert!(world.read(&format!("docs-rag/{}", created[0])).contains("Rings when a lock closes."));
    let made = world.files();
    world.govrag(&["update"]);
    assert_eq!(world.files(), made);
}

#[test]
fn a_tree_of_documents_alone() {
    let Some(from) = shared("kb/openspec") else { return };
    let world = World::new();
    copy(&from, world.home());
    let before = world.files();
    let report = init(&world);
    let themes = report["themes"].as_array().unwrap().len();
    assert!((3..=8).contains(&themes), "{themes}");
    let pages = report["pages"].as_array().unwrap().len();
    assert!(pages > 100, "{pages}");
    assert_eq!((&report["report"]["errors"], &report["report"]["warnings"]), (&0.into(), &0.into()));
    let after = world.files();
    assert!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)));
    let found = govmem::knowledge::check::check(
        &base(&world),
        &govmem::knowledge::check::Options::on(govmem::base::Date::new(2026, 1, 1).unwrap()),
    );
    assert_eq!(found.expect("check").count(Severity::Error), 0);
}

/// The findings of `check` but drafts: code, file and message.
fn findings(world: &World) -> Vec<String> {
    let run = world.govrag(&["check", "--json"]);
    let report: Value = serde_json::from_str(&run.out).expect("json");
    let all = report["findings"].as_array().expect("findings").iter();
    let word = |f: &Value, key: &str| f[key].as_str().expect("text").to_owned();
    all.filter(|f| f["code"] != "I004")
        .map(|f| format!("{} {} {}", word(f, "code"), word(f, "file"), word(f, "message")))
        .collect()
}

/// Adds everything and commits it.
fn commit(world: &World) {
    world.write(".gitignore", ".home/\n");
    for arguments in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "all"]] {
        let run = world.git(arguments);
        assert_eq!(run.code, 0, "{}", run.err);
    }
}

#[test]
fn very_wide_folders_give_narrow_references() {
    let world = World::with(&[("README.md", "# Wide\n\nA program with very many files.\n")]);
    // Flat and crowded; wide through pictures; wide through sub-folders; tests beside fixtures.
    for n in 0..140 {
        world.write(&format!("src/flat/f{n:03}.rs"), &format!("//! Part {n}.\n\npub fn f{n}() {{}}\n"));
        world.write(&format!("src/icons/{n}.svg"), "<svg/>\n");
        world.write(&format!("tests/data/{n}.bin"), "x");
        world.write(
            &format!("src/deep/d{}/g{n:03}.rs", n % 7),
            &format!("//! G {n}.\n\npub fn g{n}() {{}}\n"),
        );
        world.write(&format!("conf/samples/{n}.txt"), "x");
        world.write(&format!("db/dumps/{n}.bin"), "x");
    }
    for n in 0..9 {
        world.write(&format!("src/icons/i{n}.rs"), &format!("//! Icon {n}.\n\npub fn i{n}() {{}}\n"));
        world.write(&format!("tests/t{n}.rs"), &format!("#[test]\nfn t{n}() {{}}\n"));
        world.write(&format!("conf/c{n}.toml"), "key = 1\n");
        world.write(&format!("db/{n}.sql"), &format!("CREATE TABLE t{n} (id INTEGER);\n"));
    }
    commit(&world);
    let report = init(&world);
    assert_eq!(report["unresolved"].as_array().map(Vec::len), Some(0));
    let base = base(&world);
    let refs = |start: &str| -> Vec<String> {
        let all = base.pages.iter().flat_map(|p| &p.meta.impl_refs).map(|r| r.text.clone());
        all.filter(|r| r.starts_with(start)).collect()
    };
    assert_eq!(refs("tests/"), ["tests/*.rs"]);
    assert_eq!(refs("conf/"), ["conf/*.toml"]);
    assert_eq!(refs("db/"), ["db/*.sql"]);
    assert_eq!(refs("src/icons/"), ["src/icons/*.rs"]);
    assert_eq!(refs("src/deep/").len(), 7, "a page for each sub-folder");
    let flat = refs("src/flat/");
    assert!((1..=8).contains(&flat.len()) && flat.iter().all(|r| world.path(r).is_file()), "{flat:?}");
    let page = base.pages.iter().find(|p| p.meta.impl_refs[0].text == flat[0]).expect("flat");
    assert!(page.source.contains(&format!("; and {} more, not followed", 140 - flat.len())));
    // A base just made: no assistant is pointed to it or has its skills, and git does not have it yet.
    for finding in findings(&world) {
        assert!(["I001", "I002", "I003"].iter().any(|code| finding.starts_with(code)), "{finding}");
    }
    // The patterns are known again: nothing new to draft, nothing to write.
    let made = world.files();
    let run = world.govrag(&["update"]);
    assert_eq!((run.code, world.files() == made), (0, true), "{}", run.out);
}

#[test]
fn this_repository_itself() {
    let home = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = std::process::Command::new("git").current_dir(home).args(["ls-files", "-z"]).output();
    let Some(listed) = listed.ok().filter(|out| out.status.success()) else {
        eprintln!("SKIPPED: no git work tree to list");
        return;
    };
    let world = World::new();
    for path in String::from_utf8(listed.stdout).expect("utf-8").split_terminator('\0') {
        let from = home.join(path);
        if !from.is_file() || matches!(path, ".rag" | ".rag.lock" | "rag.md") {
            continue;
        }
        let to = world.path(path);
        std::fs::create_dir_all(to.parent().expect("parent")).expect("folder");
        std::fs::copy(from, to).expect("copy");
    }
    commit(&world);
    let report = init(&world);
    assert_eq!(report["unresolved"].as_array().map(Vec::len), Some(0));
    assert!(report["pages"].as_array().unwrap().len() > 40);
    assert_eq!((&report["report"]["errors"], &report["report"]["warnings"]), (&0.into(), &0.into()));
    // The assistants' files are set up by `install`, the base is in git once it is committed.
    assert_eq!(world.govrag(&["install", "--cli", "claude"]).code, 0);
    assert_eq!(world.git(&["add", "-A"]).code, 0);
    assert_eq!(findings(&world), Vec::<String>::new());
}
