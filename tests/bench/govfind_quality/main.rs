//! Bench: how well `search`, `vsearch` and `query` find what answers, on documents beside the repository.
//!
//! Three sets: PIAF, French passages with questions that people wrote; and the documentation of Astro in
//! French and English, where a page must be found by the description that its authors gave it, taken out
//! of what is indexed, and by its own headings. Questions are halved by their SHA-256: the rule and the
//! weights of the hybrid query are chosen on one half and every figure is reported on the other.
//! `cargo bench --bench govfind_quality`; `-- --lists DIR` keeps what each leg finds. Vectors stay below
//! the target directory, so that a second run computes none.
//!
//! The run fails when the hybrid query, as it is or with the weights chosen, is below one of its legs.

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
mod rules;
mod sets;

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use govmem::base::Result;
use govmem::embed::{Cached, Embedder, Generator, LocalEmbedder, Prefixes, Reranker};
use govmem::retrieval::Catalog;
use govmem::retrieval::bench::metrics::{Metrics, mean, measure};
use govmem::retrieval::catalog::Location;
use govmem::retrieval::faiss_file::Kept;
use govmem::retrieval::fusion::Sureness;
use govmem::retrieval::query::hybrid::FEEDBACK;
use govmem::retrieval::query::{Mode, Models, Request, run};
use lists::Lists;
use sets::{Question, Set};

/// Rank that recall looks down to.
const K: usize = 10;

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
    let tried: Vec<Tried> = sets
        .iter()
        .map(|set| {
            let questions: Vec<&Question> = set.questions.iter().collect();
            Tried { set, lists: lists::collect(&set.index, &questions, &models) }
        })
        .collect();
    if let Some(dir) = std::env::args().skip_while(|a| a != "--lists").nth(1) {
        for t in &tried {
            let path = Path::new(&dir).join(format!("{}.json", t.set.name.replace(' ', "-")));
            std::fs::write(path, serde_json::to_string(&t.lists).expect("JSON")).expect("lists");
        }
    }
    let weights: Vec<(f64, f64)> = tried.iter().map(Tried::table).collect();
    choose(&tried);
    let mut sound = true;
    for (set, weights) in sets.iter().zip(weights) {
        sound &= report(set, weights, &models);
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

fn configure(index: &Path, weights: Option<(f64, f64)>) {
    let catalog = open(index);
    let mut models = catalog.models().expect("settings");
    models.semantic_weight = weights.map(|w| w.0);
    models.feedback_weight = weights.map(|w| w.1);
    catalog.set_models(&models).expect("settings");
}

/// A set with what its legs find, halved.
struct Tried<'s> {
    set: &'s Set,
    lists: Vec<Lists>,
}

impl Tried<'_> {
    /// The half that rules and weights are chosen on.
    fn choosing(&self) -> Vec<&Lists> {
        self.lists.iter().filter(|l| l.chooses).collect()
    }

    /// What each way of joining gives on it; returns the fixed weights that give most.
    fn table(&self) -> (f64, f64) {
        let lists = &self.choosing();
        let (words, meaning, better) = rules::alone(lists);
        println!(
            "\n{}: {} documents, {} questions; ways of joining on the choosing half of {}, nDCG@10",
            self.set.name,
            open(&self.set.index).totals().expect("totals").0,
            self.lists.len(),
            lists.len()
        );
        println!(
            "  words alone {words:.4}, vectors alone {meaning:.4}, the better of each question {better:.4}"
        );
        println!("  weight of the vectors (rows) and of the feedback (columns {:?})", rules::FEEDBACK);
        let (mut best, mut chosen) = (-1.0, (0.0, 0.0));
        for semantic in rules::FIXED {
            let mut row = format!("  {semantic:>5.2}");
            for feedback in rules::FEEDBACK {
                let ndcg = rules::joined(lists, feedback, |_| semantic);
                row.push_str(&format!("  {ndcg:.4}"));
                if ndcg > best + 1e-9 {
                    (best, chosen) = (ndcg, (semantic, feedback));
                }
            }
            println!("{row}");
        }
        let most = |of: &dyn Fn(f64) -> f64| {
            let tried = [0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0].map(|w| (of(w), w));
            tried.into_iter().fold((-1.0, 0.0), |a, b| if b.0 > a.0 { b } else { a })
        };
        for (what, (ndcg, weight)) in [
            ("only documents that both found", most(&|w| rules::corroborated(lists, FEEDBACK, w))),
            ("by how many of the first five agree", most(&|w| rules::by_agreement(lists, FEEDBACK, w))),
            ("scores stretched and added", most(&|w| rules::added(lists, w))),
        ] {
            println!("  {what}: at best {ndcg:.4}, with {weight}");
        }
        let ndcg = rules::sure(lists, FEEDBACK, &Sureness::IN_FORCE);
        println!("  by how sure both are, as it is in force: {ndcg:.4}");
        chosen
    }
}

