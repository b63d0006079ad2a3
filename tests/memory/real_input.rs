//! Real documents of six public projects, ten stories, every signature checked by other code.

use std::collections::HashSet;
use std::path::Path;

use crate::space::{Space, shared};

fn files(dir: &Path, wanted: &dyn Fn(&str) -> bool) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let mut stack = vec![dir.to_path_buf()];
    while let Some(dir) = stack.pop() {
        for entry in std::fs::read_dir(dir).expect("directory") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                stack.push(path);
            } else if wanted(path.file_name().expect("name").to_str().expect("UTF-8")) {
                found.push(path);
            }
        }
    }
    found
}

/// The value of the first `key:` line, by text alone.
fn field(text: &str, key: &str) -> Option<String> {
    let line = text.lines().find_map(|l| l.strip_prefix(key))?;
    Some(line.trim().trim_matches(['"', '\'']).to_lowercase())
}

#[test]
fn six_projects_ten_stories() {
    let Some(memory) = shared("memory") else { return };
    let config = format!(
        r#"
[veille]
roots = ["{0}/veille/inventage+techradar/radar", "{0}/veille/extenda+tech-radar/radar"]
glob = "**/*.{{md,yaml}}"
key = "title"
default_impact = "faible"
fields = {{ title = "title|name", verdict = "ring|blip[-1].ring", date = "blip[-1].date", summary = "description+rationale" }}

[clarifications]
roots = ["{0}/clarifications"]
domain = "devtools"
project = "imported"
"#,
        memory.display()
    );
    let space = Space::new(&config);
    import(&space, &memory);
    index(&space, &memory);
    inject_ten(&space);
    verify(&space);
}

fn import(space: &Space, memory: &Path) {
    let learnings = memory.join("learnings");
    let run = |file: &str, story: &str, more: &[&str], expected: u64| {
        let path = learnings.join(file);
        let base = ["--json", "import", "learnings", path.to_str().expect("UTF-8"), "--story", story];
        let place = ["--gate", "8", "--domain", "devtools", "--project", "imported"];
        let answer = space.run("govmem", &[&base[..], &place[..], more].concat());
        let report = answer.json();
        let count = |name: &str| report[name].as_u64().expect("count");
        let excluded = report["excluded"].as_array().expect("list").len() as u64;
        assert_eq!(count("read"), expected, "{report}");
        assert_eq!(count("read"), count("added") + count("same") + excluded, "{report}");
        assert_eq!(answer.code, if excluded == 0 { 0 } else { 3 });
        for item in report["excluded"].as_array().expect("list") {
            assert!(item["reason"].as_str().expect("reason").contains("secret"), "{item}");
        }
        count("added")
    };
    let yyds = ["--map", "lesson=context+takeaway,created_at=ts"];
    let added = run("yologdev+yyds-harness/memory/learnings.jsonl", "LEG-1", &yyds, 322)
        + run("san650+ancestry/docs/learnings.jsonl", "LEG-2", &["--map", "lesson=problem+fix"], 38)
        + run(
            "joeblackwaslike+lessons-learned/data/lesson-manifest.json",
            "LEG-3",
            &["--items", "lessons", "--map", "lesson=problem+solution,title=summary"],
            143,
        );
    let lines = space.read("data/learnings.jsonl");
    assert_eq!(lines.lines().count() as u64, added);
    // ULID keys of the manifest give their time; 01KNH2FRAC… is a time of April 2026.
    assert!(lines.contains("\"created_at\":\"2026-04-"));
    // The same files again add nothing.
    assert_eq!(run("san650+ancestry/docs/learnings.jsonl", "LEG-2", &["--map", "lesson=problem+fix"], 38), 0);
}

