//! An index run killed before every call that writes: each set opens as files of one run, old or new, and
//! the next run completes it.

use std::process::Stdio;

use crate::http::{Reply, Server};
use crate::ringed::{Ringed, shown};
use govmem::store::Source;
use serde_json::json;

/// The calls before which the run is killed.
const CALLS: [&str; 9] =
    ["write", "pwrite64", "fsync", "fdatasync", "rename", "renameat2", "unlink", "ftruncate", "mkdir"];

/// An Ollama server whose model gives one vector for everything.
fn ollama() -> Server {
    Server::start(|request| match request.path.as_str() {
        "/api/tags" => {
            Reply::json(200, &json!({"models": [{"name": "m:latest", "model": "m:latest", "digest": "d"}]}))
        }
        "/api/show" => Reply::json(
            200,
            &json!({"model_info": {"general.architecture": "b", "b.embedding_length": 4, "b.context_length": 64}}),
        ),
        _ => {
            let n = request.body["input"].as_array().map_or(1, Vec::len);
            Reply::json(200, &json!({"model": "m", "embeddings": vec![vec![0.0, 1.0, 0.0, 0.0]; n]}))
        }
    })
}

/// A workspace whose indexes are one run behind: lessons, a note and answers that they do not hold.
fn behind(server: &Server) -> Ringed {
    let world = Ringed::file();
    let path = world.path("govmem.toml");
    let config = std::fs::read_to_string(&path).expect("configuration");
    let embedder = format!("provider = \"ollama\"\nmodel = \"m\"\nurl = \"{}\"\n", server.address);
    let config = config.replace("provider = \"local\"\ndir = \"no-model\"\n", &embedder);
    std::fs::write(&path, config).expect("configuration");
    let ids: Vec<String> =
        (0..6).map(|i| world.lesson("PD-9", &format!("tag{i}"), 1, json!({"scope": "story"}))).collect();
    world.index(Source::Learning, &[&ids[0]]);
    world.index(Source::Veille, &[]);
    let answers = world.clarification("PD-6", 30, "the answer");
    world.index(Source::Clarification, &[&answers]);
    world.append(&[shown(3, "PD-20", "auth", &[&ids[0]])]);
    let note = world.path("docs/veille/n.md");
    std::fs::create_dir_all(note.parent().expect("parent")).expect("directory");
    let text = "---\ntitle: N\ndate: 2026-01-01\nimpact_pv: fort\nverdict: adopter\n---\nx\n";
    std::fs::write(note, text).expect("note");
    world
}

fn check(world: &Ringed, ended: bool) {
    let rows = [Source::Learning, Source::Veille, Source::Clarification].map(|s| world.indexed(s).len());
    assert!([1, 6].contains(&rows[0]) && rows[1] <= 1 && rows[2] == 1, "{rows:?}");
    assert_eq!(world.records("clarifications.jsonl").len(), 1);
    if ended {
        assert_eq!((rows, world.records("veille.jsonl").len()), ([6, 1, 1], 1));
    }
}

#[test]
fn an_index_run_killed_anywhere_is_completed() {
    let server = ollama();
    let mut kills = 0;
    for call in CALLS {
        for nth in 1.. {
            let world = behind(&server);
            let mut strace = world.command("/usr/bin/strace");
            strace.args(["-f", "-o", "/dev/null", "-e", &format!("trace={call}")]);
            strace.args(["-e", &format!("inject={call}:signal=KILL:when={nth}")]);
            strace.arg(assert_cmd::cargo::cargo_bin("govmem")).arg("reindex");
            let status = strace.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("strace");
            check(&world, status.success());
            if status.success() {
                break;
            }
            kills += 1;
            world.run("govmem", &["reindex"]).expect(0);
            check(&world, true);
            world.run("govmem", &["audit", "verify"]).expect(0);
            assert!(
                world.files().iter().all(|p| !p.to_string_lossy().contains(".tmp-")),
                "{call} {nth}: litter"
            );
        }
    }
    assert!(kills > 30, "only {kills} kills: was anything written?");
}
