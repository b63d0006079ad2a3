//! Vectors, hybrid queries, reranking, measuring, through the library with models of its own.

use std::sync::atomic::Ordering;

use govmem::base::{FixedClock, Instant, ModelIdentity, Result};
use govmem::embed::{Embedder, Generation, Generator, Reranker, Window};
use govmem::retrieval::Catalog;
use govmem::retrieval::bench::bench;
use govmem::retrieval::catalog::Location;
use govmem::retrieval::embedding::{Settings, embed, pending};
use govmem::retrieval::indexing;
use govmem::retrieval::query::{Mode, Request, run};
use govmem::retrieval::{faiss_file, status};

use crate::world::{Hashed, TestModels, World};

fn open(w: &World) -> Catalog {
    let location = Location { path: w.database(), option: String::new() };
    Catalog::open_existing(&location).unwrap()
}

fn zoo() -> World {
    let filler = |i: usize| format!("# Page {i}\n\nplain words about nothing number{i} here\n");
    let pages: Vec<(String, String)> = (0..40).map(|i| (format!("p{i}.md"), filler(i))).collect();
    let mut files: Vec<(&str, &str)> = pages.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    files.push(("horse.md", "# Horse\n\nstriped horses graze savanna grass\n"));
    files.push(("bank.md", "# Bank\n\ninterest rates loans money savings\n"));
    World::indexed(&files)
}

fn paths(catalog: &Catalog, request: &Request, models: &TestModels) -> Vec<String> {
    run(catalog, request, models).unwrap().results.into_iter().map(|h| h.path).collect()
}

fn with_embedder() -> TestModels {
    TestModels { embedder: Some(Hashed::new("m")), ..TestModels::default() }
}

#[test]
fn vectors_find_and_survive_their_index() {
    let w = zoo();
    let mut catalog = open(&w);
    let models = with_embedder();
    let embedder = models.embedder.as_ref().unwrap();
    let report = embed(&mut catalog, embedder, &Settings::default(), &mut |_, _| {}).unwrap();
    assert_eq!((report.embedded, report.kept, report.pending), (42, 0, 0));
    let request = Request::new("striped horses savanna", Mode::Vsearch);
    let response = run(&catalog, &request, &models).unwrap();
    assert_eq!(response.results[0].path, "horse.md");
    let scores: Vec<f64> = response.results.iter().map(|h| h.score).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores.iter().all(|s| (0.0..=1.0).contains(s)));
    assert!(response.notes.is_empty(), "{:?}", response.notes);

    // Again: nothing to do, nothing embedded, the same files.
    let faiss = std::fs::read(faiss_file::path(&catalog)).unwrap();
    let again = embed(&mut catalog, embedder, &Settings::default(), &mut |_, _| {}).unwrap();
    assert_eq!((again.embedded, again.kept), (0, 42));
    assert_eq!(std::fs::read(faiss_file::path(&catalog)).unwrap(), faiss);

    // Without the FAISS file, and with a foreign one, the answers are the same, and said.
    let expected: Vec<(String, i64)> =
        response.results.iter().map(|h| (h.path.clone(), (h.score * 1e5) as i64)).collect();
    for bytes in [None, Some(vec![7u8; 100]), Some([&faiss[..faiss.len() - 4], &[1, 2, 3, 4]].concat())] {
        match bytes {
            None => std::fs::remove_file(faiss_file::path(&catalog)).unwrap(),
            Some(bytes) => std::fs::write(faiss_file::path(&catalog), bytes).unwrap(),
        }
        let response = run(&catalog, &request, &models).unwrap();
        let got: Vec<(String, i64)> =
            response.results.iter().map(|h| (h.path.clone(), (h.score * 1e5) as i64)).collect();
        assert_eq!(got, expected);
        assert!(response.notes.iter().any(|n| n.contains("govfind embed")), "{:?}", response.notes);
    }
}

