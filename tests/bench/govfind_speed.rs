//! Bench: `govfind` as whole processes beside its peer qmd 2.8.3, on the same documents in the same run.
//!
//! The Markdown of the documents beside the repository three times over, words of at least four letters
//! replaced with a seeded chance of one in fifty by another of the same page; 50 short and 20 long
//! queries of `tests/bench/queries.tsv`. The peer runs when `GOVMEM_BENCH_QMD` names a folder with
//! `node_modules/@tobilu/qmd` and `node_modules/node` (`npm install @tobilu/qmd@2.8.3 node@22`). Vectors
//! are seeded, but carry the identity of the local model, which embeds the queries.
//!
//! Run: `cargo bench --bench govfind_speed`. Fails when a goal of the table is missed.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a bench reports on the terminal and stops at the first failure"
)]

#[path = "../support/model.rs"]
#[expect(dead_code, clippy::unwrap_used, reason = "shared with the tests")]
mod model;
#[path = "../support/rusage.rs"]
mod rusage;
#[path = "../support/seeded.rs"]
mod seeded;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use govmem::base::{ModelIdentity, Result};
use govmem::embed::{Embedder, LocalEmbedder, LocalReranker, Prefixes, Reranker, Window};
use govmem::retrieval::Catalog;
use govmem::retrieval::bench::metrics::percentile;
use govmem::retrieval::catalog::Location;
use govmem::retrieval::embedding::{Settings, embed};
use rusage::{Usage, measure};
use seeded::Seeded;

/// Figures beside their goals.
struct Table(bool);

impl Table {
    /// A figure that must be at most `goal`.
    fn row(&mut self, what: &str, ours: f64, goal: f64, unit: &str, peer: Option<f64>) {
        let holds = ours <= goal;
        self.0 &= holds;
        let peer = peer.map_or_else(|| "-".to_owned(), |p| format!("{p:.1}"));
        let verdict = if holds { "" } else { "  MISSED" };
        println!("{what:<58} {ours:>9.2} {unit:<4} goal {goal:>6} peer {peer:>8}{verdict}");
    }
}

struct World {
    dir: tempfile::TempDir,
    qmd: Option<PathBuf>,
}

impl World {
    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn environment(&self, command: &mut Command, path: &str) {
        command.env_clear().current_dir(self.dir.path()).env("HOME", self.dir.path()).env("PATH", path);
        for kind in ["DATA", "CONFIG", "CACHE", "STATE"] {
            command.env(format!("XDG_{kind}_HOME"), self.path(&kind.to_lowercase()));
        }
    }

    fn govfind(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_govfind"));
        self.environment(&mut command, "/usr/bin:/bin");
        command.args(args);
        command
    }

    fn qmd(&self, args: &[&str]) -> Option<Command> {
        let modules = self.qmd.as_ref()?.join("node_modules");
        let mut command = Command::new(modules.join("node/bin/node"));
        let path = format!("{}:/usr/bin:/bin", modules.join("node/bin").display());
        self.environment(&mut command, &path);
        command.arg(modules.join("@tobilu/qmd/bin/qmd")).args(args).stdout(Stdio::null());
        Some(command)
    }

    fn peer(&self, args: &[&str]) -> Option<Usage> {
        self.qmd(args).map(measure)
    }

    fn database(&self) -> PathBuf {
        self.path("data/govfind/default.db")
    }
}

fn main() {
    let kb = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/kb");
    if !kb.is_dir() {
        println!("SKIPPED: ../shared/data absent");
        return;
    }
    let qmd = std::env::var_os("GOVMEM_BENCH_QMD").filter(|v| !v.is_empty()).map(PathBuf::from);
    if qmd.is_none() {
        println!("SKIPPED: the peer; GOVMEM_BENCH_QMD names no folder with qmd");
    }
    let w = World { dir: tempfile::tempdir().expect("directory"), qmd };
    let (files, bytes) = corpus(&kb, &w.path("docs"));
    println!("{files} documents, {:.1} MB", bytes as f64 / 1e6);
    let mut table = Table(true);
    indexing(&w, &mut table, bytes);
    searches(&w, &mut table);
    parallel(&w, &mut table);
    meaning(&w, &mut table);
    daemon(&w, &mut table);
    reranking(&w, &mut table);
    std::process::exit(i32::from(!table.0));
}

