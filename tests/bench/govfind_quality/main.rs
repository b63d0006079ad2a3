//! Bench: how well `search`, `vsearch` and `query` find what answers, on documents beside the repository.
//!
//! Two sets: PIAF, French passages with questions that people wrote; and the documentation of Astro in
//! French and English, where a page must be found by one of its own headings. Questions are halved by
//! their SHA-256: weights of the hybrid query are chosen on one half and every figure is reported on the
//! other. `cargo bench --bench govfind_quality` uses a seeded quarter of Astro's pages; `-- --all` all
//! of them. Vectors stay below the target directory, so that a second run computes none.
//!
//! The run fails when the hybrid query with the chosen weights is below one of its legs.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a bench reports on the terminal and stops at the first failure"
)]

#[path = "../support/model.rs"]
#[expect(dead_code, clippy::unwrap_used, reason = "shared with the tests")]
mod model;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use govmem::base::Result;
use govmem::base::id::sha256_hex;
use govmem::embed::{Cached, Embedder, Generator, LocalEmbedder, Prefixes, Reranker};
use govmem::retrieval::Catalog;
use govmem::retrieval::bench::metrics::{Metrics, mean, measure};
use govmem::retrieval::catalog::Location;
use govmem::retrieval::faiss_file::Kept;
use govmem::retrieval::query::{Mode, Models, Request, run};

/// Rank that recall looks down to.
const K: usize = 10;
/// Questions of the choosing half that a pair of weights is tried on.
const TRIED: usize = 800;
const SEMANTIC: [f64; 8] = [0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0];
const FEEDBACK: [f64; 3] = [0.0, 0.15, 0.3];

/// A question and the document that answers it.
struct Question {
    text: String,
    relevant: String,
    collection: &'static str,
}

impl Question {
    /// The same for the same text, everywhere.
    fn hash(&self) -> String {
        sha256_hex(format!("{}\0{}", self.collection, self.text))
    }

    fn chooses(&self) -> bool {
        self.hash().ends_with(['0', '2', '4', '6', '8', 'a', 'c', 'e'])
    }
}

struct Local {
    embedder: Cached<LocalEmbedder>,
}

impl Models for Local {
    fn embedder(&self) -> Result<&dyn Embedder> {
        Ok(&self.embedder)
    }

    fn generator(&self) -> Result<Option<&dyn Generator>> {
        Ok(None)
    }

    fn reranker(&self) -> Result<Option<&dyn Reranker>> {
        Ok(None)
    }
}

fn main() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    if !data.is_dir() {
        println!("SKIPPED: ../shared/data absent");
        return;
    }
    let all = std::env::args().any(|a| a == "--all");
    let work = Path::new(env!("CARGO_TARGET_TMPDIR")).join("govfind_quality");
    std::fs::create_dir_all(&work).expect("directory");
    let embedder =
        LocalEmbedder::open(&model::minilm(), Prefixes::default(), Some(&work.join("digests.json")))
            .expect("model");
    let models = Local { embedder: Cached::new(embedder, work.join("queries.bin")) };

    let mut sound = true;
    for (name, index, questions) in
        [("PIAF", piaf(&data, &work), piaf_questions(&data)), astro(&data, &work, all)]
    {
        sound &= report(name, &index, &questions, &models);
    }
    std::process::exit(i32::from(!sound));
}

/// Means of a mode over `questions`, on all cores.
fn evaluate(index: &Path, questions: &[&Question], mode: Mode, models: &Local, kept: &Kept) -> Metrics {
    let next = AtomicUsize::new(0);
    let worker = || {
        let catalog = open(index).keeping(kept.clone());
        let mut measured = Vec::new();
        while let Some(question) = questions.get(next.fetch_add(1, Ordering::Relaxed)) {
            let request = Request {
                limit: Some(K),
                collections: vec![question.collection.to_owned()],
                ..Request::new(&question.text, mode)
            };
            let response = run(&catalog, &request, models).expect("answer");
            let ranking: Vec<String> = response.results.into_iter().map(|h| h.docid).collect();
            measured.push(measure(&ranking, &HashSet::from([question.relevant.clone()]), K));
        }
        measured
    };
    let measured: Vec<Metrics> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|w| w.join().expect("worker")).collect()
    });
    mean(&measured)
}