/// Chooses among the rules by how sure both kinds of search are: that of the highest mean over the sets
/// among those that are nowhere below the better leg.
fn choose(tried: &[Tried]) {
    use rayon::prelude::*;
    let halves: Vec<Vec<&Lists>> = tried.iter().map(Tried::choosing).collect();
    let legs: Vec<f64> = halves.iter().map(|h| rules::alone(h)).map(|(w, m, _)| w.max(m)).collect();
    let mut gains: Vec<(bool, f64, f64, Vec<f64>, Sureness)> = rules::grid()
        .into_par_iter()
        .flat_map_iter(|rule| rules::FEEDBACK.map(|feedback| (rule, feedback)))
        .map(|(rule, feedback)| {
            let found: Vec<f64> = halves.iter().map(|h| rules::sure(h, feedback, &rule)).collect();
            let least = found.iter().zip(&legs).map(|(f, l)| f - l).fold(f64::INFINITY, f64::min);
            let mean = found.iter().sum::<f64>() / found.len() as f64;
            (least >= 0.0, mean, feedback, found, rule)
        })
        .collect();
    gains.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
    let above = gains.iter().filter(|g| g.0).count();
    println!(
        "\nby how sure both are: {} rules on the choosing halves (better legs {}), {above} nowhere below; best:",
        gains.len(),
        figures(&legs)
    );
    for (above, mean, feedback, found, rule) in gains.iter().take(8) {
        let mark = if (*feedback, *rule) == (FEEDBACK, Sureness::IN_FORCE) { "  <- in force" } else { "" };
        println!("  {} mean {mean:.4} ({above}), feedback {feedback}, {rule:?}{mark}", figures(found));
    }
}

fn figures(values: &[f64]) -> String {
    values.iter().map(|v| format!("{v:.4}")).collect::<Vec<_>>().join(" ")
}

/// Reports a set on its other half; whether the hybrid query, by default and with weights chosen, is not
/// below the better of its legs.
fn report(set: &Set, weights: (f64, f64), models: &Local) -> bool {
    let (index, kept) = (&set.index, Kept::default());
    let reporting: Vec<&Question> = set.questions.iter().filter(|q| !q.chooses()).collect();
    println!("\n{}, {} questions of the other half", set.name, reporting.len());
    println!("  {:<36} {:>8} {:>9} {:>7}", "", "nDCG@10", "recall@10", "MRR@10");
    let row = |what: &str, mode| {
        let m = evaluate(index, &reporting, mode, models, &kept);
        println!("  {what:<36} {:>8.4} {:>9.4} {:>7.4}", m.ndcg, m.recall, m.mrr);
        m.ndcg
    };
    let better = row("search", Mode::Search).max(row("vsearch", Mode::Vsearch));
    configure(index, None);
    let default = row("query, as it is", Mode::Query);
    configure(index, Some(weights));
    let fixed = row(&format!("query, weights chosen: {} and {}", weights.0, weights.1), Mode::Query);
    configure(index, None);
    for (what, ndcg) in [("as it is", default), ("with weights chosen", fixed)] {
        let verdict = if ndcg >= better { "not below" } else { "BELOW" };
        println!("  {what}: {verdict} the better leg ({:+.4})", ndcg - better);
    }
    default >= better && fixed >= better
}
