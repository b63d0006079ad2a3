//! What a workspace's own file cannot do alone, and what no process leaves behind: approvals, core
//! dumps, blocks of purged text.

use std::os::unix::process::ExitStatusExt;

use crate::hostile_http::{Behaviour, Hostile};
use crate::http::{Reply, Server};
use crate::space::Space;
use serde_json::json;

/// A bare workspace with this configuration.
fn workspace(config: &str) -> Space {
    let space = Space::bare();
    space.write("govmem.toml", format!("lang = \"en\"\n{config}"));
    space
}

#[test]
fn an_authority_of_the_workspace_needs_approval_of_its_content() {
    let server = Hostile::start(Behaviour::Close);
    let config =
        format!("[audit]\nkeyring = \"vault\"\nvault_addr = \"{}\"\nca_cert = \"ca.pem\"\n", server.address);
    let mut space = workspace(&config);
    space.env.push(("VAULT_TOKEN".into(), "s.token".into()));
    space.write("ca.pem", "authority one");
    let verify = || space.run("govmem", &["audit", "verify"]).expect(69).err;
    let refused = verify();
    let file = space.path("ca.pem").canonicalize().unwrap();
    assert!(
        refused.contains("ERR-295-16")
            && refused.contains(&format!("govmem trust ca-cert:{}", file.display())),
        "{refused}"
    );
    assert_eq!(server.connections.load(std::sync::atomic::Ordering::SeqCst), 0, "nothing was sent");
    let trusted = space.run("govmem", &["trust", "ca-cert:ca.pem"]).expect(0).out;
    assert!(trusted.starts_with("ca-cert:sha256:"), "{trusted}");
    assert!(!verify().contains("approved"), "the server is asked now");
    assert!(server.connections.load(std::sync::atomic::Ordering::SeqCst) > 0);
    // The next pull brings another authority.
    space.write("ca.pem", "authority two");
    assert!(verify().contains("govmem trust ca-cert:"));
    // The environment is the user's own word.
    let mut own = workspace(&format!("[audit]\nkeyring = \"vault\"\nvault_addr = \"{}\"\n", server.address));
    own.env.push(("VAULT_TOKEN".into(), "s.token".into()));
    own.env.push(("VAULT_CACERT".into(), file.display().to_string()));
    assert!(!own.run("govmem", &["audit", "verify"]).expect(69).err.contains("approved"));
}

#[test]
fn files_that_the_workspace_calls_credentials_are_not_sent_unasked() {
    let server = Hostile::start(Behaviour::Close);
    let config = format!(
        "[audit]\nkeyring = \"vault\"\nvault_addr = \"{}\"\nrole_id_file = \"~/private\"\nsecret_id_file = \"secret\"\n",
        server.address
    );
    let space = workspace(&config);
    let private = space.dir.path().join("home/private");
    std::fs::write(&private, "my-private-text").unwrap();
    space.write("secret", "secret-id");
    let sent = || String::from_utf8_lossy(&server.received.lock().unwrap()).into_owned();
    let refused = space.run("govmem", &["audit", "verify"]).expect(69).err;
    assert!(refused.contains("govmem trust credential-file:") && sent().is_empty(), "{refused}");
    // Both files, each by itself.
    space.run("govmem", &["trust", &format!("credential-file:{}", private.display())]).expect(0);
    let refused = space.run("govmem", &["audit", "verify"]).expect(69).err;
    assert!(refused.contains("/secret") && !refused.contains("private") && sent().is_empty(), "{refused}");
    space.run("govmem", &["trust", "credential-file:secret"]).expect(0);
    space.run("govmem", &["audit", "verify"]).expect(69);
    assert!(sent().contains("my-private-text"));
    space.run("govmem", &["trust", "--remove", "credential-file:secret"]).expect(0);
    space.run("govmem", &["trust", "--remove", "credential-file:secret"]).expect(2);
}

#[test]
fn a_model_that_runs_elsewhere_needs_approval_by_name() {
    let server = Server::start(|request| match request.path.as_str() {
        "/api/tags" => Reply::json(
            200,
            &json!({"models": [{
                "name": "far:latest", "model": "far:latest", "digest": "c10d", "remote_host": "https://far.example",
            }]}),
        ),
        "/api/show" => Reply::json(
            200,
            &json!({"model_info": {
            "general.architecture": "bert", "bert.embedding_length": 4, "bert.context_length": 64}}),
        ),
        "/api/version" => Reply::json(200, &json!({"version": "0.9"})),
        "/api/embed" => {
            let n = request.body["input"].as_array().map_or(1, Vec::len);
            Reply::json(200, &json!({"model": "far", "embeddings": vec![vec![1.0, 0.0, 0.0, 0.0]; n]}))
        }
        _ => Reply::error(404, "no"),
    });
    let config = format!(
        "[embedder]\nprovider = \"ollama\"\nmodel = \"far\"\nurl = \"{}\"\nallow_remote_models = true\n[audit]\nkeyring = \"file\"\n",
        server.address
    );
    let space = workspace(&config);
    space.write(
        "docs/veille/a.md",
        "---\ntitle: A\ndate: 2026-01-01\nimpact_pv: fort\nverdict: adopter\n---\nprivate\n",
    );
    let refused = space.run("govmem", &["index", "veille"]).expect(2).err;
    assert!(refused.contains("govmem trust remote-model:far"), "{refused}");
    assert!(server.bodies("/api/embed").is_empty(), "no text was sent");
    space.run("govmem", &["trust", "remote-model:near"]).expect(0);
    space.run("govmem", &["index", "veille"]).expect(2);
    space.run("govmem", &["trust", "remote-model:far"]).expect(0);
    space.run("govmem", &["index", "veille"]).expect(0);
    assert_eq!(server.bodies("/api/embed").len(), 1);
    // The user's own word needs no approval.
    let mut own = workspace(&config.replace("allow_remote_models = true\n", ""));
    own.run("govmem", &["index", "veille"]).expect(2);
    own.env.push(("GOVMEM_EMBEDDER_ALLOW_REMOTE_MODELS".into(), "true".into()));
    own.run("govmem", &["index", "veille"]).expect(0);
}