fn open(index: &Path) -> Catalog {
    Catalog::open_existing(&Location { path: index.to_owned(), option: String::new() }).expect("index")
}

fn set(index: &Path, weights: Option<(f64, f64)>) {
    let catalog = open(index);
    let mut models = catalog.models().expect("settings");
    models.semantic_weight = weights.map(|w| w.0);
    models.feedback_weight = weights.map(|w| w.1);
    catalog.set_models(&models).expect("settings");
}

fn report(name: &str, index: &Path, questions: &[Question], models: &Local) -> bool {
    let mut sorted: Vec<&Question> = questions.iter().collect();
    sorted.sort_by_key(|q| q.hash());
    let (choosing, reporting): (Vec<&Question>, Vec<&Question>) = sorted.iter().partition(|q| q.chooses());
    let tried = &choosing[..choosing.len().min(TRIED)];
    println!(
        "\n{name}: {} documents, {} questions; weights chosen on {} of {}, reported on {}",
        open(index).totals().expect("totals").0,
        questions.len(),
        tried.len(),
        choosing.len(),
        reporting.len()
    );
    let kept = Kept::default();
    let start = Instant::now();
    let (mut best, mut weights) = (-1.0, (0.0, 0.0));
    println!("nDCG@10 by weight of the vectors (rows) and of the feedback (columns {FEEDBACK:?})");
    for semantic in SEMANTIC {
        let mut row = format!("  {semantic:>5.2}");
        for feedback in FEEDBACK {
            set(index, Some((semantic, feedback)));
            let ndcg = evaluate(index, tried, Mode::Query, models, &kept).ndcg;
            row.push_str(&format!("  {ndcg:.4}"));
            if ndcg > best + 1e-9 {
                (best, weights) = (ndcg, (semantic, feedback));
            }
        }
        println!("{row}");
    }
    set(index, None);
    let unset = evaluate(index, tried, Mode::Query, models, &kept).ndcg;
    println!("  unset  {unset:.4}: by how sure both kinds of search are of each query");
    let weights = (unset < best).then_some(weights);
    match weights {
        Some((semantic, feedback)) => {
            println!("chosen: semantic-weight {semantic}, feedback-weight {feedback}")
        }
        None => println!("chosen: no fixed weights"),
    }
    println!("  {:<28} {:>8} {:>9} {:>7}", "on the other half", "nDCG@10", "recall@10", "MRR@10");
    let row = |what: &str, m: Metrics| {
        println!("  {what:<28} {:>8.4} {:>9.4} {:>7.4}", m.ndcg, m.recall, m.mrr);
        m.ndcg
    };
    let of = |mode| evaluate(index, &reporting, mode, models, &kept);
    let words = row("search", of(Mode::Search));
    let meaning = row("vsearch", of(Mode::Vsearch));
    set(index, None);
    row("query, weights by default", of(Mode::Query));
    set(index, weights);
    let hybrid = row("query, weights chosen", of(Mode::Query));
    let holds = hybrid >= words.max(meaning);
    println!(
        "  the hybrid is {} below the better leg ({hybrid:.4} and {:.4}); {:.0} s",
        if holds { "not" } else { "BELOW:" },
        words.max(meaning),
        start.elapsed().as_secs_f64()
    );
    holds
}

fn govfind(index: &Path, args: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_govfind"));
    command.arg("--index").arg(index).args(args).stdout(std::process::Stdio::null());
    assert!(command.status().expect("govfind").success(), "{args:?}");
}

/// Indexes and embeds what is not there yet.
fn fill(index: &Path, collections: &[(&str, PathBuf)]) {
    let there = index.is_file();
    for (name, dir) in collections.iter().filter(|_| !there) {
        let dir = dir.to_str().expect("path");
        govfind(index, &["collection", "add", dir, "--name", name, "--mask", "**/*.{md,mdx}"]);
    }
    govfind(index, &["update", "-q"]);
    let start = Instant::now();
    govfind(index, &["embed", "-q", "--model", model::minilm().to_str().expect("path")]);
    println!("{}: vectors in {:.0} s", index.display(), start.elapsed().as_secs_f64());
}

fn lines(path: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path).expect("lines");
    text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect()
}

