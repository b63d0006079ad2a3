//! ST-295-11: readers and writers over the two lock files.

use std::os::unix::process::CommandExt;
use std::time::Duration;

use crate::space::Space;

#[test]
fn st_295_11_an_injection_waits_for_a_writer_and_names_it() {
    use govmem::store::lock::{LockSettings, Locks, Scores};
    let mut space = Space::new("");
    space.learn("PD-1", "mfa", "Codes");
    space.run("govmem", &["reindex"]).expect(0);
    space.env.push(("GOVMEM_LIMITS_LOCK_TIMEOUT_S".into(), "1".into()));
    let workspace = govmem::store::Workspace::new(space.path(""));
    // Given a writer that holds the scores lock.
    let mut locks =
        Locks::new(&workspace, LockSettings { command: "scenario".into(), ..LockSettings::default() });
    let gate = locks.begin().gate().unwrap();
    let (held, gate) = gate.exclusive::<Scores>().unwrap();
    drop(gate.leave());
    // When step 0 cannot get its shared lock, then it fails closed and says who holds it.
    let answer = space.inject("PD-42", "Codes").expect(75);
    assert!(
        answer.err.contains("ERR-295-09") && answer.err.contains(&std::process::id().to_string()),
        "{}",
        answer.err
    );
    assert_eq!(space.read("data/learnings-injections.jsonl").lines().count(), 1, "only the bootstrap");
    drop(held);
    // And shared readers run side by side.
    let mut children: Vec<_> = (0..4)
        .map(|i| {
            let story = format!("PD-{}", 50 + i);
            let args = ["--story", &story, "--title", "Codes", "--domain", "auth", "--project", "backend"];
            let mut command = space.command("step0-inject", &args);
            command.process_group(0).env("GOVMEM_LIMITS_LOCK_TIMEOUT_S", "30");
            command.spawn().expect("spawn")
        })
        .collect();
    for child in &mut children {
        assert!(child.wait().expect("wait").success());
    }
    std::thread::sleep(Duration::from_millis(1));
    space.run("govmem", &["audit", "verify"]).expect(0);
}
