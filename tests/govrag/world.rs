//! A repository in a temporary folder and the binary run in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A temporary repository.
pub struct World {
    dir: tempfile::TempDir,
}

/// What a run printed and how it ended.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl World {
    pub fn new() -> Self {
        World { dir: tempfile::tempdir().expect("folder") }
    }

    /// A repository with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let world = World::new();
        for (path, text) in files {
            world.write(path, text);
        }
        world
    }

    pub fn home(&self) -> &Path {
        self.dir.path()
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.home().join(path)
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        std::fs::write(path, text).expect("write");
    }

    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
    }

    /// Runs the binary here, in English, with a home of its own.
    pub fn govrag(&self, arguments: &[&str]) -> Run {
        self.govrag_with(arguments, &[])
    }

    /// Runs the binary here with these further variables.
    pub fn govrag_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_govrag"));
        command.args(arguments).current_dir(self.home());
        command.env_clear().env("PATH", search_path());
        command.env("HOME", self.path(".home")).env("GOVMEM_LANG", "en");
        command.envs(variables.iter().copied());
        let Output { status, stdout, stderr } = command.output().expect("run");
        Run {
            code: status.code().unwrap_or(-1),
            out: String::from_utf8(stdout).expect("utf-8"),
            err: String::from_utf8(stderr).expect("utf-8"),
        }
    }

    /// Runs git here.
    pub fn git(&self, arguments: &[&str]) -> Run {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"]);
        command.args(arguments).current_dir(self.home()).env("HOME", self.path(".home"));
        let bin = Path::new(env!("CARGO_BIN_EXE_govrag")).parent().expect("folder").to_owned();
        let path = search_path();
        let paths = std::iter::once(bin).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(paths).expect("path"));
        let Output { status, stdout, stderr } = command.output().expect("git");
        Run {
            code: status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&stdout).into_owned(),
            err: String::from_utf8_lossy(&stderr).into_owned(),
        }
    }

    /// Every file but git's and the home's, with its bytes.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut out = BTreeMap::new();
        let mut stack = vec![self.home().to_owned()];
        while let Some(dir) = stack.pop() {
            for entry in std::fs::read_dir(&dir).expect("folder").flatten() {
                let path = entry.path();
                let name = path.strip_prefix(self.home()).expect("inside").to_string_lossy().into_owned();
                if path.is_dir() && name != ".git" && name != ".home" {
                    stack.push(path);
                } else if path.is_file() {
                    out.insert(name, std::fs::read(path).expect("read"));
                }
            }
        }
        out
    }
}

/// Where programs are found.
fn search_path() -> String {
    govmem::base::env::Env::from_process().get("PATH").unwrap_or("/usr/bin:/bin").to_owned()
}

/// `../shared/data/<part>`, or `None` after saying that it is absent.
pub fn shared(part: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(part);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: ../shared/data absent ({part})");
    None
}

/// Copies a folder.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("folder");
    for entry in std::fs::read_dir(from).expect("folder").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, target).expect("copy");
        }
    }
}