/// Writes the documents; returns their number and bytes.
fn corpus(kb: &Path, to: &Path) -> (usize, usize) {
    let mut pages = Vec::new();
    let mut waiting = vec![kb.to_owned()];
    while let Some(dir) = waiting.pop() {
        for entry in std::fs::read_dir(dir).expect("documents") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|e| e == "md" || e == "mdx") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    let (mut files, mut bytes, mut seed) = (0, 0, Seeded(1));
    for copy in 0..3 {
        for page in &pages {
            let text = changed(&std::fs::read_to_string(page).expect("page"), &mut seed);
            let path = to.join(format!("copy{copy}")).join(page.strip_prefix(kb).expect("prefix"));
            // The peer's mask is Markdown alone.
            let path = path.with_extension("md");
            std::fs::create_dir_all(path.parent().expect("parent")).expect("directory");
            std::fs::write(&path, &text).expect("page");
            files += 1;
            bytes += text.len();
        }
    }
    (files, bytes)
}

fn changed(text: &str, seed: &mut Seeded) -> String {
    let word = |w: &&str| w.chars().count() >= 4 && w.chars().all(char::is_alphanumeric);
    let all: Vec<&str> = text.split(' ').filter(word).collect();
    let pick = |w: &'_ str, seed: &mut Seeded| match word(&w) && seed.next().is_multiple_of(50) {
        true => all[(seed.next() % all.len() as u64) as usize].to_owned(),
        false => w.to_owned(),
    };
    text.split(' ').map(|w| pick(w, seed)).collect::<Vec<_>>().join(" ")
}

fn indexing(w: &World, table: &mut Table, bytes: usize) {
    let docs = w.path("docs");
    let docs = docs.to_str().expect("path");
    let mut first = Vec::new();
    for _ in 0..3 {
        let _ = std::fs::remove_dir_all(w.path("data"));
        measure(w.govfind(&["collection", "add", docs, "--name", "docs", "-q"]));
        first.push(measure(w.govfind(&["update", "-q"])));
    }
    let peer = w.peer(&["collection", "add", docs, "--name", "docs"]).map(|u| u.ms / 1e3);
    table.row("first index, lexical", rusage::median(&first) / 1e3, 2.0, "s", peer);
    let idle: Vec<Usage> = (0..11).map(|_| measure(w.govfind(&["update", "-q"]))).collect();
    let theirs: Option<Vec<Usage>> = (0..3).map(|_| w.peer(&["update"])).collect();
    let peer = theirs.map(|t| rusage::median(&t));
    table.row("update with nothing to do", rusage::median(&idle), 60.0, "ms", peer);
    let size = |path: PathBuf| std::fs::metadata(path).map_or(0, |m| m.len()) as f64 / bytes as f64;
    let peer = w.qmd.is_some().then(|| size(w.path("cache/qmd/index.sqlite")));
    table.row("database / text, before vectors", size(w.database()), 1.2, "", peer);
}

fn queries(kind: &str) -> Vec<&'static str> {
    let mine = include_str!("queries.tsv").lines().filter_map(|l| l.split_once('\t'));
    mine.filter(|(k, _)| *k == kind).map(|(_, q)| q).collect()
}

fn searches(w: &World, table: &mut Table) {
    let of = |runs: &[Usage], p: f64| percentile(&runs.iter().map(|u| u.ms).collect::<Vec<_>>(), p);
    let peak = |runs: &[Usage]| runs.iter().map(|u| u.mib).fold(0.0, f64::max);
    let ours = |kind| -> Vec<Usage> {
        let rounds = (0..3).flat_map(|_| queries(kind));
        rounds.map(|q| measure(w.govfind(&["search", q, "--json"]))).collect()
    };
    let theirs = |kind| -> Option<Vec<Usage>> {
        queries(kind).into_iter().map(|q| w.peer(&["search", q, "--json"])).collect()
    };
    let (short, peer) = (ours("short"), theirs("short"));
    let at = |p| peer.as_ref().map(|t| of(t, p));
    table.row("search, cold process, 50 short queries × 3, median", of(&short, 0.5), 15.0, "ms", at(0.5));
    table.row("search, cold process, short, p95", of(&short, 0.95), 20.0, "ms", at(0.95));
    let (long, theirs) = (ours("long"), theirs("long"));
    let other = theirs.as_ref().map(|t| of(t, 0.95));
    table.row("search, cold process, 20 long queries × 3, p95", of(&long, 0.95), 30.0, "ms", other);
    let most = peak(&short).max(peak(&long));
    let other = peer.as_ref().map(|t| peak(t));
    table.row("search, peak of resident memory", most, 40.0, "MiB", other);
    // Every query is of words that stand in some document.
    for query in queries("short").into_iter().chain(queries("long")) {
        let found = w.govfind(&["search", query]).output().expect("search");
        assert_eq!(found.status.code(), Some(0), "{query}");
    }
}

