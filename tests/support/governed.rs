//! A workspace made by the library, without a model: records, a file keyring, a signed trail with
//! events of any age, empty indexes. The binaries then run on it.

use std::process::{Command, Output};

use govmem::audit::{
    Event, FileKeyring, Key, Keyring, Place, Token, Trail, TrailPaths, VaultAuth, VaultKeyring, VaultSettings,
};
use govmem::base::id::{Slug, StoryId};
use govmem::base::{Clock, Instant, ModelIdentity, SystemClock};
use govmem::store::{LockSettings, Locks, Source, Workspace, lock};
use govmem::vector::{Draft, SetFiles};

/// A workspace in a directory of its own.
pub struct Governed {
    pub dir: tempfile::TempDir,
    keyring: Box<dyn Keyring>,
    token: Option<String>,
}

impl Governed {
    /// An empty workspace with a key; the merge lies `merge_days` days back.
    pub fn new(lang: &str, merge_days: i64) -> Self {
        let dir = tempfile::tempdir().expect("dir");
        let workspace = Workspace::new(dir.path());
        std::fs::create_dir_all(workspace.state_dir()).expect("data");
        let keyring = FileKeyring::new(dir.path().join("keys/keyring.json"));
        std::fs::create_dir(dir.path().join("keys")).expect("keys");
        keyring.replace(0, &Key::from_bytes([7; 32]), ago(400, 0), 0).expect("key");
        let merge = ago(merge_days, 0).date();
        let config = format!(
            "lang = \"{lang}\"\n[embedder]\nprovider = \"local\"\ndir = \"no-model\"\n[audit]\nkeyring = \"file\"\nkeyring_path = \"keys/keyring.json\"\n[kpi]\nb5_merge = \"{merge}\"\n"
        );
        std::fs::write(workspace.config(), config).expect("config");
        let mut locks = Locks::new(&workspace, LockSettings::default());
        let (guard, _) = locks.begin().exclusive::<lock::Reindex>().expect("lock");
        for source in Source::ALL {
            SetFiles::of(&workspace, source).init(&guard, &model(), 768, "Flat").expect("index");
        }
        Governed { dir, keyring: Box::new(keyring), token: None }
    }

    /// The same with its key on a server that speaks Vault's protocol, and nowhere else.
    pub fn keyed_by(mut self, address: &str, token: &str) -> Self {
        let settings = VaultSettings::new(address, VaultAuth::Token(Token::new(token)));
        let keyring = VaultKeyring::new(settings).expect("keyring");
        keyring.replace(0, &Key::from_bytes([7; 32]), ago(400, 0), 0).expect("key");
        let path = Workspace::new(self.dir.path()).config();
        let config = std::fs::read_to_string(&path).expect("config");
        let file = "keyring = \"file\"\nkeyring_path = \"keys/keyring.json\"\n";
        assert!(config.contains(file), "{config}");
        let vault = format!("keyring = \"vault\"\nvault_addr = \"{address}\"\n");
        std::fs::write(path, config.replace(file, &vault)).expect("config");
        std::fs::remove_dir_all(self.dir.path().join("keys")).expect("the other keyring");
        (self.keyring, self.token) = (Box::new(keyring), Some(token.to_owned()));
        self
    }

