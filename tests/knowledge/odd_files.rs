//! Names of pages and of our files where something else stands: case 83 of the collection.

use govmem::knowledge::check::check;
use govmem::knowledge::{Code, indexes};

use crate::world::{World, options};

fn base() -> World {
    let w = World::new("");
    w.page("a.md", "", "# A\n\n[b](b.md)");
    w.page("b.md", "", "# B\n\n[a](a.md)");
    w.write("AGENTS.md", ".rag\n");
    w.index();
    w
}

#[test]
fn case_83_what_is_no_text_file_is_an_error_with_its_reason_and_never_a_wait() {
    let w = base();
    w.write("docs/empty.md", "");
    std::fs::write(w.path("docs/latin.md"), b"---\ntitle: \xe9t\xe9\n---\n").expect("write");
    std::fs::write(w.path("docs/wide.md"), b"\xff\xfe-\0").expect("write");
    std::fs::write(w.path("docs/binary.md"), b"a\0b").expect("write");
    // A hole of 100 MB, and a FIFO that nobody writes to.
    std::fs::File::create(w.path("docs/huge.md")).expect("file").set_len(100_000_000).expect("size");
    let made = std::process::Command::new("mkfifo").arg(w.path("docs/pipe.md")).status().expect("mkfifo");
    assert!(made.success());
    w.index();
    let report = w.check();
    for (file, said) in [
        ("empty.md", ""),
        ("latin.md", "11"),
        ("wide.md", "UTF-16"),
        ("binary.md", "1"),
        ("huge.md", "100000000"),
        ("pipe.md", "FIFO"),
    ] {
        let path = format!("docs/{file}");
        let found = report.findings.iter().find(|f| f.file == path && f.code == Code::E002);
        let message = &found.unwrap_or_else(|| panic!("{file}")).message;
        assert!(message.contains(said), "{file}: {message}");
        assert!(w.read("docs/INDEX.md").contains(&format!("| {file} | ? |")), "{file}");
        assert!(w.read("docs/OVERVIEW.md").contains(file) && w.read("docs/RELATIONS.yaml").contains(file));
    }
    assert_eq!((report.pages, report.unreadable), (8, 6));
}

#[test]
fn case_83_a_fifo_where_a_file_of_ours_belongs_is_refused() {
    for name in ["AGENTS.md", "docs/INDEX.md", ".rag.lock"] {
        let w = base();
        let path = w.path(name);
        // The file gives way to a FIFO.
        let _ = std::fs::remove_file(&path);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        match check(&w.base(), &options()) {
            Ok(report) if name == "docs/INDEX.md" => {
                let said = report.findings.iter().any(|f| f.code == Code::W005 && f.file == name);
                assert!(said && indexes::plan(&w.base()).blocked == ["INDEX.md"]);
            }
            Ok(report) => assert!(report.findings.iter().any(|f| f.code == Code::I001), "{name}"),
            Err(e) => assert!(name == ".rag.lock" && e.message().contains("FIFO"), "{e:?}"),
        }
    }
}
