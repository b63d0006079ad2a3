//! The binary while it embeds, with a small model of its own: readers beside it, two at once, kills.

use std::process::{Child, Stdio};
use std::time::Duration;

use crate::model;
use crate::world::{World, ran};

const WORDS: [&str; 10] =
    ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"];

/// Documents `from..to`, of the words that the model knows.
fn write(w: &World, from: usize, to: usize) {
    for i in from..to {
        let words: Vec<&str> = (0..120).map(|k| WORDS[(i * 7 + k * (i % 9 + 1)) % 10]).collect();
        w.write(&format!("{i}.md"), format!("# Title {i}\n\n{} number{i}\n", words.join(" ")));
    }
}

/// A world whose model is at hand, with so many documents indexed.
fn world(documents: usize) -> World {
    let w = World::new();
    let golden: serde_json::Value = serde_json::from_str(include_str!("../embed/golden.json")).unwrap();
    model::write_small(&w.root().join("model"), &golden["small"][0]);
    write(&w, 0, documents);
    w.run(&["collection", "add", "docs", "--name", "docs"]).exits(0);
    w.run(&["update"]).exits(0);
    w
}

fn start(w: &World, args: &[&str]) -> Child {
    w.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn vectors(w: &World) -> (u64, u64) {
    let status = w.run(&["status", "--json"]).exits(0).json();
    let of = |key: &str| status["vectors"][key].as_u64().unwrap();
    (of("count"), of("pending"))
}

#[test]
fn forty_searches_during_an_embedding() {
    let w = world(100);
    w.run(&["embed", "--model", "model"]).exits(0);
    write(&w, 100, 500);
    w.run(&["update"]).exits(0);
    let mut embedding = start(&w, &["embed", "-q"]);
    let searches: Vec<(Child, &str)> = (0..40)
        .map(|i| {
            let verb = ["search", "vsearch", "query"][i % 3];
            (start(&w, &[verb, "alpha gamma number7", "--json"]), verb)
        })
        .collect();
    for (child, verb) in searches {
        let out = ran(child.wait_with_output().unwrap());
        assert_eq!(out.json()["count"], 10, "{verb}");
        // An answer without the vectors that are still to come says so.
        let degraded = out.json()["degraded"] == true;
        assert_eq!(out.code, if degraded { 3 } else { 0 }, "{verb}: {}", out.stderr);
        assert!(verb != "search" || !degraded, "{}", out.stderr);
    }
    assert!(embedding.wait().unwrap().success());
    assert_eq!(vectors(&w), (500, 0));
    assert!(w.run(&["doctor"]).exits(0).stdout.is_empty());
}

#[test]
fn two_embeddings_at_once_and_a_removal_beside_them() {
    let w = world(300);
    std::fs::create_dir(w.root().join("more")).unwrap();
    std::fs::write(w.root().join("more/m.md"), "alpha omega\n").unwrap();
    w.run(&["collection", "add", "more", "--name", "more"]).exits(0);
    w.run(&["update"]).exits(0);
    let embedding = [start(&w, &["embed", "--model", "model"]), start(&w, &["embed", "--model", "model"])];
    let removal = start(&w, &["collection", "remove", "more", "--yes"]);
    for child in embedding {
        ran(child.wait_with_output().unwrap()).exits(0);
    }
    ran(removal.wait_with_output().unwrap()).exits(0);
    let (count, pending) = vectors(&w);
    assert!((300..=301).contains(&count) && pending == 0, "{count} {pending}");
    assert!(w.run(&["doctor"]).exits(0).stdout.is_empty());
}

#[test]
fn an_embedding_killed_at_any_moment_goes_on() {
    let w = world(400);
    let mut before = 0;
    for round in 0..12u64 {
        let mut child = start(&w, &["embed", "--model", "model"]);
        std::thread::sleep(Duration::from_millis(15 + round * 23));
        let _ = child.kill();
        child.wait().unwrap();
        // Words are always found; vectors when there are some, and then by a file that is the bound one
        // or by none.
        w.run(&["search", "alpha", "--json"]).exits(0);
        let by_meaning = w.run(&["vsearch", "alpha gamma", "--json"]);
        assert!(matches!(by_meaning.code, 0 | 3), "{} {}", by_meaning.code, by_meaning.stderr);
        let left = vectors(&w).1;
        assert!(left <= 400 - before, "round {round}: what was embedded stays");
        before = 400 - left;
        if round % 4 == 3 {
            write(&w, 0, 20 * (round as usize + 1));
            w.write(&format!("{round}.md"), format!("alpha changed{round}\n"));
            w.run(&["update"]).exits(0);
            before = before.saturating_sub(1);
        }
    }
    w.run(&["embed", "--model", "model"]).exits(0);
    assert_eq!(vectors(&w), (400, 0));
    assert!(w.run(&["doctor"]).exits(0).stdout.is_empty());
    assert!(!w.database().with_extension("faiss.next").exists());
}

/// Runs under a limit of that many half kilobytes a file, whose signal is ignored.
fn limited(w: &World, blocks: u32, args: &[&str]) -> crate::world::Ran {
    let command = w.command(&[]);
    let mut shell = std::process::Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    shell.args(["-c", &script]).arg(command.get_program()).args(args);
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.current_dir(w.root()).stdin(Stdio::null());
    ran(shell.output().unwrap())
}

#[test]
fn a_file_that_cannot_grow_is_said_and_nothing_is_lost() {
    let w = world(200);
    write(&w, 200, 400);
    for blocks in [1, 64, 128, 256, 512] {
        for args in [&["update"][..], &["embed", "--model", "model"]] {
            let stopped = limited(&w, blocks, args);
            assert!(
                matches!(stopped.code, 0 | 3 | 74),
                "{blocks} {args:?}: {} {}",
                stopped.code,
                stopped.stderr
            );
            assert!(!stopped.stderr.contains(".cpp"), "{}", stopped.stderr);
            assert!(!w.database().with_extension("faiss.next").exists(), "{blocks} {args:?}");
            w.run(&["search", "alpha"]).exits(0);
        }
    }
    w.run(&["update"]).exits(0);
    w.run(&["embed", "--model", "model"]).exits(0);
    assert_eq!(vectors(&w), (400, 0));
    assert!(w.run(&["doctor"]).exits(0).stdout.is_empty());
}

#[test]
fn chunks_without_a_vector_are_told_with_command_number_time_and_size() {
    let w = world(20);
    w.run(&["embed", "--model", "model"]).exits(0);
    write(&w, 20, 23);
    std::fs::create_dir(w.root().join("more")).unwrap();
    std::fs::write(w.root().join("more/m.md"), "alpha omega\n").unwrap();
    w.run(&["collection", "add", "more", "--name", "more"]).exits(0);
    w.run(&["update"]).exits(0);
    for verb in ["vsearch", "query"] {
        let got = w.run(&[verb, "alpha gamma", "--json"]).exits(3);
        let note = got.json()["notes"][0].as_str().unwrap().to_owned();
        assert!(note.contains("govfind embed (4 chunks, about 1 s, about "), "{note}");
        assert!(got.stderr.contains(&note) && got.json()["degraded"] == true, "{}", got.stderr);
        // What is not searched is not missed.
        let scoped = w.run(&[verb, "alpha gamma", "-c", "more", "--json"]).exits(3);
        assert!(scoped.json()["notes"][0].as_str().unwrap().contains("(1 chunks, "), "{}", scoped.stderr);
    }
    w.run(&["search", "alpha gamma"]).exits(0);
    w.run(&["embed", "-c", "docs"]).exits(0);
    w.run(&["vsearch", "alpha gamma", "-c", "docs"]).exits(0);
    w.run(&["vsearch", "alpha gamma"]).exits(3);
    w.run(&["collection", "exclude", "more"]).exits(0);
    w.run(&["vsearch", "alpha gamma"]).exits(0);
}
