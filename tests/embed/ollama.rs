//! Exchanges with an Ollama server, as its source says they go.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use govmem::base::Code;
use govmem::embed::{
    Address, Embedder, EmbedderSettings, Generation, Generator, OllamaEmbedder, OllamaGenerator,
    OllamaSettings, Prefixes, open,
};
use serde_json::{Value, json};

use crate::http::{Reply, Request, Server};

/// Width of the little model the servers speak of.
pub const WIDTH: usize = 4;

/// What `/api/tags` and `/api/show` say of a model `nomic-embed-text`.
pub fn described(request: &Request) -> Option<Reply> {
    match request.path.as_str() {
        "/api/tags" => Some(Reply::json(
            200,
            &json!({"models": [
                {"name": "other:latest", "model": "other:latest", "size": 1, "digest": "ffff", "details": {}},
                {"name": "nomic-embed-text:latest", "model": "nomic-embed-text:latest",
                 "modified_at": "2026-01-01T00:00:00Z", "size": 274_302_450, "digest": "0a109f422b47",
                 "details": {"family": "nomic-bert"}, "capabilities": ["embedding"]},
                {"name": "far:latest", "model": "far:latest", "digest": "c10d", "size": 1,
                 "remote_model": "far", "remote_host": "https://example.org"},
            ]}),
        )),
        "/api/show" => Some(Reply::json(
            200,
            &json!({"model_info": {"general.architecture": "nomic-bert",
                "nomic-bert.embedding_length": WIDTH, "nomic-bert.context_length": 2048}}),
        )),
        _ => None,
    }
}

/// A vector that tells its text: (length, first byte, last byte, 1), not normalised.
pub fn told(text: &str) -> Vec<f32> {
    let bytes = text.as_bytes();
    let ends = [bytes.first(), bytes.last()].map(|b| f32::from(b.copied().unwrap_or(0)));
    vec![text.len() as f32, ends[0], ends[1], 1.0]
}

/// The inputs of an embedding request.
pub fn inputs(body: &Value) -> Vec<String> {
    body["input"].as_array().unwrap().iter().map(|t| t.as_str().unwrap().to_owned()).collect()
}

fn embedded(body: &Value) -> Reply {
    let vectors: Vec<Vec<f32>> = inputs(body).iter().map(|t| told(t)).collect();
    Reply::json(
        200,
        &json!({"model": body["model"], "embeddings": vectors, "total_duration": 1,
        "load_duration": 1, "prompt_eval_count": 3}),
    )
}

/// Settings for a server.
pub fn settings(server: &Server) -> OllamaSettings {
    OllamaSettings {
        address: Address::parse(&server.address).unwrap(),
        model: "nomic-embed-text".into(),
        timeout: Duration::from_secs(10),
        allow_remote_models: false,
    }
}

fn roles() -> Prefixes {
    Prefixes { query: "search_query: ".into(), document: "search_document: ".into() }
}

fn normalised(vector: &[f32]) -> Vec<f32> {
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter().map(|x| x / norm).collect()
}

#[test]
fn identity_comes_from_the_server_and_prefixes_are_sent() {
    let server = Server::start(|r| described(r).unwrap_or_else(|| embedded(&r.body)));
    let embedder =
        open(&EmbedderSettings { url: Some(server.address.clone()), ..Default::default() }).unwrap();
    let identity = embedder.identity();
    assert_eq!((identity.provider.as_str(), identity.name.as_str()), ("ollama", "nomic-embed-text:latest"));
    assert_eq!((identity.digest.as_str(), identity.width, identity.window), ("0a109f422b47", WIDTH, 2048));
    assert_eq!(server.bodies("/api/embed").len(), 0, "opening sends no text");

    let vector = embedder.embed_query("key rotation").unwrap();
    crate::close(&vector, &normalised(&told("search_query: key rotation")), "query");
    let body = &server.bodies("/api/embed")[0];
    assert_eq!(body["input"], json!(["search_query: key rotation"]));
    assert_eq!(body["truncate"], json!(false));
    assert_eq!(body["model"], json!("nomic-embed-text:latest"));
    let documents = embedder.embed_documents(&["é", ""], &mut |_| {}).unwrap();
    assert_eq!((documents[0].len(), documents[1].len()), (1, 0), "nothing to embed in an empty text");
    assert_eq!(server.bodies("/api/embed")[1]["input"], json!(["search_document: é"]));
}

