//! Servers that are away, slow, wrong or malicious: always an error that says what to do, never a
//! wrong vector, never a wait without end.

use std::time::Duration;

use govmem::base::{Code, Error};
use govmem::embed::{Address, Embedder, OllamaEmbedder, OllamaSettings, Prefixes};
use serde_json::json;

use crate::http::{Reply, Request, Server};
use crate::ollama::{WIDTH, described, settings};

/// Embeds two texts on a server that answers `reply` to them.
fn embedding(reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Error {
    let server = Server::start(move |r| described(r).unwrap_or_else(|| reply(r)));
    let embedder = OllamaEmbedder::open(&settings(&server), Prefixes::default()).unwrap();
    let error = embedder.embed_documents(&["one", "two"], &mut |_| {}).unwrap_err();
    assert_eq!(error.code(), Some(Code::EmbeddingInvalid), "{error}");
    error
}

/// Opens a model on a server that answers `reply` to everything.
fn opening(reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Error {
    let server = Server::start(reply);
    let settings = OllamaSettings { timeout: Duration::from_millis(300), ..settings(&server) };
    OllamaEmbedder::open(&settings, Prefixes::default()).err().unwrap()
}

#[test]
fn nonsense_vectors_are_corrupt_data() {
    let row = |x: f64| vec![x; WIDTH];
    for embeddings in [
        json!([]),
        json!([row(1.0)]),
        json!([row(1.0), row(1.0), row(1.0)]),
        json!([row(1.0), [1.0, 2.0]]),
        json!([row(1.0), []]),
        json!([row(1.0), row(0.0)]),
        json!([row(1.0), row(1e300)]),
        json!([row(1.0), [null, 1.0, 1.0, 1.0]]),
        json!("none"),
    ] {
        let body = json!({ "embeddings": embeddings });
        let error = embedding(move |_| Reply::json(200, &body));
        assert_eq!(error.exit(), 65, "{error}");
    }
    for text in [
        "{\"embeddings\":[[NaN,1,1,1],[1,1,1,1]]}",
        "{\"embeddings\":[[1e999,1,1,1],[1,1,1,1]]}",
        "{\"embeddings\":[[1,1,1",
        "{}",
        "null",
        "<html>",
        "",
    ] {
        let error = embedding(move |_| Reply::raw(200, text));
        assert_eq!(error.exit(), 65, "{text}: {error}");
    }
    let error = embedding(|_| Reply::error(400, "embedding contains NaN or Inf values"));
    assert_eq!(error.exit(), 65, "{error}");
}

#[test]
fn refusals_are_unavailability_with_a_hint() {
    for (status, text, hint) in [
        (400, "missing request body", "ollama run"),
        (400, "invalid input type", "ollama run"),
        (404, "model 'nomic-embed-text' not found", "ollama pull nomic-embed-text"),
        (404, "model \"nomic-embed-text\" not found, try pulling it first", "ollama pull nomic-embed-text"),
        (404, "404 page not found", "Ollama"),
        (405, "method not allowed", "Ollama"),
        (499, "request canceled", "ollama run"),
        (500, "llama runner process has terminated", "ollama run"),
        (503, "server busy, please try again.  maximum pending requests exceeded", "later"),
        (418, "", "ollama run"),
    ] {
        let error = embedding(move |_| Reply::error(status, text));
        assert_eq!(error.exit(), 69, "{error}");
        assert!(error.hint_text().unwrap().contains(hint), "{status} {text}: {:?}", error.hint_text());
    }
}

#[test]
fn the_server_s_words_cannot_reach_the_terminal_s_controls() {
    let error = embedding(|_| Reply::error(500, "bad \u{1b}[2J\n\u{7} thing"));
    assert!(error.message().contains("bad [2J thing"), "{error}");
    let error = embedding(|_| Reply::error(500, &"x".repeat(5000)));
    assert!(error.message().len() < 600);
}

#[test]
fn redirects_are_not_followed() {
    let other = Server::start(|_| Reply::json(200, &json!({ "embeddings": [] })));
    let target = format!("Location: http://{}/api/embed", other.address);
    let error = embedding(move |_| Reply::raw(307, "").header(&target));
    assert_eq!(error.exit(), 69);
    assert!(other.requests().is_empty(), "the text went nowhere else");
}

#[test]
fn endless_or_interrupted_answers_are_given_up() {
    let error = embedding(|_| Reply::raw(200, vec![b' '; 10 << 20]));
    assert_eq!(error.exit(), 69, "{error}");
    let error = opening(|_| Reply::raw(200, vec![b' '; 10 << 20]));
    assert_eq!(error.exit(), 69, "{error}");
    let error = embedding(|_| Reply::raw(200, "{\"embeddings\":").cut_short());
    assert_eq!(error.exit(), 69, "{error}");
}

#[test]
fn silence_and_trickles_end_at_the_time_limit() {
    for reply in [
        Reply::hang(),
        Reply::raw(200, "{\"models\":[]}").after(Duration::from_secs(2)),
        Reply::raw(200, " ".repeat(2000)).trickle(),
    ] {
        let error = opening(move |_| reply.clone());
        assert_eq!((error.code(), error.exit()), (Some(Code::EmbeddingInvalid), 69), "{error}");
        assert!(error.hint_text().unwrap().contains("timeout_s"), "{:?}", error.hint_text());
    }
}

#[test]
fn the_first_answer_may_take_longer_than_the_others() {
    let server = Server::start(|r| {
        described(r).unwrap_or_else(|| {
            Reply::json(200, &json!({ "embeddings": [vec![1.0; WIDTH]] })).after(Duration::from_millis(900))
        })
    });
    let settings = OllamaSettings { timeout: Duration::from_millis(300), ..settings(&server) };
    let embedder = OllamaEmbedder::open(&settings, Prefixes::default()).unwrap();
    assert_eq!(embedder.embed_query("the model is loaded").unwrap().len(), WIDTH);
    assert_eq!(embedder.embed_query("now it must be quick").unwrap_err().exit(), 69);
}

#[test]
fn a_server_that_is_away_says_how_to_start_it() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let settings = OllamaSettings {
        address: Address::parse(&format!(":{port}")).unwrap(),
        model: "nomic-embed-text".into(),
        timeout: Duration::from_secs(5),
        allow_remote_models: false,
    };
    let error = OllamaEmbedder::open(&settings, Prefixes::default()).err().unwrap();
    assert_eq!((error.code(), error.exit()), (Some(Code::EmbeddingInvalid), 69));
    assert!(error.hint_text().unwrap().contains("ollama serve"));
    assert!(error.message().contains(&port.to_string()));
}

#[test]
fn descriptions_without_what_is_needed_are_refused() {
    for (tags, show, exit) in [
        (json!({}), json!({}), 69),
        (json!({"models": 3}), json!({}), 65),
        (json!({"models": [{"name": "nomic-embed-text:latest", "digest": ""}]}), json!({}), 69),
        (json!({"models": [{"name": "nomic-embed-text:latest", "digest": "d"}]}), json!({}), 65),
        (
            json!({"models": [{"name": "nomic-embed-text:latest", "digest": "d"}]}),
            json!({"model_info": {"general.architecture": "a", "a.embedding_length": 4_000_000_000_u64}}),
            65,
        ),
    ] {
        let error = opening(move |r| Reply::json(200, if r.path == "/api/tags" { &tags } else { &show }));
        assert_eq!(error.exit(), exit, "{error}");
    }
}
