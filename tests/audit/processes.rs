//! Real processes: many writers and readers at once, and writers killed at any moment.
//!
//! The writers are this test binary run again, told what to do by its environment.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use govmem::audit::{AnchorState, ChainState, FileKeyring, Trail, TrailPaths, verified_events, verify};
use govmem::base::env::Env;
use govmem::store::{LockSettings, Locks, Workspace, lock};

use crate::world::{World, at, event};

const ROOT: &str = "GOVMEM_TEST_ROOT";

/// Appends to the workspace that the environment names, saying each receipt once it is durable;
/// without one, to a workspace of its own.
#[test]
fn writer() {
    let env = Env::from_process();
    let own = World::new();
    let root = env.get(ROOT).map_or_else(|| own.dir.path().to_owned(), Into::into);
    let number = |name: &str, or: u64| env.get(name).map_or(or, |n| n.parse().expect("number"));
    let (who, batches, size) =
        (number("GOVMEM_TEST_WHO", 1), number("GOVMEM_TEST_BATCHES", 3), number("GOVMEM_TEST_SIZE", 2));
    let workspace = Workspace::new(&root);
    let paths = TrailPaths::of(&workspace);
    let keyring = FileKeyring::new(root.join("keyring.json"));
    let mut locks = Locks::new(&workspace, LockSettings::default());
    let mut last = 0;
    for batch in 0..batches {
        let events: Vec<_> = (0..size).map(|i| event(who, (batch * size + i) as i64 % 200, 1)).collect();
        let (guard, _) = locks.begin().exclusive::<lock::Trail>().expect("lock");
        let receipt = Trail::open(&paths, &keyring, at(0), &guard).and_then(|mut t| t.append(&events));
        let receipt = receipt.expect("append");
        drop(guard);
        last = receipt.count;
        if env.get(ROOT).is_none() {
            continue;
        }
        let mut out = std::io::stdout().lock();
        writeln!(out, "\nACK {} {}", receipt.count, receipt.head).expect("stdout");
        out.flush().expect("stdout");
    }
    assert!(last >= batches * size);
}

fn spawn(w: &World, who: u64, batches: u64, size: u64) -> Child {
    Command::new(std::env::current_exe().expect("exe"))
        .args(["processes::writer", "--exact", "--nocapture", "--test-threads=1"])
        .env(ROOT, w.dir.path())
        .env("GOVMEM_TEST_WHO", who.to_string())
        .env("GOVMEM_TEST_BATCHES", batches.to_string())
        .env("GOVMEM_TEST_SIZE", size.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("writer")
}

#[test]
fn sixteen_writers_and_two_readers() {
    let w = World::new();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = || {
            let mut seen = 0;
            while !done.load(Ordering::SeqCst) {
                let r = verify(&w.paths, &w.keyring, None, &mut |_, _| ()).expect("verify");
                assert!(r.is_good(), "{r:?}");
                assert!(r.acknowledged >= seen, "{} < {seen}", r.acknowledged);
                seen = r.acknowledged;
                std::thread::sleep(Duration::from_millis(100));
            }
        };
        let readers = [scope.spawn(reader), scope.spawn(reader)];
        let writers: Vec<_> = (1..=16).map(|who| spawn(&w, who, 25, 40)).collect();
        for mut writer in writers {
            // Nobody reads the receipts here, and a full pipe would stop the writer.
            let out = writer.stdout.take().expect("stdout");
            scope.spawn(move || BufReader::new(out).lines().count());
            assert!(writer.wait().expect("wait").success());
        }
        done.store(true, Ordering::SeqCst);
        for reader in readers {
            reader.join().expect("reader");
        }
    });
    let r = verify(&w.paths, &w.keyring, None, &mut |_, _| ()).expect("verify");
    assert_eq!((r.events, r.valid, r.invalid_total, r.chain), (16_000, 16_000, 0, ChainState::Ok));
    let mut by_story = std::collections::BTreeMap::<String, u64>::new();
    verified_events(&w.paths, &w.keyring, |e| *by_story.entry(e.story_id.to_string()).or_default() += 1)
        .expect("events");
    assert_eq!(by_story.len(), 16);
    assert!(by_story.values().all(|n| *n == 1000), "{by_story:?}");
}

/// Kills a writer after a pseudo-random delay, again and again: what it acknowledged is there, nothing
/// else is an alarm, and the next writer goes on.
#[test]
fn killed_writers_lose_nothing_they_acknowledged() {
    let rounds = Env::from_process().get("GOVMEM_FAULT_ROUNDS").map_or(25, |n| n.parse().expect("number"));
    let w = World::new();
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let (mut acknowledged, mut head) = (0u64, String::new());
    for round in 0..rounds {
        let mut child = spawn(&w, 1, 10_000, 3);
        let out = BufReader::new(child.stdout.take().expect("stdout"));
        let receipts = std::thread::spawn(move || {
            let acks = out.lines().map_while(Result::ok).filter_map(|line| {
                let mut words = line.strip_prefix("ACK ")?.split(' ').map(str::to_owned);
                Some((words.next()?.parse::<u64>().ok()?, words.next().filter(|h| h.len() == 64)?))
            });
            acks.last()
        });
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros(20_000 + (seed >> 40) % 120_000));
        child.kill().expect("kill");
        child.wait().expect("wait");
        if let Some((count, h)) = receipts.join().expect("receipts") {
            assert!(count > acknowledged);
            (acknowledged, head) = (count, h);
        }
        let anchor = (!head.is_empty()).then_some(head.as_str());
        let r = verify(&w.paths, &w.keyring, anchor, &mut |_, _| ()).expect("verify");
        assert!(r.is_good(), "round {round}: {r:?}");
        assert!(r.events >= acknowledged, "round {round}: {} < {acknowledged}", r.events);
        if anchor.is_some() {
            assert_eq!(r.anchor, Some(AnchorState::Found(acknowledged)), "round {round}");
        }
    }
    assert!(acknowledged > 0);
    let receipt = w.append(&[event(1, 0, 1)]).expect("append");
    let r = verify(&w.paths, &w.keyring, None, &mut |_, _| ()).expect("verify");
    assert_eq!((r.chain, r.events, r.invalid_total), (ChainState::Ok, receipt.count, 0));
}
