//! Searches with every filter, and their order.

use crate::space::Space;

fn space() -> Space {
    let space = Space::new("");
    let notes = [
        ("a", "fort", "adopter", "2026-01-01"),
        ("b", "faible", "ignorer", "2026-02-01"),
        ("c", "fort", "ignorer", "2026-02-01"),
    ];
    for (name, impact, verdict, date) in notes {
        let text = format!(
            "---\ntitle: Same\ndate: {date}\nimpact_pv: {impact}\nverdict: {verdict}\n---\nSame text.\n"
        );
        space.write(&format!("docs/veille/{name}.md"), text);
    }
    for (tags, lesson) in [
        ("x", "Lock files are never deleted"),
        ("y", "Lock files are never deleted, ever"),
        ("z", "Bake bread slowly"),
    ] {
        space.learn("PD-1", tags, lesson);
    }
    space.run("govmem", &["reindex"]).expect(0);
    space
}

fn ids(answer: &serde_json::Value) -> Vec<String> {
    answer["results"].as_array().unwrap().iter().map(|r| r["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn veille_filters_and_order() {
    let space = space();
    let search =
        |args: &[&str]| space.run("govmem", &[&["--json", "search", "veille", "same text"], args].concat());
    // Equal distances: the later date first, then the id.
    assert_eq!(
        ids(&search(&[]).expect(0).json()),
        ["docs-veille-b-md", "docs-veille-c-md", "docs-veille-a-md"]
    );
    assert_eq!(
        ids(&search(&["--impact", "Fort"]).expect(0).json()),
        ["docs-veille-c-md", "docs-veille-a-md"]
    );
    assert_eq!(
        ids(&search(&["--impact", "fort", "--verdict", "adopter"]).expect(0).json()),
        ["docs-veille-a-md"]
    );
    assert_eq!(ids(&search(&["--top-k", "1"]).expect(0).json()).len(), 1);
    search(&["--verdict", "experimenter"]).expect(1);
    search(&["--impact", "enormous"]).expect(2);
    search(&["--top-k", "0"]).expect(2);
    search(&["--top-k", "-1"]).expect(2);
}

#[test]
fn learnings_by_distance_then_score_then_id() {
    let space = space();
    let search = |args: &[&str]| {
        space.run("govmem", &[&["--json", "search", "learnings", "lock files"], args].concat())
    };
    let all = search(&[]).expect(0).json();
    assert_eq!(all["count"], 3);
    assert_eq!(all["results"][0]["reuse_score"], 0.0);
    assert_eq!(all["results"][2]["title"], "");
    assert!(all["results"][2]["text"].as_str().unwrap().contains("bread"));
    search(&["--min-score", "0.1"]).expect(1);
    search(&["--min-score", "0.995"]).expect(2);
    search(&["--scope", "domain"]).expect(1);
    assert_eq!(search(&["--domain", "auth", "--project", "backend"]).expect(0).json()["count"], 3);
    search(&["--domain", "other"]).expect(1);
    // An archived lesson is never shown unless it is asked for.
    let lines = space.read("data/learnings.jsonl");
    let archived = lines.replacen("\"status\":\"active\"", "\"status\":\"archived\"", 1);
    assert_ne!(lines, archived);
    space.write("data/learnings.jsonl", archived);
    assert_eq!(search(&[]).expect(0).json()["count"], 2);
    assert_eq!(search(&["--include-archived"]).expect(0).json()["count"], 3);
    space.run("govmem", &["reindex"]).expect(0);
    assert_eq!(search(&["--include-archived"]).expect(0).json()["count"], 3);
}

#[test]
fn a_lesson_is_found_however_its_line_is_written() {
    let space = space();
    let search =
        || ids(&space.run("govmem", &["--json", "search", "learnings", "lock files"]).expect(0).json());
    let found = search();
    assert_eq!(found.len(), 3);
    // Without its id, with an escaped one, and with spaces: the same JSON, so the same record.
    let text = space.read("data/learnings.jsonl");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let first: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
    let id = first["learning_id"].as_str().unwrap();
    lines[0] = lines[0].replace(&format!("\"learning_id\":\"{id}\","), "");
    assert_ne!(lines[0].len(), text.lines().next().unwrap().len());
    lines[1] = lines[1].replace("\"learning_id\":\"PD", "\"learning_id\":\"\\u0050D");
    lines[2] = lines[2].replace("\"learning_id\":", "\"learning_id\" : ");
    space.write("data/learnings.jsonl", lines.join("\n") + "\n");
    assert_eq!(search(), found);
    // A nested member of the same name does not hide the missing one.
    lines[0] = lines[0].replacen('{', "{\"note\":{\"learning_id\":\"PD-9-8-aaaaaaaaaaaa\"},", 1);
    lines[1] = text.lines().nth(1).unwrap().to_owned();
    space.write("data/learnings.jsonl", lines.join("\n") + "\n");
    assert_eq!(search(), found);
}

#[test]
fn clarifications_need_domain_and_project() {
    let space = space();
    let search = |args: &[&str]| space.run("govmem", &[&["search", "clarifications", "mfa"], args].concat());
    for args in [&[][..], &["--domain", "auth"], &["--project", "backend"]] {
        assert!(search(args).expect(2).err.contains("ERR-295-04"));
    }
    assert_eq!(search(&["--domain", "auth", "--project", "backend"]).expect(1).out, "aucun résultat\n");
}

#[test]
fn traces_are_signed_and_need_a_story() {
    let space = space();
    space.run("govmem", &["search", "veille", "same", "--trace"]).expect(2);
    let before = space.read("data/learnings-injections.jsonl").lines().count();
    space.run("govmem", &["search", "veille", "same", "--trace", "--story", "PD-3"]).expect(0);
    let trail = space.read("data/learnings-injections.jsonl");
    assert_eq!(trail.lines().count(), before + 1);
    let event: serde_json::Value = serde_json::from_str(trail.lines().last().unwrap()).unwrap();
    assert_eq!((event["operation"].as_str(), event["step"].as_i64()), (Some("search"), Some(-1)));
    space.run("govmem", &["audit", "verify"]).expect(0);
}

#[test]
fn another_model_is_refused() {
    let mut space = space();
    let model = crate::space::model();
    let copy = space.dir.path().join("other-model");
    std::fs::create_dir_all(&copy).unwrap();
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        std::fs::copy(model.join(name), copy.join(name)).unwrap();
    }
    let config = std::fs::read_to_string(copy.join("config.json")).unwrap();
    std::fs::write(copy.join("config.json"), format!("{config}\n")).unwrap();
    space.env.push(("GOVMEM_EMBEDDER_DIR".into(), copy.to_str().unwrap().into()));
    let answer = space.run("govmem", &["search", "veille", "same"]).expect(65);
    assert!(answer.err.contains("ERR-295-08") && answer.err.contains("govmem reindex"), "{}", answer.err);
}
