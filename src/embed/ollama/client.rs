//! One request, one checked answer: time-outs, retries, size limits, and errors that say what to do.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Address, OllamaSettings};
use crate::base::{Error, Kind, Result};
use crate::tr;

/// Waits between the tries of a busy server (503).
const BACK_OFF: [Duration; 5] = [
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
    Duration::from_millis(1600),
];

/// The first answer may wait for the model to be loaded.
const FIRST_WAIT: Duration = Duration::from_secs(120);

/// An HTTP client bound to one server and one model.
pub(super) struct Client {
    http: reqwest::blocking::Client,
    address: Address,
    model: String,
    timeout: Duration,
    warm: AtomicBool,
}

/// Why a request gave no answer.
pub(super) enum Failure {
    /// An input is longer than the model's context.
    TooLong,
    /// The model gave numbers that are none.
    NotFinite,
    /// Anything else.
    Other(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Other(error)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Other(error) => error,
            Failure::TooLong => Error::new(Kind::Unavailable, tr!("texte trop long", "text too long")),
            Failure::NotFinite => Error::new(
                Kind::Corrupt,
                tr!("le modèle donne des valeurs NaN ou infinies", "the model gives NaN or infinite values"),
            ),
        }
    }
}

impl Client {
    /// A client; nothing is sent yet.
    pub fn new(settings: &OllamaSettings) -> Result<Client> {
        let mut builder = reqwest::blocking::Client::builder()
            // A redirect could lead the text elsewhere.
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(settings.timeout.min(Duration::from_secs(5)))
            .timeout(None);
        if settings.address.is_loopback() {
            builder = builder.no_proxy();
        }
        if !settings.address.is_https() {
            // Reading the machine's certificates costs more than a query.
            builder = builder.tls_certs_only([]);
        }
        let http = builder
            .build()
            .map_err(|e| Error::new(Kind::Unavailable, tr!("client HTTP : {e}", "HTTP client: {e}")))?;
        Ok(Client {
            http,
            address: settings.address.clone(),
            model: settings.model.clone(),
            timeout: settings.timeout,
            warm: AtomicBool::new(false),
        })
    }

    /// `GET path`, at most `limit` bytes of answer.
    pub fn get<T: DeserializeOwned>(&self, path: &str, limit: usize) -> Result<T> {
        Ok(self.exchange(path, None, self.timeout, limit)?)
    }

    /// `POST path`, for what answers at once.
    pub fn ask<T: DeserializeOwned>(&self, path: &str, body: &Value, limit: usize) -> Result<T> {
        Ok(self.exchange(path, Some(body), self.timeout, limit)?)
    }

    /// `POST path`, for what needs the model in memory: the first wait is longer.
    pub fn run<T: DeserializeOwned>(&self, path: &str, body: &Value, limit: usize) -> Result<T, Failure> {
        let wait = match self.warm.load(Ordering::Relaxed) {
            true => self.timeout,
            false => FIRST_WAIT.max(self.timeout * 4),
        };
        let answer = self.exchange(path, Some(body), wait, limit)?;
        self.warm.store(true, Ordering::Relaxed);
        Ok(answer)
    }

    fn exchange<T: DeserializeOwned>(
        &self,
        path: &str,
        body: Option<&Value>,
        wait: Duration,
        limit: usize,
    ) -> Result<T, Failure> {
        let mut pauses = BACK_OFF.iter();
        loop {
            let (status, bytes) = self.send(path, body, wait, limit)?;
            if status == 200 {
                return Ok(serde_json::from_slice(&bytes).map_err(|e| {
                    Error::new(
                        Kind::Corrupt,
                        tr!(
                            "{} : réponse illisible de {path} : {e}",
                            "{}: unreadable answer from {path}: {e}",
                            self.address
                        ),
                    )
                })?);
            }
            match (status, pauses.next()) {
                (503, Some(pause)) => std::thread::sleep(*pause),
                _ => return Err(self.refusal(path, status, &bytes)),
            }
        }
    }

