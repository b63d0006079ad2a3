//! Who may ask, from where, and how much: checked before any handler sees a request.
//!
//! A page in a browser must not reach the service: names that are not this machine's (rebinding),
//! foreign origins, and the content types a page may send without asking are refused, and no answer
//! allows an origin. Bodies are read whole here, bounded in size, time and depth.

use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::backend::trouble;
use super::depth;
use super::token::Token;
use crate::base::{Error, Kind};
use crate::tr;

/// Largest body in bytes.
pub const LARGEST_BODY: usize = 64 * 1024;
/// Longest time a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);

/// The rules of one server.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Host names accepted beside this machine's own.
    pub hosts: Vec<String>,
    /// Whether addresses other than loopback ones are accepted as hosts.
    pub any_address: bool,
    /// The token that every question must bring.
    pub token: Option<Token>,
}

/// A refused request: status and what to tell.
pub struct Refusal(pub StatusCode, pub Error);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Refusal(status, error) = self;
        let mut response = (status, axum::Json(trouble(&error))).into_response();
        let headers = response.headers_mut();
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if matches!(status, StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_TIMEOUT) {
            // What is left of the body is not waited for.
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

fn refuse<T>(status: StatusCode, message: String) -> Result<T, Refusal> {
    Err(Refusal(status, Error::usage(message)))
}

/// Checks a request, reads its body, and hands it on.
pub async fn check(State(rules): State<Arc<Rules>>, request: Request, next: Next) -> Response {
    let mut response = match admit(&rules, request).await {
        Ok(request) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn admit(rules: &Rules, request: Request) -> Result<Request, Refusal> {
    let (parts, body) = request.into_parts();
    let host = host(&parts.uri, &parts.headers)?;
    if !rules.knows(&host) {
        return refuse(StatusCode::FORBIDDEN, tr!("hôte refusé : {host}", "this host is refused: {host}"));
    }
    same_origin(&host, &parts.headers)?;
    if parts.uri.path() != "/health" {
        authorised(rules, &parts.headers)?;
    }
    if parts.method != Method::POST {
        // No other method has a body that anything reads.
        return Ok(Request::from_parts(parts, Body::empty()));
    }
    json_only(&parts.headers)?;
    let declared = one(&parts.headers, &header::CONTENT_LENGTH)?.and_then(|v| v.parse::<u64>().ok());
    if declared.is_some_and(|n| n > LARGEST_BODY as u64) {
        return too_large();
    }
    let read = tokio::time::timeout(BODY_TIME, collect(body)).await;
    let bytes = read.unwrap_or_else(|_| {
        refuse(StatusCode::REQUEST_TIMEOUT, tr!("le corps n'arrive pas", "the body does not arrive"))
    })?;
    if depth::too_deep(&bytes) {
        return refuse(
            StatusCode::BAD_REQUEST,
            tr!("JSON imbriqué sur plus de {} niveaux", "JSON nested deeper than {} levels", depth::DEEPEST),
        );
    }
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

/// The only value of a header; two are refused.
fn one<'h>(headers: &'h HeaderMap, name: &header::HeaderName) -> Result<Option<&'h str>, Refusal> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) if value.to_str().is_ok() => Ok(value.to_str().ok()),
        _ => refuse(
            StatusCode::BAD_REQUEST,
            tr!("en-tête double ou illisible : {name}", "a header is double or unreadable: {name}"),
        ),
    }
}

/// The host that the request is for. A target that names another host than the header is refused.
fn host(uri: &Uri, headers: &HeaderMap) -> Result<Authority, Refusal> {
    let named = one(headers, &header::HOST)?.and_then(|h| h.parse::<Authority>().ok());
    match named {
        Some(host) if !host.as_str().contains('@') && uri.authority().is_none_or(|a| *a == host) => Ok(host),
        _ => refuse(
            StatusCode::BAD_REQUEST,
            tr!("en-tête Host absent ou refusé", "the Host header is absent or refused"),
        ),
    }
}

fn same_origin(host: &Authority, headers: &HeaderMap) -> Result<(), Refusal> {
    if let Some(origin) = one(headers, &header::ORIGIN)?
        && !origin.eq_ignore_ascii_case(&format!("http://{host}"))
    {
        return refuse(
            StatusCode::FORBIDDEN,
            tr!("origine refusée : {origin}", "this origin is refused: {origin}"),
        );
    }
    // Browsers say so even where they send no origin.
    match one(headers, &header::HeaderName::from_static("sec-fetch-site"))? {
        None | Some("same-origin" | "none") => Ok(()),
        Some(_) => {
            refuse(StatusCode::FORBIDDEN, tr!("une autre page demande", "another site's page is asking"))
        }
    }
}

fn authorised(rules: &Rules, headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(token) = &rules.token else { return Ok(()) };
    let given = one(headers, &header::AUTHORIZATION)?.and_then(|v| {
        let (scheme, value) = v.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(value.trim())
    });
    if given.is_some_and(|g| token.is(g.as_bytes())) {
        return Ok(());
    }
    refuse(StatusCode::UNAUTHORIZED, tr!("jeton absent ou faux", "the token is absent or wrong"))
}

fn json_only(headers: &HeaderMap) -> Result<(), Refusal> {
    let kind = one(headers, &header::CONTENT_TYPE)?.unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    let encoded =
        one(headers, &header::CONTENT_ENCODING)?.is_some_and(|e| !e.eq_ignore_ascii_case("identity"));
    if essence.eq_ignore_ascii_case("application/json") && !encoded {
        return Ok(());
    }
    refuse(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        tr!("le corps doit être application/json", "the body must be application/json"),
    )
}

fn too_large<T>() -> Result<T, Refusal> {
    refuse(
        StatusCode::PAYLOAD_TOO_LARGE,
        tr!("corps de plus de {LARGEST_BODY} octets", "a body above {LARGEST_BODY} bytes"),
    )
}

async fn collect(mut body: Body) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let Ok(frame) = frame else {
            return refuse(StatusCode::BAD_REQUEST, tr!("corps coupé", "the body is cut short"));
        };
        if let Ok(data) = frame.into_data() {
            if bytes.len() + data.len() > LARGEST_BODY {
                return too_large();
            }
            bytes.extend_from_slice(&data);
        }
    }
    Ok(bytes)
}

