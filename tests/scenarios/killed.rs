//! Jobs killed before every system call that writes: the old state or the new one, never a mix, and
//! the next run completes what was begun.

use std::path::Path;
use std::process::Stdio;

use crate::jobs::{self, Job};

/// The calls before which a job is killed.
const CALLS: [&str; 12] = [
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "ftruncate",
    "fchmod",
    "mkdir",
];

/// Runs the job in a fresh world again and again, killed before its first, second, third … call of each
/// kind, until it ends by itself. Its check sees each world and whether the job ended; after a kill the
/// job is run again, with the exit code that it promises, and the world is checked anew.
fn killed_everywhere(job: &Job) {
    assert!(Path::new("/usr/bin/strace").exists(), "no strace: run scripts/test.sh");
    let arguments = (job.arguments)();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut kills = 0;
    for call in CALLS {
        for nth in 1.. {
            let world = (job.make)();
            let mut strace = world.command("/usr/bin/strace");
            strace.args(["-o", "/dev/null", "-e", &format!("trace={call}")]);
            strace.args(["-e", &format!("inject={call}:signal=KILL:when={nth}")]);
            strace.arg(assert_cmd::cargo::cargo_bin("govmem")).args(&arguments);
            let status = strace.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("strace");
            (job.check)(&world, status.success());
            if status.success() {
                break;
            }
            kills += 1;
            let code = (job.again)(&world);
            world.run("govmem", &arguments).expect(code);
            (job.check)(&world, true);
            world.run("govmem", &["audit", "verify"]).expect(0);
            // The temporary files of the dead go with the next writer of their file.
            let mut files = world.files().into_iter();
            assert!(files.all(|path| !path.to_string_lossy().contains(".tmp-")), "{call} {nth}: litter");
        }
    }
    assert!(kills > 5, "only {kills} kills: was anything written?");
}

#[test]
fn a_promotion_killed_anywhere_is_repeated() {
    killed_everywhere(&jobs::PROMOTE);
}

#[test]
fn scores_killed_anywhere_are_old_or_new() {
    killed_everywhere(&jobs::SCORE);
}

#[test]
fn a_purge_killed_anywhere_is_completed() {
    killed_everywhere(&jobs::PURGE);
}

#[test]
fn a_redaction_killed_anywhere_is_completed() {
    killed_everywhere(&jobs::REDACT);
}

#[test]
fn a_restoration_killed_anywhere_is_repeated_or_done() {
    killed_everywhere(&jobs::RESTORE);
}

#[test]
fn a_rotation_killed_anywhere_is_completed_or_made_again() {
    killed_everywhere(&jobs::ROTATE);
}

#[test]
fn a_baseline_killed_anywhere_is_frozen_once() {
    killed_everywhere(&jobs::FREEZE);
}
