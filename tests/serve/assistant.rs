//! What `.claude/` says to an assistant: a registration that starts the server, and commands that exist.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::world::{World, ran};

fn text(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// A shell command with our binary first on the path.
fn shell(world: &World, line: &str) -> Command {
    let bin = Path::new(env!("CARGO_BIN_EXE_govfind")).parent().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(world.root()).env_clear();
    world.environment(&mut command);
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    command
}

#[test]
fn the_registration_starts_a_server() {
    let registered: Value = serde_json::from_str(&text(".claude/mcp.json")).unwrap();
    // Where clients look by themselves.
    assert_eq!(serde_json::from_str::<Value>(&text(".mcp.json")).unwrap(), registered);
    let server = &registered["mcpServers"]["govfind"];
    let mut line = server["command"].as_str().unwrap().to_owned();
    for argument in server["args"].as_array().unwrap() {
        line.push(' ');
        line.push_str(argument.as_str().unwrap());
    }
    let world = World::new();
    let mut command = shell(&world, &line);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    writeln!(child.stdin.take().unwrap(), "{hello}").unwrap();
    let out = ran(child.wait_with_output().unwrap()).exits(0);
    assert_eq!(out.json()["result"]["serverInfo"]["name"], "govfind");
}

#[test]
fn the_skill_names_commands_that_exist() {
    let world = World::new();
    let skill = text(".claude/skills/govfind/SKILL.md");
    let docid = world.run(&["ls", "--json"]).exits(0).json()["files"][0]["docid"].as_str().map(str::to_owned);
    let docid = docid.unwrap_or_else(|| "000000".into());
    let mut commands = 0;
    for span in skill.split('`').skip(1).step_by(2).filter(|s| s.starts_with("govfind ")) {
        let line = span
            .replace("COLLECTION/path.md:40:30", "docs/vault.md:2:2")
            .replace("COLLECTION/prefix", "docs")
            .replace("COLLECTION", "docs")
            .replace("a1b2c3", &docid);
        let out = ran(shell(&world, &line).output().unwrap());
        // 1 when two documents do not answer, 3 without vectors and with the command that makes them.
        let told = ["", "no result", "", "govfind embed"];
        let known = told.get(usize::try_from(out.code).unwrap()).is_some_and(|t| out.stderr.contains(t));
        assert!(known && out.code != 2, "{line}: {} {}", out.code, out.stderr);
        commands += 1;
    }
    assert!(commands >= 9, "{commands}");
    let front = skill.split("---").nth(1).unwrap();
    assert!(front.contains("name: govfind") && front.contains("description:"));
}
