//! The official clients, Python and TypeScript, at versions that the installing script pins.

use std::path::Path;
use std::process::Command;

use crate::world::{World, ran};

const TOKEN: &str = "a-token-for-the-clients-0123456789";

/// The Python interpreter and the directory of the TypeScript client; `None` without a network.
fn installed() -> Option<(String, String)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/lib/mcp-client.sh");
    let out = ran(Command::new(script).output().unwrap());
    if out.code != 0 {
        eprintln!("SKIPPED: the MCP clients cannot be installed: {}", out.stderr);
        return None;
    }
    let mut lines = out.stdout.lines();
    Some((lines.next()?.to_owned(), lines.next()?.to_owned()))
}

fn drive(program: &str, first: &[&str]) {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let file = world.path("token");
    std::fs::write(&file, TOKEN).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let server = world.serve(&["--token-file", file.to_str().unwrap()]);
    let url = server.place["mcp"].as_str().unwrap();
    let database = world.database();
    let mut command = Command::new(program);
    command.args(first).args([url, TOKEN, env!("CARGO_BIN_EXE_govfind"), "--index"]).arg(&database);
    world.environment(command.env_clear());
    let out = ran(command.output().unwrap()).exits(0);
    println!("{}", out.stdout);
}

#[test]
fn the_python_client() {
    let Some((python, _)) = installed() else { return };
    drive(&python, &[concat!(env!("CARGO_MANIFEST_DIR"), "/tests/serve/client.py")]);
}

#[test]
fn the_typescript_client() {
    let Some((_, sdk)) = installed() else { return };
    if !Path::new(&sdk).is_dir() {
        eprintln!("SKIPPED: node or npm is absent");
        return;
    }
    drive("node", &[concat!(env!("CARGO_MANIFEST_DIR"), "/tests/serve/client.mjs"), &sdk]);
}
