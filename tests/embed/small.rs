//! Small models with seeded random weights, one of each architecture, against the reference.

use govmem::embed::{Embedder, LocalEmbedder, LocalReranker, Prefixes, Reranker};

use crate::{close, golden, model, numbers};

fn small(name: &str) -> (tempfile::TempDir, serde_json::Value) {
    let golden = golden();
    let found = golden["small"].as_array().unwrap().iter().find(|m| m["name"] == name).unwrap().clone();
    let dir = tempfile::tempdir().unwrap();
    model::write_small(dir.path(), &found);
    (dir, found)
}

fn check_embedder(name: &str) {
    let (dir, golden) = small(name);
    let embedder = LocalEmbedder::open(dir.path(), Prefixes::default(), None).unwrap();
    assert_eq!((embedder.identity().width, embedder.identity().window), (32, 16));
    let texts = golden["texts"].as_array().unwrap();
    let plain: Vec<&str> = texts.iter().map(|t| t["text"].as_str().unwrap()).collect();
    let together = embedder.embed_windows(&plain, &mut |_| {}).unwrap();
    for (text, windows) in texts.iter().zip(&together) {
        let expected = text["windows"].as_array().unwrap();
        assert_eq!(windows.len(), expected.len(), "{}", text["text"]);
        for (window, expected) in windows.iter().zip(expected) {
            close(&window.vector, &numbers(expected), &format!("{name}: {}", text["text"]));
        }
    }
    // Texts computed together or alone give the same bytes.
    for (text, windows) in plain.iter().zip(&together) {
        assert_eq!(&embedder.embed_windows(&[text], &mut |_| {}).unwrap()[0], windows);
    }
}

#[test]
fn bert_with_mean_pooling() {
    check_embedder("bert-mean");
}

#[test]
fn bert_with_the_first_token() {
    check_embedder("bert-first");
}

#[test]
fn nomic_bert() {
    check_embedder("nomic");
}

#[test]
fn xlm_roberta() {
    check_embedder("xlm-roberta");
}

fn check_reranker(name: &str) {
    let (dir, golden) = small(name);
    let reranker = LocalReranker::open(dir.path(), None).unwrap();
    for pair in golden["pairs"].as_array().unwrap() {
        let (query, passage) = (pair["query"].as_str().unwrap(), pair["passage"].as_str().unwrap());
        let score = reranker.score(query, &[passage]).unwrap();
        close(&score, &[pair["score"].as_f64().unwrap() as f32], &format!("{name}: {query} / {passage}"));
    }
    let scores = reranker.score("alpha beta", &["xi", "gamma delta epsilon", ""]).unwrap();
    assert_eq!(scores[0], reranker.score("alpha beta", &["xi"]).unwrap()[0]);
    assert!(scores.len() == 3 && scores.iter().all(|s| (0.0..=1.0).contains(s)));
    assert!(reranker.score("alpha", &[]).unwrap().is_empty());
}

#[test]
fn bert_cross_encoder() {
    check_reranker("bert-cross");
}

#[test]
fn xlm_roberta_cross_encoder_of_two_labels() {
    check_reranker("xlm-roberta-cross");
}

#[test]
fn windows_cover_the_text_and_repeat_the_prefix() {
    let (dir, _) = small("bert-mean");
    let prefixes = Prefixes { query: "nu ".into(), document: "mu ".into() };
    let embedder = LocalEmbedder::open(dir.path(), prefixes, None).unwrap();
    let text = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda xi alpha beta gamma  ";
    let windows = embedder.embed_windows(&[text], &mut |_| {}).unwrap().remove(0);
    // 16 tokens less two special ones and the prefix: 13 words, the next window starts one earlier.
    let pieces: Vec<&str> = windows.iter().map(|w| &text[w.bytes.clone()]).collect();
    assert_eq!(pieces, [text.strip_suffix("beta gamma  ").unwrap(), "alpha beta gamma  "]);
    // The second window is what its own text would give.
    let alone = embedder.embed_windows(&["alpha beta gamma"], &mut |_| {}).unwrap().remove(0);
    assert_eq!(windows[1].vector, alone[0].vector);
    assert_ne!(
        embedder.embed_query("alpha").unwrap(),
        embedder.embed_documents(&["alpha"], &mut |_| {}).unwrap()[0][0]
    );
    assert!(embedder.embed_windows(&["", " \n"], &mut |_| {}).unwrap().iter().all(Vec::is_empty));
    assert_eq!(embedder.embed_query(" ").unwrap_err().exit(), 65);
}