    /// Appends a line to `data/NAME`.
    pub fn line(&self, name: &str, line: &str) {
        use std::io::Write;
        let path = self.dir.path().join("data").join(name);
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).expect("file");
        writeln!(file, "{line}").expect("line");
    }

    /// Signs and appends `events`, which come in the order of time.
    pub fn append(&self, events: &[Event]) {
        let workspace = Workspace::new(self.dir.path());
        let mut locks = Locks::new(&workspace, LockSettings::default());
        let (guard, _) = locks.begin().exclusive::<lock::Trail>().expect("lock");
        let now = SystemClock.now();
        let mut trail =
            Trail::open(&TrailPaths::of(&workspace), self.keyring.as_ref(), now, &guard).expect("trail");
        trail.append(events).expect("append");
    }

    /// A learning of `story`, with its id returned.
    pub fn learning(&self, story: &str, tag: &str, title: &str, created: Instant) -> String {
        let hash = govmem::base::id::tag_hash(&[tag]);
        let record = serde_json::json!({
            "story": story, "gate": 8, "tags": [tag], "lesson": format!("Lesson on {tag}"), "title": title,
            "domain": "auth", "project": "backend", "created_at": created, "scope": "story",
        });
        self.line("learnings.jsonl", &record.to_string());
        govmem::base::id::learning_id(&story.parse().expect("story"), 8, &hash)
    }

    /// The score of the learning `id` of `story` and `tag`.
    pub fn score(&self, story: &str, tag: &str, id: &str, score: f64) {
        let record = serde_json::json!({
            "story": story, "gate": 8, "tag_hash": govmem::base::id::tag_hash(&[tag]), "learning_id": id,
            "reuse_score_brut": score.atanh() * 10.0, "reuse_score": score, "nb_injections": 3,
            "nb_stories": 2, "nb_domains": 1, "domains": ["auth"], "computed_at": ago(0, 60),
            "schema_version": 3,
        });
        self.line("learnings-scores.jsonl", &record.to_string());
    }

    /// A gate-8 record.
    pub fn gate8(&self, story: &str, version: u32, verdict: &str, at: Instant) {
        let record = serde_json::json!({
            "story": story, "gate": 8, "version": version, "verdict": verdict, "timestamp": at,
            "domain": "auth", "project": "backend",
        });
        self.line("metrics.jsonl", &record.to_string());
    }

    /// The clarifications of `story`, kept until `days` days from today; the record's id.
    pub fn clarification(&self, story: &str, days: i64) -> String {
        let path = format!("docs/epics/auth/{story}-x/{story}-clarifications.md");
        let until = ago(-days, 0).date();
        let answers: Vec<_> = ["probleme", "criteres", "contraintes", "priorites"]
            .iter()
            .enumerate()
            .map(|(i, theme)| serde_json::json!({"id": format!("Q{}", i + 1), "theme": theme, "answer": "…"}))
            .collect();
        let record = serde_json::json!({
            "story": story, "domain": "auth", "project": "backend", "date": ago(30, 0).date(), "path": path,
            "questions": answers, "retention_until": until,
        });
        self.line("clarifications.jsonl", &record.to_string());
        govmem::base::id::ascii_slug(&path)
    }

    /// Indexes clarifications by id, a vector each.
    pub fn index_clarifications(&self, ids: &[&str]) {
        let workspace = Workspace::new(self.dir.path());
        let files = SetFiles::of(&workspace, Source::Clarification);
        let mut locks = Locks::new(&workspace, LockSettings::default());
        let (guard, _) = locks.begin().exclusive::<lock::Reindex>().expect("lock");
        let mut draft = Draft::new(&model(), 768, "Flat").expect("draft");
        for (i, id) in ids.iter().enumerate() {
            let mut vector = vec![0.0; 768];
            vector[i] = 1.0;
            draft.push(id, &govmem::base::id::sha256_hex(id), &[vector]).expect("row");
        }
        files.prepare(&guard, draft).expect("prepare").commit(&guard).expect("commit");
    }

    /// The ids that the index of clarifications holds.
    pub fn indexed_clarifications(&self) -> Vec<String> {
        let files = SetFiles::of(&Workspace::new(self.dir.path()), Source::Clarification);
        let manifest = files.open().expect("a sound index").manifest().clone();
        manifest.rows.into_iter().map(|r| r.id).collect()
    }

    /// A file of `data/`, empty when absent.
    pub fn data(&self, name: &str) -> String {
        std::fs::read_to_string(self.dir.path().join("data").join(name)).unwrap_or_default()
    }

    /// Runs the binary `name` in the workspace, in English unless its own language is asked for.
    pub fn run(&self, name: &str, args: &[&str]) -> Output {
        self.command(binary(name)).args(args).output().expect("run")
    }

    /// A command in the workspace, with an environment of its own.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.dir.path())
            .env_clear()
            .env("HOME", self.dir.path())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("LC_ALL", "C.UTF-8")
            .envs(self.token.iter().map(|token| ("VAULT_TOKEN", token)));
        command
    }
}

/// The model that the indexes are said to be of.
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

/// The path of a binary of this package.
pub fn binary(name: &str) -> std::path::PathBuf {
    assert_cmd::cargo::cargo_bin(name)
}

/// `days` days and `seconds` seconds ago.
pub fn ago(days: i64, seconds: i64) -> Instant {
    SystemClock.now().plus(-days * 86_400 - seconds)
}

/// A step-0 event of `story` that showed `ids` of `source`.
pub fn shown(source: Source, at: Instant, story: &str, ids: &[&str]) -> Event {
    let (story, domain, project): (StoryId, Slug, Slug) =
        (story.parse().expect("story"), "auth".parse().expect("slug"), "backend".parse().expect("slug"));
    let place = Place { story: &story, domain: &domain, project: &project };
    Event::step0(source, at, place, "a query", ids.iter().map(|i| (*i).to_owned()).collect())
}

/// Standard output of a successful run.
#[track_caller]
pub fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// Standard error of a run that ended with `code`.
#[track_caller]
pub fn stderr(output: &Output, code: i32) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{text}");
    text
}
