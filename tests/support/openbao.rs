//! A real OpenBao server for a test: installed once, started in memory on a free port of loopback,
//! stopped by its process id when dropped.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The token of the server's superuser.
pub const ROOT_TOKEN: &str = "test-root-token-5c1f9a";

/// A running server with KV version 2 mounted at `kv`.
pub struct OpenBao {
    child: Child,
    /// `http://127.0.0.1:PORT`.
    pub address: String,
    port: u16,
}

impl OpenBao {
    /// Starts a server. The first one on a machine downloads it and says so.
    pub fn start() -> Self {
        for _ in 0..20 {
            if let Some(server) = Self::try_start() {
                let answer = server.post("sys/mounts/kv", r#"{"type":"kv","options":{"version":"2"}}"#);
                assert_eq!(answer.status, 204, "mount: {}", answer.body);
                return server;
            }
        }
        panic!("OpenBao does not start");
    }

    /// Starts a server that speaks TLS with certificates it makes itself; `ready` says when it
    /// answers. The authority is `vault-ca.pem` in `certificates`; KV version 2 is mounted at `secret`.
    pub fn start_tls(certificates: &Path, ready: impl Fn(&str) -> bool) -> Self {
        for _ in 0..20 {
            let Some(port) = free_pair() else { continue };
            let flag = format!("-dev-tls-cert-dir={}", certificates.display());
            let address = format!("https://127.0.0.1:{port}");
            let mut server = OpenBao { child: spawn(port, &["-dev-tls", &flag]), address, port };
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_secs(20) {
                if server.child.try_wait().expect("wait").is_some() {
                    break;
                }
                if ready(&server.address) {
                    return server;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        panic!("OpenBao does not start with TLS");
    }

    fn try_start() -> Option<Self> {
        let port = free_pair()?;
        let mut child = spawn(port, &["-dev"]);
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(20) {
            if child.try_wait().expect("wait").is_some() {
                // Somebody else took the port in between.
                return None;
            }
            if http(port, "GET", "sys/health", None, "").is_some_and(|a| a.status == 200) {
                return Some(OpenBao { child, address: format!("http://127.0.0.1:{port}"), port });
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = child.kill();
        let _ = child.wait();
        None
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A request as superuser; `path` follows `/v1/`.
    pub fn request(&self, method: &str, path: &str, body: &str) -> Answer {
        self.request_as(ROOT_TOKEN, method, path, body)
    }

    /// A request with another token.
    pub fn request_as(&self, token: &str, method: &str, path: &str, body: &str) -> Answer {
        http(self.port, method, path, Some(token), body).expect("answer")
    }

    /// A POST as superuser.
    pub fn post(&self, path: &str, body: &str) -> Answer {
        self.request("POST", path, body)
    }

    /// A token that holds exactly the policy in `text`.
    pub fn token_with_policy(&self, name: &str, text: &str) -> String {
        let policy = serde_json::json!({ "policy": text }).to_string();
        let answer = self.request("PUT", &format!("sys/policies/acl/{name}"), &policy);
        assert!(answer.status < 300, "policy {name}: {}", answer.body);
        let wish = serde_json::json!({ "policies": [name], "no_default_policy": true }).to_string();
        let answer = self.post("auth/token/create", &wish);
        let json: serde_json::Value = serde_json::from_str(&answer.body).expect("json");
        json["auth"]["client_token"].as_str().expect("token").to_owned()
    }
}

impl Drop for OpenBao {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Status and body.
pub struct Answer {
    pub status: u16,
    pub body: String,
}

fn spawn(port: u16, mode: &[&str]) -> Child {
    Command::new(binary())
        .arg("server")
        .args(mode)
        .arg("-dev-no-store-token")
        .arg(format!("-dev-root-token-id={ROOT_TOKEN}"))
        .arg(format!("-dev-listen-address=127.0.0.1:{port}"))
        .env_clear()
        .env("HOME", std::env::temp_dir())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("OpenBao starts")
}

/// A port whose successor is free too: the server takes both.
fn free_pair() -> Option<u16> {
    let first = TcpListener::bind("127.0.0.1:0").ok()?;
    let port = first.local_addr().ok()?.port();
    TcpListener::bind(("127.0.0.1", port.checked_add(1)?)).ok()?;
    Some(port)
}

fn binary() -> &'static PathBuf {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/lib/openbao.sh");
        let out = Command::new("bash").arg(script).stderr(Stdio::inherit()).output().expect("bash");
        assert!(out.status.success(), "scripts/lib/openbao.sh failed");
        PathBuf::from(String::from_utf8(out.stdout).expect("path").trim())
    })
}

/// The smallest client that will do: one request, the connection closed after the answer.
fn http(port: u16, method: &str, path: &str, token: Option<&str>, body: &str) -> Option<Answer> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
    let token = token.map(|t| format!("X-Vault-Token: {t}\r\n")).unwrap_or_default();
    let length = body.len();
    let head = format!(
        "{method} /v1/{path} HTTP/1.0\r\nHost: 127.0.0.1\r\n{token}Content-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(head.as_bytes()).ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    let status = text.split(' ').nth(1)?.parse().ok()?;
    let body = text.split_once("\r\n\r\n")?.1.to_owned();
    Some(Answer { status, body })
}