fn index(space: &Space, memory: &Path) {
    let report = space.run("govmem", &["--json", "reindex"]).expect(0).json();
    let sources = report["sources"].as_array().expect("sources");
    for source in sources {
        let skipped: u64 = source["skipped"]
            .as_object()
            .expect("map")
            .iter()
            .filter(|(reason, _)| *reason != "unanswered_questions" && *reason != "archived")
            .map(|(_, n)| n.as_u64().expect("count"))
            .sum();
        let excluded = source["excluded"].as_array().expect("list").len() as u64;
        let (read, kept) = (source["read"].as_u64().unwrap(), source["kept"].as_u64().unwrap());
        assert_eq!(read, kept + skipped + excluded, "{source}");
        assert_eq!(source["index"]["embedded"], source["index"]["records"], "{source}");
    }

    let veille = &sources[1];
    let markdown = files(&memory.join("veille/inventage+techradar/radar"), &|n| n.ends_with(".md"));
    let yaml = files(&memory.join("veille/extenda+tech-radar/radar"), &|n| n.ends_with(".yaml"));
    assert_eq!(markdown.len(), 136);
    let mut titles = HashSet::new();
    let mut notes = 0;
    for (paths, key) in [(&markdown, "title:"), (&yaml, "name:")] {
        for path in paths {
            if let Some(title) = field(&std::fs::read_to_string(path).expect("note"), key) {
                notes += 1;
                titles.insert(title);
            }
        }
    }
    assert_eq!(notes, 136 + 176);
    assert_eq!(veille["kept"].as_u64().unwrap(), titles.len() as u64);
    assert_eq!(veille["skipped"]["superseded"].as_u64().unwrap(), (notes - titles.len()) as u64);
    assert_eq!(veille["skipped"]["not_a_note"].as_u64().unwrap(), (yaml.len() - 176) as u64);
    assert_eq!(veille["excluded"].as_array().unwrap().len(), 0);
    // The latest edition of a note that stands in three radars.
    let vite: Vec<serde_json::Value> = space
        .read("data/veille.jsonl")
        .lines()
        .map(|l| serde_json::from_str(l).expect("record"))
        .filter(|r: &serde_json::Value| r["title"] == "Vite")
        .collect();
    assert_eq!(vite.len(), 1, "{vite:?}");

    let clarifications = &sources[2];
    assert_eq!(clarifications["read"].as_u64().unwrap(), 61);
    assert_eq!(clarifications["excluded"].as_array().unwrap().len(), 0, "{clarifications}");
    let kept = clarifications["kept"].as_u64().unwrap();
    let expired = clarifications["skipped"]["expired"].as_u64().unwrap_or(0);
    let empty = clarifications["skipped"]["without_answers"].as_u64().unwrap_or(0);
    assert_eq!((kept + expired + empty, empty), (61, 0), "{clarifications}");
    // 381 answered questions by a plain count of the arrows: 372 + 5 indented + 4 numbered.
    let records = space.read("data/clarifications.jsonl");
    let answers: usize = records
        .lines()
        .map(|l| serde_json::from_str::<serde_json::Value>(l).expect("record"))
        .map(|r| r["questions"].as_array().expect("list").len())
        .sum();
    if expired == 0 {
        assert_eq!(answers, 381);
    }

    // Nothing changed: nothing is embedded and no byte moves.
    let before = space.read("data/veille.jsonl");
    let again = space.run("govmem", &["--json", "reindex"]).expect(0).json();
    for source in again["sources"].as_array().expect("sources") {
        assert_eq!(source["index"]["embedded"], 0, "{source}");
    }
    assert_eq!(space.read("data/veille.jsonl"), before);
}

fn inject_ten(space: &Space) {
    let stories = [
        "Retry a failed network call with back-off",
        "Frontend build with Vite",
        "Secret handling in shell scripts",
        "Telemetry and observability of agents",
        "LiveView component state",
        "Database schema migration",
        "Docker image hardening",
        "Command line paging of logs",
        "Test isolation in a concurrent suite",
        "Déploiement d'un agent conversationnel",
    ];
    let mut blocks = HashSet::new();
    for (i, title) in stories.iter().enumerate() {
        let story = format!("PD-{}", i + 1);
        let input = serde_json::json!({
            "story_id": story, "title": title, "domain": "devtools", "project": "imported",
        });
        let answer =
            space.run_with("step0-inject", &["--json", "--from-json", "-"], &input.to_string()).expect(0);
        let got = answer.json();
        assert_eq!((got["schema"].as_u64(), got["state"].as_str()), (Some(1), Some("complete")));
        assert_eq!(got["replayed"], false);
        let block = got["block"].as_str().expect("block");
        let headings: Vec<&str> = block.lines().filter(|l| l.starts_with("## ")).collect();
        assert_eq!(headings, ["## Learnings", "## Veille", "## Clarifications"]);
        assert!(block.chars().count() <= 16_000);
        for (source, most) in [("learning", 5), ("veille", 3), ("clarification", 3)] {
            let ids = got["sources"][source]["ids"].as_array().expect("ids");
            assert_eq!(ids.len(), most, "{source} of {title}");
            for id in ids {
                assert!(
                    block.contains(&format!("`{}`", id.as_str().expect("id"))),
                    "{id} is signed and not shown"
                );
            }
        }
        order_and_origin(block);
        assert!(blocks.insert(block.to_owned()));
        // The same story in the same five minutes is replayed, unless a bucket just ended.
        let again =
            space.run_with("step0-inject", &["--json", "--from-json", "-"], &input.to_string()).expect(0);
        let again = again.json();
        if again["replayed"] == true {
            assert_eq!(again["sources"], got["sources"]);
            assert_eq!(again["timestamp"], got["timestamp"]);
        }
    }
}

/// Distances rise within a section, and every item names where it comes from.
fn order_and_origin(block: &str) {
    for section in block.split("\n## ").skip(1) {
        let items: Vec<&str> = section.lines().filter(|l| l.starts_with("- `")).collect();
        let distance = |line: &str| -> f64 {
            let at = line.find("distance ").expect("distance") + 9;
            line[at..].split(' ').next().unwrap().parse().expect("number")
        };
        assert!(items.windows(2).all(|w| distance(w[0]) <= distance(w[1]) + 1e-9), "{section}");
        for item in items {
            let origin = item.rsplit('`').nth(1).expect("origin");
            assert!(origin.contains('/') && !origin.starts_with('/'), "{item}");
        }
    }
}

fn verify(space: &Space) {
    let report = space.run("govmem", &["--json", "audit", "verify"]).expect(0).json();
    let events = report["events"].as_u64().expect("events");
    assert!(events >= 31, "{report}");
    assert_eq!(report["valid"], report["events"]);
    let output = std::process::Command::new("python3")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/audit/verify.py"))
        .args([
            space.path("data/learnings-injections.jsonl"),
            space.path("data/learnings-injections.chain.jsonl"),
        ])
        .arg(space.keyring())
        .output()
        .expect("python3");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let other: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(other["events"].as_u64(), Some(events));
    assert_eq!(other["invalid_lines"], serde_json::json!([]));
    assert_eq!(other["head"], report["head"]);
}
