//! Jobs whose system calls fail, one after the other, once or from then on: a typed error and never a
//! panic, every file that the job replaces as it was, and a next run that does the work.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::jobs::{self, Job};
use crate::ringed::{Answer, Ringed};

/// The calls that fail, and how.
const FAULTS: [(&str, &[&str]); 17] = [
    ("openat", &["EMFILE", "EACCES"]),
    ("read", &["EIO"]),
    ("pread64", &["EIO"]),
    ("write", &["ENOSPC", "EIO"]),
    ("pwrite64", &["ENOSPC"]),
    ("fsync", &["EIO"]),
    ("fdatasync", &["EIO"]),
    ("rename", &["EROFS"]),
    ("renameat2", &["EROFS"]),
    ("unlink", &["EACCES"]),
    ("ftruncate", &["EIO"]),
    ("fchmod", &["EPERM"]),
    ("mkdir", &["ENOSPC"]),
    ("flock", &["ENOLCK"]),
    ("fstat", &["EIO"]),
    ("statx", &["EACCES"]),
    ("getdents64", &["EIO"]),
];

/// Exit codes of typed errors that a failing disk may end in: corrupt or unreadable data, a service that
/// is away (a keyring that cannot be read), I/O, try again.
const EXITS: [i32; 4] = [65, 69, 74, 75];

/// Runs `arguments` in `world` under strace with these options; the answer and what strace wrote of
/// calls on files of the workspace.
fn traced(world: &Ringed, arguments: &[&str], options: &[String]) -> (Answer, Vec<String>) {
    let logs = tempfile::tempdir().expect("directory");
    let log = logs.path().join("log");
    let names: Vec<&str> = FAULTS.iter().map(|(name, _)| *name).collect();
    let mut strace = world.command("/usr/bin/strace");
    // Not from the workspace: its path must not stand in calls on other files.
    strace.current_dir("/").args(["-y", "-o"]).arg(&log).args(["-e", &format!("trace={}", names.join(","))]);
    strace.args(options).arg(assert_cmd::cargo::cargo_bin("govmem"));
    strace.arg("--workspace").arg(world.dir.path()).args(arguments);
    let output = strace.stdin(Stdio::null()).output().expect("strace");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let answer = Answer { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) };
    let log = String::from_utf8_lossy(&std::fs::read(&log).expect("log")).into_owned();
    (answer, log.lines().map(str::to_owned).collect())
}

/// The calls of a run on files of its workspace: name and number among calls of that name.
fn calls(world: &Ringed, log: &[String]) -> Vec<(String, usize)> {
    let inside = world.dir.path().to_str().expect("UTF-8");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for line in log {
        let Some((name, rest)) = line.split_once('(') else { continue };
        let nth = counts.entry(name).or_default();
        *nth += 1;
        if rest.contains(inside) {
            found.push((name.to_owned(), *nth));
        }
    }
    found
}

/// The content of every file of the workspace.
fn contents(world: &Ringed) -> BTreeMap<PathBuf, Vec<u8>> {
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).expect("file");
        (path.strip_prefix(world.dir.path()).expect("inside").to_owned(), bytes)
    };
    world.files().into_iter().map(read).collect()
}

/// A typed error, and no panic; `mute` when the message could not be written either.
fn is_typed(answer: &Answer, mute: bool, what: &str) {
    let code = answer.code.unwrap_or(-1);
    assert!(EXITS.contains(&code), "{what}: exit {code}\n{}", answer.err);
    assert!(!answer.err.contains("panicked"), "{what}: {}", answer.err);
    assert!(mute || !answer.err.trim().is_empty(), "{what}: nothing said");
}

