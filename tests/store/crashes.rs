//! F1, F6, F7, F8: kills during appends, many writers and readers, dead and stopped holders, fairness.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use govmem::base::Code;
use govmem::store::jsonl::Snapshot;
use govmem::store::lock::Learnings;
use govmem::store::{Locks, Workspace};

use crate::child::{locks, read_line, start, wait_for};

fn acknowledged(out: impl BufRead) -> Vec<(u64, u64)> {
    let pair = |line: String| {
        let mut words = line.strip_prefix("ack ")?.split(' ').map(|w| w.parse::<u64>().ok());
        Some((words.next()??, words.next()??))
    };
    // The last line may be cut by the kill: then it acknowledges nothing.
    out.lines().map_while(Result::ok).filter_map(pair).collect()
}

/// F1, seeded sample: what was acknowledged is there once; at most one torn tail; it is repaired.
#[test]
fn kills_during_appends_lose_nothing_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let path = Workspace::new(dir.path()).trail();
    let mut expected = BTreeSet::new();
    let mut state = 295_u64;
    for round in 0..100 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut child = start("append", dir.path(), &[round, 1_000_000]);
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let first = wait_for(&mut out, "ack");
        std::thread::sleep(Duration::from_micros(state >> 50));
        child.kill().unwrap();
        child.wait().unwrap();
        expected.extend(acknowledged(format!("{first}\n").as_bytes().chain(out)));

        let snapshot = Snapshot::read(&path).unwrap();
        let lines: Vec<_> = snapshot.lines().map(|l| read_line(l.text().unwrap())).collect();
        let unique: BTreeSet<_> = lines.iter().copied().collect();
        assert_eq!(unique.len(), lines.len(), "round {round}: a line is there twice");
        assert!(unique.is_superset(&expected), "round {round}: an acknowledged line is gone");
        // The kill may leave one line that nobody was told of.
        assert!(unique.len() <= expected.len() + 1 + usize::try_from(round).unwrap());
    }
    assert!(expected.len() >= 100);
}

fn torn_files(dir: &Path) -> usize {
    std::fs::read_dir(dir.join("data"))
        .unwrap()
        .filter(|e| e.as_ref().unwrap().file_name().to_str().unwrap().contains(".torn-"))
        .count()
}

/// F6: sixteen writers, two readers and a rewriter at once; every line is there once, none is torn.
#[test]
fn many_writers_and_readers() {
    const EACH: u64 = 1000;
    let dir = tempfile::tempdir().unwrap();
    let mut children: Vec<_> = (0..16).map(|w| start("append", dir.path(), &[w, EACH])).collect();
    children.extend([
        start("read", dir.path(), &[200]),
        start("read", dir.path(), &[200]),
        start("rewrite", dir.path(), &[200]),
    ]);
    // Children block on a full pipe: each needs its reader.
    std::thread::scope(|scope| {
        for child in &mut children {
            scope.spawn(move || {
                let mut text = String::new();
                child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
                assert!(text.contains("\ndone"));
            });
        }
    });
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let snapshot = Snapshot::read(&Workspace::new(dir.path()).trail()).unwrap();
    let lines: BTreeSet<_> = snapshot.lines().map(|l| read_line(l.text().unwrap())).collect();
    assert_eq!((snapshot.len() as u64, lines.len() as u64), (16 * EACH, 16 * EACH));
    assert_eq!((snapshot.torn(), torn_files(dir.path())), (None, 0));
}

fn take(locks: &mut Locks) -> govmem::base::Result<()> {
    let (_guard, _gate) = locks.begin().gate()?.exclusive::<Learnings>()?;
    Ok(())
}

/// F7: the lock of a killed holder is free at once.
#[test]
fn a_killed_holder_releases_its_lock_at_once() {
    let mut fastest = Duration::MAX;
    for _ in 0..5 {
        let dir = tempfile::tempdir().unwrap();
        let mut child = start("hold", dir.path(), &[600_000]);
        wait_for(&mut BufReader::new(child.stdout.take().unwrap()), "held");
        let mut locks = locks(dir.path(), Duration::from_secs(60));
        let waiter = std::thread::spawn(move || take(&mut locks).map(|()| Instant::now()));
        std::thread::sleep(Duration::from_millis(50));
        let killed = Instant::now();
        child.kill().unwrap();
        let entered = waiter.join().unwrap().unwrap();
        child.wait().unwrap();
        fastest = fastest.min(entered.saturating_duration_since(killed));
    }
    // A busy machine may delay any one attempt.
    assert!(fastest < Duration::from_millis(100), "{fastest:?}");
}

/// F7: a stopped holder is named at the limit, exclusive or shared, and nothing hangs.
#[test]
fn a_stopped_holder_is_named_at_the_limit() {
    for (role, command) in [("hold", "govmem test"), ("hold-shared", "store")] {
        let dir = tempfile::tempdir().unwrap();
        let mut child = start(role, dir.path(), &[600_000]);
        wait_for(&mut BufReader::new(child.stdout.take().unwrap()), "held");
        let signal = |name: &str| {
            assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
        };
        signal("-STOP");
        let error = take(&mut locks(dir.path(), Duration::from_millis(200))).unwrap_err();
        assert_eq!((error.code(), error.exit()), (Some(Code::LockTimeout), 75));
        let holder = format!("pid {} ({command}", child.id());
        assert!(error.message().contains(&holder), "{error} lacks {holder}");
        assert!(error.message().contains("learnings.jsonl.lock"), "{error}");
        signal("-CONT");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(take(&mut locks(dir.path(), Duration::from_secs(30))).is_ok());
    }
}

/// F8: twelve readers that always overlap do not starve a writer.
#[test]
fn overlapping_readers_do_not_starve_a_writer() {
    let dir = tempfile::tempdir().unwrap();
    let (stop, inside, reads) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let mut waits = Vec::new();
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| {
                let mut locks = locks(dir.path(), Duration::from_secs(60));
                while !stop.load(Ordering::SeqCst) {
                    let gate = locks.begin().gate().unwrap();
                    let (guard, gate) = gate.shared::<Learnings>().unwrap();
                    let _order = gate.leave();
                    inside.fetch_add(1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(40));
                    reads.fetch_add(1, Ordering::SeqCst);
                    inside.fetch_sub(1, Ordering::SeqCst);
                    drop(guard);
                }
            });
        }
        let mut locks = locks(dir.path(), Duration::from_secs(60));
        for _ in 0..20 {
            while inside.load(Ordering::SeqCst) < 2 {
                std::thread::sleep(Duration::from_millis(1));
            }
            let started = Instant::now();
            let (guard, gate) = locks.begin().gate().unwrap().exclusive::<Learnings>().unwrap();
            waits.push(started.elapsed());
            assert_eq!(inside.load(Ordering::SeqCst), 0, "a reader is inside with the writer");
            drop((guard, gate));
        }
        stop.store(true, Ordering::SeqCst);
    });
    assert!(reads.load(Ordering::SeqCst) > 20);
    assert!(*waits.iter().max().unwrap() < Duration::from_secs(2), "{waits:?}");
}
