//! Other processes for the tests: this test binary, run again with a role.
//!
//! A child says what it did on its standard output, one line each, flushed: `ack …`, `held`, `done`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use govmem::base::Instant;
use govmem::store::jsonl::{self, Out, Snapshot};
use govmem::store::lock::{Learnings, Trail};
use govmem::store::{LockSettings, Locks, Workspace};

const VARIABLE: &str = "GOVMEM_TEST_CHILD";

/// Starts a child with a role: its name, the workspace, numbers.
pub fn start(role: &str, root: &Path, numbers: &[u64]) -> Child {
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    let text = format!("{role}\x1f{}\x1f{}", root.display(), numbers.join(","));
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child::a_child_plays_its_role", "--nocapture", "--test-threads=1"])
        .env(VARIABLE, text)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits until the child says a line that starts with `word`, and returns it.
pub fn wait_for(out: &mut impl BufRead, word: &str) -> String {
    let mut line = String::new();
    loop {
        line.clear();
        assert!(out.read_line(&mut line).unwrap() > 0, "the child ended before it said {word}");
        if line.starts_with(word) {
            return line.trim_end().to_owned();
        }
    }
}

/// The locks of `root` with a time-out.
pub fn locks(root: &Path, timeout: Duration) -> Locks {
    let settings = LockSettings { timeout, command: "govmem test".into(), ..LockSettings::default() };
    Locks::new(&Workspace::new(root), settings)
}

/// One appended line: who wrote it and the how-many-th it is, padded so that lines differ in length.
pub fn line(worker: u64, n: u64) -> String {
    let pad = "é".repeat(usize::try_from((worker * 7 + n * 3) % 40).unwrap());
    format!("{{\"w\":{worker},\"n\":{n},\"pad\":\"{pad}\"}}")
}

/// Worker and number of a line that [`line`] made; anything else fails.
pub fn read_line(text: &str) -> (u64, u64) {
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    let pair = (value["w"].as_u64().unwrap(), value["n"].as_u64().unwrap());
    assert_eq!(line(pair.0, pair.1), text);
    pair
}

fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}").unwrap();
    out.flush().unwrap();
}

fn play(role: &str, root: &Path, numbers: &[u64]) {
    let mut locks = locks(root, Duration::from_secs(300));
    let path = Workspace::new(root).trail();
    match (role, numbers) {
        ("append", [worker, count]) => {
            for n in 0..*count {
                let (guard, _) = locks.begin().exclusive::<Trail>().unwrap();
                let now = Instant::from_unix(1_775_900_537);
                jsonl::append(&path, &[line(*worker, n)], now, &guard).unwrap();
                drop(guard);
                say(&format!("\nack {worker} {n}"));
            }
        }
        ("read", [rounds]) => {
            for _ in 0..*rounds {
                let (guard, _) = locks.begin().shared::<Trail>().unwrap();
                let snapshot = Snapshot::read(&path).unwrap();
                drop(guard);
                assert_eq!(snapshot.torn(), None);
                for l in snapshot.lines() {
                    read_line(l.text().unwrap());
                }
            }
        }
        ("rewrite", [rounds]) => {
            for _ in 0..*rounds {
                let (guard, _) = locks.begin().exclusive::<Trail>().unwrap();
                let snapshot = Snapshot::read(&path).unwrap();
                jsonl::rewrite(&path, snapshot.lines().map(|l| Out::Kept(l.bytes)), &guard).unwrap();
                drop(guard);
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        ("hold", [milliseconds]) => {
            let gate = locks.begin().gate().unwrap();
            let (_guard, gate) = gate.exclusive::<Learnings>().unwrap();
            let _order = gate.leave();
            say("\nheld");
            std::thread::sleep(Duration::from_millis(*milliseconds));
        }
        ("hold-shared", [milliseconds]) => {
            let gate = locks.begin().gate().unwrap();
            let (_guard, gate) = gate.shared::<Learnings>().unwrap();
            let _order = gate.leave();
            say("\nheld");
            std::thread::sleep(Duration::from_millis(*milliseconds));
        }
        _ => panic!("no such role: {role} {numbers:?}"),
    }
    say("\ndone");
}

#[test]
fn a_child_plays_its_role() {
    #[expect(clippy::disallowed_methods, reason = "the role of a child process")]
    let role = std::env::var(VARIABLE);
    if let Ok(role) = role {
        let parts: Vec<&str> = role.split('\x1f').collect();
        let numbers: Vec<u64> = parts[2].split(',').map(|n| n.parse().unwrap()).collect();
        return play(parts[0], Path::new(parts[1]), &numbers);
    }
    // Without a role, this test checks that children can be had at all.
    let dir = tempfile::tempdir().unwrap();
    let mut child = start("append", dir.path(), &[3, 2]);
    let mut out = BufReader::new(child.stdout.take().unwrap());
    assert_eq!(wait_for(&mut out, "ack"), "ack 3 0");
    assert_eq!(wait_for(&mut out, "ack"), "ack 3 1");
    wait_for(&mut out, "done");
    assert!(child.wait().unwrap().success());
    let mut wrong = start("no-role", dir.path(), &[0]);
    assert!(!wrong.wait().unwrap().success());
}
