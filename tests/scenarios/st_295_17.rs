//! ST-295-17: `/morning` is mandatory and observable.

use crate::governed::{Governed, ago, shown, stderr, stdout};
use crate::http::{Reply, Server};
use crate::space::Space;
use govmem::store::Source;

fn names(morning: &serde_json::Value) -> Vec<&str> {
    morning["alerts"].as_array().expect("alerts").iter().filter_map(|a| a["name"].as_str()).collect()
}

/// Given learnings with scores and a signed trail, when the morning report runs, then it exits 0 and
/// names the three best by score, injections over 7 and 30 days, and the chain's head.
#[test]
fn st_295_17_morning_is_published() {
    let g = Governed::new("en", 70);
    let mut ids = Vec::new();
    for (i, score) in [0.12, 0.55, 0.31, 0.74].into_iter().enumerate() {
        let (story, tag) = (format!("PD-{}", i + 1), format!("t{i}"));
        let id = g.learning(&story, &tag, &format!("Title {i}"), ago(120, 0));
        g.score(&story, &tag, &id, score);
        ids.push(id);
    }
    g.append(&[
        shown(Source::Learning, ago(20, 0), "PD-50", &[&ids[0], &ids[1]]),
        shown(Source::Learning, ago(2, 0), "PD-51", &[&ids[0]]),
        shown(Source::Clarification, ago(2, 0), "PD-51", &[]),
    ]);
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&g.run("govmem", &["morning", "--json"]))).expect("JSON");
    assert_eq!(json["schema"], 1);
    let top: Vec<&str> =
        json["top"].as_array().expect("top").iter().map(|t| t["id"].as_str().expect("id")).collect();
    assert_eq!(top, [&ids[3], &ids[1], &ids[2]]);
    let learning = &json["injections"][0];
    assert_eq!(
        (&learning["source"], &learning["days_7"], &learning["days_30"]),
        (&"learning".into(), &1.into(), &2.into())
    );
    assert_eq!((&learning["items_7"], &learning["items_30"]), (&1.into(), &3.into()));
    // Two of four learnings from before the merge were injected: 50 %, no CS-2 alert. There is no model.
    assert_eq!(names(&json), ["embedder_down"]);
    let head = json["head"].as_str().expect("head");
    assert!(head.len() == 64 && head.bytes().all(|b| b.is_ascii_hexdigit()));
    let text = stdout(&g.run("govmem", &["morning"]));
    assert!(text.contains("1. 0.740") && text.contains(head), "{text}");
    // The head is an anchor that the trail knows.
    stdout(&g.run("govmem", &["audit", "verify", "--anchor", head]));
}

/// The CS-2 signal: below 20 % from T + 60 days on.
#[test]
fn st_295_17_morning_gives_the_cs2_signal() {
    let g = Governed::new("en", 61);
    let mut first = String::new();
    for i in 0..10 {
        let id = g.learning(&format!("PD-{}", i + 1), "t", "Title", ago(120, 0));
        if i == 0 {
            first = id;
        }
    }
    g.append(&[shown(Source::Learning, ago(3, 0), "PD-50", &[&first])]);
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&g.run("govmem", &["morning", "--json"]))).expect("JSON");
    assert_eq!(json["alerts"][0]["name"], "cs2_below_20");
    assert_eq!(json["cs2"]["value"], 10.0);
}

/// Given an embedder that is there, one that is not, one that never answers, and one that is not the
/// one that filled the indexes, then the report says so, waits two seconds at most, and is published.
#[test]
fn st_295_17_morning_looks_for_the_embedder() {
    let space = Space::new("");
    let morning = |env: &[(&str, &str)]| {
        let mut command = space.command("govmem", &["morning", "--json"]);
        let output = command.envs(env.iter().copied()).output().expect("morning");
        serde_json::from_str::<serde_json::Value>(&stdout(&output)).expect("JSON")
    };
    assert_eq!(names(&morning(&[])), [""; 0]);
    let gone = morning(&[("GOVMEM_EMBEDDER_DIR", "/nonexistent/model")]);
    assert_eq!(names(&gone), ["embedder_down"]);
    assert!(gone["alerts"][0]["message"].as_str().expect("message").contains("ERR-295-02"), "{gone}");

    let ollama = |server: &Server| {
        let env = [("GOVMEM_EMBEDDER_PROVIDER", "ollama"), ("OLLAMA_HOST", server.address.as_str())];
        morning(&env)
    };
    let silent = ollama(&Server::start(|_| Reply::hang()));
    assert_eq!(names(&silent), ["embedder_down"]);
    assert!(silent["alerts"][0]["message"].as_str().expect("message").contains("2 s"), "{silent}");
    let busy = ollama(&Server::start(|_| Reply::error(503, "busy")));
    assert_eq!(names(&busy), ["embedder_down"]);
    let other = ollama(&Server::start(|request| {
        Reply::json(
            200,
            &match request.path.as_str() {
                "/api/tags" => {
                    serde_json::json!({"models": [{"name": "nomic-embed-text:latest", "digest": "ab"}]})
                }
                _ => serde_json::json!({"model_info": {
                    "general.architecture": "nomic-bert", "nomic-bert.embedding_length": 768,
                    "nomic-bert.context_length": 2048,
                }}),
            },
        )
    }));
    assert_eq!(names(&other), ["source_down"; 3]);
    assert!(other["alerts"][0]["message"].as_str().expect("message").contains("ERR-295-08"), "{other}");
}

/// Given no key, when the morning report runs, then it is ERR-295-19 with the cause, and nothing is
/// published.
#[test]
fn st_295_17_an_impossible_morning_is_err_295_19() {
    let g = Governed::new("en", 10);
    std::fs::remove_file(g.dir.path().join("keys/keyring.json")).expect("remove");
    let output = g.run("govmem", &["morning"]);
    let said = stderr(&output, 69);
    assert!(said.starts_with("ERR-295-19 MORNING_FAILED: ERR-295-16"), "{said}");
    assert!(output.stdout.is_empty());
    let g = Governed::new("en", 10);
    std::fs::write(g.dir.path().join("data/learnings.jsonl"), b"\x1f\x8b\x08\x00").expect("write");
    let said = stderr(&g.run("govmem", &["morning"]), 69);
    assert!(said.starts_with("ERR-295-19 ") && said.contains("ERR-295-15"), "{said}");
}
