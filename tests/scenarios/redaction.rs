//! `redact` end to end: the leaked text stands in no file of the workspace, whatever form a copy has.

use std::io::Write;

use crate::ringed::Ringed;
use govmem::store::Source;
use serde_json::json;

const LESSON: &str = "Mr Holm of Acme keeps the spare key under the doormat";
const TITLE: &str = "The doormat of Mr Holm";
const REASON: &str = "customer name";

/// A workspace with the leaked lesson and one that must stay; the id of the first.
fn world() -> (Ringed, String) {
    let world = Ringed::file();
    world.lesson("PD-9", "sound", 1, json!({"scope": "story", "note": "doormat"}));
    let id = world.lesson("PD-1", "leak", 1, json!({"scope": "story", "lesson": LESSON, "title": TITLE}));
    (world, id)
}

fn append(world: &Ringed, name: &str, bytes: &[u8]) {
    let path = world.path("data").join(name);
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).expect("file");
    file.write_all(bytes).expect("bytes");
}

/// No piece of the texts that is long enough to tell stands in any file.
#[track_caller]
fn nowhere(world: &Ringed) {
    for piece in ["under the doormat", "Holm of Acme keeps", "doormat of Mr", "Mr Holm"] {
        let found = world.holding(piece.as_bytes());
        assert!(found.is_empty(), "{piece}: {found:?}");
    }
    assert!(world.data("learnings.jsonl").contains("Lesson on sound"));
    assert!(world.data("learnings.jsonl").contains("\"note\":\"doormat\""));
}

fn leaked_line(world: &Ringed) -> String {
    let data = world.data("learnings.jsonl");
    data.lines().find(|l| l.contains(LESSON)).expect("the line").to_owned()
}

#[test]
fn every_copy_of_the_line_goes() {
    let (world, id) = world();
    world.index(Source::Learning, &[&id]);
    let line = leaked_line(&world);
    let drifted =
        line.replace("[\"leak\"]", "[\"other\"]").replace('}', &format!(",\"learning_id\":\"{id}\"}}"));
    let renamed = line.replace("PD-1", "PD-2");
    for copy in [line.clone(), format!("{line}\r"), drifted, renamed, line[..line.len() - 9].to_owned()] {
        append(&world, "learnings.jsonl", format!("{copy}\n").as_bytes());
    }
    let done = world.run("govmem", &["redact", "--id", &id, "--reason", REASON, "--json"]).expect(0).json();
    assert_eq!((&done["already"], &done["lines"]), (&json!(false), &json!(6)));
    nowhere(&world);
    assert!(world.indexed(Source::Learning).is_empty());
    // The lesson of its own id that held the text has an event of its own.
    assert_eq!(world.events().len(), 2);
    world.run("govmem", &["audit", "verify"]).expect(0);
    // What comes back, with a merge for instance, is finished by a second run.
    append(&world, "learnings.jsonl", format!("{line}\n").as_bytes());
    let again = world.run("govmem", &["redact", "--id", &id, "--reason", REASON, "--json"]).expect(0).json();
    assert_eq!((&again["already"], &again["lines"]), (&json!(false), &json!(1)));
    nowhere(&world);
    let third = world.run("govmem", &["redact", "--id", &id, "--reason", REASON, "--json"]).expect(0).json();
    assert_eq!((&third["already"], world.events().len()), (&json!(true), 3));
}

#[test]
fn what_no_write_finished_goes() {
    for before in [false, true] {
        let (world, id) = world();
        let line = leaked_line(&world);
        if before {
            world.run("govmem", &["redact", "--id", &id, "--reason", REASON]).expect(0);
        }
        append(&world, "learnings.jsonl", &line.as_bytes()[..line.find("doormat").expect("place")]);
        append(&world, "learnings.jsonl.torn-20260411T094217Z", &line.as_bytes()[30..90]);
        append(&world, "learnings.jsonl.tmp-4999999-0", line.as_bytes());
        let said = world.run("govmem", &["redact", "--id", &id, "--reason", REASON]).expect(0);
        assert!(said.err.contains("2 remainder(s)"), "{}", said.err);
        nowhere(&world);
        assert!(world.data("learnings.jsonl").ends_with('\n'));
    }
}

#[test]
fn no_field_keeps_it_at_any_depth() {
    let (world, _) = world();
    let more = json!({
        "scope": "story", "lesson": LESSON, "title": TITLE, "meta": {"orig": LESSON, "n": 12},
        "history": ["sound", [LESSON]], "headline": TITLE, "refs": [format!("docs/{TITLE}.md")],
        "map": {LESSON: 1}, "excerpt": "the spare key under the doormat",
    });
    let id = world.lesson("PD-3", "deep", 1, more);
    world.run("govmem", &["redact", "--id", &id, "--reason", REASON]).expect(0);
    nowhere(&world);
    let data = world.data("learnings.jsonl");
    assert!(data.contains("\"n\":12") && data.contains("[\"sound\",["), "{data}");
}

#[test]
fn a_reason_that_tells_is_refused_before_anything_is_signed() {
    let (world, id) = world();
    let before = world.data("learnings.jsonl");
    let key = format!("it held ghp_{}", "q7Xw2Lk9Zt4Vb1Nc8Rm5Py3Hd6Jf0GsAeU2q");
    for reason in [&format!("names {TITLE}"), LESSON, "says: MR HOLM OF ACME keeps something", &key] {
        let refused = world.run("govmem", &["redact", "--id", &id, "--reason", reason]).expect(2);
        assert!(!refused.err.contains("Holm") && !refused.err.contains("q7Xw2"), "{}", refused.err);
        assert_eq!((world.data("learnings.jsonl"), world.events().len()), (before.clone(), 0));
    }
}
