//! Appends, and what the next writer makes of every state a crash can leave.

use govmem::audit::{Event, EventName};
use govmem::base::Code;

use crate::world::{World, at, event};

#[test]
fn an_append_is_durable_chained_and_acknowledged() {
    let w = World::new();
    let first = w.append(&[event(1, 0, 1), event(2, 0, 2), event(3, 0, 0)]).expect("append");
    assert_eq!((first.first_line, first.count), (1, 3));
    assert_eq!(first.bytes, w.trail().len() as u64);
    let second = w.append(&[event(4, 1, 1)]).expect("append");
    assert_eq!((second.first_line, second.count), (4, 4));
    assert_ne!(first.head, second.head);
    assert_eq!(w.trail().iter().filter(|b| **b == b'\n').count(), 4);
    // Four entries and two checkpoints.
    assert_eq!(w.chain().iter().filter(|b| **b == b'\n').count(), 6);
    assert!(w.torn().is_empty());
    let (last, repair) = w.with_trail(|t| Ok((t.last_instant(), t.repair().clone()))).expect("open");
    assert_eq!(last, Some(at(1)));
    assert_eq!(repair, govmem::audit::Repair::default());
}

#[test]
fn the_clock_may_be_300_seconds_behind_and_no_more() {
    let w = World::new();
    w.append(&[event(1, 1000, 1)]).expect("append");
    w.append(&[event(2, 700, 1)]).expect("300 s behind");
    let before = (w.trail(), w.chain());
    let e = w.append(&[event(3, 399, 1)]).expect_err("301 s behind");
    assert_eq!(e.code(), Some(Code::ClockIncoherent));
    assert_eq!(before, (w.trail(), w.chain()));
    let reset = Event::audit(EventName::ClockReset, at(0)).with_detail("reason", "NTP");
    w.append(&[reset]).expect("reset");
    w.append(&[event(3, 1, 1)]).expect("after the reset");
    w.append(&[event(4, 100_000, 1)]).expect("a day ahead is accepted");
}

/// Every prefix of what one append writes, in its order: entries, lines, checkpoint.
#[test]
fn a_crash_at_any_byte_of_an_append_is_repaired() {
    let w = World::new();
    w.append(&[event(1, 0, 1)]).expect("append");
    let (trail0, chain0) = (w.trail(), w.chain());
    w.append(&[event(2, 0, 1), event(3, 0, 0)]).expect("append");
    let (trail1, chain1) = (w.trail(), w.chain());
    let checkpoint = chain1[..chain1.len() - 1].iter().rposition(|b| *b == b'\n').expect("line") + 1;
    let line = trail0.len() + trail1[trail0.len()..].iter().position(|b| *b == b'\n').expect("line") + 1;
    let mut states = Vec::new();
    states.extend((chain0.len()..=checkpoint).map(|c| (trail0.len(), c)));
    states.extend((trail0.len()..=trail1.len()).map(|t| (t, checkpoint)));
    states.extend((checkpoint..=chain1.len()).map(|c| (trail1.len(), c)));
    for (t, c) in states.into_iter().step_by(7).chain([(line, checkpoint), (trail1.len(), checkpoint)]) {
        for name in w.torn() {
            std::fs::remove_file(w.dir.path().join("data").join(name)).expect("remove");
        }
        std::fs::write(&w.paths.trail, &trail1[..t]).expect("trail");
        std::fs::write(&w.paths.chain, &chain1[..c]).expect("chain");
        let receipt = w.append(&[event(4, 0, 1)]).unwrap_or_else(|e| panic!("{t} {c}: {e}"));
        let whole = 1 + u64::from(t >= line) + u64::from(t == trail1.len());
        assert_eq!(receipt.count, whole + 1, "{t} {c}");
        let now = w.trail();
        assert!(now.starts_with(&trail0));
        assert_eq!(now.iter().filter(|b| **b == b'\n').count() as u64, whole + 1);
        let torn = ![trail0.len(), line, trail1.len()].contains(&t);
        assert_eq!(w.torn().iter().any(|n| n.contains("injections.jsonl.torn")), torn, "{t} {c}");
    }
}

#[test]
fn what_no_crash_explains_is_refused() {
    let w = World::new();
    w.append(&[event(1, 0, 1)]).expect("append");
    w.append(&[event(2, 0, 1)]).expect("append");
    let (trail, chain) = (w.trail(), w.chain());
    let cases: [(&str, Vec<u8>, Vec<u8>); 6] = [
        ("truncated by a line", trail[..trail.len() / 2].to_vec(), chain.clone()),
        ("truncated by a byte", trail[..trail.len() - 1].to_vec(), chain.clone()),
        ("unchained", [trail.as_slice(), b"{}\n"].concat(), chain.clone()),
        ("edited", String::from_utf8_lossy(&trail).replace("PD-3-3", "PD-9-3").into_bytes(), chain.clone()),
        ("no chain", trail.clone(), Vec::new()),
        ("malformed", trail.clone(), [chain.as_slice(), b"{}\n"].concat()),
    ];
    for (what, t, c) in cases {
        std::fs::write(&w.paths.trail, &t).expect("trail");
        std::fs::write(&w.paths.chain, &c).expect("chain");
        let e = w.append(&[event(3, 0, 1)]).expect_err(what);
        assert_eq!(e.code(), Some(Code::TraceFailed), "{what}");
        assert!(e.hint_text().is_some_and(|h| h.contains("reseal")), "{what}");
        assert_eq!(w.trail(), t, "{what}");
    }
}
