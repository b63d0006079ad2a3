//! A trail of ours, verified by a program that shares no line with us.

use std::process::Command;

use govmem::audit::{Event, EventName, rotate, verify};
use govmem::store::Source;

use crate::operators::locked;
use crate::world::{World, at, event, place};

/// What `verify.py` says.
fn python(w: &World) -> serde_json::Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/audit/verify.py");
    let out = Command::new("python3")
        .arg(script)
        .args([&w.paths.trail, &w.paths.chain])
        .arg(w.keyring.path())
        .output()
        .expect("python3");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).expect("json")
}

fn ours(w: &World) -> serde_json::Value {
    let r = verify(&w.paths, &w.keyring, None, &mut |_, _| ()).expect("verify");
    let mut lines: Vec<u64> =
        r.invalid.iter().filter(|f| f.reason.to_string().starts_with("invalid")).map(|f| f.line).collect();
    lines.dedup();
    serde_json::json!({ "events": r.events, "invalid_lines": lines, "chain": r.chain, "head": r.head })
}

#[test]
fn python_agrees_on_every_line() {
    let w = World::new();
    let queries = [
        "mfa b2b",
        "d\u{e9}ploiement \"rapide\" \u{1f511}\tnuit",
        "\u{0}\u{1f}\u{7f}\u{80}\u{2028}\u{feff}\\ / \r\n\u{8}\u{c}",
        "",
        "e\u{301} \u{202e} \u{e0041}",
    ];
    for (i, query) in queries.iter().enumerate() {
        let events: Vec<Event> = Source::ALL
            .iter()
            .map(|s| place(|p| Event::step0(*s, at(i as i64), p, query, vec![format!("a-{query}"); i])))
            .collect();
        w.append(&events).expect("append");
        if i == 2 {
            locked(&w, |l| rotate(&w.paths, &w.keyring, 1, at(3), l, &mut |_| Ok(()))).expect("rotate");
        }
    }
    let purge = Event::clarification_purged(at(9), vec!["a".into(), "b".into()])
        .with_detail("reason", "18 months \u{1f5d1}")
        .with_detail("\u{e9}tat", "avant")
        .with_detail("Zeta", "après");
    w.append(&[purge]).expect("append");
    let gone = place(|p| Event::source_unavailable(Source::Veille, at(9), p, "q", "ERR-295-08"));
    let moved = place(|p| Event::lifecycle(EventName::LearningPromoted, at(9), p, "PD-1-3-a1b2c3d4e5f6"));
    w.append(&[gone, moved, event(9, 9, 2)]).expect("append");
    assert_eq!(python(&w), ours(&w));
    assert_eq!(ours(&w)["invalid_lines"], serde_json::json!([]));
    let text = String::from_utf8(w.trail()).expect("utf-8");
    let bad = text.replacen("veille", "veillé", 1).replacen("ERR-295-08", "ERR-295-07", 1);
    std::fs::write(&w.paths.trail, bad).expect("trail");
    let (python, ours) = (python(&w), ours(&w));
    assert_eq!(python["invalid_lines"], ours["invalid_lines"]);
    assert_eq!(python["invalid_lines"].as_array().map(Vec::len), Some(2));
    assert_eq!((&python["chain"], &ours["chain"]), (&"broken".into(), &"broken".into()));
}
