//! Bench: one step-0 injection as a whole process, beside Python with faiss-cpu and NumPy.
//!
//! 10,000 lessons, 2,000 notes, 1,000 clarifications with seeded unit vectors; the file keyring; the
//! local model. Reports medians of wall time and the peak of resident memory, with the query vector
//! cached and with the model loaded cold. Run: `cargo bench --bench step0`. The Python peer runs when
//! `GOVMEM_BENCH_PYTHON` names an interpreter that has faiss-cpu and NumPy.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench reports on the terminal and stops at the first failure"
)]

#[path = "../support/rusage.rs"]
mod rusage;
#[path = "../support/seeded.rs"]
mod seeded;
#[path = "../support/space.rs"]
#[expect(dead_code, reason = "shared with the tests")]
mod space;

use std::path::Path;

use govmem::base::id::{StoryId, learning_id, sha256_hex, tag_hash};
use govmem::embed::{EmbedderSettings, PD295_WIDTH};
use govmem::memory::corpus::{self, Entry};
use govmem::store::lock::{LockSettings, Locks, Reindex};
use govmem::store::{Source, Workspace};
use govmem::vector::Draft;
use seeded::Seeded;
use space::Space;

const LESSONS: usize = 10_000;
const NOTES: usize = 2_000;
const CLARIFICATIONS: usize = 1_000;
const RUNS: usize = 21;

impl Seeded {
    fn words(&mut self, count: usize) -> String {
        const WORDS: [&str; 16] = [
            "lock", "index", "retry", "hash", "token", "mémoire", "story", "gate", "vector", "append",
            "replay", "window", "client", "server", "secret", "note",
        ];
        (0..count).map(|_| WORDS[(self.next() % 16) as usize]).collect::<Vec<_>>().join(" ")
    }
}

fn main() {
    // A child's peak of memory starts at its parent's: what takes memory is done in another process.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [command, root] = &arguments[..]
        && command == "fill"
    {
        fill(Path::new(root));
        return;
    }
    let mut space = Space::new("");
    // The limiter would refuse the eleventh run.
    space.env.push(("GOVMEM_LIMITS_STORY_PER_300S".into(), "100000".into()));
    space.env.push(("GOVMEM_LIMITS_WORKSPACE_PER_300S".into(), "100000".into()));
    let mut filling = std::process::Command::new(std::env::current_exe().expect("this program"));
    assert!(filling.arg("fill").arg(space.path("")).status().expect("filling").success());

    let inject = |story: usize, title: &str| {
        let story = format!("PD-{story}");
        let args = ["--story", &story, "--title", title, "--domain", "auth", "--project", "backend"];
        rusage::measure(space.command("step0-inject", &args))
    };
    // Cold: every run asks a query that no cache knows.
    let cold: Vec<rusage::Usage> = (0..5).map(|i| inject(50_000 + i, &format!("query number {i}"))).collect();
    inject(1, "cached query");
    let warm: Vec<rusage::Usage> = (0..RUNS).map(|i| inject(2 + i, "cached query")).collect();
    println!("step0-inject, cached query vector: {}", rusage::summary(&warm));
    println!("step0-inject, model loaded cold:   {}", rusage::summary(&cold));

    let Ok(python) = std::env::var("GOVMEM_BENCH_PYTHON") else {
        println!("SKIPPED: the Python peer (GOVMEM_BENCH_PYTHON is not set)");
        return;
    };
    let path = space.path("query.npy");
    let peer: Vec<rusage::Usage> = (0..7)
        .map(|_| {
            let mut command = std::process::Command::new(&python);
            command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bench/step0_reference.py"));
            command.arg(space.path("")).arg(&path).arg("00".repeat(32));
            command.stdout(std::process::Stdio::piped());
            rusage::measure(command)
        })
        .collect();
    println!("Python, faiss-cpu and NumPy:       {}", rusage::summary(&peer));
    println!("ratio of medians: {:.1}", rusage::median(&peer) / rusage::median(&warm));
}