/// A process that holds a token and may hold the key, stopped in the middle of asking for it.
#[test]
fn a_crash_leaves_no_core() {
    let server = Hostile::start(Behaviour::Hang);
    let mut space =
        workspace(&format!("[audit]\nkeyring = \"vault\"\nvault_addr = \"{}\"\n", server.address));
    space.env.push(("VAULT_TOKEN".into(), "s.token".into()));
    let mut command = space.command("govmem", &["audit", "verify"]);
    let mut child = command.spawn().unwrap();
    while server.connections.load(std::sync::atomic::Ordering::SeqCst) == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it asked");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", child.id())).unwrap();
    let core = limits.lines().find(|l| l.starts_with("Max core file size")).unwrap();
    assert_eq!(core.split_whitespace().nth(4), Some("0"), "{core}");
    assert_eq!(core.split_whitespace().nth(5), Some("0"), "{core}");
    let kill = std::process::Command::new("/bin/kill").args(["-ABRT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let status = child.wait().unwrap();
    assert_eq!((status.signal(), status.core_dumped()), (Some(6), false));
}

/// A block rendered just before a record expired; collecting then drops the record, and the purge finds
/// nothing expired any more: the block's text goes all the same.
#[test]
fn a_purge_leaves_no_block_with_text_that_left_the_store() {
    let space = Space::new("");
    let block = |story: &str, id: &str, bucket: &str| {
        json!({
            "key": {"story_id": story, "step": 0, "operation": "step0_injection", "timestamp_bucket": bucket},
            "done": {"query": "q", "block": format!("text of {id}"), "outcome": "complete", "at": bucket,
                     "document": {"ids": [[], [], [id]], "unavailable": []}},
        })
    };
    let now = govmem::base::Clock::now(&govmem::base::SystemClock).unix();
    let at = |seconds: i64| govmem::base::Instant::from_unix(seconds).bucket().to_string();
    let answers = r#"{"Q1":"a","Q2":"b","Q3":"c","Q4":"d"}"#;
    let clarify = ["clarify", "--story", "PD-1", "--domain", "auth", "--project", "api", "--answers", "-"];
    space.run_with("govmem", &clarify, answers).expect(0);
    let kept = "docs-epics-auth-pd-1-clarifications-pd-1-clarifications-md";
    let state = |entries: Vec<serde_json::Value>| {
        space.write("data/.state/idempotency.json", json!({"entries": entries}).to_string());
    };
    let all = || {
        vec![
            block("PD-7", "gone", &at(now)),
            block("PD-8", kept, &at(now)),
            block("PD-9", "over", &at(now - 7200)),
        ]
    };
    state(all());
    space.run("govmem", &["purge", "clarifications"]).expect(0);
    let left = space.read("data/.state/idempotency.json");
    assert!(left.contains(&format!("text of {kept}")), "a block of living records replays: {left}");
    assert!(!left.contains("text of gone") && !left.contains("text of over"), "{left}");
    // What is merely over goes with any job that writes, and doctor says so before.
    for job in [&["score"][..], &["promote"], &["collect"], &["reindex"], &["doctor", "--fix"]] {
        state(all());
        let told = space.run("govmem", &["doctor"]).out;
        assert!(told.contains("1 expired block"), "{told}");
        space.run("govmem", job);
        let left = space.read("data/.state/idempotency.json");
        assert!(left.contains("text of gone") && !left.contains("text of over"), "{job:?}: {left}");
    }
}

/// A workspace on a file system that is only read: what reads works, what writes says where and why.
#[test]
fn a_read_only_workspace_is_read() {
    let space = Space::new("");
    space.learn("PD-7", "mfa", "Compare in constant time");
    space.run("govmem", &["reindex"]).expect(0);
    let search = ["--json", "search", "learnings", "constant time"];
    space.run("govmem", &search).expect(0);
    let there = space.path("");
    let mount = |args: &[&str]| {
        let mut command = std::process::Command::new("/bin/mount");
        command.args(args).arg(&there).stderr(std::process::Stdio::null()).status().is_ok_and(|s| s.success())
    };
    if !mount(&["--bind", there.to_str().unwrap()]) {
        crate::space::skipped("a bind mount is not possible here (not root, or a container)");
        return;
    }
    let read_only = mount(&["-o", "remount,ro,bind"]);
    let run = |args: &[&str]| space.run("govmem", args);
    let answers = [
        (run(&search), 0),
        (run(&["status"]), 0),
        (run(&["list"]), 0),
        (run(&["audit", "verify"]), 0),
        (run(&["doctor"]), 0),
        (run(&["score"]), 74),
        (run(&["reindex"]), 74),
        (run(&["purge", "clarifications"]), 74),
        (
            run(&[
                "gate",
                "--story",
                "PD-7",
                "--gate",
                "8",
                "--version",
                "1",
                "--verdict",
                "GO",
                "--domain",
                "a",
                "--project",
                "b",
            ]),
            74,
        ),
        (space.inject("PD-8", "constant time"), 74),
    ];
    let unmounted = std::process::Command::new("/bin/umount").arg("-l").arg(&there).status();
    assert!(read_only && unmounted.unwrap().success());
    for (answer, code) in answers {
        let answer = answer.expect(code);
        if code == 74 {
            assert!(answer.err.contains("/ws/data/") && answer.err.contains("hint"), "{}", answer.err);
        }
    }
}