/// Fails every call of the job on its workspace, in every way, and looks at what is left.
fn failed_everywhere(name: &str, job: &Job) {
    let arguments = (job.arguments)();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let world = (job.make)();
    let (answer, log) = traced(&world, &arguments, &[]);
    answer.expect(0);
    (job.check)(&world, true);
    let mut failures = 0;
    for (call, nth) in calls(&world, &log) {
        let errors = FAULTS.iter().find(|(name, _)| *name == call).map_or(&[][..], |(_, errors)| errors);
        for (error, more) in errors.iter().map(|error| (error, "")).chain(errors.first().map(|e| (e, "+"))) {
            let what = format!("{name}: {call} {nth}{more} {error}");
            let world = (job.make)();
            let before = contents(&world);
            let (answer, log) =
                traced(&world, &arguments, &[format!("--inject={call}:error={error}:when={nth}{more}")]);
            let hit = log.iter().find(|line| line.contains("(INJECTED)")).cloned().unwrap_or_default();
            let what = format!("{what}\n{hit}");
            (job.check)(&world, answer.code == Some(0));
            if answer.code == Some(0) {
                // What failed was not needed.
                continue;
            }
            failures += 1;
            is_typed(&answer, call == "write" && more == "+", &what);
            let after = contents(&world);
            // A directory that cannot be synchronised after the rename: the new file stands whole.
            let in_place =
                call == "fsync" && hit.split_once(">)").is_some_and(|(path, _)| !path.contains(".json"));
            for file in job.guarded.iter().map(|file| Path::new("data").join(file)).filter(|_| !in_place) {
                assert!(before.get(&file) == after.get(&file), "{what}: {} changed", file.display());
            }
            let code = (job.again)(&world);
            let again = world.run("govmem", &arguments);
            assert_eq!(again.code, Some(code), "{what}: then {}", again.err);
            (job.check)(&world, true);
            assert_eq!(world.run("govmem", &["audit", "verify"]).code, Some(0), "{what}");
            let litter = world.files().into_iter().find(|path| path.to_string_lossy().contains(".tmp-"));
            assert_eq!(litter, None, "{what}");
        }
    }
    assert!(failures > 20, "{name}: only {failures} failures");
}

#[test]
fn a_promotion_that_fails_leaves_the_lessons() {
    failed_everywhere("promote", &jobs::PROMOTE);
}

#[test]
fn a_scoring_that_fails_leaves_the_scores() {
    failed_everywhere("score", &jobs::SCORE);
}

#[test]
fn a_purge_that_fails_is_completed() {
    failed_everywhere("purge", &jobs::PURGE);
}

#[test]
fn a_redaction_that_fails_is_completed() {
    failed_everywhere("redact", &jobs::REDACT);
}

#[test]
fn a_restoration_that_fails_leaves_the_lessons() {
    failed_everywhere("restore", &jobs::RESTORE);
}

#[test]
fn a_rotation_that_fails_is_completed() {
    failed_everywhere("rotate", &jobs::ROTATE);
}

#[test]
fn a_freeze_that_fails_freezes_nothing() {
    failed_everywhere("freeze", &jobs::FREEZE);
}

/// The reports of a world in which a job has something to do.
const REPORTS: [&[&str]; 8] = [
    &["morning"],
    &["report", "compounding"],
    &["report", "html"],
    &["kpi", "cs1"],
    &["kpi", "cs2"],
    &["kpi", "cs3"],
    &["kpi", "cs4"],
    &["audit", "verify"],
];

/// A report is whole or a typed error, and changes nothing.
#[test]
fn reports_that_fail_change_nothing() {
    for arguments in REPORTS {
        let world = (jobs::FREEZE.make)();
        let (answer, log) = traced(&world, arguments, &[]);
        let whole = answer.expect(0).out;
        let before = contents(&world);
        for (call, nth) in calls(&world, &log) {
            let errors = FAULTS.iter().find(|(name, _)| *name == call).map_or(&[][..], |(_, errors)| errors);
            for error in errors {
                let what = format!("{arguments:?}: {call} {nth} {error}");
                let (answer, _) =
                    traced(&world, arguments, &[format!("--inject={call}:error={error}:when={nth}")]);
                // The morning report says which source it could not open.
                let said = answer.out.contains("is down:") || answer.out.contains("no embedder");
                if answer.code == Some(0) && !(arguments == ["morning"] && said) {
                    assert_eq!(answer.out.lines().count(), whole.lines().count(), "{what}: {}", answer.out);
                } else if answer.code != Some(0) {
                    is_typed(&answer, false, &what);
                    assert!(answer.out.is_empty(), "{what}: {}", answer.out);
                }
                let mut after = contents(&world);
                after.retain(|path, _| path.extension().is_none_or(|e| e != "lock"));
                let mut before = before.clone();
                before.retain(|path, _| path.extension().is_none_or(|e| e != "lock"));
                assert!(before == after, "{what}");
            }
        }
    }
}

