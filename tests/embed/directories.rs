//! Model directories that are missing a part, of another kind, or damaged.

use std::path::Path;

use govmem::base::Code;
use govmem::base::config::Provider;
use govmem::embed::{Embedder, EmbedderSettings, LocalEmbedder, LocalReranker, Prefixes, open};
use serde_json::{Value, json};

use crate::{golden, model};

fn bert(change: impl FnOnce(&mut Value)) -> tempfile::TempDir {
    let mut description = golden()["small"][0].clone();
    change(&mut description);
    let dir = tempfile::tempdir().unwrap();
    model::write_small(dir.path(), &description);
    dir
}

/// Opens and embeds; the first failure.
fn failure(dir: &Path) -> govmem::base::Error {
    let embedder = match LocalEmbedder::open(dir, Prefixes::default(), None) {
        Ok(embedder) => embedder,
        Err(error) => return error,
    };
    embedder.embed_query("alpha").unwrap_err()
}

fn is_unusable(dir: &Path, exit: u8) {
    let error = failure(dir);
    assert_eq!((error.code(), error.exit()), (Some(Code::EmbeddingInvalid), exit), "{error}");
    assert!(error.hint_text().is_some(), "{error}");
}

#[test]
fn a_missing_file_is_no_model() {
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        let dir = bert(|_| {});
        std::fs::remove_file(dir.path().join(name)).unwrap();
        is_unusable(dir.path(), 69);
    }
}

#[test]
fn another_architecture_pipeline_or_pooling_is_refused() {
    let config = |key: &'static str, value: Value| bert(move |m| m["files"]["config.json"][key] = value);
    is_unusable(config("model_type", json!("llama")).path(), 65);
    is_unusable(config("hidden_act", json!("swish")).path(), 65);
    is_unusable(config("position_embedding_type", json!("relative_key")).path(), 65);
    is_unusable(config("num_attention_heads", json!(0)).path(), 65);
    is_unusable(config("num_attention_heads", json!(5)).path(), 65);
    is_unusable(config("hidden_size", json!(64)).path(), 65);
    let with = |name: &'static str, value: Value| bert(move |m| m["files"][name] = value);
    let dense = json!([{ "type": "sentence_transformers.models.Dense" }]);
    is_unusable(with("modules.json", dense).path(), 65);
    is_unusable(with("1_Pooling/config.json", json!({ "pooling_mode_max_tokens": true })).path(), 65);
    is_unusable(with("sentence_bert_config.json", json!({ "max_seq_length": 3 })).path(), 65);
}

#[test]
fn damaged_files_are_refused_without_a_panic() {
    for (name, keep) in [("config.json", 20), ("tokenizer.json", 200), ("model.safetensors", 4)] {
        let dir = bert(|_| {});
        let path = dir.path().join(name);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..keep]).unwrap();
        is_unusable(dir.path(), 65);
    }
    let dir = bert(|_| {});
    let path = dir.path().join("model.safetensors");
    let bytes = std::fs::read(&path).unwrap();
    for keep in [8, 100, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..keep]).unwrap();
        is_unusable(dir.path(), 65);
    }
    std::fs::write(&path, [255; 64]).unwrap();
    is_unusable(dir.path(), 65);
}

#[test]
fn weights_that_are_no_numbers_give_no_vector() {
    let dir = bert(|_| {});
    let path = dir.path().join("model.safetensors");
    let mut bytes = std::fs::read(&path).unwrap();
    let end = bytes.len();
    bytes[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    std::fs::write(&path, bytes).unwrap();
    is_unusable(dir.path(), 65);
}

#[test]
fn a_token_without_a_row_is_refused() {
    let dir = bert(|m| m["files"]["tokenizer.json"]["model"]["vocab"]["alpha"] = json!(5000));
    is_unusable(dir.path(), 65);
}

#[test]
fn an_embedder_is_no_reranker() {
    let dir = bert(|_| {});
    let error = LocalReranker::open(dir.path(), None).err().unwrap();
    assert_eq!(error.exit(), 65);
    assert!(error.hint_text().unwrap().contains("cross-encoder"));
}

#[test]
fn names_and_roles_come_from_the_directory() {
    let description = golden()["small"][0].clone();
    let root = tempfile::tempdir().unwrap();
    let hub = root.path().join("models--intfloat--multilingual-e5-base/snapshots/abc123");
    let plain = root.path().join("own-model");
    for dir in [&hub, &plain] {
        model::write_small(dir, &description);
    }
    let opened = |dir: &Path| {
        let settings =
            EmbedderSettings { provider: Provider::Local, dir: Some(dir.into()), ..Default::default() };
        open(&settings).unwrap().identity().clone()
    };
    let identity = opened(&hub);
    assert_eq!(identity.name, "intfloat/multilingual-e5-base");
    assert_eq!((identity.query_prefix.as_str(), identity.document_prefix.as_str()), ("query: ", "passage: "));
    assert_eq!(opened(&plain).query_prefix, "");
    let prompts = json!({ "prompts": { "query": "ask: ", "passage": "tell: " } });
    std::fs::write(plain.join("config_sentence_transformers.json"), prompts.to_string()).unwrap();
    let identity = opened(&plain);
    assert_eq!(identity.name, "own-model");
    assert_eq!((identity.query_prefix.as_str(), identity.document_prefix.as_str()), ("ask: ", "tell: "));
}

#[test]
fn the_digest_follows_every_deciding_file() {
    let dir = bert(|_| {});
    let state = dir.path().join("state/digests.json");
    let digest = || {
        LocalEmbedder::open(dir.path(), Prefixes::default(), Some(&state)).unwrap().identity().digest.clone()
    };
    let first = digest();
    assert!(first.starts_with("sha256:") && first.len() == 71);
    assert_eq!(digest(), first);
    // Remembered, recomputed and recomputed behind a damaged state file: the same.
    std::fs::write(&state, "{\"broken").unwrap();
    assert_eq!(digest(), first);
    std::fs::remove_file(&state).unwrap();
    assert_eq!(digest(), first);
    for name in ["model.safetensors", "tokenizer.json", "config.json", "sentence_bert_config.json"] {
        let path = dir.path().join(name);
        let before = std::fs::read(&path).unwrap();
        let mut after = before.clone();
        after.push(b' ');
        std::fs::write(&path, after).unwrap();
        assert_ne!(digest(), first, "{name}");
        std::fs::write(&path, before).unwrap();
        assert_eq!(digest(), first, "{name}");
    }
    let remembered = std::fs::read_to_string(&state).unwrap();
    assert!(!remembered.contains("alpha") && !remembered.contains(dir.path().to_str().unwrap()));
}
