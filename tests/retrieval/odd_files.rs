//! Paths that became something else: links out of the root, FIFOs, endless devices. Nothing is read
//! outside a root and nothing is waited for.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::world::{Ran, World, ran};

/// Runs `govfind`; one that waits for ever is killed, which is exit 124.
fn run(w: &World, args: &[&str]) -> Ran {
    let plain = w.command(args);
    let mut command = Command::new("/usr/bin/timeout");
    command.arg("60").arg(plain.get_program()).args(plain.get_args()).current_dir(w.root());
    command.env_clear().envs(plain.get_envs().filter_map(|(k, v)| Some((k, v?))));
    ran(command.output().unwrap())
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn reading_from_the_disk_stays_in_the_root() {
    let w = World::indexed(&[("a.md", "zebra\n"), ("sub/b.md", "stripes\n"), ("c.md", "hooves\n")]);
    let outside = w.root().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("b.md"), "secret\n").unwrap();
    let replace = |path: &str, target: &Path| {
        let path = w.docs().join(path);
        if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) }.unwrap();
        symlink(target, &path).unwrap();
    };
    replace("a.md", &outside.join("b.md"));
    replace("sub", &outside);
    for (name, link) in [("a.md", "docs/a.md"), ("sub/b.md", "docs/sub")] {
        for verb in ["get", "multi-get"] {
            let ran = run(&w, &[verb, name, "--disk"]).exits(2);
            assert!(!ran.stdout.contains("secret"), "{verb} {name}: {}", ran.stdout);
            let named = format!("{} ", w.root().join(link).display());
            assert!(ran.stderr.contains(&named), "{verb} {name}: {}", ran.stderr);
        }
        run(&w, &["get", name]).exits(0);
    }
    replace("a.md", Path::new("/etc/passwd"));
    assert!(run(&w, &["get", "a.md", "--disk"]).exits(2).stdout.is_empty());
    // One that fails takes nothing from the others; a link that stays inside is followed.
    replace("a.md", &w.docs().join("c.md"));
    assert!(run(&w, &["get", "a.md", "--disk"]).exits(0).stdout.contains("hooves"));
    let ran = run(&w, &["multi-get", "*.md", "--disk", "--json"]).exits(3);
    assert_eq!(ran.json()["count"], 2);
    assert_eq!(ran.json()["failed"].as_array().unwrap().len(), 1);
}

#[test]
fn a_document_that_became_a_fifo_is_not_waited_for() {
    let w = World::indexed(&[("a.md", "zebra\n")]);
    std::fs::remove_file(w.docs().join("a.md")).unwrap();
    fifo(&w.docs().join("a.md"));
    for verb in ["get", "multi-get"] {
        let ran = run(&w, &[verb, "a.md", "--disk"]).exits(2);
        assert!(ran.stderr.contains("not a regular file"), "{}", ran.stderr);
    }
    std::fs::remove_file(w.docs().join("a.md")).unwrap();
    let giant = std::fs::File::create(w.docs().join("a.md")).unwrap();
    giant.set_len(1 << 40).unwrap();
    assert!(run(&w, &["get", "a.md", "--disk"]).exits(2).stderr.contains("longer than"));
}

#[test]
fn rules_that_are_no_file_are_refused() {
    for name in [".gitignore", ".ignore", "sub/.gitignore", "sub/.ignore", ".git/info/exclude"] {
        let w = World::indexed(&[("a.md", "zebra\n"), ("sub/b.md", "stripes\n"), (".git/info/x", "")]);
        fifo(&w.docs().join(name));
        let ran = run(&w, &["update"]);
        assert!(ran.code == 2 || ran.code == 3, "{name}: {} {}", ran.code, ran.stderr);
        assert!(ran.stderr.contains(name), "{name}: {}", ran.stderr);
        // Nothing was taken for gone.
        run(&w, &["search", "stripes"]).exits(0);
        let ran = run(&w, &["--index", "other", "collection", "add", "docs", "--name", "again"]);
        assert_ne!(ran.code, 124, "{name}: {}", ran.stderr);
        // The rules of a parent count below it.
        assert_ne!(
            run(&w, &["--index", "third", "collection", "add", "docs/sub", "--name", "sub"]).code,
            124
        );
        assert_ne!(run(&w, &["--index", "none", "search", "zebra"]).code, 124);
    }
    let w = World::indexed(&[("a.md", "zebra\n")]);
    symlink("/dev/zero", w.docs().join(".gitignore")).unwrap();
    assert!(run(&w, &["update"]).stderr.contains(".gitignore"));
}