#[test]
fn many_texts_go_in_batches_and_come_back_in_order() {
    let server = Server::start(|r| described(r).unwrap_or_else(|| embedded(&r.body)));
    let embedder = OllamaEmbedder::open(&settings(&server), roles()).unwrap();
    let texts: Vec<String> = (0..75).map(|i| "x".repeat(i + 1)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut seen = Vec::new();
    let vectors = embedder.embed_documents(&texts, &mut |n| seen.push(n)).unwrap();
    for (text, windows) in texts.iter().zip(&vectors) {
        crate::close(&windows[0], &normalised(&told(&format!("search_document: {text}"))), text);
    }
    let sizes: Vec<usize> = server.bodies("/api/embed").iter().map(|b| inputs(b).len()).collect();
    assert_eq!(sizes.iter().sum::<usize>(), 75);
    assert!(sizes.len() > 1 && sizes.iter().all(|n| *n <= 32), "{sizes:?}");
    assert!(seen.is_sorted() && seen.last() == Some(&75));
}

#[test]
fn a_refused_window_is_halved_until_it_passes_and_nothing_is_lost() {
    // A server whose context is far shorter than it says: 60 characters.
    let server = Server::start(|r| {
        described(r).unwrap_or_else(|| match inputs(&r.body).iter().any(|t| t.len() > 60) {
            true => Reply::error(400, "the input length exceeds the context length"),
            false => embedded(&r.body),
        })
    });
    let embedder = OllamaEmbedder::open(&settings(&server), Prefixes::default()).unwrap();
    let long: String = (0..40).map(|i| format!("word{i} ")).collect();
    let texts = ["short", long.as_str(), "also short"];
    let windows = embedder.embed_windows(&texts, &mut |_| {}).unwrap();
    assert_eq!((windows[0].len(), windows[2].len()), (1, 1));
    let pieces = &windows[1];
    assert_eq!((pieces[0].bytes.start, pieces[pieces.len() - 1].bytes.end), (0, long.len()));
    for (a, b) in pieces.iter().zip(&pieces[1..]) {
        assert!(a.bytes.start < b.bytes.start && b.bytes.start < a.bytes.end, "windows overlap, in order");
    }
    for piece in pieces {
        crate::close(&piece.vector, &normalised(&told(&long[piece.bytes.clone()])), "piece");
    }
    // A query of several windows is one vector.
    assert_eq!(embedder.embed_query(&long).unwrap().len(), WIDTH);
}

#[test]
fn a_text_refused_at_any_length_is_an_error() {
    let server = Server::start(|r| {
        described(r).unwrap_or_else(|| Reply::error(400, "the input length exceeds the context length"))
    });
    let embedder = OllamaEmbedder::open(&settings(&server), roles()).unwrap();
    let error = embedder.embed_documents(&["some words that never fit"], &mut |_| {}).unwrap_err();
    assert_eq!((error.code(), error.exit()), (Some(Code::EmbeddingInvalid), 65));
}

#[test]
fn long_texts_are_cut_before_they_are_sent() {
    let server = Server::start(|r| described(r).unwrap_or_else(|| embedded(&r.body)));
    let embedder = OllamaEmbedder::open(&settings(&server), roles()).unwrap();
    let long = "gouvernance ".repeat(3000);
    let windows = embedder.embed_windows(&[&long], &mut |_| {}).unwrap().remove(0);
    assert!(windows.len() > 1);
    assert_eq!((windows[0].bytes.start, windows[windows.len() - 1].bytes.end), (0, long.len()));
    for body in server.bodies("/api/embed") {
        assert!(inputs(&body).iter().all(|t| t.starts_with("search_document: ")));
    }
}

#[test]
fn a_busy_server_is_asked_again() {
    let asked = AtomicUsize::new(0);
    let server = Server::start(move |r| {
        described(r).unwrap_or_else(|| match asked.fetch_add(1, Ordering::SeqCst) {
            0 | 1 => Reply::error(503, "server busy, please try again.  maximum pending requests exceeded"),
            _ => embedded(&r.body),
        })
    });
    let embedder = OllamaEmbedder::open(&settings(&server), roles()).unwrap();
    assert_eq!(embedder.embed_query("a").unwrap().len(), WIDTH);
    assert_eq!(server.bodies("/api/embed").len(), 3);
}

#[test]
fn a_model_that_is_absent_or_elsewhere_is_refused() {
    let server = Server::start(|r| described(r).unwrap_or_else(|| embedded(&r.body)));
    let named = |model: &str| OllamaSettings { model: model.into(), ..settings(&server) };
    let error = OllamaEmbedder::open(&named("absent"), roles()).err().unwrap();
    assert_eq!((error.code(), error.exit()), (Some(Code::EmbeddingInvalid), 69));
    assert_eq!(error.hint_text(), Some("ollama pull absent"));
    for elsewhere in ["far", "gpt:cloud", "gpt:120b-cloud"] {
        assert_eq!(OllamaEmbedder::open(&named(elsewhere), roles()).err().unwrap().exit(), 2, "{elsewhere}");
    }
    let allowed = OllamaSettings { allow_remote_models: true, ..named("far") };
    assert_eq!(OllamaEmbedder::open(&allowed, roles()).unwrap().identity().digest, "c10d");
    assert!(server.bodies("/api/embed").is_empty(), "no text was sent");
}

#[test]
fn generation_is_seeded_cold_and_whole() {
    let server = Server::start(|r| {
        described(r).unwrap_or_else(|| {
            let long = r.body["prompt"] == json!("long");
            let reason = if long { "length" } else { "stop" };
            Reply::json(200, &json!({"response": "{\"a\": 1}", "done": true, "done_reason": reason}))
        })
    });
    let generator = OllamaGenerator::open(&settings(&server)).unwrap();
    assert_eq!(generator.name(), "nomic-embed-text:latest@0a109f422b47");
    let schema = json!({"type": "object"});
    let request = Generation { prompt: "expand", schema: Some(&schema), seed: 7, max_tokens: 99 };
    assert_eq!(generator.generate(&request).unwrap(), "{\"a\": 1}");
    let body = &server.bodies("/api/generate")[0];
    assert_eq!(body["stream"], json!(false));
    assert_eq!(body["format"], schema);
    assert_eq!(body["options"], json!({"temperature": 0, "seed": 7, "num_predict": 99}));
    let cut = generator.generate(&Generation { prompt: "long", ..request }).unwrap_err();
    assert_eq!(cut.exit(), 65);
}
