//! The one file that talks to Vault: vaultrs shapes the requests, one client of ours sends them.
//!
//! vaultrs' own client would read VAULT_* by itself, follow redirects with the token, obey proxies
//! and read answers of any length. Ours sets every field: no proxy, no redirect, bounded waits,
//! bounded answers. Its runtime stays inside and is never waited for.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::header::HeaderValue;
use rustify::Endpoint;
use vaultrs::api::auth::approle::requests::LoginWithApproleRequest;
use vaultrs::api::kv2::requests::{
    ListSecretsRequest, ReadSecretRequest, SetSecretRequest, SetSecretRequestOptions,
};
use zeroize::Zeroizing;

use super::vault_settings::{Token, VaultAuth, VaultSettings};
use super::vault_trouble::Trouble;

/// Longest answer read: a list of thousands of archives fits.
const MAX_ANSWER: usize = 1 << 20;
/// Longest time for one act of the keyring, however many requests it takes.
const DEADLINE: Duration = Duration::from_secs(10);

/// An answer of the server: its status and body.
pub(super) struct Answer {
    pub status: u16,
    pub body: Zeroizing<Vec<u8>>,
}

/// A client for one key path.
pub(super) struct VaultClient {
    runtime: Option<tokio::runtime::Runtime>,
    http: reqwest::Client,
    settings: VaultSettings,
    session: Mutex<Option<Token>>,
}

/// One act: its requests share a deadline.
pub(super) struct Act<'c> {
    client: &'c VaultClient,
    ends: Instant,
}

impl VaultClient {
    /// Builds the client; nothing is sent yet.
    pub fn new(settings: VaultSettings) -> Result<Self, Trouble> {
        check(&settings)?;
        let mut builder = reqwest::Client::builder()
            .tls_backend_rustls()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(settings.connect_timeout)
            .timeout(settings.timeout);
        if settings.address.starts_with("http://") {
            // Spares loading the system's certificates.
            builder = builder.tls_certs_only([]);
        } else if let Some(path) = &settings.ca_cert {
            let unreadable = || Trouble::CredentialFile(path.display().to_string());
            let pem = std::fs::read(path).map_err(|_| unreadable())?;
            let certs = reqwest::Certificate::from_pem_bundle(&pem).map_err(|_| unreadable())?;
            if certs.is_empty() {
                return Err(unreadable());
            }
            builder = builder.tls_certs_only(certs);
        }
        let http = builder.build().map_err(|_| Trouble::Tls)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|_| Trouble::Settings("no runtime"))?;
        Ok(VaultClient { runtime: Some(runtime), http, settings, session: Mutex::default() })
    }

    /// Begins an act.
    pub fn act(&self) -> Act<'_> {
        Act { client: self, ends: Instant::now() + DEADLINE }
    }

    pub fn settings(&self) -> &VaultSettings {
        &self.settings
    }
}