fn field<'v>(value: &'v serde_json::Value, key: &str) -> &'v str {
    value[key].as_str().expect("text")
}

fn piaf(data: &Path, work: &Path) -> PathBuf {
    let (dir, index) = (work.join("piaf"), work.join("piaf.db"));
    if !index.is_file() {
        std::fs::create_dir_all(&dir).expect("directory");
        for passage in lines(&data.join("retrieval/piaf-fr/corpus.jsonl")) {
            let path = dir.join(format!("{}.md", field(&passage, "_id")));
            std::fs::write(path, field(&passage, "text")).expect("passage");
        }
    }
    fill(&index, &[("piaf", dir)]);
    index
}

fn piaf_questions(data: &Path) -> Vec<Question> {
    let dir = data.join("retrieval/piaf-fr");
    let passages: HashMap<String, String> = lines(&dir.join("corpus.jsonl"))
        .iter()
        .map(|p| (field(p, "_id").to_owned(), sha256_hex(field(p, "text"))[..6].to_owned()))
        .collect();
    let texts: HashMap<String, String> = lines(&dir.join("queries.jsonl"))
        .iter()
        .map(|q| (field(q, "_id").to_owned(), field(q, "text").to_owned()))
        .collect();
    let qrels = std::fs::read_to_string(dir.join("qrels.tsv")).expect("qrels");
    qrels
        .lines()
        .skip(1)
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            Question {
                text: texts[columns[0]].clone(),
                relevant: passages[columns[1]].clone(),
                collection: "piaf",
            }
        })
        .collect()
}

/// Known items of the French and the English pages.
///
/// The rule: of the headings of level two that stand outside fences, have three words or more and occur
/// on one page of their language only, a page is asked for by the one whose SHA-256 is the least.
fn astro(data: &Path, work: &Path, all: bool) -> (&'static str, PathBuf, Vec<Question>) {
    let root = data.join("kb/astro-docs/src/content/docs");
    let part = if all { "astro" } else { "astro-quarter" };
    let (dir, index) = (work.join(part), work.join(format!("{part}.db")));
    let mut questions = Vec::new();
    for language in ["fr", "en"] {
        let mut found: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        for (path, text) in pages(&root.join(language)) {
            // The same page in both languages, or in neither.
            if !all && !sha256_hex(&path).starts_with(['0', '4', '8', 'c']) {
                continue;
            }
            let to = dir.join(language).join(&path);
            std::fs::create_dir_all(to.parent().expect("parent")).expect("directory");
            if !to.is_file() {
                std::fs::write(&to, &text).expect("page");
            }
            for heading in headings(&text) {
                found.entry(heading).or_default().push((path.clone(), text.clone()));
            }
        }
        let mut best: BTreeMap<String, (String, Question)> = BTreeMap::new();
        for (heading, mut pages) in found {
            if let (1, Some((path, text))) = (pages.len(), pages.pop()) {
                let hash = sha256_hex(format!("{path}\0{heading}"));
                let question = Question {
                    text: heading,
                    relevant: sha256_hex(text)[..6].to_owned(),
                    collection: language,
                };
                if best.get(&path).is_none_or(|(least, _)| hash < *least) {
                    best.insert(path, (hash, question));
                }
            }
        }
        questions.extend(best.into_values().map(|(_, question)| question));
    }
    fill(&index, &[("fr", dir.join("fr")), ("en", dir.join("en"))]);
    ("Astro, pages by their headings", index, questions)
}

fn pages(root: &Path) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(dir) = waiting.pop() {
        for entry in std::fs::read_dir(dir).expect("pages") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|e| e == "md" || e == "mdx") {
                let name = path.strip_prefix(root).expect("prefix").to_string_lossy().into_owned();
                out.push((name, std::fs::read_to_string(&path).expect("page")));
            }
        }
    }
    out.sort();
    out
}

fn headings(text: &str) -> Vec<String> {
    let (mut out, mut fenced) = (Vec::new(), false);
    for line in text.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            fenced = !fenced;
        }
        if let Some(heading) = line.strip_prefix("## ").filter(|_| !fenced) {
            let heading = heading.replace('`', "");
            if heading.split_whitespace().count() >= 3 {
                out.push(heading.trim().to_owned());
            }
        }
    }
    out.sort();
    out.dedup();
    out
}
