//! Readers beside a writer.

use std::process::Stdio;

use crate::world::{World, ran};

#[test]
fn forty_searches_during_an_update() {
    let w = World::new();
    for i in 0..400 {
        w.write(&format!("{i}.md"), format!("# Title {i}\n\n{}\n", "alpha beta gamma ".repeat(60)));
    }
    w.run(&["collection", "add", "docs", "--name", "docs"]).exits(0);
    w.run(&["update"]).exits(0);
    for i in 0..400 {
        w.write(&format!("{i}.md"), format!("# Title {i}\n\n{} changed\n", "alpha beta delta ".repeat(60)));
    }
    let mut update = w.command(&["update", "-q"]).stderr(Stdio::null()).spawn().unwrap();
    let children: Vec<_> = (0..40)
        .map(|_| {
            let mut search = w.command(&["search", "alpha", "--json"]);
            search.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in children {
        let out = ran(child.wait_with_output().unwrap()).exits(0);
        assert_eq!(out.json()["count"], 10);
    }
    assert!(update.wait().unwrap().success());
    assert_eq!(w.paths(&["search", "changed", "--all"]).len(), 400);
}

#[test]
fn two_updates_at_once() {
    let w = World::new();
    for i in 0..100 {
        w.write(&format!("{i}.md"), format!("zebra {i}\n"));
    }
    w.run(&["collection", "add", "docs", "--name", "docs"]).exits(0);
    let children: Vec<_> = (0..4)
        .map(|_| w.command(&["update"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
        .collect();
    for child in children {
        ran(child.wait_with_output().unwrap()).exits(0);
    }
    assert_eq!(w.run(&["ls", "--json"]).json()["count"], 100);
    assert!(w.run(&["doctor"]).exits(0).stdout.is_empty());
}