impl Drop for VaultClient {
    fn drop(&mut self) {
        // A name lookup may hang in its own thread: not a reason to hang here.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Act<'_> {
    /// Reads a secret, the latest version or `version`.
    pub fn read(&self, path: &str, version: Option<u64>) -> Result<Answer, Trouble> {
        let mount = self.client.settings.mount.as_str();
        let endpoint = ReadSecretRequest::builder().mount(mount).path(path).version(version).build();
        self.authenticated(endpoint.map_err(|_| Trouble::Settings("path"))?)
    }

    /// Lists the names below a path.
    pub fn list(&self, path: &str) -> Result<Answer, Trouble> {
        let mount = self.client.settings.mount.as_str();
        let endpoint = ListSecretsRequest::builder().mount(mount).path(path).build();
        self.authenticated(endpoint.map_err(|_| Trouble::Settings("path"))?)
    }

    /// Writes a secret if its version is still `cas` (0: there is none).
    pub fn write(&self, path: &str, data: serde_json::Value, cas: u64) -> Result<Answer, Trouble> {
        let cas = u32::try_from(cas).map_err(|_| Trouble::Settings("version"))?;
        let mount = self.client.settings.mount.as_str();
        let endpoint = SetSecretRequest::builder()
            .mount(mount)
            .path(path)
            .data(data)
            .options(SetSecretRequestOptions { cas })
            .build();
        self.authenticated(endpoint.map_err(|_| Trouble::Settings("path"))?)
    }

    fn authenticated(&self, endpoint: impl Endpoint) -> Result<Answer, Trouble> {
        let token = self.token()?;
        self.send(endpoint, Some(&token))
    }

    fn token(&self) -> Result<Token, Trouble> {
        match &self.client.settings.auth {
            VaultAuth::Token(token) => token.clone().ok_or(Trouble::NoToken),
            VaultAuth::AppRole { role_id_file, secret_id_file } => {
                let mut session = self.client.session.lock().unwrap_or_else(PoisonError::into_inner);
                if session.is_none() {
                    *session = Some(self.log_in(&credential(role_id_file)?, &credential(secret_id_file)?)?);
                }
                session.clone().ok_or(Trouble::NoToken)
            }
        }
    }

    fn log_in(&self, role_id: &Token, secret_id: &Token) -> Result<Token, Trouble> {
        #[derive(serde::Deserialize)]
        struct Login {
            auth: Session,
        }
        #[derive(serde::Deserialize)]
        struct Session {
            client_token: String,
        }
        let endpoint = LoginWithApproleRequest::builder()
            .mount("approle")
            .role_id(role_id.expose())
            .secret_id(secret_id.expose())
            .build()
            .map_err(|_| Trouble::Settings("AppRole"))?;
        let answer = self.send(endpoint, None)?;
        if answer.status == 400 || answer.status == 404 {
            return Err(Trouble::Denied);
        }
        status(answer.status)?;
        let login: Login =
            serde_json::from_slice(&answer.body).map_err(|_| Trouble::Malformed("AppRole login"))?;
        let text = Zeroizing::new(login.auth.client_token);
        Token::new(&text).ok_or(Trouble::Malformed("AppRole login"))
    }

    fn send(&self, endpoint: impl Endpoint, token: Option<&Token>) -> Result<Answer, Trouble> {
        let client = self.client;
        let request =
            endpoint.request(&client.settings.address).map_err(|_| Trouble::Settings("vault_addr"))?;
        let mut request = reqwest::Request::try_from(request).map_err(|_| Trouble::Settings("vault_addr"))?;
        let path = format!("/v1{}", request.url().path());
        request.url_mut().set_path(&path);
        let headers = request.headers_mut();
        headers.insert("X-Vault-Request", HeaderValue::from_static("true"));
        if let Some(token) = token {
            let mut value = HeaderValue::from_str(token.expose()).map_err(|_| Trouble::NoToken)?;
            value.set_sensitive(true);
            headers.insert("X-Vault-Token", value);
        }
        if let Some(namespace) = &client.settings.namespace {
            let value = HeaderValue::from_str(namespace).map_err(|_| Trouble::Settings("namespace"))?;
            headers.insert("X-Vault-Namespace", value);
        }
        let left = self.ends.saturating_duration_since(Instant::now());
        let runtime = client.runtime.as_ref().ok_or(Trouble::Settings("no runtime"))?;
        let answer = runtime.block_on(async {
            tokio::time::timeout(left, exchange(&client.http, request)).await.unwrap_or(Err(Trouble::Hanging))
        })?;
        match answer.status {
            // Read failures of these statuses mean the same for every request.
            401 | 403 | 429 | 472 | 473 | 501 | 503 | 300..=399 => Err(trouble(answer.status)),
            _ => Ok(answer),
        }
    }
}

async fn exchange(http: &reqwest::Client, request: reqwest::Request) -> Result<Answer, Trouble> {
    let mut response = http.execute(request).await.map_err(|e| classify(&e))?;
    let status = response.status().as_u16();
    let mut body = Zeroizing::new(Vec::new());
    while let Some(chunk) = response.chunk().await.map_err(|e| classify(&e))? {
        if body.len() + chunk.len() > MAX_ANSWER {
            return Err(Trouble::Malformed("longer than 1 MiB"));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer { status, body })
}

/// The trouble behind a failed exchange.
fn classify(e: &reqwest::Error) -> Trouble {
    let mut source = std::error::Error::source(e);
    let mut tls = false;
    while let Some(inner) = source {
        // rustls' own types are not in reach; its messages name certificates and handshakes.
        let text = inner.to_string();
        tls |= ["certificate", "TLS", "tls", "handshake", "corrupt message"].iter().any(|w| text.contains(w));
        source = inner.source();
    }
    match () {
        () if e.is_timeout() && e.is_connect() => Trouble::Unreachable,
        () if e.is_timeout() => Trouble::Hanging,
        () if tls => Trouble::Tls,
        () if e.is_connect() => Trouble::Unreachable,
        () if e.is_builder() => Trouble::Settings("vault_addr"),
        () => Trouble::Malformed("cut off or not HTTP"),
    }
}

/// Success, or the trouble a status stands for.
pub(super) fn status(status: u16) -> Result<(), Trouble> {
    if (200..=208).contains(&status) { Ok(()) } else { Err(trouble(status)) }
}

fn trouble(status: u16) -> Trouble {
    match status {
        401 | 403 => Trouble::Denied,
        429 | 472 | 473 => Trouble::Busy,
        501 => Trouble::NotInitialised,
        503 => Trouble::Sealed,
        300..=399 => Trouble::Redirect,
        other => Trouble::Status(other),
    }
}

fn credential(path: &std::path::Path) -> Result<Token, Trouble> {
    let unreadable = || Trouble::CredentialFile(path.display().to_string());
    let text = std::fs::read_to_string(path).map(Zeroizing::new).map_err(|_| unreadable())?;
    Token::new(&text).filter(|t| t.expose().len() <= 4096).ok_or_else(unreadable)
}

/// Refuses settings that could reach another path or place than they say.
fn check(settings: &VaultSettings) -> Result<(), Trouble> {
    let plain = |text: &str| {
        !text.is_empty()
            && text.split('/').all(|segment| {
                !segment.is_empty()
                    && segment.bytes().any(|b| b != b'.')
                    && segment.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
            })
    };
    let rest = settings.address.split_once("://").filter(|(scheme, _)| ["http", "https"].contains(scheme));
    match rest {
        None => Err(Trouble::Settings("vault_addr")),
        Some((_, rest)) if rest.contains(['@', '?', '#', '\\']) => Err(Trouble::Settings("vault_addr")),
        _ if !plain(&settings.mount) => Err(Trouble::Settings("mount")),
        _ if !plain(&settings.path) => Err(Trouble::Settings("path")),
        _ => Ok(()),
    }
}