/// Searches beside an update that changes every fourth document.
fn parallel(w: &World, table: &mut Table) {
    let mut waiting = vec![w.path("docs")];
    let mut number = 0;
    while let Some(dir) = waiting.pop() {
        for entry in std::fs::read_dir(dir).expect("documents") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                number += 1;
                if number % 4 == 0 {
                    let mut file = std::fs::File::options().append(true).open(&path).expect("page");
                    file.write_all(b"\nchanged meanwhile\n").expect("page");
                }
            }
        }
    }
    let mut update = w.govfind(&["update", "-q"]).stdout(Stdio::null()).spawn().expect("update");
    let all = queries("short");
    let start = Instant::now();
    let searches: Vec<_> = (0..40)
        .map(|i| {
            let mut command = w.govfind(&["search", all[i % all.len()]]);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("search")
        })
        .collect();
    let failed =
        searches.into_iter().filter_map(|c| c.wait_with_output().ok()).filter(|o| !o.status.success());
    let failed = failed.count();
    let seconds = start.elapsed().as_secs_f64();
    let during = update.try_wait().expect("update").is_none();
    assert!(update.wait().expect("update").success());
    println!(
        "40 searches at once took {seconds:.2} s; the update {} them",
        if during { "outlived" } else { "ended before" }
    );
    table.row("of 40 searches at once during an update, failed", failed as f64, 0.0, "", None);
}

/// Seeded vectors under another embedder's name.
struct Pretending(ModelIdentity, std::sync::Mutex<Seeded>);

impl Embedder for Pretending {
    fn identity(&self) -> &ModelIdentity {
        &self.0
    }

    fn embed_query(&self, _: &str) -> Result<Vec<f32>> {
        panic!("queries are embedded by the model itself")
    }

    fn embed_windows(&self, texts: &[&str], _: &mut dyn FnMut(usize)) -> Result<Vec<Vec<Window>>> {
        let mut seed = self.1.lock().expect("seed");
        let one = |text: &&str| vec![Window { bytes: 0..text.len(), vector: seed.unit(self.0.width) }];
        Ok(texts.iter().map(one).collect())
    }
}

fn meaning(w: &World, table: &mut Table) {
    let dir = model::minilm();
    let local = LocalEmbedder::open(&dir, Prefixes::default(), None).expect("model");
    let pretending = Pretending(local.identity().clone(), std::sync::Mutex::new(Seeded(7)));
    let location = Location { path: w.database(), option: String::new() };
    let mut catalog = Catalog::open_existing(&location).expect("index");
    let report = embed(&mut catalog, &pretending, &Settings::default(), &mut |_, _| {}).expect("vectors");
    drop(catalog);
    measure(w.govfind(&["config", "set", "embedder-dir", dir.to_str().expect("path"), "-q"]));
    // The first one computes the digest of the weights and remembers it.
    measure(w.govfind(&["vsearch", "warm", "--json"]));
    let all: Vec<Usage> =
        queries("short").iter().map(|q| measure(w.govfind(&["vsearch", q, "--json"]))).collect();
    let times: Vec<f64> = all.iter().map(|u| u.ms).collect();
    let what = format!("vsearch, cold process, {} chunks, median", report.embedded);
    table.row(&what, percentile(&times, 0.5), 200.0, "ms", None);
    println!("  p95 {:.1} ms; {}", percentile(&times, 0.95), rusage::summary(&all));
}

