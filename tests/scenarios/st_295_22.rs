//! ST-295-22: the purge through the story-close hook.

use std::path::Path;

use crate::governed::{Governed, binary, stdout};
use crate::openbao::{OpenBao, ROOT_TOKEN};

/// Runs `scenario` in a workspace with one clarification past its retention and one on its last day,
/// both indexed: with the file keyring, then with a real OpenBao server.
pub fn worlds(scenario: impl Fn(&Governed, &str, &str)) {
    let (g, expired, live) = world(Governed::new("en", 10));
    scenario(&g, &expired, &live);
    let server = OpenBao::start();
    let (g, expired, live) = world(Governed::new("en", 10).keyed_by(&server.address, ROOT_TOKEN));
    scenario(&g, &expired, &live);
}

fn world(g: Governed) -> (Governed, String, String) {
    let expired = g.clarification("PD-1", -1);
    let live = g.clarification("PD-2", 0);
    g.index_clarifications(&[&expired, &live]);
    std::fs::write(
        g.dir.path().join("data/clarifications.jsonl.torn-20260101T000000Z"),
        "{\"story\":\"PD-1\"",
    )
    .expect("torn");
    (g, expired, live)
}

/// What must hold after a purge: the expired one is nowhere, the live one untouched, one signed event.
pub fn assert_purged(g: &Governed, before: &str, expired: &str, live: &str) {
    let kept = before.lines().nth(1).expect("second line");
    assert_eq!(g.data("clarifications.jsonl"), format!("{kept}\n"));
    assert_eq!(g.indexed_clarifications(), [live]);
    assert_eq!(g.data("clarifications.jsonl.torn-20260101T000000Z"), "");
    let trail = g.data("learnings-injections.jsonl");
    assert_eq!(trail.lines().count(), 1, "{trail}");
    assert!(trail.contains("\"event\":\"clarification_purged\"") && trail.contains(expired), "{trail}");
    stdout(&g.run("govmem", &["audit", "verify"]));
}

fn hook(g: &Governed, script: &Path, args: &[&str]) -> std::process::Output {
    let bin = binary("govmem");
    let path = format!("{}:/usr/bin:/bin", bin.parent().expect("parent").display());
    g.command(script).args(args).env("PATH", path).output().expect("run")
}

/// Given an expired clarification, when a story closes REJECTED or DONE_WITH_ANOMALY, then the hook
/// purges it, signed; other statuses change nothing; a second purge does nothing.
#[test]
fn st_295_22_purge_on_story_close() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/on-story-close.sh");
    for status in ["REJECTED", "DONE_WITH_ANOMALY"] {
        worlds(|g, expired, live| {
            let before = g.data("clarifications.jsonl");
            stdout(&hook(g, &script, &["PD-9", "DONE"]));
            assert_eq!(
                (g.data("clarifications.jsonl"), g.data("learnings-injections.jsonl")),
                (before.clone(), String::new())
            );
            stdout(&hook(g, &script, &["PD-9", status]));
            assert_purged(g, &before, expired, live);
            stdout(&hook(g, &script, &["PD-9", status]));
            assert_purged(g, &before, expired, live);
        });
    }
}

/// The hook that `install` puts into a team's repository does the same.
#[test]
fn st_295_22_purge_through_the_installed_hook() {
    worlds(|g, expired, live| {
        let before = g.data("clarifications.jsonl");
        stdout(&g.run("govmem", &["install", "--cli", "claude", "."]));
        let script = g.dir.path().join("scripts/on-story-close.sh");
        stdout(&hook(g, &script, &["PD-9", "REJECTED"]));
        assert_purged(g, &before, expired, live);
    });
}
