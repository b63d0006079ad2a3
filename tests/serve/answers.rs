//! HTTP answers are those of the command line, and the index stays as it was.

use serde_json::json;

use crate::world::{World, ask};

#[test]
fn answers_are_those_of_the_command_line() {
    let world = World::new();
    let before = std::fs::read(world.database()).unwrap();
    let server = world.serve(&[]);
    let post = |path: &str, body: serde_json::Value| {
        let answer = ask(server.port, "POST", path, "", &body.to_string());
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        assert!(answer.head.contains("content-type: application/json"), "{}", answer.head);
        answer.json()
    };
    // Without vectors, a hybrid query is degraded on both sides alike.
    let cli = world.run(&["query", "vault rotation", "--json"]).json();
    assert_eq!(post("/query", json!({"query": "vault rotation"})), cli);
    assert_eq!(cli["results"][0]["path"], "vault.md");
    let cli = world.run(&["search", "vault", "--json", "--full", "--explain", "-n", "1"]).exits(0).json();
    let body = json!({"query": "vault", "mode": "search", "full": true, "explain": true, "limit": 1});
    assert_eq!(post("/query", body), cli);
    let none = post("/query", json!({"query": "zebra", "mode": "search"}));
    assert_eq!(none["count"], 0);

    let cli = world.run(&["get", "gf://docs/vault.md:3:1", "--json"]).exits(0).json();
    assert_eq!(post("/get", json!({"document": "gf://docs/vault.md:3:1"})), cli);
    assert_eq!(post("/get", json!({"document": "docs/vault.md", "from": 3, "lines": 1})), cli);
    assert_eq!(cli["document"]["text"], "The vault rotation is monthly.\n");

    let cli = world.run(&["multi-get", "*.md", "--json", "--max-lines", "3"]).exits(0).json();
    assert_eq!(post("/multi_get", json!({"pattern": "*.md", "max_lines": 3})), cli);
    assert_eq!((&cli["count"], cli["skipped"].as_array().unwrap().len()), (&json!(1), 1));

    let cli = world.run(&["multi-get", "vault.md,valut.md", "--json"]).exits(3).json();
    assert_eq!(post("/multi_get", json!({"pattern": "vault.md,valut.md"})), cli);
    assert_eq!((&cli["count"], &cli["failed"][0]["name"]), (&json!(1), &json!("valut.md")));

    let cli = world.run(&["status", "--json"]).exits(0).json();
    let answer = ask(server.port, "GET", "/status", "", "");
    assert_eq!((answer.status, answer.json()), (200, cli));
    assert_eq!(ask(server.port, "GET", "/health", "", "").json()["status"], "ok");
    assert_eq!(std::fs::read(world.database()).unwrap(), before);
}

#[test]
fn errors_have_the_status_and_the_words_of_their_kind() {
    let world = World::new();
    let server = world.serve(&[]);
    for (path, body, status, name) in [
        ("/get", json!({"document": "gf://docs/none.md"}), 404, "NEGATIVE"),
        ("/get", json!({"document": "docs/vault.md", "from": 0}), 400, "USAGE"),
        ("/get", json!({"document": "docs/vault.md:1", "from": 1}), 400, "USAGE"),
        ("/multi_get", json!({"pattern": "*.rs"}), 404, "NEGATIVE"),
        ("/query", json!({"query": ""}), 400, "USAGE"),
        ("/query", json!({"query": "x", "limit": 0}), 400, "USAGE"),
        ("/query", json!({"query": "x", "min_score": 7}), 400, "USAGE"),
        ("/query", json!({"query": "x", "collections": ["none"]}), 400, "USAGE"),
        ("/query", json!({"query": "vault", "mode": "vsearch"}), 409, "PARTIAL"),
    ] {
        let answer = ask(server.port, "POST", path, "", &body.to_string());
        assert_eq!(answer.status, status, "{body}: {}", answer.body);
        assert_eq!(answer.json()["error"]["name"], name, "{body}");
    }
    let error = ask(server.port, "POST", "/query", "", r#"{"query":"vault","mode":"vsearch"}"#).json();
    let told = format!("{}{}", error["error"]["message"], error["error"]["hint"]);
    assert!(told.contains("govfind embed"), "{told}");
}

#[test]
fn a_service_without_an_index_says_what_to_run_and_sees_the_index_come() {
    let world = World::empty();
    let server = world.serve(&[]);
    let answer = ask(server.port, "GET", "/status", "", "");
    assert_eq!(answer.status, 409, "{}", answer.body);
    assert!(answer.json()["error"]["hint"].as_str().unwrap().contains("collection add"));
    std::fs::create_dir(world.path("docs")).unwrap();
    std::fs::write(world.path("docs/a.md"), "# A\n\nzebra\n").unwrap();
    world.run(&["collection", "add", "docs", "--name", "docs"]).exits(0);
    world.run(&["update"]).exits(0);
    let found = ask(server.port, "POST", "/query", "", r#"{"query":"zebra","mode":"search"}"#).json();
    assert_eq!(found["results"][0]["uri"], "gf://docs/a.md");
}

#[test]
fn other_machines_need_a_word_and_a_token() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let token = world.path("token");
    std::fs::write(&token, "0123456789abcdef0123\n").unwrap();
    let file = token.to_str().unwrap();
    let port = ["--port", "0"];
    let run = |args: &[&str]| world.run(&[&["serve"], &port[..], args].concat());
    run(&["--address", "0.0.0.0"]).exits(2);
    run(&["--address", "0.0.0.0", "--allow-remote"]).exits(2);
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o644)).unwrap();
    run(&["--address", "0.0.0.0", "--allow-remote", "--token-file", file]).exits(2);
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o600)).unwrap();
    let server = world.serve(&["--address", "0.0.0.0", "--allow-remote", "--token-file", file]);
    let status = |headers: &str| ask(server.port, "GET", "/status", headers, "").status;
    assert_eq!(status(""), 401);
    assert_eq!(status("Authorization: Bearer 0123456789abcdef0124\r\n"), 401);
    assert_eq!(status("Authorization: Basic 0123456789abcdef0123\r\n"), 401);
    assert_eq!(status("Authorization: Bearer 0123456789abcdef0123\r\n"), 200);
}

#[test]
fn starting_says_where_how_and_until_when() {
    let world = World::new();
    let server = world.serve(&[]);
    assert_eq!(server.place["mode"], "foreground");
    assert_eq!(server.place["configuration"], world.database().to_str().unwrap());
    assert_eq!(server.place["endpoint"], format!("http://127.0.0.1:{}", server.port));
    assert_eq!(server.place["stop"], "Ctrl-C");
    let port = server.port.to_string();
    world.run(&["serve", "--port", &port]).exits(75);
}
