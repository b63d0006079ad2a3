//! The published model, all-MiniLM-L6-v2, against the reference.

use govmem::base::config::Provider;
use govmem::embed::{Embedder, EmbedderSettings, LocalEmbedder, PD295_WIDTH, Prefixes, open, pad};

use rayon::prelude::*;

use crate::{close, golden, model, numbers};

fn minilm() -> LocalEmbedder {
    LocalEmbedder::open(&model::minilm(), Prefixes::default(), None).unwrap()
}

#[test]
fn vectors_are_those_of_the_reference() {
    let embedder = minilm();
    assert_eq!((embedder.identity().width, embedder.identity().window), (384, 256));
    let golden = golden();
    let texts = golden["published"].as_array().unwrap();
    let plain: Vec<&str> = texts.iter().map(|t| t["text"].as_str().unwrap()).collect();
    let together = embedder.embed_documents(&plain, &mut |_| {}).unwrap();
    for (text, windows) in texts.iter().zip(&together) {
        let name = text["text"].as_str().unwrap();
        assert_eq!(embedder.count_tokens(name).unwrap() as u64, text["tokens"].as_u64().unwrap(), "{name}");
        let expected = text["windows"].as_array().unwrap();
        assert_eq!(windows.len(), expected.len(), "{name}");
        for (window, expected) in windows.iter().zip(expected) {
            close(window, &numbers(expected), name);
        }
    }
    assert!(together.iter().any(|w| w.len() > 1), "one text is longer than the window");
    // This model has no roles: a query is a document.
    close(&embedder.embed_query(plain[0]).unwrap(), &together[0][0], plain[0]);
}

#[test]
fn the_same_text_gives_the_same_bytes() {
    let (a, b) = (minilm(), minilm());
    let texts = ["short", "La même clé, deux fois.", "another text, somewhat longer than the others are"];
    let together = a.embed_documents(&texts, &mut |_| {}).unwrap();
    for (text, windows) in texts.iter().zip(together) {
        assert_eq!(windows[0], b.embed_query(text).unwrap(), "{text}");
    }
}

#[test]
fn many_first_queries_at_once_on_the_pool_do_not_wait_for_each_other() {
    let embedder = minilm();
    let vectors: Vec<Vec<f32>> =
        (0..8).into_par_iter().with_max_len(1).map(|_| embedder.embed_query("one key").unwrap()).collect();
    assert!(vectors.iter().all(|v| *v == vectors[0]));
}

#[test]
fn progress_counts_every_text() {
    let texts = vec!["a few words"; 70];
    let mut seen = Vec::new();
    minilm().embed_documents(&texts, &mut |n| seen.push(n)).unwrap();
    assert!(seen.is_sorted() && seen.last() == Some(&70), "{seen:?}");
}

#[test]
fn settings_open_it_and_padding_keeps_inner_products() {
    let state = tempfile::tempdir().unwrap();
    let settings = EmbedderSettings {
        provider: Provider::Local,
        dir: Some(model::minilm()),
        digests: Some(state.path().join("digests.json")),
        ..Default::default()
    };
    let embedder = open(&settings).unwrap();
    assert_eq!(embedder.identity().provider, "local");
    assert!(embedder.identity().query_prefix.is_empty());
    // A second opening reads the digest from the state file.
    assert!(settings.digests.as_ref().unwrap().is_file());
    assert_eq!(open(&settings).unwrap().identity(), embedder.identity());

    let (a, b) =
        (embedder.embed_query("key rotation").unwrap(), embedder.embed_query("rotate a key").unwrap());
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    let wide = (pad(a.clone(), PD295_WIDTH).unwrap(), pad(b.clone(), PD295_WIDTH).unwrap());
    assert_eq!(wide.0.len(), 768);
    assert!((dot(&a, &b) - dot(&wide.0, &wide.1)).abs() < 1e-6);
    assert!((dot(&wide.0, &wide.0) - 1.0).abs() < 1e-5);
    assert!(dot(&a, &b) > 0.7);
}
