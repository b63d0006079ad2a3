//! Scoring and promotion at three sizes, up to 1,000,000 events and 100,000 lessons: time and peak
//! memory of the release binaries, beside a Python script that does the same on the same files.
//!
//! `cargo bench --bench scale` prints a table; a number after `--` is the largest size. The two
//! implementations must agree on every figure; the run fails when they do not.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a bench prints its table and stops at the first surprise"
)]

#[path = "../support/rusage.rs"]
#[expect(dead_code, reason = "each bench uses a part of the helpers")]
mod rusage;

use std::path::Path;
use std::process::Command;

use govmem::audit::{Event, FileKeyring, Key, Keyring, Place, Trail, TrailPaths};
use govmem::base::Instant;
use govmem::base::id::{Slug, StoryId, learning_id, tag_hash};
use govmem::store::lock;
use govmem::store::{LockSettings, Locks, Source, Workspace};

/// Events per lesson, and per story that received some.
const EVENTS_PER_LESSON: usize = 10;
const EVENTS_PER_STORY: usize = 20;
const DOMAINS: usize = 40;
/// Start of the generated time, 2026-01-01T00:00:00Z.
const START: i64 = 1_767_225_600;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [command, dir, events] = &arguments[..]
        && command == "generate"
    {
        generate(Path::new(dir), events.parse().expect("a number of events"));
        return;
    }
    let max: usize = arguments.first().map_or(1_000_000, |n| n.parse().expect("the largest size"));
    println!("{:>9} {:>8}  {:<22} {:>8} {:>9}", "events", "lessons", "what", "seconds", "peak MiB");
    for events in [10_000, 100_000, 1_000_000].into_iter().filter(|n| *n <= max) {
        measure(events);
    }
}

fn measure(events: usize) {
    let dir = tempfile::tempdir().expect("directory");
    let root = dir.path();
    // In a process of its own: a child's peak starts at its parent's.
    let mut generate = Command::new(std::env::current_exe().expect("this program"));
    generate.arg("generate").arg(root).arg(events.to_string());
    assert!(generate.status().expect("generation").success());

    let row = |what: &str, command: Command| {
        let run = rusage::measure(command);
        let (lessons, seconds) = (events / EVENTS_PER_LESSON, run.ms / 1000.0);
        println!("{events:>9} {lessons:>8}  {what:<22} {seconds:>8.2} {:>9.1}", run.mib);
    };
    let (score, promote) = (env!("CARGO_BIN_EXE_learnings-score"), env!("CARGO_BIN_EXE_learnings-promote"));
    let scores = root.join("data/learnings-scores.jsonl");
    row("score, first", job(score, root, &[]));
    let first = std::fs::read(&scores).expect("scores");
    row("score, unchanged", job(score, root, &[]));
    assert!(first == std::fs::read(&scores).expect("scores"), "an unchanged run changed bytes");
    commit(root);
    row("promote, migration", job(promote, root, &["--yes"]));
    row("promote, next step", job(promote, root, &["--yes"]));

    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench/scale_reference.py");
    let mut python = Command::new("python3");
    python.arg(&reference).arg(root).arg(root.join("reference.jsonl"));
    row("score in Python", python);
    compare(&scores, &root.join("reference.jsonl"));
}

fn job(program: &str, root: &Path, flags: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .arg("--workspace")
        .arg(root)
        .arg("--json")
        .args(flags)
        .env("XDG_CONFIG_HOME", root.join("config"));
    command
}

fn commit(root: &Path) {
    for arguments in
        [&["init", "-q"][..], &["add", "-f", "data/learnings.jsonl"], &["commit", "-q", "-m", "x"]]
    {
        let identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"];
        let done = Command::new("git").current_dir(root).args(identity).args(arguments).status();
        assert!(done.expect("git").success());
    }
}

/// The score file and the reference agree on every lesson.
fn compare(ours: &Path, theirs: &Path) {
    let read = |path: &Path| -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(path).expect("lines");
        text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect()
    };
    let (ours, theirs) = (read(ours), read(theirs));
    assert_eq!(ours.len(), theirs.len());
    for (a, b) in ours.iter().zip(&theirs) {
        for field in
            ["learning_id", "nb_injections", "nb_stories", "nb_domains", "domains", "last_injected_at"]
        {
            assert_eq!(a[field], b[field], "{field} of {}", a["learning_id"]);
        }
        for field in ["reuse_score_brut", "reuse_score"] {
            let (a, b) = (a[field].as_f64().expect("number"), b[field].as_f64().expect("number"));
            assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{field}: {a} {b}");
        }
    }
}

