//! The weights of a hybrid query: configured in the index, shown, and no more than weights.

use govmem::retrieval::Catalog;
use govmem::retrieval::bench::bench;
use govmem::retrieval::catalog::Location;
use govmem::retrieval::embedding::{Settings, embed};
use govmem::retrieval::query::{Mode, Request, run};
use govmem::retrieval::{Hit, Response};

use crate::world::{Hashed, TestModels, World};

/// Words are in one document, what resembles the query most in another.
fn divided() -> (World, TestModels) {
    let filler = |i: usize| format!("# Page {i}\n\nplain text about nothing number{i}\n");
    let pages: Vec<(String, String)> = (0..30).map(|i| (format!("p{i}.md"), filler(i))).collect();
    let mut files: Vec<(&str, &str)> = pages.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    // Both words, among many others: first by words, far away by meaning.
    let scattered = "# A\n\nzebra alpha beta gamma delta epsilon savanna\n";
    files.push(("words.md", scattered));
    files.push(("meaning.md", "zebra\n"));
    let w = World::indexed(&files);
    let models = TestModels { embedder: Some(Hashed::new("m")), ..TestModels::default() };
    embed(&mut open(&w), models.embedder.as_ref().unwrap(), &Settings::default(), &mut |_, _| {}).unwrap();
    (w, models)
}

fn open(w: &World) -> Catalog {
    Catalog::open_existing(&Location { path: w.database(), option: String::new() }).unwrap()
}

fn answer(w: &World, models: &TestModels, mode: Mode) -> Response {
    let request = Request { explain: true, rerank: false, ..Request::new("zebra savanna", mode) };
    run(&open(w), &request, models).unwrap()
}

fn order(response: &Response) -> Vec<&str> {
    response.results.iter().map(|h| h.path.as_str()).collect()
}

fn weight(hit: &Hit, leg: &str) -> Option<f64> {
    hit.explain.as_ref().unwrap().legs.iter().find(|l| l.leg == leg).map(|l| l.weight)
}

#[test]
fn a_weight_decides_between_the_legs() {
    let (w, models) = divided();
    assert_eq!(order(&answer(&w, &models, Mode::Search))[0], "words.md");
    assert_eq!(order(&answer(&w, &models, Mode::Vsearch))[0], "meaning.md");
    w.run(&["config", "set", "feedback-weight", "0"]).exits(0);

    // Nothing for the vectors: what words find stands first, in its order.
    w.run(&["config", "set", "semantic-weight", "0"]).exits(0);
    let hybrid = answer(&w, &models, Mode::Query);
    let words = answer(&w, &models, Mode::Search);
    assert_eq!(order(&hybrid)[..words.count], order(&words)[..]);
    w.run(&["config", "set", "semantic-weight", "10"]).exits(0);
    let hybrid = answer(&w, &models, Mode::Query);
    assert_eq!(order(&hybrid)[0], "meaning.md");
    assert_eq!(weight(&hybrid.results[0], "semantic"), Some(10.0));

    // Unset: the words are sure of themselves, for only two documents hold any; vectors order the rest.
    w.run(&["config", "unset", "semantic-weight"]).exits(0);
    w.run(&["config", "unset", "feedback-weight"]).exits(0);
    let hybrid = answer(&w, &models, Mode::Query);
    assert_eq!(order(&hybrid)[0], "words.md");
    let semantic = hybrid.results.iter().find_map(|h| weight(h, "semantic")).unwrap();
    assert!(semantic > 0.0 && semantic < 0.1, "{semantic}");
}

#[test]
fn the_sum_shown_is_that_of_weighted_reciprocal_ranks() {
    let (w, models) = divided();
    w.run(&["config", "set", "semantic-weight", "0.25"]).exits(0);
    let hybrid = answer(&w, &models, Mode::Query);
    let mut last = f64::INFINITY;
    for hit in &hybrid.results {
        let explain = hit.explain.as_ref().unwrap();
        let sum: f64 = explain.legs.iter().map(|l| l.weight / (60.0 + l.rank as f64)).sum();
        assert!((explain.fused.unwrap() - sum).abs() < 1e-12, "{hit:?}");
        assert!(sum <= last, "{hit:?}");
        assert!(weight(hit, "semantic").is_none_or(|w| w == 0.25));
        last = sum;
    }
}

#[test]
fn weights_are_configuration() {
    let (w, models) = divided();
    w.run(&["config", "set", "semantic-weight", "0.25"]).exits(0);
    w.run(&["config", "set", "feedback-weight", "0.5"]).exits(0);
    for bad in ["-0.1", "11", "NaN", "much", ""] {
        w.run(&["config", "set", "semantic-weight", "--", bad]).exits(2);
    }
    let yaml = w.run(&["config", "export"]).exits(0).stdout;
    assert!(yaml.contains("semantic_weight: 0.25") && yaml.contains("feedback_weight: 0.5"), "{yaml}");
    w.run(&["config", "unset", "semantic-weight"]).exits(0);
    std::fs::write(w.root().join("c.yaml"), &yaml).unwrap();
    w.run(&["config", "import", "c.yaml"]).exits(0);
    assert_eq!(w.run(&["config", "export"]).exits(0).stdout, yaml);

    // A run says what it was configured with, and other weights may be compared with it.
    let fixture = r#"{"version": 1, "queries": [{"query": "zebra", "relevant": ["words.md"]}]}"#;
    let go = || bench(&open(&w), fixture, &[Mode::Query], &models, w.root(), &mut |_, _| {}).unwrap();
    let one = go();
    w.run(&["config", "set", "semantic-weight", "0.5"]).exits(0);
    let two = go();
    assert_ne!(one.configuration, two.configuration);
    govmem::retrieval::bench::comparable(&one, &two).unwrap();
}