#[test]
fn a_partial_run_goes_on() {
    let w = zoo();
    for i in 0..200 {
        w.write(&format!("more{i}.md"), format!("text of more number{i} and a word{i}\n"));
    }
    w.run(&["update"]).exits(0);
    let mut catalog = open(&w);
    let models = with_embedder();
    let embedder = models.embedder.as_ref().unwrap();
    embedder.budget.store(150, Ordering::SeqCst);
    let error = embed(&mut catalog, embedder, &Settings::default(), &mut |_, _| {}).unwrap_err();
    assert_eq!(error.exit(), 3, "{error}");
    assert_eq!(error.hint_text(), Some("govfind embed"));
    assert_eq!(pending(&catalog, &[]).unwrap().len(), 242 - 128, "whole batches stay");
    let request = Request::new("striped horses", Mode::Vsearch);
    let response = run(&catalog, &request, &models).unwrap();
    assert!(response.notes.iter().any(|n| n.contains("114 chunks")), "{:?}", response.notes);
    embedder.budget.store(usize::MAX, Ordering::SeqCst);
    let report = embed(&mut catalog, embedder, &Settings::default(), &mut |_, _| {}).unwrap();
    assert_eq!((report.embedded, report.kept, report.pending), (114, 128, 0));
    assert_eq!(embedder.calls.load(Ordering::SeqCst), 242, "nothing twice");
    // At once unavailable: its own error.
    embedder.budget.store(0, Ordering::SeqCst);
    w.write("last.md", "last text\n");
    w.run(&["update"]).exits(0);
    assert_eq!(embed(&mut catalog, embedder, &Settings::default(), &mut |_, _| {}).unwrap_err().exit(), 69);
}

/// Ends a run after its first batch as a kill would: nothing that follows is done.
fn killed(catalog: &mut Catalog, embedder: &Hashed, settings: &Settings) {
    let run =
        std::panic::AssertUnwindSafe(|| embed(catalog, embedder, settings, &mut |_, _| panic!("killed")));
    assert!(std::panic::catch_unwind(run).is_err());
}

/// What a killed run embedded is searched, whether it was the first, a forced one or one of another model,
/// with its FAISS file and without.
#[test]
fn a_killed_run_leaves_vectors_that_are_searched() {
    let w = zoo();
    for i in 0..100 {
        w.write(&format!("more{i}.md"), format!("text of more number{i} and a word{i}\n"));
    }
    w.run(&["update"]).exits(0);
    let mut catalog = open(&w);
    let force = Settings { force: true, ..Settings::default() };
    let request = Request::new("striped horses savanna", Mode::Vsearch);
    let of = |name: &str| TestModels { embedder: Some(Hashed::new(name)), ..TestModels::default() };
    let (first, second) = (of("first"), of("second"));
    let some = |catalog: &Catalog, models: &TestModels| {
        let response = run(catalog, &request, models).unwrap();
        assert!(!response.results.is_empty());
        assert!(response.notes.iter().any(|n| n.contains("78 chunks")), "{:?}", response.notes);
        let state = status::status(catalog).unwrap().vectors;
        assert_eq!((state.count, state.pending, state.width), (64, 78, 64));
        assert!(state.model.unwrap().ends_with(&models.embedder.as_ref().unwrap().identity().name));
    };
    killed(&mut catalog, first.embedder.as_ref().unwrap(), &Settings::default());
    some(&catalog, &first);
    embed(&mut catalog, first.embedder.as_ref().unwrap(), &Settings::default(), &mut |_, _| {}).unwrap();

    killed(&mut catalog, first.embedder.as_ref().unwrap(), &force);
    // The whole file of before still serves.
    assert_eq!(paths(&catalog, &request, &first)[0], "horse.md");
    std::fs::remove_file(faiss_file::path(&catalog)).unwrap();
    some(&catalog, &first);
    embed(&mut catalog, first.embedder.as_ref().unwrap(), &Settings::default(), &mut |_, _| {}).unwrap();

    killed(&mut catalog, second.embedder.as_ref().unwrap(), &force);
    std::fs::remove_file(faiss_file::path(&catalog)).unwrap();
    some(&catalog, &second);
    let rest = embed(&mut catalog, second.embedder.as_ref().unwrap(), &Settings::default(), &mut |_, _| {});
    assert_eq!(rest.unwrap().embedded, 78);
}

/// An embedder that takes its time.
struct Slow(Hashed);

impl Embedder for Slow {
    fn identity(&self) -> &ModelIdentity {
        self.0.identity()
    }
    fn embed_query(&self, text: &str) -> Result<Vec<f32>> {
        self.0.embed_query(text)
    }
    fn embed_windows(&self, texts: &[&str], progress: &mut dyn FnMut(usize)) -> Result<Vec<Vec<Window>>> {
        std::thread::sleep(std::time::Duration::from_millis(1_100));
        self.0.embed_windows(texts, progress)
    }
}

