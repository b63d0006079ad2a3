//! Operators' acts with the file keyring: bootstrap, rotation, reseal, accepting a clock.

use govmem::audit::{
    ChainState, Details, EventName, FileKeyring, Key, Keyring, Reason, accept_clock, bootstrap, reseal,
    rotate, verified_events, verify,
};
use govmem::base::{Code, Error, Result};
use govmem::store::{LockSettings, Locks, Workspace, lock};

use crate::world::{World, at, event};

/// Runs `work` under the trail's lock.
pub fn locked<T>(w: &World, work: impl FnOnce(&govmem::audit::TrailLock<'_>) -> Result<T>) -> Result<T> {
    let mut locks = Locks::new(&Workspace::new(w.dir.path()), LockSettings::default());
    let (guard, _) = locks.begin().exclusive::<lock::Trail>()?;
    work(&guard)
}

/// Name, key version and details of an event.
type Told = (EventName, u64, Vec<(String, String)>);

/// Every verified event.
pub fn story(w: &World, keyring: &dyn Keyring) -> Vec<Told> {
    let mut events = Vec::new();
    let tally = verified_events(&w.paths, keyring, |e| {
        let pairs = |d: &Details<'_>| d.0.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        events.push((e.event, e.key_version, e.details.as_ref().map(pairs).unwrap_or_default()));
    })
    .expect("events");
    assert_eq!(tally.unverifiable(), 0);
    events
}

fn details(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut pairs: Vec<_> = pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    // Details are written sorted.
    pairs.sort();
    pairs
}

fn empty_world() -> World {
    let w = World::new();
    std::fs::remove_file(w.keyring.path()).expect("remove");
    w
}

#[test]
fn bootstrap_is_explicit_and_happens_once() {
    let w = empty_world();
    let e = w.append(&[event(1, 0, 1)]).expect_err("no key");
    assert_eq!(e.code(), Some(Code::AuditKeyUnavailable));
    assert!(e.hint_text().expect("hint").contains("bootstrap"));
    assert!(!w.keyring.path().exists() && w.trail().is_empty());
    assert!(verify(&w.paths, &w.keyring, None, &mut |_, _| ()).is_err());
    let made = locked(&w, |l| bootstrap(&w.paths, &w.keyring, at(0), l)).expect("bootstrap");
    assert_eq!((made.version, made.created, made.receipt.count), (1, true, 1));
    assert_eq!(story(&w, &w.keyring), [(EventName::AuditBootstrapped, 1, details(&[("after", "1")]))]);
    let again = locked(&w, |l| bootstrap(&w.paths, &w.keyring, at(0), l)).expect_err("again");
    assert_eq!(again.exit(), 2);
    // A key an operator wrote by hand is taken as it is.
    let w = World::new();
    let made = locked(&w, |l| bootstrap(&w.paths, &w.keyring, at(0), l)).expect("bootstrap");
    assert_eq!((made.version, made.created), (1, false));
}

#[test]
fn a_lost_key_is_replaced_under_a_later_version_and_the_trail_resealed() {
    let w = World::new();
    w.append(&[event(1, 0, 1)]).expect("append");
    std::fs::remove_file(w.keyring.path()).expect("lost");
    let e = locked(&w, |l| bootstrap(&w.paths, &w.keyring, at(1), l)).expect_err("unverifiable");
    assert!(e.hint_text().expect("hint").contains("reseal"), "{e}");
    assert_eq!(w.keyring.current().expect("current").version, 2);
    let sealed = locked(&w, |l| reseal(&w.paths, &w.keyring, at(2), "clé perdue", l)).expect("reseal");
    assert_eq!((sealed.lines, sealed.kept.len()), (1, 1));
    w.append(&[event(2, 3, 1)]).expect("append");
    let r = verify(&w.paths, &w.keyring, None, &mut |_, _| ()).expect("verify");
    assert_eq!((r.events, r.valid, r.chain), (3, 2, ChainState::Ok));
    assert_eq!(r.invalid[0].reason, Reason::UnknownKeyVersion(1));
    assert!(!r.is_good());
}

#[test]
fn rotation_keeps_old_lines_verifiable_and_survives_a_crash_at_every_step() {
    let w = World::new();
    w.append(&[event(1, 0, 1)]).expect("append");
    let mut version = 1;
    for crash_after in 0..=5usize {
        let seen = w.keyring.current().expect("current").version;
        assert_eq!(seen, version);
        let mut step = 0;
        let first = locked(&w, |l| {
            rotate(&w.paths, &w.keyring, seen, at(step as i64), l, &mut |_| {
                step += 1;
                if step == crash_after { Err(Error::usage("crash")) } else { Ok(()) }
            })
        });
        version += 1;
        if crash_after == 0 {
            assert_eq!(first.expect("rotation").to, version);
        } else {
            assert_eq!(first.expect_err("crash").message(), "crash");
            // A writer may come in between.
            w.append(&[event(9, 0, 1)]).expect("append");
            let seen = w.keyring.current().expect("current").version;
            let again = locked(&w, |l| rotate(&w.paths, &w.keyring, seen, at(9), l, &mut |_| Ok(())));
            let again = again.expect("rerun");
            assert_eq!((again.from, again.to), (version - 1, version), "after step {crash_after}");
            assert_eq!(again.resumed, crash_after >= 3, "after step {crash_after}");
            assert_eq!(again.receipt.is_none(), crash_after == 5);
        }
        assert!(!w.paths.rotation.exists());
        let rotated = story(&w, &w.keyring)
            .into_iter()
            .filter(|(name, v, _)| *name == EventName::AuditKeyRotated && *v == version);
        let wanted = details(&[("before", &(version - 1).to_string()), ("after", &version.to_string())]);
        assert_eq!(rotated.map(|(_, _, d)| d).collect::<Vec<_>>(), [wanted]);
    }
    w.append(&[event(2, 10, 1)]).expect("append");
    let r = verify(&w.paths, &w.keyring, None, &mut |_, _| ()).expect("verify");
    assert!(r.is_good(), "{r:?}");
    assert_eq!(r.key_versions, [1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn of_many_rotations_at_once_one_wins() {
    let w = World::new();
    w.append(&[event(1, 0, 1)]).expect("append");
    let seen = w.keyring.current().expect("current").version;
    let results: Vec<bool> = std::thread::scope(|scope| {
        let spawn = |_| {
            scope.spawn(|| {
                let done = locked(&w, |l| rotate(&w.paths, &w.keyring, seen, at(1), l, &mut |_| Ok(())));
                match done {
                    Ok(_) => true,
                    Err(e) => {
                        assert_eq!(e.exit(), 2);
                        false
                    }
                }
            })
        };
        let threads: Vec<_> = (0..32).map(spawn).collect();
        threads.into_iter().map(|t| t.join().expect("thread")).collect()
    });
    assert_eq!(results.iter().filter(|won| **won).count(), 1);
    assert_eq!(w.keyring.current().expect("current").version, 2);
}

#[test]
fn versions_never_decrease() {
    let w = World::new();
    let backup = std::fs::read(w.keyring.path()).expect("backup");
    w.append(&[event(1, 0, 1)]).expect("append");
    locked(&w, |l| rotate(&w.paths, &w.keyring, 1, at(1), l, &mut |_| Ok(()))).expect("rotate");
    let new = FileKeyring::new(w.dir.path().join("other.json"));
    new.replace(0, &Key::from_bytes([7; 32]), at(0), 0).expect("key");
    std::fs::write(w.keyring.path(), backup).expect("restore an old keyring");
    let e = w.append(&[event(2, 2, 1)]).expect_err("older key");
    assert!(matches!(e.code(), Some(Code::AuditKeyUnavailable | Code::TraceFailed)), "{e}");
    // A line signed by a known older key after a newer one is found, though its signature is good.
    let w = World::new();
    w.append(&[event(1, 0, 1)]).expect("append");
    let line = w.trail();
    locked(&w, |l| rotate(&w.paths, &w.keyring, 1, at(1), l, &mut |_| Ok(()))).expect("rotate");
    std::fs::write(&w.paths.trail, [w.trail(), line].concat()).expect("trail");
    let r = verify(&w.paths, &w.keyring, None, &mut |_, _| ()).expect("verify");
    let reasons: Vec<_> = r.invalid.iter().map(|f| (f.line, f.reason.clone())).collect();
    assert_eq!(reasons, [(3, Reason::KeyVersionDecreases), (3, Reason::Unchained)]);
}

#[test]
fn reseal_adopts_a_trail_without_chain_and_reopens_a_broken_one() {
    let w = World::new();
    w.append(&[event(1, 0, 1), event(2, 0, 1)]).expect("append");
    let refused = locked(&w, |l| reseal(&w.paths, &w.keyring, at(1), "why not", l)).expect_err("intact");
    assert_eq!(refused.exit(), 2);
    std::fs::remove_file(&w.paths.chain).expect("remove");
    let e = w.append(&[event(3, 0, 1)]).expect_err("absent");
    assert_eq!(e.code(), Some(Code::TraceFailed));
    assert_eq!(locked(&w, |l| reseal(&w.paths, &w.keyring, at(1), " ", l)).expect_err("reason").exit(), 2);
    locked(&w, |l| reseal(&w.paths, &w.keyring, at(1), "adopted", l)).expect("reseal");
    let (_, _, found) = story(&w, &w.keyring).pop().expect("event");
    assert!(found.contains(&("before".into(), "absent".into())), "{found:?}");
    assert!(found.contains(&("reason".into(), "adopted".into())));
    w.append(&[event(3, 1, 1)]).expect("append");
    let r = verify(&w.paths, &w.keyring, None, &mut |_, _| ()).expect("verify");
    assert!(r.is_good() && r.events == 4, "{r:?}");
    // A deleted line, a foreign one and a torn end: the lines stay, the end is set aside.
    let text = w.trail();
    let cut = text.iter().position(|b| *b == b'\n').expect("line") + 1;
    std::fs::write(&w.paths.trail, [&text[cut..], b"{\"foreign\":1}\n{\"torn"].concat()).expect("trail");
    let sealed = locked(&w, |l| reseal(&w.paths, &w.keyring, at(2), "line 1 lost", l)).expect("reseal");
    assert_eq!((sealed.lines, sealed.kept.len()), (4, 2));
    assert_eq!(std::fs::read(&sealed.kept[0]).expect("torn"), b"{\"torn");
    let (_, _, found) = story_loose(&w).pop().expect("event");
    let before = found.iter().find(|(k, _)| k == "before").expect("before");
    assert!(before.1.starts_with("broken, line 1: deleted: 1 lines missing here"), "{found:?}");
    w.append(&[event(4, 2, 1)]).expect("append");
    let r = verify(&w.paths, &w.keyring, None, &mut |_, _| ()).expect("verify");
    assert_eq!((r.chain, r.events, r.valid, r.invalid_total), (ChainState::Ok, 6, 5, 1));
    assert_eq!((r.invalid[0].line, r.acknowledged), (4, 6));
}

fn story_loose(w: &World) -> Vec<Told> {
    let mut events = Vec::new();
    verified_events(&w.paths, &w.keyring, |e| {
        let pairs = e.details.iter().flat_map(|d| d.0.iter());
        let pairs = pairs.map(|(k, v)| (k.to_string(), v.to_string())).collect();
        events.push((e.event, e.key_version, pairs));
    })
    .expect("events");
    events
}

#[test]
fn a_clock_that_is_behind_is_accepted_with_a_reason() {
    let w = World::new();
    w.append(&[event(1, 86_400, 1)]).expect("a day ahead");
    assert_eq!(w.append(&[event(2, 0, 1)]).expect_err("behind").code(), Some(Code::ClockIncoherent));
    let accept = |now, reason: &str| locked(&w, |l| accept_clock(&w.paths, &w.keyring, at(now), reason, l));
    assert_eq!(accept(0, "").expect_err("no reason").exit(), 2);
    accept(0, "the clock was a day ahead").expect("accepted");
    assert_eq!(accept(0, "again").expect_err("not behind").exit(), 2);
    w.append(&[event(2, 1, 1)]).expect("append");
    let (name, _, found) = story(&w, &w.keyring).remove(1);
    assert_eq!(name, EventName::ClockReset);
    let wanted = details(&[
        ("before", "2026-04-12T09:42:17Z"),
        ("after", "2026-04-11T09:42:17Z"),
        ("reason", "the clock was a day ahead"),
    ]);
    assert_eq!(found, wanted);
}

/// A clock that is behind cannot date the event: the keyring stays as it was.
#[test]
fn a_clock_behind_refuses_before_the_keyring_changes() {
    let w = World::new();
    w.append(&[event(1, 0, 1)]).expect("append");
    let state = || {
        (w.trail(), w.chain(), std::fs::read(w.keyring.path()).expect("keyring"), w.paths.rotation.exists())
    };
    let before = state();
    let refused =
        locked(&w, |l| rotate(&w.paths, &w.keyring, 1, at(-301), l, &mut |_| Ok(()))).expect_err("behind");
    assert_eq!(refused.code(), Some(Code::ClockIncoherent));
    assert_eq!(state(), before);
    locked(&w, |l| rotate(&w.paths, &w.keyring, 1, at(-300), l, &mut |_| Ok(()))).expect("within tolerance");
}

#[test]
fn a_reason_that_holds_a_secret_is_not_signed() {
    let w = World::new();
    w.append(&[event(1, 0, 1)]).expect("append");
    let before = w.trail();
    let reason = format!("it held ghp_{}", "q7Xw2Lk9Zt4Vb1Nc8Rm5Py3Hd6Jf0GsAeU2q");
    let acts = [
        locked(&w, |l| accept_clock(&w.paths, &w.keyring, at(-301), &reason, l)).map(|_| ()),
        locked(&w, |l| reseal(&w.paths, &w.keyring, at(1), &reason, l)).map(|_| ()),
    ];
    for act in acts {
        let refused = act.expect_err("a secret");
        assert!(refused.exit() == 2 && !refused.message().contains("q7Xw2"), "{refused:?}");
    }
    assert_eq!(w.trail(), before);
}
