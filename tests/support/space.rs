//! A hermetic workspace driven through the binaries: its own home, its own keyring, no inherited
//! environment.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests find their model and say what they skip"
)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The answer of a command.
#[derive(Debug)]
pub struct Answer {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Answer {
    /// The output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("not JSON ({e}): {self:?}"))
    }

    /// This answer, when the code is as expected.
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }
}

/// A workspace in a temporary directory.
pub struct Space {
    /// Holds everything; removed when dropped.
    pub dir: tempfile::TempDir,
    /// Further environment.
    pub env: Vec<(String, String)>,
}

/// The directory of the test model. Its absence is a failure: the test script installs it.
pub fn model() -> PathBuf {
    let dir = match std::env::var_os("GOVMEM_MODEL_DIR") {
        Some(dir) => PathBuf::from(dir),
        None => {
            let home = PathBuf::from(std::env::var_os("HOME").expect("HOME"));
            home.join(".cache/govmem/models/all-MiniLM-L6-v2")
        }
    };
    assert!(dir.join("model.safetensors").is_file(), "no model in {}: run scripts/test.sh", dir.display());
    dir
}

/// `../shared/data`, or `None` after saying so.
pub fn shared(what: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(what);
    if path.exists() {
        return Some(path.canonicalize().expect("path"));
    }
    eprintln!("SKIPPED: ../shared/data/{what} absent");
    None
}

/// Says aloud what is not tested here.
pub fn skipped(why: &str) {
    eprintln!("SKIPPED: {why}");
}

impl Space {
    /// An empty directory with a home beside the workspace.
    pub fn bare() -> Self {
        let dir = tempfile::tempdir().expect("temporary directory");
        std::fs::create_dir_all(dir.path().join("ws")).expect("workspace");
        std::fs::create_dir_all(dir.path().join("home")).expect("home");
        Space { dir, env: Vec::new() }
    }

    /// A workspace with the local model, the file keyring and a key; `config` is added to its
    /// `govmem.toml`.
    pub fn new(config: &str) -> Self {
        let space = Space::bare();
        let model = model();
        let model = model.to_str().expect("UTF-8");
        space
            .run("govmem", &["init", "--embedder", "local", "--model-dir", model, "--keyring", "file"])
            .expect(0);
        if !config.is_empty() {
            let path = space.path("govmem.toml");
            let text = std::fs::read_to_string(&path).expect("config");
            std::fs::write(&path, format!("{text}\n{config}")).expect("config");
        }
        space.run("govmem", &["audit", "bootstrap"]).expect(0);
        space
    }

    /// A path of the workspace.
    pub fn path(&self, inside: &str) -> PathBuf {
        self.dir.path().join("ws").join(inside)
    }

    /// The keyring file.
    pub fn keyring(&self) -> PathBuf {
        self.dir.path().join("home/.config/govmem/keyring.json")
    }

    /// A command of this package, ready to run in the workspace.
    pub fn command(&self, bin: &str, args: &[&str]) -> Command {
        let exe = match bin {
            "govmem" => env!("CARGO_BIN_EXE_govmem"),
            "step0-inject" => env!("CARGO_BIN_EXE_step0-inject"),
            "veille-index" => env!("CARGO_BIN_EXE_veille-index"),
            "clarifications-collect" => env!("CARGO_BIN_EXE_clarifications-collect"),
            "learnings-score" => env!("CARGO_BIN_EXE_learnings-score"),
            "learnings-promote" => env!("CARGO_BIN_EXE_learnings-promote"),
            other => panic!("no binary {other}"),
        };
        let mut command = Command::new(exe);
        command
            .args(args)
            .env_clear()
            .env("HOME", self.dir.path().join("home"))
            .env("PATH", "/usr/bin:/bin")
            .env("GOVMEM_LANG", "en")
            .envs(self.env.iter().map(|(k, v)| (k.as_str(), v.as_str())))
            .current_dir(self.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, bin: &str, args: &[&str]) -> Answer {
        answer(self.command(bin, args).output().expect("spawn"))
    }

    /// Runs a command with this standard input.
    pub fn run_with(&self, bin: &str, args: &[&str], input: &str) -> Answer {
        let mut child = self.command(bin, args).stdin(Stdio::piped()).spawn().expect("spawn");
        // A command may refuse before it reads: a closed pipe is no failure of the test.
        let _ = child.stdin.take().expect("stdin").write_all(input.as_bytes());
        answer(child.wait_with_output().expect("wait"))
    }

    /// Writes a file of the workspace.
    pub fn write(&self, inside: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(inside);
        std::fs::create_dir_all(path.parent().expect("parent")).expect("directory");
        std::fs::write(path, bytes).expect("write");
    }

    /// Reads a file of the workspace; empty when absent.
    pub fn read(&self, inside: &str) -> String {
        std::fs::read_to_string(self.path(inside)).unwrap_or_default()
    }

    /// Records a lesson; its id.
    pub fn learn(&self, story: &str, tags: &str, lesson: &str) -> String {
        let args = ["learn", "--story", story, "--gate", "8", "--domain", "auth", "--project", "backend"];
        let more = ["--tags", tags, "--lesson", lesson];
        self.run("govmem", &[&args[..], &more[..]].concat()).expect(0).out.trim().to_owned()
    }

    /// Injects step 0 with `--json`.
    pub fn inject(&self, story: &str, title: &str) -> Answer {
        let args = ["--json", "--story", story, "--title", title, "--domain", "auth", "--project", "backend"];
        self.run("step0-inject", &args)
    }
}

fn answer(output: std::process::Output) -> Answer {
    Answer {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
