//! Every kind of change to a trail is found, located and named; a crash never is.

use govmem::audit::{AnchorState, ChainState, Finding, Reason, VerifyReport, verify};

use crate::world::{World, event};

fn report(w: &World, anchor: Option<&str>) -> VerifyReport {
    verify(&w.paths, &w.keyring, anchor, &mut |_, _| ()).expect("verify")
}

/// A trail of `n` lines in appends of one to three.
fn trail(n: u64) -> World {
    let w = World::new();
    let mut line = 1;
    while line <= n {
        let size = (line % 3 + 1).min(n - line + 1);
        let events: Vec<_> = (line..line + size).map(|i| event(i, i as i64, (i % 4) as usize)).collect();
        w.append(&events).expect("append");
        line += size;
    }
    w
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect()
}

fn offset(lines: &[Vec<u8>], line: usize) -> u64 {
    lines[..line - 1].iter().map(|l| l.len() as u64).sum()
}

fn check(w: &World, bytes: &[u8], line: usize, at: u64, reason: &Reason) {
    std::fs::write(&w.paths.trail, bytes).expect("trail");
    let r = report(w, None);
    assert_eq!(r.chain, ChainState::Broken, "{reason}");
    assert!(!r.is_good());
    let wanted = Finding { line: line as u64, offset: at, reason: reason.clone() };
    assert!(r.invalid.contains(&wanted), "{wanted:?} not in {:?}", r.invalid);
    assert!(r.invalid.iter().all(|f| f.line >= line as u64), "{:?}", r.invalid);
}

#[test]
fn an_honest_trail_is_good() {
    let w = trail(30);
    let r = report(&w, None);
    assert_eq!((r.events, r.valid, r.invalid_total, r.chain), (30, 30, 0, ChainState::Ok));
    assert!(r.is_good());
    assert_eq!((r.acknowledged, r.unacknowledged, r.key_versions), (30, 0, vec![1]));
    let empty = report(&World::new(), None);
    assert!(empty.is_good());
    assert_eq!((empty.events, empty.chain, empty.head), (0, ChainState::Ok, None));
}

#[test]
fn every_move_of_lines_is_found_where_it_happened() {
    let w = trail(20);
    let good = w.trail();
    let all = lines(&good);
    for n in [1, 2, 3, 7, 19, 20] {
        let at = offset(&all, n);
        if n < 20 {
            let mut deleted = all.clone();
            deleted.remove(n - 1);
            check(&w, &deleted.concat(), n, at, &Reason::Deleted(1));
            let mut swapped = all.clone();
            swapped.swap(n - 1, n);
            check(&w, &swapped.concat(), n, at, &Reason::Swapped);
        }
        let mut replayed = all.clone();
        replayed.insert(n, all[n - 1].clone());
        let reason = if n == 20 { Reason::Unchained } else { Reason::Replayed(n as u64) };
        check(&w, &replayed.concat(), n + 1, at + all[n - 1].len() as u64, &reason);
        let text = String::from_utf8(all[n - 1].clone()).expect("utf-8");
        let mut edited = all.clone();
        edited[n - 1] = text.replace("backend", "backenb").into_bytes();
        check(&w, &edited.concat(), n, at, &Reason::Edited);
        check(&w, &edited.concat(), n, at, &Reason::InvalidSignature);
        // The same event in other bytes: the signature holds, the chain does not.
        edited[n - 1] = text.replace("\"step\":0", "\"step\": 0").into_bytes();
        check(&w, &edited.concat(), n, at, &Reason::Edited);
        check(&w, &all[..n - 1].concat(), n, at, &Reason::Truncated(21 - n as u64));
        let cut = (at as usize) + all[n - 1].len() - 1;
        check(&w, &good[..cut], n, at, &Reason::Truncated(21 - n as u64));
    }
    std::fs::remove_file(&w.paths.trail).expect("remove");
    assert_eq!(report(&w, None).invalid[0].reason, Reason::Truncated(20));
}