/// A workspace of `events` signed step-0 events over `events / 10` lessons without scope.
fn generate(root: &Path, events: usize) {
    let workspace = Workspace::new(root);
    std::fs::create_dir_all(workspace.data()).expect("data");
    std::fs::write(workspace.config(), "[audit]\nkeyring = \"file\"\n").expect("configuration");
    let keyring = FileKeyring::new(root.join("config/govmem/keyring.json"));
    std::fs::create_dir_all(root.join("config/govmem")).expect("keyring directory");
    let key = Key::generate().expect("key");
    keyring.replace(0, &key, Instant::from_unix(START), 0).expect("keyring");

    let (lessons, stories) = (events / EVENTS_PER_LESSON, (events / EVENTS_PER_STORY).max(1));
    let domains: Vec<Slug> = (0..DOMAINS).map(|d| format!("domain-{d}").parse().expect("domain")).collect();
    let project: Slug = "backend".parse().expect("project");
    let mut text = String::new();
    let mut ids = Vec::with_capacity(lessons);
    for n in 0..lessons {
        let story: StoryId = format!("OLD-{}", n / 3 + 1).parse().expect("story");
        let tags = [format!("topic-{n}"), format!("area-{}", n % 97)];
        let hash = tag_hash(&tags);
        let id = learning_id(&story, 8, &hash);
        let lesson = "Check the boundary before the loop, not after it; the last element is the one \
                      that nobody tests until a customer does, and then it is the first. "
            .repeat(2);
        let age_days = i64::try_from(n % 90).expect("days");
        let line = serde_json::json!({
            "story": story, "gate": 8, "tags": tags, "lesson": lesson, "domain": domains[n % DOMAINS],
            "project": project, "created_at": Instant::from_unix(START - 86_400 * age_days),
            "tag_hash": hash, "learning_id": id,
        });
        text.push_str(&format!("{line}\n"));
        ids.push(id);
    }
    std::fs::write(workspace.learnings(), &text).expect("learnings");
    text.clear();
    for n in 0..stories {
        let (version, verdict) = [(1, "GO"), (2, "GO"), (3, "GO"), (1, "RESERVE"), (2, "REJECTED")][n % 5];
        let line = serde_json::json!({
            "story": format!("NEW-{}", n + 1), "gate": 8, "version": version, "verdict": verdict,
            "timestamp": Instant::from_unix(START), "domain": domains[n % DOMAINS], "project": project,
        });
        text.push_str(&format!("{line}\n"));
    }
    std::fs::write(workspace.metrics(), &text).expect("metrics");

    let mut locks = Locks::new(&workspace, LockSettings::default());
    let (guard, _) = locks.begin().exclusive::<lock::Trail>().expect("lock");
    let mut trail =
        Trail::open(&TrailPaths::of(&workspace), &keyring, Instant::from_unix(START), &guard).expect("trail");
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut batch = Vec::new();
    for n in 0..events {
        let number = random.below(stories);
        let story: StoryId = format!("NEW-{}", number + 1).parse().expect("story");
        let place = Place { story: &story, domain: &domains[number % DOMAINS], project: &project };
        // The smaller of two draws favours the first lessons; the last tenth is never found.
        let mut shown: Vec<String> = (0..5)
            .map(|_| random.below(lessons * 9 / 10).min(random.below(lessons * 9 / 10)))
            .map(|at| ids[at].clone())
            .collect();
        shown.sort();
        shown.dedup();
        let at = Instant::from_unix(START + i64::try_from(n / 4).expect("seconds"));
        batch.push(Event::step0(Source::Learning, at, place, "partial boundary checks in the import", shown));
        if batch.len() == 20_000 || n + 1 == events {
            trail.append(&batch).expect("append");
            batch.clear();
        }
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % n as u64).expect("below a usize")
    }
}