fn daemon(w: &World, table: &mut Table) {
    let mut server = w
        .govfind(&["--json", "serve", "--port", "0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("server");
    let mut line = String::new();
    BufReader::new(server.stdout.take().expect("stdout")).read_line(&mut line).expect("place");
    let place: serde_json::Value = serde_json::from_str(&line).expect("place");
    let address = place["endpoint"].as_str().expect("endpoint").trim_start_matches("http://").to_owned();
    let ask = |query: &str, mode: &str| {
        let body = serde_json::json!({"query": query, "mode": mode, "rerank": false}).to_string();
        let start = Instant::now();
        let mut stream = TcpStream::connect(&address).expect("connection");
        let head = format!(
            "POST /query HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).expect("question");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("answer");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        start.elapsed().as_secs_f64() * 1e3
    };
    ask("warm up the model", "query");
    for (mode, goal) in [("query", 20.0), ("search", 20.0), ("vsearch", 20.0)] {
        let times: Vec<f64> = queries("short").iter().map(|q| ask(q, mode)).collect();
        let what = format!("daemon, {mode} without reranking, median");
        table.row(&what, percentile(&times, 0.5), goal, "ms", None);
        println!("  p95 {:.1} ms", percentile(&times, 0.95));
    }
    server.kill().expect("server");
    server.wait().expect("server");
}

/// A cross-encoder of the shape of MiniLM-L6: its weights with a seeded head.
fn reranking(w: &World, table: &mut Table) {
    let (from, to) = (model::minilm(), w.path("cross"));
    std::fs::create_dir_all(&to).expect("directory");
    for name in ["config.json", "tokenizer.json", "tokenizer_config.json"] {
        std::fs::copy(from.join(name), to.join(name)).expect("copy");
    }
    with_head(&from.join("model.safetensors"), &to.join("model.safetensors"), 384);
    let reranker = LocalReranker::open(&to, None).expect("cross-encoder");
    let local = LocalEmbedder::open(&from, Prefixes::default(), None).expect("model");
    let words: Vec<&str> = include_str!("queries.tsv").split_whitespace().collect();
    let passages: Vec<String> = (0..20)
        .map(|i| {
            let mut passage = String::new();
            // 256 tokens with those of the query and the marks between them.
            for word in words.iter().cycle().skip(i * 13) {
                if local.count_tokens(&passage).expect("tokens") >= 244 {
                    break;
                }
                passage.push_str(word);
                passage.push(' ');
            }
            passage
        })
        .collect();
    let slices: Vec<&str> = passages.iter().map(String::as_str).collect();
    let times: Vec<f64> = (0..5)
        .map(|_| {
            let start = Instant::now();
            let scores = reranker.score("how are locks ordered", &slices).expect("scores");
            assert_eq!(scores.len(), 20);
            start.elapsed().as_secs_f64()
        })
        .collect();
    table.row("rerank 20 passages of 256 tokens", percentile(&times, 0.5), 2.0, "s", None);
}

/// A copy of a safetensors file whose tensors are below `bert.`, with a classification head.
fn with_head(from: &Path, to: &Path, width: usize) {
    let bytes = std::fs::read(from).expect("weights");
    let length = u64::from_le_bytes(bytes[..8].try_into().expect("length")) as usize;
    let header: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(&bytes[8..8 + length]).expect("header");
    let mut data = bytes[8 + length..].to_vec();
    let mut renamed = serde_json::Map::new();
    for (name, value) in header {
        if name != "__metadata__" {
            renamed.insert(format!("bert.{}", name.trim_start_matches("bert.")), value);
        }
    }
    let mut seed = Seeded(3);
    for (name, shape, values) in
        [("classifier.weight", vec![1, width], seed.unit(width)), ("classifier.bias", vec![1], vec![0.1])]
    {
        let begin = data.len();
        values.iter().for_each(|v| data.extend(v.to_le_bytes()));
        let entry = serde_json::json!({"dtype": "F32", "shape": shape, "data_offsets": [begin, data.len()]});
        renamed.insert(name.to_owned(), entry);
    }
    let mut header = serde_json::Value::Object(renamed).to_string();
    while !header.len().is_multiple_of(8) {
        header.push(' ');
    }
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend(data);
    std::fs::write(to, file).expect("weights");
}
