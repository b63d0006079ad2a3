//! Embedders, generators and rerankers: against recorded exchanges, hostile servers and reference
//! vectors.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop with the line")]

mod cache;
mod directories;
mod hostile;
mod local;
mod ollama;
mod small;

#[path = "../support/http.rs"]
mod http;
#[path = "../support/model.rs"]
mod model;

/// The reference vectors that `reference.py` computed.
fn golden() -> serde_json::Value {
    serde_json::from_str(include_str!("golden.json")).unwrap()
}

/// A JSON array of numbers.
fn numbers(value: &serde_json::Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect()
}

/// Checks that `got` is `expected` within 1e-4, number by number.
fn close(got: &[f32], expected: &[f32], what: &str) {
    assert_eq!(got.len(), expected.len(), "{what}");
    for (i, (g, e)) in got.iter().zip(expected).enumerate() {
        assert!((g - e).abs() <= 1e-4, "{what}, number {i}: {g} instead of {e}");
    }
}
