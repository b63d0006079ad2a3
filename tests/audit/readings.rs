//! The three ways to read verified events hand on the same ones, whatever is wrong with the trail.

use govmem::audit::{Envelope, TrailPaths, Verifier, verified_events, verified_parts, verify_and_gather};
use govmem::base::Code;

use crate::world::{World, event};

/// Enough for several blocks of a reader.
const EVENTS: usize = 6000;

fn id(e: &Envelope<'_>) -> String {
    format!("{} {}", &*e.story_id, &*e.signature_hmac_sha256)
}

/// What each reading hands on; parts are in no order and are sorted, with the others' copies.
fn readings(paths: &TrailPaths, w: &World) -> (Vec<String>, Vec<String>, Vec<String>) {
    let mut ordered = Vec::new();
    let tally = verified_events(paths, &w.keyring, |e| ordered.push(id(e))).expect("in order");
    let (parts_tally, parts) =
        verified_parts(paths, &w.keyring, Vec::new, |part: &mut Vec<String>, e| part.push(id(e)))
            .expect("in parts");
    assert_eq!(parts_tally, tally);
    let mut parted: Vec<String> = parts.into_iter().flatten().collect();
    parted.sort();
    let (_, gathered) =
        verify_and_gather(paths, &w.keyring, Vec::new, |all: &mut Vec<String>, e| all.push(id(e)))
            .expect("with the verification");
    (ordered, parted, gathered)
}

#[test]
fn every_reading_hands_on_the_same_events() {
    let w = World::new();
    let events: Vec<_> = (1..).take(EVENTS).map(|n| event(n, 0, 3)).collect();
    w.append(&events).expect("append");
    let sound = w.trail();
    assert!(sound.len() > 3 << 20, "several blocks: {}", sound.len());
    let lines: Vec<&[u8]> = sound.split_inclusive(|b| *b == b'\n').collect();

    // A forged line, one that is none, one with another count under its old signature, and a torn end.
    let mut hurt: Vec<Vec<u8>> = lines.iter().map(|line| line.to_vec()).collect();
    let at = |text: &[u8], what: &[u8]| text.windows(what.len()).position(|w| w == what).expect("field");
    let signature = at(&hurt[17], b"\"signature_hmac_sha256\":\"") + 25;
    hurt[17][signature] = if hurt[17][signature] == b'0' { b'1' } else { b'0' };
    hurt[4000] = b"{\"not\":\"an event\"}\n".to_vec();
    let count = at(&hurt[5000], b"\"count\":3") + 8;
    hurt[5000][count] = b'4';
    hurt.push(b"{\"event\":\"learning_inj".to_vec());

    for (text, left) in [(sound.clone(), EVENTS), (hurt.concat(), EVENTS - 3)] {
        std::fs::write(&w.paths.trail, text).expect("trail");
        let (ordered, parted, gathered) = readings(&w.paths, &w);
        assert_eq!(ordered.len(), left);
        assert_eq!(gathered, ordered);
        let mut sorted = ordered;
        sorted.sort();
        assert_eq!(parted, sorted);
    }
}

#[test]
fn no_reading_starts_without_the_key() {
    let w = World::new();
    w.append(&[event(1, 0, 1)]).expect("append");
    std::fs::remove_file(w.keyring.path()).expect("remove");
    let refused = [
        verified_events(&w.paths, &w.keyring, |_| {}).expect_err("in order"),
        verified_parts(&w.paths, &w.keyring, || (), |(), _| {}).expect_err("in parts"),
        verify_and_gather(&w.paths, &w.keyring, || (), |(), _| {}).expect_err("with the verification"),
        Verifier::with_current(&w.keyring).err().expect("the verifier"),
    ];
    for error in refused {
        assert_eq!(error.code(), Some(Code::AuditKeyUnavailable));
    }
}
