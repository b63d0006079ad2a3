//! Where the files of a workspace lie (memory contract, files of a workspace).
//!
//! One method per path, so that no other file spells a path of the workspace.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::base::{Error, Result};
use crate::tr;

/// The configuration's name, which also marks the root of a workspace.
pub const CONFIG_NAME: &str = "govmem.toml";

/// One of the three sources of step 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Lessons from past gates.
    Learning,
    /// Watch notes.
    Veille,
    /// The product owner's answers.
    Clarification,
}

impl Source {
    /// The three, in the order of step 0 and of `reindex`.
    pub const ALL: [Source; 3] = [Source::Learning, Source::Veille, Source::Clarification];

    /// The name in events and machine output: `learning`, `veille`, `clarification`.
    pub fn tag(self) -> &'static str {
        match self {
            Source::Learning => "learning",
            Source::Veille => "veille",
            Source::Clarification => "clarification",
        }
    }

    /// The name in file names: `learnings`, `veille`, `clarifications`.
    pub fn stem(self) -> &'static str {
        match self {
            Source::Learning => "learnings",
            Source::Veille => "veille",
            Source::Clarification => "clarifications",
        }
    }
}

/// The three files of one source's vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexPaths {
    /// The FAISS index.
    pub faiss: PathBuf,
    /// The vectors, n × 768 little-endian `f32`, C order.
    pub matrix: PathBuf,
    /// The manifest that binds rows to records.
    pub manifest: PathBuf,
}

/// A workspace by its root directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The workspace rooted at `root`, whether or not it exists yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Workspace { root: root.into() }
    }

    /// The workspace rooted at `dir`, which must hold `govmem.toml` (else exit 2).
    pub fn open(dir: &Path) -> Result<Self> {
        if is_workspace(dir)? {
            return Ok(Workspace::new(dir));
        }
        let dir = dir.display();
        Err(Error::usage(tr!("{dir} ne contient pas de {CONFIG_NAME}", "{dir} holds no {CONFIG_NAME}"))
            .hint(init_hint()))
    }

    /// The nearest directory from `start` upwards that holds `govmem.toml` (none: exit 2).
    pub fn find(start: &Path) -> Result<Self> {
        for dir in start.ancestors() {
            if is_workspace(dir)? {
                return Ok(Workspace::new(dir));
            }
        }
        let start = start.display();
        Err(Error::usage(tr!(
            "aucun {CONFIG_NAME} dans {start} ni au-dessus",
            "no {CONFIG_NAME} in {start} or above it"
        ))
        .hint(init_hint()))
    }

    /// The root directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `govmem.toml`.
    pub fn config(&self) -> PathBuf {
        self.root.join(CONFIG_NAME)
    }

    /// `data/`.
    pub fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    /// `data/.state/`: limiter, idempotency, query-vector cache. Never under version control.
    pub fn state_dir(&self) -> PathBuf {
        self.root.join("data/.state")
    }

    /// `data/learnings.jsonl`.
    pub fn learnings(&self) -> PathBuf {
        self.root.join("data/learnings.jsonl")
    }

    /// `data/learnings-scores.jsonl`.
    pub fn scores(&self) -> PathBuf {
        self.root.join("data/learnings-scores.jsonl")
    }

    /// `data/metrics.jsonl`, written under the lock of the scores, which are computed from it.
    pub fn metrics(&self) -> PathBuf {
        self.root.join("data/metrics.jsonl")
    }

    /// `data/veille.jsonl`.
    pub fn veille(&self) -> PathBuf {
        self.root.join("data/veille.jsonl")
    }

    /// `data/clarifications.jsonl`.
    pub fn clarifications(&self) -> PathBuf {
        self.root.join("data/clarifications.jsonl")
    }

    /// The JSON lines of `source`.
    pub fn records(&self, source: Source) -> PathBuf {
        self.data().join(format!("{}.jsonl", source.stem()))
    }

    /// `data/<source>-index.faiss`, `-embeddings.npy`, `-index.json`.
    pub fn index(&self, source: Source) -> IndexPaths {
        let file = |tail: &str| self.data().join(format!("{}-{tail}", source.stem()));
        IndexPaths {
            faiss: file("index.faiss"),
            matrix: file("embeddings.npy"),
            manifest: file("index.json"),
        }
    }

    /// `data/learnings-injections.jsonl`, the signed trail.
    pub fn trail(&self) -> PathBuf {
        self.root.join("data/learnings-injections.jsonl")
    }

    /// `data/learnings-injections.chain.jsonl`, the trail's sidecar.
    pub fn chain(&self) -> PathBuf {
        self.root.join("data/learnings-injections.chain.jsonl")
    }

    /// `data/cs1-baseline.json`.
    pub fn baseline(&self) -> PathBuf {
        self.root.join("data/cs1-baseline.json")
    }

    /// `data/.state/rate.json`, the limiter's window.
    pub fn rate_state(&self) -> PathBuf {
        self.state_dir().join("rate.json")
    }

    /// `data/.state/idempotency.json`, the blocks that may be replayed.
    pub fn idempotency_state(&self) -> PathBuf {
        self.state_dir().join("idempotency.json")
    }

    /// `data/.state/query-vectors.bin`, the vectors of earlier queries.
    pub fn query_cache(&self) -> PathBuf {
        self.state_dir().join("query-vectors.bin")
    }

    /// `path` relative to the root with `/`, when it lies inside; used in records.
    pub fn relative(&self, path: &Path) -> Option<String> {
        path.strip_prefix(&self.root).ok()?.to_str().map(str::to_owned)
    }
}

/// Whether `dir` holds a configuration. One that cannot be looked at is no reason to make another.
fn is_workspace(dir: &Path) -> Result<bool> {
    let path = dir.join(CONFIG_NAME);
    match path.symlink_metadata() {
        Ok(_) => Ok(true),
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
        Err(e) => Err(Error::io(&path, &e)),
    }
}

fn init_hint() -> String {
    tr!("créez l'espace de travail avec `govmem init`", "make the workspace with `govmem init`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_nearest_parent() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        let error = Workspace::find(&deep).unwrap_err();
        assert_eq!(error.exit(), 2);
        assert!(error.hint_text().unwrap().contains("govmem init"));
        std::fs::write(dir.path().join(CONFIG_NAME), "").unwrap();
        assert_eq!(Workspace::find(&deep).unwrap().root(), dir.path());
        std::fs::write(dir.path().join("a").join(CONFIG_NAME), "").unwrap();
        assert_eq!(Workspace::find(&deep).unwrap().root(), dir.path().join("a"));
        assert!(Workspace::open(&deep).is_err());
    }

    #[test]
    fn names_of_the_contract() {
        let ws = Workspace::new("/w");
        assert_eq!(ws.records(Source::Learning), ws.learnings());
        assert_eq!(
            ws.index(Source::Clarification).matrix,
            Path::new("/w/data/clarifications-embeddings.npy")
        );
        assert_eq!(ws.index(Source::Learning).faiss, Path::new("/w/data/learnings-index.faiss"));
        assert_eq!(ws.relative(Path::new("/w/docs/x.md")).as_deref(), Some("docs/x.md"));
        assert_eq!(ws.relative(Path::new("/other")), None);
    }
}