/// A long run lets updates and a second run in, and all end well.
#[test]
fn a_long_run_lets_others_in() {
    let w = World::new();
    for i in 0..250 {
        w.write(&format!("{i}.md"), format!("text of more number{i} and a word{i}\n"));
    }
    w.run(&["collection", "add", "docs", "--name", "docs"]).exits(0);
    w.run(&["update"]).exits(0);
    let models = Slow(Hashed::new("m"));
    let started = std::sync::Barrier::new(2);
    std::thread::scope(|scope| {
        let one = scope.spawn(|| {
            let mut first = true;
            let mut catalog = open(&w);
            embed(&mut catalog, &models, &Settings::default(), &mut |_, _| {
                if std::mem::take(&mut first) {
                    started.wait();
                }
            })
        });
        started.wait();
        // In the midst of the run: a file goes, a file comes, and somebody else embeds.
        std::fs::remove_file(w.docs().join("249.md")).unwrap();
        w.write("new.md", "something else entirely\n");
        w.run(&["update"]).exits(0);
        embed(&mut open(&w), &models, &Settings::default(), &mut |_, _| {}).unwrap();
        one.join().unwrap().unwrap();
    });
    assert!(pending(&open(&w), &[]).unwrap().is_empty());
    // 251 texts there ever were; the one that went may have been embedded before.
    assert!((250..=251).contains(&models.0.calls.load(Ordering::SeqCst)), "nothing twice");
}

#[test]
fn another_model_is_refused_until_forced() {
    let w = zoo();
    let mut catalog = open(&w);
    let first = Hashed::new("first");
    embed(&mut catalog, &first, &Settings::default(), &mut |_, _| {}).unwrap();
    let second = TestModels { embedder: Some(Hashed::new("second")), ..TestModels::default() };
    for mode in [Mode::Vsearch, Mode::Query] {
        let error = run(&catalog, &Request::new("horses", mode), &second).unwrap_err();
        assert_eq!((error.exit(), error.hint_text()), (2, Some("govfind embed --force")));
    }
    let embedder = second.embedder.as_ref().unwrap();
    assert_eq!(embed(&mut catalog, embedder, &Settings::default(), &mut |_, _| {}).unwrap_err().exit(), 2);
    let force = Settings { force: true, ..Settings::default() };
    assert_eq!(embed(&mut catalog, embedder, &force, &mut |_, _| {}).unwrap().embedded, 42);
    assert!(run(&catalog, &Request::new("horses", Mode::Vsearch), &second).is_ok());
}

#[test]
fn changed_and_removed_documents_leave_the_vectors_right() {
    let w = zoo();
    let mut catalog = open(&w);
    let models = with_embedder();
    let embedder = models.embedder.as_ref().unwrap();
    embed(&mut catalog, embedder, &Settings::default(), &mut |_, _| {}).unwrap();
    std::fs::remove_file(w.docs().join("horse.md")).unwrap();
    w.write("bank.md", "# Bank\n\nstriped horses graze in the bank\n");
    let clock = FixedClock::new(Instant::from_unix(1_800_000_000));
    indexing::update(&mut catalog, &indexing::Settings::default(), &clock, &mut |_, _| {}).unwrap();
    let request = Request::new("striped horses savanna", Mode::Vsearch);
    let found = paths(&catalog, &request, &models);
    assert!(!found.contains(&"horse.md".to_owned()) && !found.contains(&"bank.md".to_owned()), "{found:?}");
    assert_eq!(pending(&catalog, &[]).unwrap().len(), 1);
    embed(&mut catalog, embedder, &Settings::default(), &mut |_, _| {}).unwrap();
    assert_eq!(paths(&catalog, &request, &models)[0], "bank.md");
    let cleaned = status::cleanup(&catalog).unwrap();
    assert_eq!(cleaned.vectors, 2, "the two texts that are gone");
}

