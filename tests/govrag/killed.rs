//! Commands that write, killed before every call that writes: each file is its old bytes or its new
//! ones, no page is lost, and the same command run again ends the work.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::world::{World, copy};

/// The calls before which a command is killed.
const CALLS: [&str; 10] =
    ["write", "fsync", "fdatasync", "rename", "renameat2", "unlink", "rmdir", "fchmod", "mkdir", "ftruncate"];

/// A base in which every command has something to do.
pub fn template() -> World {
    let page = |fields: &str, body: &str| {
        format!(
            "---\ntitle: \"P\"\nsummary: \"S.\"\ntype: guide\nstatus: stable\ntags: [a]\n{fields}updated: 2026-07-01\n---\n\n# P\n\n{body}\n"
        )
    };
    let world = World::with(&[
        (".rag", "version: \"1\"\nroot: ./kb\nlang: en\n"),
        ("README.md", "# Lock\n\nA lock that closes by itself.\n"),
        ("src/a.rs", "//! A.\n\n/// Opens.\npub fn a() {}\n"),
        ("src/b.rs", "//! B.\n\n/// Closes.\npub fn b() {}\n"),
        ("kb/one.md", &page("impl_refs: [src/a.rs]\n", "[two](TWO.md)")),
        ("kb/two.md", &page("impl_refs: [src/b.rs]\nrelated: [one.md]\n", "[one](one.md#p) [self](two.md)")),
        ("kb/dir/three.md", &page("", "[two](../two.md)")),
    ]);
    assert_eq!(world.govrag(&["index"]).code, 0);
    for page in ["one.md", "two.md"] {
        assert_eq!(world.govrag(&["ack", page]).code, 0);
    }
    assert_eq!(world.git(&["init", "-q"]).code, 0);
    world.git(&["add", "-A"]);
    assert_eq!(world.git(&["commit", "-q", "-m", "start"]).code, 0);
    world.write("src/a.rs", "//! A.\n\n/// Opens twice.\npub fn a() { a() }\n");
    world
}

/// A world like `template`.
pub fn of(template: &World) -> World {
    let world = World::new();
    copy(template.home(), world.home());
    world
}

/// What must hold of a world after a kill and after the repetition.
type Check = fn(&World, &BTreeMap<String, Vec<u8>>);

/// Runs `arguments` in a fresh world again and again, killed before the first, second, third … call of
/// each kind, until it ends by itself; then once more, which must end the work.
fn killed_everywhere(arguments: &[&str], repeated: Check) {
    assert!(Path::new("/usr/bin/strace").exists(), "no strace: run scripts/test.sh");
    let template = template();
    let before = template.files();
    let clean = of(&template);
    let whole = clean.govrag(arguments);
    assert_eq!(whole.code, 0, "{}", whole.err);
    let after = clean.files();
    assert_ne!(before, after, "nothing to do");
    let mut kills = 0;
    for call in CALLS {
        for nth in 1.. {
            let world = of(&template);
            let mut strace = Command::new("/usr/bin/strace");
            strace.args(["-o", "/dev/null", "-e", &format!("trace={call}")]);
            strace.args(["-e", &format!("inject={call}:signal=KILL:when={nth}")]);
            strace.arg(env!("CARGO_BIN_EXE_govrag")).args(arguments).current_dir(world.home());
            strace.env("HOME", world.path(".home")).env("GOVMEM_LANG", "en");
            let status = strace.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("strace");
            let what = format!("{arguments:?} {call} {nth}");
            for (path, bytes) in world.files() {
                let ours = path.contains(".tmp-") || path.ends_with(".lock") && bytes.is_empty();
                // `update` marks a page first and repairs its links afterwards.
                let marked = before.get(&path).map(|old| {
                    String::from_utf8_lossy(old)
                        .replace("status: stable", "status: needs-review")
                        .into_bytes()
                });
                let known = [before.get(&path), after.get(&path), marked.as_ref()].contains(&Some(&bytes));
                assert!(known || ours, "{what}: {path} is neither old nor new");
            }
            for path in before.keys().filter(|p| after.contains_key(*p)) {
                assert!(world.path(path).exists(), "{what}: {path} is lost");
            }
            if status.success() {
                break;
            }
            kills += 1;
            repeated(&world, &after);
        }
    }
    assert!(kills > 5, "{arguments:?}: only {kills} kills");
}

/// The same files as after a run that nobody killed.
fn is_whole(world: &World, after: &BTreeMap<String, Vec<u8>>, arguments: &[&str]) {
    let again = world.govrag(arguments);
    assert_eq!(again.code, 0, "{arguments:?}: {}", again.err);
    for (path, bytes) in after {
        assert_eq!(std::fs::read(world.path(path)).ok().as_ref(), Some(bytes), "{arguments:?}: {path}");
    }
    let more: Vec<String> = world.files().into_keys().filter(|path| !after.contains_key(path)).collect();
    assert!(more.is_empty(), "{arguments:?}: {more:?}");
}

#[test]
fn update_killed_anywhere_is_repeated() {
    killed_everywhere(&["update"], |world, after| is_whole(world, after, &["update"]));
}

#[test]
fn fix_killed_anywhere_is_repeated() {
    killed_everywhere(&["check", "--fix"], |world, after| is_whole(world, after, &["check", "--fix"]));
}

#[test]
fn ack_killed_anywhere_is_repeated() {
    let arguments = &["ack", "one.md", "--status", "draft"];
    killed_everywhere(arguments, |world, after| {
        is_whole(world, after, &["ack", "one.md", "--status", "draft"])
    });
}

#[test]
fn a_moved_page_killed_anywhere_is_repeated() {
    killed_everywhere(&["mv", "two.md", "dir/deux.md"], |world, after| {
        let left = world.path("kb/two.md").exists();
        // The old page goes last: after it only the indexes are left to do.
        let rest = if left { &["mv", "two.md", "dir/deux.md"][..] } else { &["index"] };
        is_whole(world, after, rest);
    });
}

#[test]
fn a_moved_folder_killed_anywhere_loses_no_page() {
    killed_everywhere(&["mv", "dir", "folder"], |world, after| {
        let (old, new) = (world.path("kb/dir/three.md"), world.path("kb/folder/three.md"));
        assert!(old.exists() != new.exists());
        if old.exists() {
            is_whole(world, after, &["mv", "dir", "folder"]);
        }
    });
}
