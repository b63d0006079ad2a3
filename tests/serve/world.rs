//! An indexed directory, the binary, and servers on free ports that are stopped by their process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// A temporary home with two documents, indexed as `docs`.
pub struct World(tempfile::TempDir);

/// What a command gave.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", self.stdout, self.stderr))
    }

    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }
}

impl World {
    /// An empty home.
    pub fn empty() -> Self {
        World(tempfile::tempdir().unwrap())
    }

    /// A home with the two documents, indexed.
    pub fn new() -> Self {
        let world = World::empty();
        std::fs::create_dir(world.path("docs")).unwrap();
        let vault = "# Vault\n\nThe vault rotation is monthly.\nKeys are kept.\n";
        std::fs::write(world.path("docs/vault.md"), vault).unwrap();
        std::fs::write(world.path("docs/other.md"), "# Other\n\nNothing of the kind, a garden.\n").unwrap();
        world.run(&["collection", "add", "docs", "--name", "docs"]).exits(0);
        world.run(&["context", "add", "gf://docs/", "Notes about keys"]).exits(0);
        world.run(&["update"]).exits(0);
        world
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    pub fn database(&self) -> PathBuf {
        self.path("data/govfind/default.db")
    }

    /// The binary in a clean environment whose home is this one.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_govfind"));
        command.args(args).current_dir(self.root()).env_clear().stdin(Stdio::null());
        self.environment(&mut command);
        command
    }

    pub fn environment(&self, command: &mut Command) {
        command.env("PATH", "/usr/bin:/bin").env("HOME", self.root()).env("LANG", "en_US.UTF-8");
        for kind in ["DATA", "CONFIG", "CACHE", "STATE"] {
            command.env(format!("XDG_{kind}_HOME"), self.path(&kind.to_lowercase()));
        }
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        ran(self.command(args).output().unwrap())
    }

    /// A server in the foreground on a free port.
    pub fn serve(&self, args: &[&str]) -> Served {
        let mut child = self
            .command(&[&["--json", "serve", "--http", "--port", "0"], args].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let place: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"));
        let port = place["endpoint"].as_str().unwrap().rsplit_once(':').unwrap().1.parse().unwrap();
        Served { child, port, place }
    }
}

pub fn ran(output: std::process::Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A running server; stopped when dropped.
pub struct Served {
    pub child: Child,
    pub port: u16,
    pub place: Value,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a server answered.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}\n{}", self.head, self.body))
    }
}

/// Sends these bytes and reads until the server closes. Status 0 when it closes without a word.
pub fn raw(port: u16, bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    // The server may have read enough and gone.
    let _ = stream.write_all(bytes);
    read(&mut stream)
}

/// Reads an answer until the server closes.
pub fn read(stream: &mut TcpStream) -> Answer {
    let (mut bytes, mut part) = (Vec::new(), [0; 65536]);
    while let Ok(n) = stream.read(&mut part) {
        if n == 0 {
            break;
        }
        bytes.extend_from_slice(&part[..n]);
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    Answer { status, head: head.to_lowercase(), body: body.to_owned() }
}

/// An ordinary request.
pub fn ask(port: u16, method: &str, path: &str, headers: &str, body: &str) -> Answer {
    let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
    let text = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{kind}\
         Content-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    );
    raw(port, text.as_bytes())
}