impl Rules {
    /// Whether a request for `host` may be for this server. A name that is not known here may be
    /// anybody's; an address cannot be rebound.
    fn knows(&self, host: &Authority) -> bool {
        let name = host.host();
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>() {
            Ok(ip) => ip.is_loopback() || self.any_address,
            Err(_) => {
                name.eq_ignore_ascii_case("localhost")
                    || self.hosts.iter().any(|h| h.eq_ignore_ascii_case(name))
            }
        }
    }
}

/// The status that tells an error of a question.
pub fn status(error: &Error) -> StatusCode {
    match error.kind() {
        Kind::Usage => StatusCode::BAD_REQUEST,
        Kind::Negative => StatusCode::NOT_FOUND,
        Kind::Partial => StatusCode::CONFLICT,
        Kind::Unavailable | Kind::TryLater => StatusCode::SERVICE_UNAVAILABLE,
        _ => match error.exit() {
            2 => StatusCode::BAD_REQUEST,
            69 | 75 => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(hosts: &[&str], any_address: bool) -> Rules {
        Rules { hosts: hosts.iter().map(|h| (*h).to_owned()).collect(), any_address, token: None }
    }

    #[test]
    fn only_this_machine_is_known_by_default() {
        let knows = |r: &Rules, h: &str| r.knows(&h.parse().unwrap());
        let local = rules(&[], false);
        for host in ["localhost", "LOCALHOST:8181", "127.0.0.1:9", "127.1.2.3", "[::1]:8181", "[::1]"] {
            assert!(knows(&local, host), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "10.0.0.1", "localhost."] {
            assert!(!knows(&local, host), "{host}");
        }
        let open = rules(&["search.lan"], true);
        assert!(knows(&open, "10.0.0.1:8181") && knows(&open, "SEARCH.lan:8181"));
        assert!(!knows(&open, "evil.example"));
    }

    #[test]
    fn targets_and_hosts_agree() {
        let headers = |pairs: &[(&str, &str)]| {
            let mut map = HeaderMap::new();
            for (name, value) in pairs {
                map.append(header::HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
            }
            map
        };
        let ok = headers(&[("host", "localhost:1")]);
        assert!(host(&"/x".parse().unwrap(), &ok).is_ok());
        assert!(host(&"http://localhost:1/x".parse().unwrap(), &ok).is_ok());
        assert!(host(&"http://evil/x".parse().unwrap(), &ok).is_err());
        for bad in [
            &[][..],
            &[("host", "a@localhost")],
            &[("host", "localhost"), ("host", "evil")],
            &[("host", "a b")],
        ] {
            assert!(host(&"/x".parse().unwrap(), &headers(bad)).is_err(), "{bad:?}");
        }
        let here: Authority = "localhost:1".parse().unwrap();
        assert!(same_origin(&here, &headers(&[("origin", "http://localhost:1")])).is_ok());
        for bad in
            ["null", "http://localhost", "https://localhost:1", "http://evil", "http://localhost:1.evil"]
        {
            assert!(same_origin(&here, &headers(&[("origin", bad)])).is_err(), "{bad}");
        }
        assert!(same_origin(&here, &headers(&[("sec-fetch-site", "cross-site")])).is_err());
    }
}
