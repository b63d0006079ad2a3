//! Results that cannot be written: never a success, for each of the three tools.

use std::fs::OpenOptions;
use std::process::{Command, Stdio};

use crate::world::{Ran, World, ran};

fn full(command: &mut Command) -> Ran {
    let device = OpenOptions::new().write(true).open("/dev/full").unwrap();
    ran(command.stdout(device).stderr(Stdio::piped()).output().unwrap())
}

#[track_caller]
fn loses(mut command: Command) -> Ran {
    let ran = full(&mut command);
    assert_eq!(ran.code, 74, "{command:?}: {}", ran.stderr);
    assert!(ran.stderr.contains("stdout"), "{command:?}: {}", ran.stderr);
    ran
}

#[test]
fn a_result_on_a_full_disk_is_lost() {
    let w = World::indexed(&[("a.md", "zebra\n"), ("b.md", "stripes\n")]);
    let cases: &[&[&str]] = &[
        &["search", "zebra"],
        &["search", "zebra", "--json"],
        &["search", "nowhere", "--json"],
        &["ls"],
        &["ls", "--json"],
        &["get", "a.md"],
        &["multi-get", "*.md"],
        &["status"],
        &["status", "--json"],
        &["config", "export"],
        &["collection", "list"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
        &["search", "--help"],
        &["--version"],
    ];
    for args in cases {
        loses(w.command(args));
    }
    let told = loses(w.command(&["--json", "ls"])).stderr;
    let error: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(error["error"]["name"], "IO", "{told}");
    let mut french = w.command(&["--help"]);
    french.env("GOVMEM_LANG", "fr");
    assert!(loses(french).stderr.starts_with("erreur"));
}

#[test]
fn the_other_tools_lose_it_alike() {
    let w = World::new();
    let tool = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args).current_dir(w.root()).env_clear().env("HOME", w.root()).stdin(Stdio::null());
        command
    };
    let (govmem, govrag) = (env!("CARGO_BIN_EXE_govmem"), env!("CARGO_BIN_EXE_govrag"));
    for program in [govmem, govrag, env!("CARGO_BIN_EXE_step0-inject"), env!("CARGO_BIN_EXE_veille-index")] {
        loses(tool(program, &["--help"]));
        loses(tool(program, &["--version"]));
    }
    loses(tool(govmem, &["completions", "zsh"]));
    loses(tool(govrag, &["slug", "A title"]));
    // Wrong usage stays that: it has no result.
    assert_eq!(full(&mut tool(govrag, &["--nonsense"])).code, 2);
}

#[test]
fn a_reader_that_leaves_ends_it_quietly() {
    let w = World::indexed(&[("a.md", "zebra\n")]);
    for args in [&["ls"][..], &["--help"], &["config", "export"], &["search", "zebra", "--json"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = ran(w.command(args).stdout(writer).stderr(Stdio::piped()).output().unwrap());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{args:?}");
    }
}