#[test]
fn named_files_are_regular_and_bounded() {
    let w = World::indexed(&[("a.md", "zebra\n")]);
    fifo(&w.root().join("fifo"));
    fifo(&w.root().join("fifo.db"));
    std::fs::File::create(w.root().join("giant")).unwrap().set_len(1 << 40).unwrap();
    std::fs::write(w.root().join("good.json"), "{}").unwrap();
    for (args, code, why) in [
        (&["config", "import", "fifo"][..], 74, "FIFO"),
        (&["config", "import", "/dev/zero"], 74, "device"),
        (&["config", "import", "giant"], 2, "longer than"),
        (&["bench", "fifo"], 74, "FIFO"),
        (&["bench", "/dev/zero"], 74, "device"),
        (&["bench", "giant"], 2, "longer than"),
        (&["bench", "good.json", "--compare", "fifo"], 74, "FIFO"),
        (&["--index", "./fifo", "ls"], 2, "not a regular file"),
        (&["--index", "fifo.db", "search", "zebra"], 2, "not a regular file"),
        (&["--index", "fifo.db", "collection", "add", "docs", "--name", "x"], 2, "not a regular file"),
        (&["--index", "/dev/zero", "status"], 2, "not a regular file"),
    ] {
        let ran = run(&w, args).exits(code);
        assert!(ran.stderr.contains(why), "{args:?}: {}", ran.stderr);
    }
    // A link that the user names is followed.
    std::fs::write(w.root().join("c.yml"), run(&w, &["config", "export"]).exits(0).stdout).unwrap();
    symlink("c.yml", w.root().join("link.yml")).unwrap();
    run(&w, &["--index", "new", "config", "import", "link.yml"]).exits(0);
}

#[test]
fn the_workspace_says_where_the_index_is() {
    let w = World::indexed(&[("a.md", "zebra\n")]);
    let project = w.root().join("project");
    std::fs::create_dir_all(project.join(".govfind")).unwrap();
    std::fs::create_dir_all(project.join("deep/er")).unwrap();
    std::fs::create_dir(w.root().join("other")).unwrap();
    std::fs::write(w.root().join("other/b.md"), "stripes\n").unwrap();
    let index = ["--index", "project/.govfind/index.db"];
    run(&w, &[&index[..], &["collection", "add", "other", "--name", "own"]].concat()).exits(0);
    run(&w, &[&index[..], &["update"]].concat()).exits(0);
    for dir in ["project", "project/deep/er"] {
        assert!(run(&w, &["--workspace", dir, "ls"]).exits(0).stdout.contains("gf://own/b.md"));
        let status = run(&w, &["--workspace", dir, "status"]).exits(0).stdout;
        assert!(status.contains("own") && !status.contains("docs"), "{status}");
        run(&w, &["search", "stripes", "--workspace", dir]).exits(0);
    }
    // Without an index of its own a directory has the user's.
    assert!(run(&w, &["--workspace", "other", "ls"]).exits(0).stdout.contains("gf://docs/a.md"));
    // What is printed to be run finds the same index.
    let ran = run(&w, &["--workspace", "project", "get", "absent-altogether"]).exits(1);
    assert!(ran.stderr.contains("govfind --workspace project ls"), "{}", ran.stderr);
    for verb in ["status", "ls", "update"] {
        for dir in ["absent", "docs/a.md"] {
            let ran = run(&w, &["--workspace", dir, verb]).exits(2);
            assert!(ran.stderr.contains(dir), "{}", ran.stderr);
        }
    }
}
