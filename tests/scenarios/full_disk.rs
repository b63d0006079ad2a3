//! A full disk under the files of an audit — trail, chain with its checkpoints, lessons, keyring: a typed
//! error that names the file and what to do, nothing of before lost, the chain intact, and the act done
//! when there is room again.

use std::process::{Command, Stdio};

use crate::ringed::{Ringed, shown};
use serde_json::json;

fn lessons(world: &Ringed) -> Vec<String> {
    (0..3).map(|i| world.lesson("PD-9", &format!("tag{i}"), 1, json!({"scope": "story"}))).collect()
}

/// The files of an audit, a kind each: the trail, its chain with checkpoints, states, the keyring.
fn audited(world: &Ringed) -> Vec<(&'static str, Vec<u8>)> {
    let files = [
        "data/learnings-injections.jsonl",
        "data/learnings-injections.chain.jsonl",
        "data/learnings.jsonl",
        "keyring.json",
    ];
    files.into_iter().map(|f| (f, std::fs::read(world.path(f)).unwrap_or_default())).collect()
}

/// Every act that writes an audit file, on a disk with `free` bytes left at most.
const ACTS: [&[&str]; 4] = [
    &["audit", "rotate"],
    &["redact", "--id", "ID", "--reason", "a name"],
    &["score"],
    &[
        "learn",
        "--story",
        "PD-1",
        "--gate",
        "8",
        "--domain",
        "a",
        "--project",
        "b",
        "--tags",
        "t",
        "--lesson",
        "text",
    ],
];

fn full_world() -> (Ringed, String) {
    let world = Ringed::file();
    let ids = lessons(&world);
    for story in 20..40 {
        world.append(&[shown(3, &format!("PD-{story}"), "auth", &[&ids[0]])]);
    }
    (world, ids[1].clone())
}

/// What must hold after an act on a full disk: a typed error that names a file and says what to do, or
/// success; nothing of before lost; the chain intact; and the act done when there is room again.
fn after_full(
    world: &Ringed,
    before: &[(&str, Vec<u8>)],
    act: &[&str],
    code: Option<i32>,
    said: &str,
    what: &str,
) {
    let code = code.unwrap_or_else(|| panic!("{what}: killed\n{said}"));
    assert!([0, 12, 69, 74].contains(&code), "{what}: {code}\n{said}");
    if code != 0 {
        assert!(said.contains('/') && said.contains("hint:"), "{what}: {said}");
    }
    for (file, old) in before {
        let new = std::fs::read(world.path(file)).expect("file");
        let rewritten = file.ends_with("learnings.jsonl") || file.ends_with("keyring.json");
        assert!(
            new.starts_with(old) || (rewritten && new.len() >= old.len() / 2),
            "{what}: {file} lost bytes"
        );
    }
    world.run("govmem", &["audit", "verify"]).expect(0);
    let again = world.run("govmem", act);
    assert!(matches!(again.code, Some(0 | 2)), "{what}: {again:?}");
    let verified = world.run("govmem", &["--json", "audit", "verify"]).expect(0).json();
    assert_eq!(verified["chain"], "ok", "{what}: {verified}");
}

/// A small file system of its own, unmounted when dropped.
struct Small(tempfile::TempDir);

impl Small {
    fn mount() -> Option<Small> {
        let dir = tempfile::tempdir().expect("directory");
        let mut mount = Command::new("/bin/mount");
        mount.args(["-t", "tmpfs", "-o", "size=512k,mode=755", "tmpfs"]).arg(dir.path());
        mount.stderr(Stdio::null()).status().is_ok_and(|s| s.success()).then_some(Small(dir))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("/bin/umount").arg("-l").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_under_the_audit_files() {
    for act in ACTS {
        for free in [0, 1, 2, 4, 6] {
            let Some(disk) = Small::mount() else {
                crate::space::skipped("a tmpfs cannot be mounted here (not root, or a container)");
                return;
            };
            let (mut world, id) = full_world();
            let old =
                std::mem::replace(&mut world.dir, tempfile::tempdir_in(disk.0.path()).expect("directory"));
            let copied =
                Command::new("/bin/cp").arg("-a").arg(old.path().join(".")).arg(world.dir.path()).status();
            assert!(copied.expect("cp").success());
            let act: Vec<&str> = act.iter().map(|a| if *a == "ID" { id.as_str() } else { a }).collect();
            let before = audited(&world);
            // Filled up, then `free` pages given back.
            let filler = disk.0.path().join("filler");
            let mut fill = vec![0u8; 512 << 10];
            while std::fs::write(&filler, &fill).is_err() {
                fill.truncate(fill.len() - 4096);
            }
            std::fs::write(&filler, &fill[..fill.len().saturating_sub(free * 4096)]).expect("filler");
            let mut command = world.command(assert_cmd::cargo::cargo_bin("govmem"));
            let output = command.args(&act).output().expect("run");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            std::fs::remove_file(&filler).expect("room");
            after_full(
                &world,
                &before,
                &act,
                output.status.code(),
                &said,
                &format!("{act:?} with {free} pages"),
            );
        }
    }
}
