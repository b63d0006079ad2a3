//! The lock order at work: exclusion, time-outs that name the holder, odd lock paths, the turnstile.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use govmem::base::Code;
use govmem::store::lock::{Learnings, Reindex, Scores, State, Trail};
use govmem::store::{LockSettings, Locks, Workspace};

fn locks(root: &Path, timeout_ms: u64) -> Locks {
    let timeout = Duration::from_millis(timeout_ms);
    let settings = LockSettings { timeout, command: "govmem test".into(), ..LockSettings::default() };
    Locks::new(&Workspace::new(root), settings)
}

#[test]
fn a_chain_takes_every_kind_of_lock() {
    let dir = tempfile::tempdir().unwrap();
    let mut locks = locks(dir.path(), 1000);
    let (reindex, order) = locks.begin().exclusive::<Reindex>().unwrap();
    let (learnings, gate) = order.gate().unwrap().shared::<Learnings>().unwrap();
    let (scores, gate) = gate.exclusive::<Scores>().unwrap();
    let (state, order) = gate.leave().exclusive::<State>().unwrap();
    let (trail, _) = order.exclusive::<Trail>().unwrap();
    assert_eq!(reindex.path(), dir.path().join("data/reindex.lock"));
    assert_eq!(learnings.path(), dir.path().join("data/learnings.jsonl.lock"));
    assert_eq!(state.path(), dir.path().join("data/.state/state.lock"));
    drop((scores, trail));
}

#[test]
fn shared_guards_share_and_exclusive_ones_exclude() {
    let dir = tempfile::tempdir().unwrap();
    let (mut a, mut b, mut c) = (locks(dir.path(), 50), locks(dir.path(), 50), locks(dir.path(), 50));
    let (one, gate) = a.begin().gate().unwrap().shared::<Learnings>().unwrap();
    let _order = gate.leave();
    let (two, gate) = b.begin().gate().unwrap().shared::<Learnings>().unwrap();
    let _order = gate.leave();
    let error = c.begin().gate().unwrap().exclusive::<Learnings>().unwrap_err();
    assert_eq!((error.code(), error.exit()), (Some(Code::LockTimeout), 75));
    assert!(error.message().contains(&format!("pid {}", std::process::id())), "{error}");
    drop((one, two));
    assert!(c.begin().gate().unwrap().exclusive::<Learnings>().is_ok());
}

#[test]
fn the_holder_is_named_with_its_command_and_instant() {
    let dir = tempfile::tempdir().unwrap();
    let (mut a, mut b) = (locks(dir.path(), 50), locks(dir.path(), 50));
    let (_trail, _) = a.begin().exclusive::<Trail>().unwrap();
    let error = b.begin().shared::<Trail>().unwrap_err();
    let pid = std::process::id();
    assert!(error.message().contains(&format!("pid {pid} (govmem test) since 2")), "{error}");
    assert!(error.hint_text().is_some());
}

#[test]
fn lock_files_are_never_deleted_and_a_deleted_one_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/learnings-injections.jsonl.lock");
    let (mut a, mut b) = (locks(dir.path(), 50), locks(dir.path(), 50));
    drop(a.begin().exclusive::<Trail>().unwrap());
    assert!(path.exists());
    let (_held, _) = a.begin().exclusive::<Trail>().unwrap();
    std::fs::remove_file(&path).unwrap();
    // The old file is held, but it is no longer the lock of this workspace.
    let (_other, _) = b.begin().exclusive::<Trail>().unwrap();
    assert!(path.exists());
}

/// F9.
#[test]
fn odd_lock_paths_are_refused_without_a_hang() {
    type Make = fn(&Path);
    let cases: [(&str, Make); 5] = [
        ("directory", |p| std::fs::create_dir(p).unwrap()),
        ("link", |p| std::os::unix::fs::symlink("elsewhere", p).unwrap()),
        ("fifo", |p| assert!(Command::new("mkfifo").arg(p).status().unwrap().success())),
        ("socket", |p| drop(std::os::unix::net::UnixListener::bind(p).unwrap())),
        ("no permission", |p| {
            std::fs::write(p, "").unwrap();
            std::fs::set_permissions(p, PermissionsExt::from_mode(0o000)).unwrap();
        }),
    ];
    for (name, make) in cases {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("data")).unwrap();
        let path = dir.path().join("data/learnings-injections.jsonl.lock");
        make(&path);
        let started = Instant::now();
        let mut locks = locks(dir.path(), 20_000);
        for error in
            [locks.begin().exclusive::<Trail>().unwrap_err(), locks.begin().shared::<Trail>().unwrap_err()]
        {
            assert_eq!(error.exit(), 74, "{name}: {error}");
            assert!(error.message().contains("learnings-injections.jsonl.lock"), "{name}: {error}");
        }
        assert!(started.elapsed() < Duration::from_secs(10), "{name} hangs");
        assert!(!dir.path().join("data/elsewhere").exists());
    }
}

#[test]
fn a_data_directory_that_is_a_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("data"), "").unwrap();
    let error = locks(dir.path(), 50).begin().exclusive::<Trail>().unwrap_err();
    assert_eq!(error.exit(), 74, "{error}");
}
