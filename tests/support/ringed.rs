//! A workspace whose audit key lies in a file or on a real OpenBao server, with records and signed
//! events of any age; the binaries then run on it. Signatures are also computed here, independently.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use govmem::audit::{
    Event, FileKeyring, Key, Keyring, Place, Token, Trail, TrailPaths, VaultAuth, VaultKeyring, VaultSettings,
};
use govmem::base::id::{Slug, StoryId, learning_id, tag_hash};
use govmem::base::{Clock, Instant, ModelIdentity, SystemClock};
use govmem::store::{LockSettings, Locks, Source, Workspace, lock};
use govmem::vector::{Draft, SetFiles};
use hmac::{KeyInit, Mac};

use crate::openbao::{OpenBao, ROOT_TOKEN};

/// The first key of every workspace.
pub const FIRST_KEY: [u8; 32] = [7; 32];

/// A workspace in a directory of its own.
pub struct Ringed {
    pub dir: tempfile::TempDir,
    pub server: Option<OpenBao>,
    keyring: Box<dyn Keyring>,
}

/// The answer of a command.
#[derive(Debug)]
pub struct Answer {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Answer {
    /// This answer, when the exit code is as expected.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }

    /// The output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).expect("JSON")
    }
}

/// Runs a scenario with the file keyring, then with a real OpenBao server.
pub fn with_both_keyrings(scenario: impl Fn(&Ringed)) {
    scenario(&Ringed::file());
    scenario(&Ringed::vault());
}

impl Ringed {
    /// A workspace with a file keyring.
    pub fn file() -> Self {
        let dir = tempfile::tempdir().expect("directory");
        let keyring = FileKeyring::new(dir.path().join("keyring.json"));
        Ringed::new(dir, Box::new(keyring), None, "keyring = \"file\"\nkeyring_path = \"keyring.json\"\n")
    }

    /// A workspace with a server of its own.
    pub fn vault() -> Self {
        let server = OpenBao::start();
        let settings = VaultSettings::new(&server.address, VaultAuth::Token(Token::new(ROOT_TOKEN)));
        let keyring = VaultKeyring::new(settings).expect("keyring");
        let audit = format!("keyring = \"vault\"\nvault_addr = \"{}\"\n", server.address);
        Ringed::new(tempfile::tempdir().expect("directory"), Box::new(keyring), Some(server), &audit)
    }

    fn new(dir: tempfile::TempDir, keyring: Box<dyn Keyring>, server: Option<OpenBao>, audit: &str) -> Self {
        let workspace = Workspace::new(dir.path());
        std::fs::create_dir_all(workspace.state_dir()).expect("data");
        let config =
            format!("lang = \"en\"\n[embedder]\nprovider = \"local\"\ndir = \"no-model\"\n[audit]\n{audit}");
        std::fs::write(workspace.config(), config).expect("configuration");
        keyring.replace(0, &Key::from_bytes(FIRST_KEY), ago(400), 0).expect("key");
        Ringed { dir, server, keyring }
    }

    /// The workspace.
    pub fn workspace(&self) -> Workspace {
        Workspace::new(self.dir.path())
    }