    fn send(&self, path: &str, body: Option<&Value>, wait: Duration, limit: usize) -> Result<(u16, Vec<u8>)> {
        let end = Instant::now() + wait;
        let url = format!("{}{path}", self.address);
        let request = match body {
            None => self.http.get(url),
            Some(body) => self.http.post(url).json(body),
        };
        let mut response = request.timeout(wait).send().map_err(|e| self.unreachable(&e, wait))?;
        let status = response.status().as_u16();
        let mut bytes = Vec::new();
        let mut chunk = [0; 16 * 1024];
        loop {
            // Each read has its own time-out: without this a trickle would never end.
            if Instant::now() >= end {
                return Err(self.too_slow(wait));
            }
            match response.read(&mut chunk) {
                Ok(0) => return Ok((status, bytes)),
                Ok(n) => bytes.extend_from_slice(&chunk[..n]),
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) if Instant::now() >= end => return Err(self.too_slow(wait)),
                Err(e) => {
                    return Err(self.broken(tr!("réponse interrompue : {e}", "answer broken off: {e}")));
                }
            }
            if bytes.len() > limit {
                return Err(self.broken(tr!(
                    "réponse de plus de {limit} octets à {path}",
                    "an answer of more than {limit} bytes to {path}"
                )));
            }
        }
    }

    /// What a status other than 200 means.
    fn refusal(&self, path: &str, status: u16, bytes: &[u8]) -> Failure {
        let said = serde_json::from_slice::<Value>(bytes)
            .ok()
            .and_then(|v| v["error"].as_str().map(str::to_owned))
            .unwrap_or_default();
        // The server's words go to a terminal.
        let said: String = said.chars().filter(|c| !c.is_control()).take(300).collect();
        let low = said.to_lowercase();
        if matches!(status, 400 | 500) && low.contains("context length") {
            return Failure::TooLong;
        }
        if matches!(status, 400 | 500) && low.contains("nan or inf") {
            return Failure::NotFinite;
        }
        let model = &self.model;
        let colon = if said.is_empty() { "" } else { ": " };
        let error =
            self.broken(tr!("{path} répond {status}{colon}{said}", "{path} answers {status}{colon}{said}"));
        Failure::Other(match status {
            404 if low.contains("not found") && low.contains("model") => self.not_pulled(),
            300..=399 => error.hint(tr!(
                "les redirections sont refusées : donnez l'adresse finale du serveur",
                "redirects are refused: give the server's final address"
            )),
            404 | 405 => error.hint(tr!(
                "est-ce bien un serveur Ollama ? vérifiez l'adresse et la version",
                "is this an Ollama server? check the address and the version"
            )),
            503 => error.hint(tr!(
                "le serveur est occupé : réessayez plus tard",
                "the server is busy: try again later"
            )),
            _ => error.hint(tr!(
                "voyez le journal du serveur ; essayez `ollama run {model}`",
                "see the server's log; try `ollama run {model}`"
            )),
        })
    }

    /// The model is not on the server.
    pub fn not_pulled(&self) -> Error {
        let (model, address) = (&self.model, &self.address);
        Error::new(
            Kind::Unavailable,
            tr!("le modèle {model} n'est pas sur {address}", "model {model} is not on {address}"),
        )
        .hint(format!("ollama pull {model}"))
    }

    fn unreachable(&self, error: &reqwest::Error, wait: Duration) -> Error {
        if error.is_timeout() && !error.is_connect() {
            return self.too_slow(wait);
        }
        // The innermost cause says it best ("Connection refused").
        let mut cause: &dyn std::error::Error = error;
        while let Some(next) = cause.source() {
            cause = next;
        }
        let address = &self.address;
        Error::new(
            Kind::Unavailable,
            tr!("Ollama ne répond pas à {address} : {cause}", "Ollama does not answer at {address}: {cause}"),
        )
        .hint(tr!(
            "lancez `ollama serve`, ou corrigez OLLAMA_HOST ou [embedder] url",
            "start `ollama serve`, or correct OLLAMA_HOST or [embedder] url"
        ))
    }

    fn too_slow(&self, wait: Duration) -> Error {
        let seconds = wait.as_secs_f32();
        self.broken(tr!("pas de réponse complète en {seconds} s", "no complete answer within {seconds} s"))
            .hint(tr!(
                "augmentez [embedder] timeout_s, ou vérifiez la charge du serveur",
                "raise [embedder] timeout_s, or check the server's load"
            ))
    }

    fn broken(&self, what: String) -> Error {
        Error::new(Kind::Unavailable, tr!("Ollama à {} : {what}", "Ollama at {}: {what}", self.address))
    }
}
