//! The routes: `POST /mcp`, `/query`, `/get`, `/multi_get`, `GET /status`, `/health`.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tower_http::timeout::TimeoutLayer;

use super::backend::{Backend, document};
use super::guard::{self, Refusal, Rules};
use super::mcp::Handler;
use crate::base::{Error, Result};
use crate::tr;

/// Longest time an answer may take.
const ANSWER_TIME: Duration = Duration::from_secs(60);

type Answer = Result<Json<Value>, Refusal>;

/// The whole service. Without sessions: every request stands alone, so a client that goes leaves
/// nothing behind.
pub fn router(backend: Backend, rules: Rules) -> Router {
    let handler = Handler::new(backend.clone());
    // Hosts and origins are checked by the guard, for every route alike.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(guard::LARGEST_BODY)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let mcp = StreamableHttpService::new(
        move || Ok(handler.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    Router::new()
        .route_service("/mcp", mcp)
        .route("/query", post(query))
        .route("/get", post(fetch))
        .route("/multi_get", post(multi_get))
        .route("/status", get(status))
        .route("/health", get(health))
        .fallback(nowhere)
        .method_not_allowed_fallback(not_allowed)
        .with_state(backend)
        .layer(from_fn_with_state(Arc::new(rules), guard::check))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, ANSWER_TIME))
}

async fn query(State(backend): State<Backend>, body: Bytes) -> Answer {
    let request = parse(&body)?;
    answer(backend.ask(move |b| b.query(&request)).await)
}

async fn fetch(State(backend): State<Backend>, body: Bytes) -> Answer {
    let request = parse(&body)?;
    answer(backend.ask(move |b| b.get(&request).map(|f| document(&f))).await)
}

async fn multi_get(State(backend): State<Backend>, body: Bytes) -> Answer {
    let request = parse(&body)?;
    answer(backend.ask(move |b| b.multi_get(&request)).await)
}

async fn status(State(backend): State<Backend>) -> Answer {
    answer(backend.ask(|b| b.status().map(|s| json!(s))).await)
}

async fn health() -> Json<Value> {
    Json(json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")}))
}

async fn nowhere() -> Refusal {
    Refusal(StatusCode::NOT_FOUND, Error::usage(tr!("rien à cette adresse", "nothing is at this address")))
}

async fn not_allowed() -> Refusal {
    Refusal(
        StatusCode::METHOD_NOT_ALLOWED,
        Error::usage(tr!("méthode refusée ici", "this method is not allowed here")),
    )
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body).map_err(|e| {
        Refusal(
            StatusCode::BAD_REQUEST,
            Error::usage(tr!("demande refusée : {e}", "this request is refused: {e}")),
        )
    })
}

fn answer(result: Result<Value>) -> Answer {
    result.map(Json).map_err(|e| Refusal(guard::status(&e), e))
}