struct Prefers(&'static str);

impl Reranker for Prefers {
    fn name(&self) -> &str {
        "prefers"
    }

    fn score(&self, _: &str, passages: &[&str]) -> Result<Vec<f32>> {
        Ok(passages.iter().map(|p| if p.contains(self.0) { 0.9 } else { 0.2 }).collect())
    }
}

struct Says(&'static str);

impl Generator for Says {
    fn name(&self) -> &str {
        "says"
    }

    fn generate(&self, _: &Generation<'_>) -> Result<String> {
        Ok(self.0.to_owned())
    }
}

#[test]
fn hybrid_joins_words_and_meaning() {
    let w = zoo();
    w.write("words.md", "# Words\n\nsavanna savanna savanna\n");
    w.run(&["update"]).exits(0);
    let mut catalog = open(&w);
    let models = with_embedder();
    embed(&mut catalog, models.embedder.as_ref().unwrap(), &Settings::default(), &mut |_, _| {}).unwrap();
    let request = Request { explain: true, ..Request::new("savanna horses", Mode::Query) };
    let response = run(&catalog, &request, &models).unwrap();
    assert!(!response.degraded, "{:?}", response.notes);
    assert_eq!(response.results[0].path, "horse.md", "both legs");
    let explain = response.results[0].explain.as_ref().unwrap();
    let legs: Vec<&str> = explain.legs.iter().map(|l| l.leg.as_str()).collect();
    assert!(legs.contains(&"lexical") && legs.contains(&"semantic"), "{legs:?}");
    assert_eq!(explain.reranker.as_deref(), Some("chunk similarity"));
    let best = explain.legs.iter().map(|l| l.score).fold(0.0, f64::max);
    assert_eq!(response.results[0].score, best, "the score is the best leg's");

    // Exclusions and phrases hold for every leg.
    let excluding = Request::new("savanna horses -striped", Mode::Query);
    assert!(!paths(&catalog, &excluding, &models).contains(&"horse.md".to_owned()));
    let phrase = Request::new("\"striped horses\"", Mode::Query);
    assert_eq!(paths(&catalog, &phrase, &models), ["horse.md"]);

    // A cross-encoder decides the order and the score.
    let judged = TestModels {
        embedder: Some(Hashed::new("m")),
        reranker: Some(Box::new(Prefers("savanna savanna"))),
        generator: None,
    };
    let response = run(&catalog, &request, &judged).unwrap();
    assert_eq!(response.results[0].path, "words.md");
    assert!((response.results[0].score - 0.9).abs() < 1e-6);
    let plain = Request { rerank: false, ..request.clone() };
    assert_eq!(run(&catalog, &plain, &judged).unwrap().results[0].path, "horse.md");

    // A language model proposes other words; one that fails is named.
    let proposing = TestModels {
        embedder: Some(Hashed::new("m")),
        reranker: None,
        generator: Some(Box::new(Says(r#"{"lex":["interest loans"],"vec":[],"hyde":"money savings"}"#))),
    };
    let response = run(&catalog, &Request::new("finance", Mode::Query), &proposing).unwrap();
    assert_eq!(response.results[0].path, "bank.md");
    let broken = TestModels {
        embedder: Some(Hashed::new("m")),
        generator: Some(Box::new(Says("no json"))),
        reranker: None,
    };
    let response = run(&catalog, &Request::new("savanna", Mode::Query), &broken).unwrap();
    assert!(response.degraded && response.count > 0);
}

#[test]
fn typed_lines_go_where_they_say() {
    let w = zoo();
    let mut catalog = open(&w);
    let models = with_embedder();
    embed(&mut catalog, models.embedder.as_ref().unwrap(), &Settings::default(), &mut |_, _| {}).unwrap();
    let request = |q: &str| Request { explain: true, ..Request::new(q, Mode::Query) };
    let response = run(&catalog, &request("lex: loans\nvec: striped horses graze"), &models).unwrap();
    let legs_of = |path: &str| -> Vec<String> {
        let hit = response.results.iter().find(|h| h.path == path).unwrap();
        hit.explain.as_ref().unwrap().legs.iter().map(|l| l.leg.clone()).collect()
    };
    assert!(legs_of("bank.md").contains(&"lexical".to_owned()));
    assert!(!legs_of("horse.md").contains(&"lexical".to_owned()));
    let hyde = run(&catalog, &request("hyde: striped horses graze savanna grass"), &models).unwrap();
    assert_eq!(hyde.results[0].path, "horse.md");
    assert!(!hyde.results[0].explain.as_ref().unwrap().legs.iter().any(|l| l.leg == "feedback"));
}

#[test]
fn nothing_relevant_is_said() {
    let w = zoo();
    let mut catalog = open(&w);
    let models = with_embedder();
    embed(&mut catalog, models.embedder.as_ref().unwrap(), &Settings::default(), &mut |_, _| {}).unwrap();
    let response = run(&catalog, &Request::new("qqqq wwww", Mode::Query), &models).unwrap();
    assert!(response.notes.iter().any(|n| n.contains("nothing relevant")), "{:?}", response.notes);
    let response = run(&catalog, &Request::new("striped horses", Mode::Query), &models).unwrap();
    assert!(!response.notes.iter().any(|n| n.contains("nothing relevant")));
}

#[test]
fn measuring_is_reproducible_and_compares_like_with_like() {
    let w = zoo();
    let catalog = open(&w);
    let fixture = r#"{"version": 1, "queries": [
        {"query": "striped horses", "relevant": ["docs/horse.md"]},
        {"query": "number3", "relevant": ["p3.md"]},
        {"query": "loans", "relevant": ["horse.md"]}]}"#;
    let models = TestModels::default();
    let go = |catalog: &Catalog| {
        bench(catalog, fixture, &[Mode::Search], &models, w.root(), &mut |_, _| {}).unwrap()
    };
    let one = go(&catalog);
    let summary = &one.modes["search"];
    assert_eq!(summary.queries, 3);
    assert!((summary.metrics.mrr - 2.0 / 3.0).abs() < 1e-9, "{summary:?}");
    assert!((summary.metrics.hit - 2.0 / 3.0).abs() < 1e-9);
    let two = go(&catalog);
    assert_eq!(one.modes["search"].metrics, two.modes["search"].metrics);
    govmem::retrieval::bench::comparable(&one, &two).unwrap();

    let file = w.root().join("f.json");
    std::fs::write(&file, fixture).unwrap();
    w.run(&["bench", "f.json", "--mode", "search", "--out", "run.json"]).exits(0);
    let table = w.run(&["bench", "f.json", "--mode", "search", "--compare", "run.json"]).exits(0).stdout;
    assert!(table.contains("nDCG@10") && table.contains("(+0.000)"), "{table}");
    w.write("new.md", "new\n");
    w.run(&["update"]).exits(0);
    let refused = w.run(&["bench", "f.json", "--mode", "search", "--compare", "run.json"]).exits(2);
    assert!(refused.stderr.contains("different indexes"), "{}", refused.stderr);
    w.run(&["bench", "f.json", "--mode", "search", "--compare", "run.json", "--force"]).exits(0);
    std::fs::write(&file, r#"{"version": 1, "queries": [{"query": "x", "relevant": ["absent.md"]}]}"#)
        .unwrap();
    w.run(&["bench", "f.json"]).exits(2);
}

/// The refusal says what differs, be it the model or only how texts are given to it.
#[test]
fn what_differs_between_models_is_said() {
    let w = zoo();
    let mut catalog = open(&w);
    let first = Hashed::new("first");
    embed(&mut catalog, &first, &Settings::default(), &mut |_, _| {}).unwrap();
    let prefixed = ModelIdentity { query_prefix: "q: ".into(), ..first.identity().clone() };
    let other = Hashed::new("second").identity().clone();
    for (model, said) in [(&prefixed, "\"q: \""), (&other, "second")] {
        let error = govmem::retrieval::semantic::other_model(&catalog, first.identity(), model).unwrap();
        assert!(error.to_string().contains(said), "{error}");
        assert_eq!(error.exit(), 2);
    }
    assert!(govmem::retrieval::semantic::other_model(&catalog, first.identity(), first.identity()).is_none());
}

/// A configuration without models leaves them as they are, and one that is refused changes nothing.
#[test]
fn an_import_changes_what_it_names() {
    let w = zoo();
    w.run(&["config", "set", "factory", "SQ8"]).exits(0);
    let before = w.run(&["config", "export"]).stdout;
    w.run_with_input(&["config", "import", "-"], b"version: 1\ncollections: []\n").exits(0);
    assert_eq!(w.run(&["config", "export"]).stdout, before);
    let bad = before.replacen("name: docs", "name: renamed", 1).replacen("root: /", "root: relative/", 1);
    w.run_with_input(&["config", "import", "-"], bad.as_bytes()).exits(2);
    assert_eq!(w.run(&["config", "export"]).stdout, before);
}

/// Each search refuses typed lines of the other kind alone, instead of reading them as its own.
#[test]
fn lines_of_the_other_kind_are_refused() {
    let w = zoo();
    let mut catalog = open(&w);
    let models = with_embedder();
    embed(&mut catalog, models.embedder.as_ref().unwrap(), &Settings::default(), &mut |_, _| {}).unwrap();
    let exit =
        |text: &str, mode| run(&catalog, &Request::new(text, mode), &models).map_or_else(|e| e.exit(), |_| 0);
    assert_eq!(exit("lex: striped horses", Mode::Vsearch), 2);
    assert_eq!(exit("vec: striped horses", Mode::Search), 2);
    assert_eq!(exit("vec: striped horses", Mode::Vsearch), 0);
    assert_eq!(exit("hyde: striped horses", Mode::Vsearch), 0);
    assert_eq!(exit("lex: striped horses", Mode::Search), 0);
    assert_eq!(exit("lex: striped horses", Mode::Query), 0);
}