/// Writes the records, the scores and the indexes of the workspace `root`, and the query's vector.
fn fill(root: &Path) {
    let workspace = &Workspace::new(root.to_owned());
    let settings = EmbedderSettings {
        provider: govmem::base::config::Provider::Local,
        dir: Some(space::model()),
        ..EmbedderSettings::default()
    };
    let embedder = govmem::embed::open(&settings).expect("model");
    let query = embedder.embed_query("cached query auth backend").expect("vector");
    write_npy(&root.join("query.npy"), &govmem::embed::pad(query, PD295_WIDTH).expect("vector"));
    let model = embedder.identity();
    let mut seeded = Seeded(295);
    let story = StoryId::parse("PD-1").expect("story");
    let mut files: [(Source, String, Vec<Entry>); 3] =
        Source::ALL.map(|source| (source, String::new(), Vec::new()));
    let mut scores = String::new();
    for i in 0..LESSONS {
        let tags = vec![format!("tag-{i}")];
        let (hash, lesson) = (tag_hash(&tags), seeded.words(90));
        let id = learning_id(&story, 8, &hash);
        let line = serde_json::json!({
            "story": "PD-1", "gate": 8, "tags": tags, "lesson": lesson, "domain": "auth", "project": "backend",
            "created_at": "2026-01-01T00:00:00Z", "tag_hash": hash, "learning_id": id, "scope": "story", "status": "active",
        });
        files[0].1.push_str(&format!("{line}\n"));
        files[0].2.push(Entry { id: id.clone(), text: format!("{lesson}\ntag-{i}") });
        let score = serde_json::json!({
            "story": "PD-1", "gate": 8, "tag_hash": hash, "learning_id": id, "reuse_score_brut": 1.8,
            "reuse_score": 0.178_080_868_117_206_03, "nb_injections": 2, "nb_stories": 2, "nb_domains": 1,
            "domains": ["auth"], "last_injected_at": "2026-02-01T00:00:00Z", "computed_at": "2026-02-02T00:00:00Z",
            "schema_version": 3,
        });
        scores.push_str(&format!("{score}\n"));
    }
    for i in 0..NOTES {
        let (id, summary) = (format!("note-{i}"), seeded.words(90));
        let line = serde_json::json!({
            "id": id, "title": format!("Note {i}"), "date": "2026-01-01", "path": format!("docs/veille/{i}.md"),
            "tags": ["x"], "impact_pv": "fort", "verdict": "adopter", "summary": summary, "content_hash": sha256_hex(&summary),
        });
        files[1].1.push_str(&format!("{line}\n"));
        files[1].2.push(Entry { id, text: format!("Note {i}\n{summary}\nx") });
    }
    for i in 0..CLARIFICATIONS {
        let path = format!("docs/epics/auth/PD-{0}-x/PD-{0}-clarifications.md", 100_000 + i);
        let answer = seeded.words(40);
        let questions: Vec<serde_json::Value> = ["probleme", "criteres", "contraintes", "priorites"]
            .iter()
            .enumerate()
            .map(|(n, theme)| serde_json::json!({"id": format!("Q{}", n + 1), "theme": theme, "answer": answer}))
            .collect();
        let line = serde_json::json!({
            "story": format!("PD-{}", 100_000 + i), "domain": "auth", "project": "backend", "date": "2026-06-01",
            "path": path, "questions": questions, "retention_until": "2027-12-01",
        });
        files[2].1.push_str(&format!("{line}\n"));
        let id = govmem::base::id::ascii_slug(&path);
        files[2].2.push(Entry { id, text: vec![answer; 4].join("\n\n") });
    }
    std::fs::write(workspace.scores(), scores).expect("scores");
    for (source, lines, entries) in files {
        std::fs::write(workspace.records(source), lines).expect("records");
        let mut draft = Draft::new(model, PD295_WIDTH, "Flat").expect("draft");
        for entry in &entries {
            draft.push(&entry.id, &entry.hash(), &[seeded.unit(PD295_WIDTH)]).expect("vector");
        }
        let mut locks = Locks::new(workspace, LockSettings::default());
        let (guard, _) = locks.begin().exclusive::<Reindex>().expect("lock");
        corpus::files(workspace, source)
            .prepare(&guard, draft)
            .expect("prepare")
            .commit(&guard)
            .expect("commit");
    }
}

/// NumPy's format, version 1.0: magic, length, header, little-endian values.
fn write_npy(path: &Path, values: &[f32]) {
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}", values.len());
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    std::fs::write(path, bytes).expect("npy");
}