/// A file that may grow to so many bytes and no further, at many sizes: what a full disk or quota does.
#[test]
fn jobs_that_run_out_of_room_leave_every_file() {
    for (name, job) in &jobs::ALL {
        let arguments = (job.arguments)();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let world = (job.make)();
        let largest = contents(&world).values().map(Vec::len).max().unwrap_or(0) + 2048;
        for size in (0..largest).step_by((largest / 40).max(1)) {
            let world = (job.make)();
            let before = contents(&world);
            let mut limited = world.command("prlimit");
            limited.arg(format!("--fsize={size}")).arg(assert_cmd::cargo::cargo_bin("govmem"));
            let output = limited.args(&arguments).output().expect("prlimit");
            let err = String::from_utf8_lossy(&output.stderr).into_owned();
            let answer = Answer { code: output.status.code(), out: String::new(), err };
            (job.check)(&world, answer.code == Some(0));
            if answer.code == Some(0) {
                continue;
            }
            is_typed(&answer, false, &format!("{name} within {size} bytes"));
            let after = contents(&world);
            for file in job.guarded.iter().map(|file| Path::new("data").join(file)) {
                assert!(before.get(&file) == after.get(&file), "{name} {size}: {}", file.display());
            }
            let code = (job.again)(&world);
            world.run("govmem", &arguments).expect(code);
            (job.check)(&world, true);
        }
    }
}

/// A workspace that another user may read and not write: jobs refuse and change nothing, reports work.
#[test]
fn a_read_only_workspace_is_reported_on_and_not_changed() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let program = tempfile::tempdir().expect("directory");
    std::fs::set_permissions(program.path(), PermissionsExt::from_mode(0o755)).expect("mode");
    let govmem = program.path().join("govmem");
    std::fs::copy(assert_cmd::cargo::cargo_bin("govmem"), &govmem).expect("copy");
    // Modes mean nothing to the superuser: the files then belong to nobody, who runs the commands.
    let root = program.path().metadata().expect("metadata").uid() == 0;
    let run = |world: &Ringed, arguments: &[&str]| {
        let mut command = if root {
            let mut command = world.command("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&govmem);
            command
        } else {
            world.command(&govmem)
        };
        let output = command.args(arguments).output().expect("run");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Answer { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    };
    let seal = |world: &Ringed, directories: u32| {
        for path in world.files().into_iter().chain([world.path("data/.state")]) {
            for path in path.ancestors().take_while(|p| p.starts_with(world.dir.path())) {
                if root {
                    chown(path, Some(65534), Some(65534)).expect("owner");
                }
                if path.is_dir() {
                    std::fs::set_permissions(path, PermissionsExt::from_mode(directories)).expect("mode");
                }
            }
        }
    };
    for (name, job) in &jobs::ALL {
        let arguments = (job.arguments)();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let world = (job.make)();
        let before = contents(&world);
        seal(&world, 0o555);
        is_typed(&run(&world, &arguments), false, name);
        assert!(contents(&world) == before, "{name}");
        for report in REPORTS.iter().filter(|_| *name == "freeze") {
            let answer = run(&world, report);
            assert!(answer.code == Some(0) && !answer.out.is_empty(), "{report:?} {answer:?}");
        }
        assert!(contents(&world) == before, "{name}: reports");
        seal(&world, 0o755);
        assert_eq!(run(&world, &arguments).code, Some(0), "{name}");
        (job.check)(&world, true);
    }
}
