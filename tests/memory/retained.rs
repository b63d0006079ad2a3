//! Clarifications past their retention: in the store until a purge signs that they go, shown by nobody.

use crate::space::Space;
use govmem::base::{Clock, Date, SystemClock};

const EXPIRED: &str = "docs/epics/auth/PD-1-old/PD-1-clarifications.md";

fn markdown(story: &str, date: Date, text: &str) -> String {
    let mut out = format!("---\nstory: {story}\ndomain: auth\nproject: backend\ndate: {date}\n---\n");
    for title in ["Q1 — Problème", "Q2 — Critères", "Q3 — Contraintes", "Q4 — Priorités"] {
        out.push_str(&format!("\n## {title}\n\n?\n\n> {text}\n"));
    }
    out
}

/// The record of an answer given three years ago, with its file.
fn expired(space: &Space) {
    let date = SystemClock.now().plus(-1100 * 86_400).date();
    let answers = ["probleme", "criteres", "contraintes", "priorites"].iter().zip(1..);
    let questions: Vec<_> = answers
        .map(|(theme, n)| serde_json::json!({"id": format!("Q{n}"), "theme": theme, "answer": "an old answer"}))
        .collect();
    let record = serde_json::json!({
        "story": "PD-1", "domain": "auth", "project": "backend", "date": date, "path": EXPIRED,
        "questions": questions, "retention_until": date.plus_months(18),
    });
    space.write(EXPIRED, markdown("PD-1", date, "an old answer"));
    space.write("data/clarifications.jsonl", format!("{record}\n"));
}

fn clarify(space: &Space, story: &str, more: &[&str]) {
    let args = [
        &["clarify", "--story", story, "--domain", "auth", "--project", "backend", "--answers", "-"][..],
        more,
    ]
    .concat();
    space.run_with("govmem", &args, r#"["new","new","new","new"]"#).expect(0);
}

fn purges(space: &Space) -> usize {
    let trail = std::fs::read_to_string(space.path("data/learnings-injections.jsonl")).unwrap_or_default();
    trail.matches("\"clarification_purged\"").count()
}

#[test]
fn no_collection_drops_what_only_a_signed_purge_may() {
    let space = Space::new("");
    expired(&space);
    clarify(&space, "PD-2", &[]);
    space.run("govmem", &["reindex"]).expect(0);
    space.run("clarifications-collect", &[]).expect(0);
    // The same story is answered anew: the old answers wait for their purge beside the new ones.
    clarify(&space, "PD-1", &["--replace"]);
    let stored = space.read("data/clarifications.jsonl");
    assert_eq!((stored.matches("\"an old answer\"").count(), stored.lines().count()), (4, 3), "{stored}");
    let found =
        ["--json", "search", "clarifications", "old answer", "--domain", "auth", "--project", "backend"];
    let found = space.run("govmem", &found).expect(0).json();
    assert!(found["count"] == 2 && !found.to_string().contains("an old answer"), "{found}");

    assert_eq!(purges(&space), 0);
    space.run("govmem", &["purge", "clarifications", "--include-source"]).expect(0);
    assert_eq!((purges(&space), space.read("data/clarifications.jsonl").lines().count()), (1, 2));
    // The file holds the new answers by now.
    assert!(space.read(EXPIRED).contains("> new"));
}

#[test]
fn sources_are_found_by_their_date_when_the_record_is_gone() {
    let space = Space::new("");
    expired(&space);
    let old = SystemClock.now().plus(-1100 * 86_400).date();
    let recent = "docs/epics/auth/PD-5-x/PD-5-clarifications.md";
    let elsewhere = "notes/PD-6-clarifications.md";
    space.write(recent, markdown("PD-5", SystemClock.now().date(), "x"));
    space.write(elsewhere, markdown("PD-6", old, "x"));
    space.write("docs/epics/auth/PD-1-old/spec.md", markdown("PD-1", old, "x"));
    let said = space.run("govmem", &["purge", "clarifications"]).expect(0);
    assert!(
        said.err.contains("1 Markdown file(s) stay") && said.err.contains("--include-source"),
        "{}",
        said.err
    );
    let done =
        space.run("govmem", &["purge", "clarifications", "--include-source", "--json"]).expect(0).json();
    assert_eq!(done["sources_removed"], serde_json::json!([EXPIRED]));
    assert!(!space.path(EXPIRED).exists());
    for kept in [recent, elsewhere, "docs/epics/auth/PD-1-old/spec.md"] {
        assert!(space.path(kept).exists(), "{kept}");
    }
}