    /// Runs a binary to its end.
    pub fn run(&self, binary: &str, arguments: &[&str]) -> Answer {
        let output =
            self.command(assert_cmd::cargo::cargo_bin(binary)).args(arguments).output().expect("run");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Answer { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// A command in the workspace with an environment of its own.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.dir.path()).env_clear().stdin(Stdio::null());
        command.env("HOME", self.dir.path()).env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.env("LC_ALL", "C.UTF-8");
        if self.server.is_some() {
            command.env("VAULT_TOKEN", ROOT_TOKEN);
        }
        command
    }

    /// A path of the workspace.
    pub fn path(&self, inside: &str) -> PathBuf {
        self.dir.path().join(inside)
    }

    /// A file of `data/`; empty when absent.
    pub fn data(&self, name: &str) -> String {
        std::fs::read_to_string(self.path("data").join(name)).unwrap_or_default()
    }

    /// The lines of `data/NAME` as JSON.
    pub fn records(&self, name: &str) -> Vec<serde_json::Value> {
        self.data(name).lines().map(|l| serde_json::from_str(l).expect("JSON")).collect()
    }

    /// Appends a line to `data/NAME`.
    pub fn line(&self, name: &str, record: &serde_json::Value) {
        let text = format!("{}{record}\n", self.data(name));
        std::fs::write(self.path("data").join(name), text).expect("write");
    }

    /// A lesson of `story` with one tag, `days` old, with these further fields; its id.
    pub fn lesson(&self, story: &str, tag: &str, days: i64, more: serde_json::Value) -> String {
        let mut record = serde_json::json!({
            "story": story, "gate": 8, "tags": [tag], "lesson": format!("Lesson on {tag}"),
            "domain": "auth", "project": "backend", "created_at": ago(days),
        });
        let fields = record.as_object_mut().expect("object");
        fields.extend(more.as_object().expect("object").clone());
        self.line("learnings.jsonl", &record);
        learning_id(&story.parse().expect("story"), 8, &tag_hash(&[tag]))
    }

    /// A gate-8 record.
    pub fn gate8(&self, story: &str, version: u32, verdict: &str) {
        let record = serde_json::json!({
            "story": story, "gate": 8, "version": version, "verdict": verdict, "timestamp": ago(1),
            "domain": "auth", "project": "backend",
        });
        self.line("metrics.jsonl", &record);
    }

    /// A clarification whose answers hold `text`, given `days` ago, with its Markdown; its id.
    pub fn clarification(&self, story: &str, days: i64, text: &str) -> String {
        let path = format!("docs/epics/auth/{story}-x/{story}-clarifications.md");
        let date = ago(days).date();
        let questions: Vec<_> = ["probleme", "criteres", "contraintes", "priorites"]
            .iter()
            .zip(1..)
            .map(|(theme, n)| serde_json::json!({"id": format!("Q{n}"), "theme": theme, "answer": text}))
            .collect();
        let record = serde_json::json!({
            "story": story, "domain": "auth", "project": "backend", "date": date, "path": path,
            "questions": questions, "retention_until": date.plus_months(18),
        });
        self.line("clarifications.jsonl", &record);
        let file = self.path(&path);
        std::fs::create_dir_all(file.parent().expect("parent")).expect("directory");
        let mut markdown =
            format!("---\nstory: {story}\ndomain: auth\nproject: backend\ndate: {date}\n---\n");
        for title in ["Q1 — Problème", "Q2 — Critères", "Q3 — Contraintes", "Q4 — Priorités"] {
            markdown.push_str(&format!("\n## {title}\n\n?\n\n> {text}\n"));
        }
        std::fs::write(file, markdown).expect("Markdown");
        govmem::base::id::ascii_slug(&path)
    }

    /// Indexes records of `source` by id, a vector each; equal numbers give equal vectors.
    pub fn index(&self, source: Source, ids: &[&str]) {
        let mut locks = Locks::new(&self.workspace(), LockSettings::default());
        let (guard, _) = locks.begin().exclusive::<lock::Reindex>().expect("lock");
        let mut draft = Draft::new(&model(), 768, "Flat").expect("draft");
        for (i, id) in ids.iter().enumerate() {
            draft.push(id, &govmem::base::id::sha256_hex(id), &[vector(i)]).expect("row");
        }
        let files = SetFiles::of(&self.workspace(), source);
        files.prepare(&guard, draft).expect("prepare").commit(&guard).expect("commit");
    }

    /// The ids that the index of `source` holds.
    pub fn indexed(&self, source: Source) -> Vec<String> {
        let set = SetFiles::of(&self.workspace(), source).open().expect("a sound index");
        set.manifest().rows.iter().map(|row| row.id.clone()).collect()
    }

    /// Signs and appends events, which come in the order of time.
    pub fn append(&self, events: &[Event]) {
        let mut locks = Locks::new(&self.workspace(), LockSettings::default());
        let (guard, _) = locks.begin().exclusive::<lock::Trail>().expect("lock");
        let paths = TrailPaths::of(&self.workspace());
        let mut trail = Trail::open(&paths, self.keyring.as_ref(), SystemClock.now(), &guard).expect("trail");
        trail.append(events).expect("append");
    }

    /// The events of the trail.
    pub fn events(&self) -> Vec<serde_json::Value> {
        self.records("learnings-injections.jsonl")
    }

    /// Commits `data/learnings.jsonl` with git.
    pub fn commit_learnings(&self) {
        let who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
        for words in
            [&["init", "-q"][..], &["add", "-f", "data/learnings.jsonl"], &["commit", "-q", "-m", "x"]]
        {
            let done = self.command("git").args(who).args(words).output().expect("git");
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        }
    }

    /// Every file of the workspace that is not under version control of git itself, by name.
    pub fn files(&self) -> Vec<PathBuf> {
        fn walk(dir: &Path, found: &mut Vec<PathBuf>) {
            for entry in std::fs::read_dir(dir).expect("directory") {
                let path = entry.expect("entry").path();
                if path.is_dir() {
                    walk(&path, found);
                } else {
                    found.push(path);
                }
            }
        }
        let mut found = Vec::new();
        walk(self.dir.path(), &mut found);
        found.sort();
        found
    }

    /// The files in which `bytes` stand.
    pub fn holding(&self, bytes: &[u8]) -> Vec<PathBuf> {
        let holds = |path: &PathBuf| {
            let content = std::fs::read(path).expect("file");
            memchr::memmem::find(&content, bytes).is_some()
        };
        self.files().into_iter().filter(holds).collect()
    }
}

/// The model that indexes are said to be of.
fn model() -> ModelIdentity {
    ModelIdentity {
        provider: "local".into(),
        name: "none".into(),
        digest: "0".into(),
        width: 768,
        query_prefix: String::new(),
        document_prefix: String::new(),
        window: 256,
    }
}

/// The vector of the record at place `i`: recognisable bytes.
#[expect(clippy::cast_precision_loss, reason = "a small number")]
pub fn vector(i: usize) -> Vec<f32> {
    let mut vector = vec![0.0f32; 768];
    (vector[i], vector[700]) = (0.8 + i as f32 / 1000.0, 0.5);
    let norm = vector.iter().map(|v| v * v).sum::<f32>().sqrt();
    vector.iter().map(|v| v / norm).collect()
}

/// `days` days ago.
pub fn ago(days: i64) -> Instant {
    SystemClock.now().plus(-days * 86_400)
}

/// A step-0 event of `story` in `domain`, `days` ago, that showed the lessons `ids`.
pub fn shown(days: i64, story: &str, domain: &str, ids: &[&str]) -> Event {
    let (story, domain, project): (StoryId, Slug, Slug) =
        (story.parse().expect("story"), domain.parse().expect("slug"), "backend".parse().expect("slug"));
    let place = Place { story: &story, domain: &domain, project: &project };
    Event::step0(Source::Learning, ago(days), place, "a query", ids.iter().map(|i| (*i).to_owned()).collect())
}

/// The signature of an event by the key, computed from RFC 8785 and RFC 2104 by other code than ours.
pub fn signature(event: &serde_json::Value, key: &[u8]) -> String {
    let mut event = event.clone();
    event.as_object_mut().expect("object").shift_remove("signature_hmac_sha256");
    let canonical = serde_json_canonicalizer::to_vec(&event).expect("canonical");
    let mut mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(key).expect("key");
    mac.update(&canonical);
    hex::encode(mac.finalize().into_bytes())
}