#[test]
fn every_changed_byte_is_found_on_its_line() {
    let w = trail(6);
    let good = w.trail();
    let all = lines(&good);
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    for (at, old) in good.iter().enumerate() {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let new = (seed >> 32) as u8;
        if new == *old {
            continue;
        }
        let mut bad = good.clone();
        bad[at] = new;
        std::fs::write(&w.paths.trail, &bad).expect("trail");
        let r = report(&w, None);
        let line = (1..=all.len()).rfind(|n| offset(&all, *n) <= at as u64).expect("line") as u64;
        assert!(!r.is_good(), "byte {at}");
        assert_eq!(r.chain, ChainState::Broken, "byte {at}");
        assert_eq!(r.invalid[0].line, line, "byte {at}: {:?}", r.invalid);
    }
}

#[test]
fn every_changed_byte_of_the_chain_is_found() {
    let w = trail(6);
    let good = w.chain();
    // Without its final newline the last checkpoint is one that a crash interrupted.
    for at in 0..good.len() - 1 {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 7);
        std::fs::write(&w.paths.chain, &bad).expect("chain");
        let r = report(&w, None);
        assert!(!r.is_good(), "byte {at}");
        assert!(r.chain == ChainState::Broken, "byte {at}");
    }
    for cut in lines(&good).iter().scan(0, |at, l| Some(std::mem::replace(at, *at + l.len()))) {
        std::fs::write(&w.paths.chain, &good[..cut]).expect("chain");
        // Without its last entries and checkpoints a chain is that of a crash only if the trail agrees.
        let r = report(&w, None);
        assert!(!r.is_good() || r.chain == ChainState::Unacknowledged, "cut at {cut}");
    }
    std::fs::remove_file(&w.paths.chain).expect("remove");
    let r = report(&w, None);
    assert_eq!((r.chain, r.valid, r.is_good(), r.head), (ChainState::Absent, 6, false, None));
}

#[test]
fn a_joint_rollback_shows_against_an_anchor() {
    let w = trail(6);
    let (old_trail, old_chain) = (w.trail(), w.chain());
    let old_head = report(&w, None).head.expect("head");
    w.append(&[event(7, 7, 1)]).expect("append");
    let head = report(&w, None).head.expect("head");
    assert_eq!(report(&w, Some(&head)).anchor, Some(AnchorState::Found(7)));
    assert_eq!(report(&w, Some(&old_head)).anchor, Some(AnchorState::Found(6)));
    std::fs::write(&w.paths.trail, old_trail).expect("trail");
    std::fs::write(&w.paths.chain, old_chain).expect("chain");
    assert!(report(&w, None).is_good());
    assert!(report(&w, None).blind_spot().contains("--anchor"));
    let r = report(&w, Some(&head));
    assert_eq!((r.anchor, r.is_good()), (Some(AnchorState::Missing), false));
    assert!(verify(&w.paths, &w.keyring, Some("abc"), &mut |_, _| ()).is_err());
}

/// The states of a crash inside an append are no alarm, before and after the next append.
#[test]
fn a_crash_is_no_alarm() {
    let w = trail(4);
    let (trail0, chain0) = (w.trail(), w.chain());
    w.append(&[event(5, 5, 1), event(6, 6, 2)]).expect("append");
    let (trail1, chain1) = (w.trail(), w.chain());
    let checkpoint = chain1[..chain1.len() - 1].iter().rposition(|b| *b == b'\n').expect("line") + 1;
    let mut states = Vec::new();
    states.extend((chain0.len()..=checkpoint).map(|c| (trail0.len(), c)));
    states.extend((trail0.len()..=trail1.len()).map(|t| (t, checkpoint)));
    states.extend((checkpoint..=chain1.len()).map(|c| (trail1.len(), c)));
    for (i, (t, c)) in states.into_iter().enumerate() {
        std::fs::write(&w.paths.trail, &trail1[..t]).expect("trail");
        std::fs::write(&w.paths.chain, &chain1[..c]).expect("chain");
        let r = report(&w, None);
        assert!(r.is_good(), "{t} {c}: {r:?}");
        let quiet = c == chain0.len() || c == chain1.len();
        assert_eq!(r.chain, if quiet { ChainState::Ok } else { ChainState::Unacknowledged }, "{t} {c}");
        if i % 60 == 0 {
            w.append(&[event(9, 9, 1)]).expect("append");
            let r = report(&w, None);
            assert!(r.is_good() && r.chain == ChainState::Ok, "{t} {c}: {r:?}");
        }
    }
}
