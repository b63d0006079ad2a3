//! Commands whose system calls on the base fail, one after the other: a typed error or a page that is
//! said to be unread, never a panic, no page lost or half written, and a next run that does the work.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::killed::{of, template};
use crate::world::World;

/// The calls that fail, and how.
const FAULTS: [(&str, &[&str]); 12] = [
    ("openat", &["EMFILE", "EACCES"]),
    ("read", &["EIO"]),
    ("write", &["ENOSPC", "EIO"]),
    ("fsync", &["EIO"]),
    ("rename", &["EROFS"]),
    ("renameat2", &["EROFS"]),
    ("unlink", &["EACCES"]),
    ("mkdir", &["ENOSPC"]),
    ("fchmod", &["EPERM"]),
    ("flock", &["ENOLCK"]),
    ("statx", &["EACCES"]),
    ("getdents64", &["EIO"]),
];

/// Exit codes: done, negative answer, wrong usage (what cannot be read cannot be named), and typed errors
/// of a failing disk.
const EXITS: [i32; 7] = [0, 1, 2, 65, 69, 74, 75];

/// A run under strace with these options.
struct Traced {
    code: i32,
    out: String,
    err: String,
    log: Vec<String>,
}

fn traced(world: &World, arguments: &[&str], options: &[String]) -> Traced {
    let logs = tempfile::tempdir().expect("folder");
    let log = logs.path().join("log");
    let names: Vec<&str> = FAULTS.iter().map(|(name, _)| *name).collect();
    let mut strace = Command::new("/usr/bin/strace");
    // Not from the base: its path must not stand in calls on other files.
    strace.current_dir("/").args(["-y", "-o"]).arg(&log).args(["-e", &format!("trace={}", names.join(","))]);
    strace.args(options).arg(env!("CARGO_BIN_EXE_govrag")).arg("--workspace").arg(world.home());
    strace.args(arguments).env("HOME", world.path(".home")).env("GOVMEM_LANG", "en");
    let output = strace.stdin(Stdio::null()).output().expect("strace");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let log = text(&std::fs::read(&log).expect("log")).lines().map(str::to_owned).collect();
    let code = output.status.code().unwrap_or(-1);
    Traced { code, out: text(&output.stdout), err: text(&output.stderr), log }
}

/// The calls of a run on files of its base: name and number among calls of that name.
fn calls(world: &World, log: &[String]) -> Vec<(String, usize)> {
    let inside = world.home().to_str().expect("UTF-8");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for line in log {
        let Some((name, rest)) = line.split_once('(') else { continue };
        let nth = counts.entry(name).or_default();
        *nth += 1;
        // Of the many calls that look and read, one in fifteen.
        let often = matches!(name, "openat" | "read" | "statx" | "getdents64");
        if rest.contains(inside) && (!often || (*nth).is_multiple_of(15)) {
            found.push((name.to_owned(), *nth));
        }
    }
    found
}

/// Whether a file holds what people wrote: a page or a source, no index and no ledger.
fn is_written_by_people(path: &str) -> bool {
    let derived = ["INDEX.md", "OVERVIEW.md", "RELATIONS.yaml", ".rag.lock"];
    !derived.iter().any(|name| path.ends_with(name)) && !path.contains(".tmp-") && !path.ends_with(".lock")
}

/// The base of the killed commands, with pages from the future: nothing in it is new, so that no draft is
/// made of what can be read of its sources.
fn base() -> World {
    let world = template();
    for page in ["one.md", "two.md", "dir/three.md"] {
        let path = format!("kb/{page}");
        world.write(&path, &world.read(&path).replace("2026-07-01", "2099-01-01"));
    }
    assert_eq!(world.govrag(&["index"]).code, 0);
    world.git(&["add", "-A"]);
    assert_eq!(world.git(&["commit", "-q", "-m", "future"]).code, 0);
    world
}

