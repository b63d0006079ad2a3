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

#[path = "../../support/model.rs"]
#[expect(dead_code, clippy::unwrap_used, reason = "shared with the tests")]
mod model;

mod lists;
mod sets;

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use govmem::base::Result;
use govmem::embed::{Cached, Embedder, Generator, LocalEmbedder, Prefixes, Reranker};
use govmem::retrieval::Catalog;
use govmem::retrieval::bench::metrics::{Metrics, mean, measure};
use govmem::retrieval::catalog::Location;
use govmem::retrieval::faiss_file::Kept;
use govmem::retrieval::query::{Mode, Models, Request, run};
use sets::Question;

/// Rank that recall looks down to.
const K: usize = 10;
/// Questions of the choosing half that a pair of weights is tried on.
const TRIED: usize = 800;
const SEMANTIC: [f64; 8] = [0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0];
const FEEDBACK: [f64; 3] = [0.0, 0.15, 0.3];

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
    let work = Path::new(env!("CARGO_TARGET_TMPDIR")).join("govfind_quality");
    std::fs::create_dir_all(&work).expect("directory");
    let embedder =
        LocalEmbedder::open(&model::minilm(), Prefixes::default(), Some(&work.join("digests.json")))
            .expect("model");
    let models = Local { embedder: Cached::new(embedder, work.join("queries.bin")) };

    let sets = sets::all(&data, &work);
    let option = |name: &str| std::env::args().skip_while(|a| a != name).nth(1);
    if let Some(dir) = option("--lists") {
        for set in &sets {
            let questions: Vec<&Question> = set.questions.iter().collect();
            let lists = lists::collect(&set.index, &questions, &models);
            let path = Path::new(&dir).join(format!("{}.json", set.name.replace(' ', "-")));
            std::fs::write(path, serde_json::to_string(&lists).expect("JSON")).expect("lists");
        }
        return;
    }
    let mut sound = true;
    for set in &sets {
        sound &= report(set.name, &set.index, &set.questions, &models);
    }
    std::process::exit(i32::from(!sound));
}

/// A request for the document of a question.
fn ask(question: &Question, mode: Mode) -> Request {
    Request {
        limit: Some(K),
        collections: vec![question.collection.to_owned()],
        ..Request::new(&question.text, mode)
    }
}

/// Does `work` for every question, on all cores; results in the order of the questions.
fn each<T: Send>(
    index: &Path,
    questions: &[&Question],
    kept: &Kept,
    work: impl Fn(&Catalog, &Question) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let catalog = open(index).keeping(kept.clone());
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(question) = questions.get(at) else { return done };
            done.push((at, work(&catalog, question)));
        }
    };
    let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|w| w.join().expect("worker")).collect()
    });
    done.sort_by_key(|d| d.0);
    done.into_iter().map(|d| d.1).collect()
}

/// Means of a mode over `questions`.
fn evaluate(index: &Path, questions: &[&Question], mode: Mode, models: &Local, kept: &Kept) -> Metrics {
    let measured = each(index, questions, kept, |catalog, question| {
        let response = run(catalog, &ask(question, mode), models).expect("answer");
        let ranking: Vec<String> = response.results.into_iter().map(|h| h.docid).collect();
        measure(&ranking, &HashSet::from([question.relevant.clone()]), K)
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
