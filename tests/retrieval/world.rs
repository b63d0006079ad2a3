//! A directory of documents, an index beside it, and the binary; an embedder that needs no model.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use govmem::base::{Error, Kind, ModelIdentity, Result};
use govmem::embed::{Embedder, Generator, Reranker, Window};
use govmem::retrieval::query::Models;
use serde_json::Value;

/// A temporary home with documents.
pub struct World {
    dir: tempfile::TempDir,
}

/// What a command gave.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("{e}\nstdout: {}\nstderr: {}", self.stdout, self.stderr))
    }

    /// Asserts the exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }
}

impl World {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("docs")).unwrap();
        World { dir }
    }

    /// A world with some documents, indexed as `docs`.
    pub fn indexed(files: &[(&str, &str)]) -> Self {
        let world = World::new();
        files.iter().for_each(|(path, text)| world.write(path, text));
        world.run(&["collection", "add", "docs", "--name", "docs"]).exits(0);
        world.run(&["update"]).exits(0);
        world
    }

    pub fn root(&self) -> &Path {
        self.dir.path()
    }

    pub fn docs(&self) -> PathBuf {
        self.root().join("docs")
    }

    pub fn database(&self) -> PathBuf {
        self.root().join("data/govfind/default.db")
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.docs().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_govfind"));
        command
            .args(args)
            .current_dir(self.root())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.root())
            .env("XDG_DATA_HOME", self.root().join("data"))
            .env("XDG_CONFIG_HOME", self.root().join("config"))
            .env("XDG_CACHE_HOME", self.root().join("cache"))
            .env("LANG", "en_US.UTF-8")
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        ran(self.command(args).output().unwrap())
    }

    pub fn run_with_input(&self, args: &[&str], input: &[u8]) -> Ran {
        use std::io::Write;
        let mut command = self.command(args);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The command may have read enough and gone.
        let _ = child.stdin.take().unwrap().write_all(input);
        ran(child.wait_with_output().unwrap())
    }

    /// Paths found by a query, best first.
    #[track_caller]
    pub fn paths(&self, args: &[&str]) -> Vec<String> {
        let ran = self.run(&[args, &["--json"]].concat());
        assert!(matches!(ran.code, 0 | 1 | 3), "{}", ran.stderr);
        ran.json()["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|r| r["path"].as_str().unwrap().to_owned())
            .collect()
    }
}

pub fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// An embedder of hashed words: texts with words in common are near. Fails after `budget` texts.
pub struct Hashed {
    identity: ModelIdentity,
    pub budget: AtomicUsize,
    pub calls: AtomicUsize,
}

impl Hashed {
    pub fn new(name: &str) -> Self {
        let identity = ModelIdentity {
            provider: "test".into(),
            name: name.into(),
            digest: "d".repeat(64),
            width: 64,
            query_prefix: String::new(),
            document_prefix: String::new(),
            window: 256,
        };
        Hashed { identity, budget: AtomicUsize::new(usize::MAX), calls: AtomicUsize::new(0) }
    }

    fn vector(text: &str) -> Vec<f32> {
        let mut v = vec![0f32; 64];
        for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() > 2) {
            let hash = word.bytes().fold(17u64, |h, b| h.wrapping_mul(31).wrapping_add(u64::from(b)));
            v[(hash % 64) as usize] += 1.0;
        }
        v[0] += 0.01;
        let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt();
        v.iter().map(|x| x / norm).collect()
    }
}

impl Embedder for Hashed {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>> {
        Ok(Self::vector(text))
    }

    fn embed_windows(&self, texts: &[&str], _: &mut dyn FnMut(usize)) -> Result<Vec<Vec<Window>>> {
        let left = self.budget.load(Ordering::SeqCst);
        if left < texts.len() {
            return Err(Error::new(Kind::Unavailable, "the model went away"));
        }
        self.budget.store(left - texts.len(), Ordering::SeqCst);
        self.calls.fetch_add(texts.len(), Ordering::SeqCst);
        Ok(texts.iter().map(|t| vec![Window { bytes: 0..t.len(), vector: Self::vector(t) }]).collect())
    }
}

/// Models for the library's tests.
#[derive(Default)]
pub struct TestModels {
    pub embedder: Option<Hashed>,
    pub reranker: Option<Box<dyn Reranker>>,
    pub generator: Option<Box<dyn Generator>>,
}

impl Models for TestModels {
    fn embedder(&self) -> Result<&dyn Embedder> {
        match &self.embedder {
            Some(e) => Ok(e),
            None => Err(Error::new(Kind::Unavailable, "no embedder")),
        }
    }

    fn generator(&self) -> Result<Option<&dyn Generator>> {
        Ok(self.generator.as_deref())
    }

    fn reranker(&self) -> Result<Option<&dyn Reranker>> {
        Ok(self.reranker.as_deref())
    }
}