fn failed_everywhere(arguments: &[&str]) {
    assert!(Path::new("/usr/bin/strace").exists(), "no strace: run scripts/test.sh");
    let template = base();
    let before = template.files();
    let clean = of(&template);
    let whole = traced(&clean, arguments, &[]);
    assert!(whole.code <= 1, "{arguments:?}: {}", whole.err);
    let after = clean.files();
    let marked = |path: &String| {
        let text =
            String::from_utf8_lossy(before.get(path)?).replace("status: stable", "status: needs-review");
        Some(text.into_bytes())
    };
    let mut failures = 0;
    for (call, nth) in calls(&clean, &whole.log) {
        let errors = FAULTS.iter().find(|(name, _)| *name == call).map_or(&[][..], |(_, errors)| errors);
        for (error, more) in errors.iter().map(|error| (error, "")).chain(errors.first().map(|e| (e, "+"))) {
            let world = of(&template);
            let run = traced(&world, arguments, &[format!("--inject={call}:error={error}:when={nth}{more}")]);
            let hit = run.log.iter().find(|line| line.contains("(INJECTED)")).cloned().unwrap_or_default();
            let what = format!("{arguments:?}: {call} {nth}{more} {error}\n{hit}\n{}{}", run.out, run.err);
            assert!(EXITS.contains(&run.code), "exit {}: {what}", run.code);
            assert!(!run.err.contains("panicked"), "{what}");
            let mute = call == "write" && more == "+";
            assert!(run.code < 2 || mute || !run.err.trim().is_empty(), "nothing said: {what}");
            failures += usize::from(run.code > 1);
            for (path, bytes) in world.files().iter().filter(|(path, _)| is_written_by_people(path)) {
                let known = [before.get(path), after.get(path), marked(path).as_ref()].contains(&Some(bytes));
                assert!(known, "{path} is neither old nor new: {what}");
            }
            for path in before.keys().filter(|path| is_written_by_people(path)) {
                let moved = !after.contains_key(path);
                assert!(world.path(path).exists() || moved, "{path} is lost: {what}");
            }
            // The next run does the work, whether this one ended or not.
            let done = moved_away(&world, arguments);
            let again = world.govrag(if done { &["index"] } else { arguments });
            assert!(again.code <= 1, "then {}: {what}", again.err);
            for (path, bytes) in after.iter().filter(|(path, _)| path.as_str() != ".rag.lock") {
                let now = std::fs::read(world.path(path)).unwrap_or_default();
                assert!(
                    now == *bytes,
                    "{path} after the next run: {what}\n{}",
                    String::from_utf8_lossy(&now)
                );
            }
        }
    }
    assert!(failures > 5, "{arguments:?}: only {failures} failures");
}

/// Whether a move got as far as its page.
fn moved_away(world: &World, arguments: &[&str]) -> bool {
    arguments[0] == "mv" && !world.path(&format!("kb/{}", arguments[1])).exists()
}

#[test]
fn an_update_that_fails_is_completed() {
    failed_everywhere(&["update"]);
}

#[test]
fn a_repair_that_fails_is_completed() {
    failed_everywhere(&["check", "--fix"]);
}

#[test]
fn a_move_that_fails_is_completed() {
    failed_everywhere(&["mv", "two.md", "dir/deux.md"]);
}

#[test]
fn an_acknowledgement_that_fails_is_completed() {
    failed_everywhere(&["ack", "one.md", "--status", "draft"]);
}

/// A page that cannot be read this time is counted, in an answer that is given all the same.
#[test]
fn a_reading_that_fails_is_told() {
    let template = base();
    for arguments in [&["query", "lock"][..], &["stats"], &["check"], &["graph"]] {
        let whole = traced(&template, arguments, &[]);
        let before = template.files();
        for (call, nth) in calls(&template, &whole.log) {
            let errors = FAULTS.iter().find(|(name, _)| *name == call).map_or(&[][..], |(_, errors)| errors);
            for error in errors {
                let run =
                    traced(&template, arguments, &[format!("--inject={call}:error={error}:when={nth}")]);
                let what = format!("{arguments:?}: {call} {nth} {error}\n{}{}", run.out, run.err);
                assert!(EXITS.contains(&run.code) && !run.err.contains("panicked"), "{what}");
                assert!(run.code < 2 || !run.err.trim().is_empty(), "{what}");
                assert!(template.files() == before, "{what}");
            }
        }
    }
}
