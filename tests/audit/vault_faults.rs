//! Every way a Vault server can fail gives ERR-295-16 with a hint, in time, and no event; no answer,
//! token or key is ever repeated.

use std::time::{Duration, Instant};

use govmem::audit::{Keyring, Token, Trail, VaultAuth, VaultKeyring, VaultSettings};
use govmem::base::Code;
use govmem::store::{LockSettings, Locks, Workspace, lock};

use crate::hostile_http::{Behaviour, Hostile, head};
use crate::openbao::{OpenBao, ROOT_TOKEN};
use crate::world::{World, at, event};

const SECRET: &str = "5ec2e7abad1dea0000000000000000000000000000000000000000000000c0de";

/// Opens a trail with this keyring, which must fail as the contract says; returns message and hint.
fn refused(what: &str, settings: VaultSettings) -> String {
    let w = World::new();
    let begun = Instant::now();
    let mut locks = Locks::new(&Workspace::new(w.dir.path()), LockSettings::default());
    let (guard, _) = locks.begin().exclusive::<lock::Trail>().expect("lock");
    let result = VaultKeyring::new(settings).and_then(|ring| {
        Trail::open(&w.paths, &ring, at(0), &guard).and_then(|mut t| t.append(&[event(1, 0, 1)]))
    });
    let elapsed = begun.elapsed();
    let error = result.expect_err(what);
    assert!(elapsed < Duration::from_secs(12), "{what}: {elapsed:?}");
    assert_eq!(error.code(), Some(Code::AuditKeyUnavailable), "{what}: {error}");
    assert_eq!(error.exit(), 69, "{what}");
    assert!(w.trail().is_empty() && w.chain().is_empty(), "{what}: an event was written");
    let text = format!("{error} | {} | {error:?}", error.hint_text().expect("hint"));
    for secret in [SECRET, &SECRET[..16], "hvs.", ROOT_TOKEN] {
        assert!(!text.contains(secret), "{what}: {text}");
    }
    text
}

fn token() -> VaultAuth {
    VaultAuth::Token(Token::new("hvs.CAESIJ-not-a-real-token"))
}

fn secret(key: &str, version: &str) -> String {
    format!(r#"{{"data":{{"data":{{"key":{key}}},"metadata":{{"version":{version}}}}}}}"#)
}

#[test]
fn hostile_answers() {
    let good = format!("\"{SECRET}\"");
    let echo = format!(r#"{{"errors":["{SECRET} hvs.CAESIJ-not-a-real-token"]}}"#);
    let json = |status, body: &str| Behaviour::answer(status, body);
    let deleted = r#"{"data":{"data":null,"metadata":{"version":1,"deletion_time":"2026-01-01T00:00:00Z"}}}"#;
    let destroyed = r#"{"data":{"data":null,"metadata":{"version":1,"destroyed":true}}}"#;
    let location = "Location: http://127.0.0.1:9/v1/elsewhere\r\n";
    let cases: Vec<(&str, Behaviour, &str)> = vec![
        ("503 sealed", json(503, &echo), "unseal"),
        ("501 not initialised", json(501, "{}"), "operator init"),
        ("403 denied", json(403, &echo), "login"),
        ("401", json(401, "{}"), "login"),
        ("404 absent", json(404, r#"{"errors":[]}"#), "bootstrap"),
        ("404 deleted", json(404, deleted), "undelete"),
        ("404 destroyed", json(404, destroyed), "undelete"),
        ("404 no mount", json(404, r#"{"errors":["no handler for route"]}"#), "mount"),
        ("404 page", json(404, "<html>not here</html>"), "address"),
        ("404 empty object", json(404, "{}"), "mount"),
        ("429", json(429, &echo), "active node"),
        ("473 standby", json(473, ""), "active node"),
        ("500", json(500, &echo), "vault status"),
        ("502 page", json(502, "<html>"), "vault status"),
        ("400", json(400, &echo), "vault status"),
        ("307", Behaviour::Send(head(307, location, 0, "")), "active node"),
        ("301", Behaviour::Send(head(301, location, 0, "")), "active node"),
        ("200 deleted", json(200, deleted), "undelete"),
        ("empty body", json(200, ""), "address"),
        ("not JSON", json(200, "<html>"), "address"),
        ("truncated JSON", json(200, &secret(&good, "1")[..60]), "address"),
        ("JSON array", json(200, "[]"), "address"),
        ("deep JSON", json(200, &"[".repeat(100_000)), "address"),
        ("key of another type", json(200, &secret("12", "1")), "openssl"),
        ("key null", json(200, &secret("null", "1")), "openssl"),
        ("key too short", json(200, &secret(&format!("\"{}\"", &SECRET[..62]), "1")), "openssl"),
        (
            "key in base64",
            json(200, &secret("\"XsznrbrR3qAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAwN4=\"", "1")),
            "openssl",
        ),
        ("key of zeros", json(200, &secret(&format!("\"{}\"", "0".repeat(64)), "1")), "openssl"),
        ("version a string", json(200, &secret(&good, "\"1\"")), "address"),
        ("version negative", json(200, &secret(&good, "-1")), "address"),
        ("version zero", json(200, &secret(&good, "0")), "address"),
        ("version a float", json(200, &secret(&good, "1.5")), "address"),
        ("no metadata", json(200, &format!(r#"{{"data":{{"data":{{"key":{good}}}}}}}"#)), "address"),
        ("KV version 1", json(200, &format!(r#"{{"data":{{"key":{good}}}}}"#)), "address"),
        ("key twice", json(200, &secret(&format!("{good},\"key\":{good}"), "1")), "address"),
        ("shorter than it says", Behaviour::Send(head(200, "", 500, &secret(&good, "1"))), "address"),
        ("10 MB", Behaviour::Flood(head(200, "", 10 << 20, ""), 10), "address"),
        ("not HTTP", Behaviour::Send(b"SSH-2.0-OpenSSH_9.9\r\n".to_vec()), "address"),
        ("closed", Behaviour::Close, ""),
        ("endless headers", Behaviour::Flood(b"HTTP/1.1 200 OK\r\nX-A:".to_vec(), 64), "address"),
        ("never answers", Behaviour::Hang, "hangs"),
        ("body never ends", Behaviour::SendAndHang(head(200, "", 500, "{")), "hangs"),
        ("drips", Behaviour::Drip(head(200, "", 9999, &secret(&good, "1"))), "hangs"),
    ];
    assert!(cases.len() >= 20);
    // The silent ones wait for their time-out; all of them wait together.
    std::thread::scope(|scope| {
        for (what, behaviour, hint) in cases {
            scope.spawn(move || {
                let server = Hostile::start(behaviour);
                let text = refused(what, VaultSettings::new(&server.address, token()));
                assert!(text.contains(hint), "{what}: {text}");
                assert!(server.connections.load(std::sync::atomic::Ordering::SeqCst) >= 1, "{what}");
            });
        }
    });
}

#[test]
fn no_server_no_tls_no_token() {
    // Nobody listens on a port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("port").local_addr().expect("port");
    let refused_address = format!("http://{free}");
    assert!(refused("refused", VaultSettings::new(&refused_address, token())).contains("unreachable"));
    let plain = Hostile::start(Behaviour::answer(200, "{}"));
    let tls = plain.address.replace("http://", "https://");
    assert!(refused("TLS to a plain server", VaultSettings::new(&tls, token())).contains("ca_cert"));
    let hanging = Hostile::start(Behaviour::Hang);
    let tls = hanging.address.replace("http://", "https://");
    refused("TLS that hangs", VaultSettings::new(&tls, token()));
    let none = VaultSettings::new(&plain.address, VaultAuth::Token(None));
    assert!(refused("no token", none).contains("VAULT_TOKEN"));
    let odd = VaultSettings::new(&plain.address, VaultAuth::Token(Token::new("hvs.a\r\nX: y")));
    assert!(refused("a token that cannot be sent", odd).contains("VAULT_TOKEN"));
    let mut missing = VaultSettings::new("https://127.0.0.1:1", token());
    missing.ca_cert = Some("/nonexistent/ca.pem".into());
    assert!(refused("no CA file", missing).contains("/nonexistent/ca.pem"));
    for bad in ["", "127.0.0.1:8200", "ftp://127.0.0.1", "http://u:p@127.0.0.1", "http://"] {
        refused(bad, VaultSettings::new(bad, token()));
    }
    for (mount, path) in [("../sys", "x"), ("kv", "../../sys/seal"), ("kv", "a//b"), ("kv", "a?b"), ("", "x")]
    {
        let mut settings = VaultSettings::new(&plain.address, token());
        (settings.mount, settings.path) = (mount.into(), path.into());
        refused(path, settings);
    }
    let role = VaultAuth::AppRole {
        role_id_file: "/nonexistent/role".into(),
        secret_id_file: "/nonexistent/secret".into(),
    };
    assert!(refused("no role file", VaultSettings::new(&plain.address, role)).contains("/nonexistent/role"));
}

#[test]
fn redirects_and_proxies_never_get_the_token() {
    let thief = Hostile::start(Behaviour::answer(200, &secret(&format!("\"{SECRET}\""), "1")));
    let location = format!("Location: {}/v1/kv/data/pd-295/memory-audit-hmac\r\n", thief.address);
    let server = Hostile::start(Behaviour::Send(head(307, &location, 0, "")));
    refused("redirect", VaultSettings::new(&server.address, token()));
    assert_eq!(thief.connections.load(std::sync::atomic::Ordering::SeqCst), 0);
    let sent = String::from_utf8_lossy(&server.received.lock().expect("log")).to_lowercase();
    assert!(sent.contains("x-vault-token: hvs.caesij") && sent.contains("x-vault-request: true"));
}

#[test]
fn a_real_server_stopped_sealed_or_denying() {
    let bao = OpenBao::start();
    let at_root = |token: &str| VaultSettings::new(&bao.address, VaultAuth::Token(Token::new(token)));
    assert!(refused("absent", at_root(ROOT_TOKEN)).contains("bootstrap"));
    let main = "kv/data/pd-295/memory-audit-hmac";
    bao.post(main, &format!(r#"{{"data":{{"key":"{SECRET}"}}}}"#));
    let ring = VaultKeyring::new(at_root(ROOT_TOKEN)).expect("keyring");
    assert_eq!(ring.current().expect("current").version, 1);
    assert!(refused("wrong token", at_root("s.wrong")).contains("login"));
    let stranger = bao.token_with_policy("stranger", "path \"kv/data/other\" { capabilities = [\"read\"] }");
    assert!(refused("no policy", at_root(&stranger)).contains("deploy/vault"));
    let mut elsewhere = at_root(ROOT_TOKEN);
    elsewhere.mount = "nowhere".into();
    assert!(refused("no mount", elsewhere).contains("mount"));
    let mut elsewhere = at_root(ROOT_TOKEN);
    elsewhere.namespace = Some("nowhere".into());
    refused("no namespace", elsewhere);
    bao.post(main, r#"{"data":{"key":42}}"#);
    assert!(refused("key of another type", at_root(ROOT_TOKEN)).contains("openssl"));
    bao.post(main, r#"{"data":{"other":"field"}}"#);
    assert!(refused("no key field", at_root(ROOT_TOKEN)).contains("openssl"));
    bao.request("DELETE", main, "");
    assert!(refused("deleted", at_root(ROOT_TOKEN)).contains("undelete"));
    signal(bao.pid(), "STOP");
    assert!(refused("stopped", at_root(ROOT_TOKEN)).contains("hangs"));
    signal(bao.pid(), "CONT");
    assert_eq!(bao.request("PUT", "sys/seal", "").status, 204);
    assert!(refused("sealed", at_root(ROOT_TOKEN)).contains("unseal"));
}

#[test]
fn tls_is_verified_against_the_configured_authority() {
    let dir = tempfile::tempdir().expect("dir");
    let ca = dir.path().join("vault-ca.pem");
    let with = |address: &str, ca: Option<&std::path::Path>| {
        let mut settings = VaultSettings::new(address, VaultAuth::Token(Token::new(ROOT_TOKEN)));
        (settings.mount, settings.ca_cert) = ("secret".into(), ca.map(Into::into));
        settings
    };
    let read = |address: &str| {
        VaultKeyring::new(with(address, Some(&ca))).is_ok_and(|ring| ring.read_current().is_ok())
    };
    let bao = OpenBao::start_tls(dir.path(), read);
    let ring = VaultKeyring::new(with(&bao.address, Some(&ca))).expect("keyring");
    ring.replace(0, &govmem::audit::Key::from_bytes([7; 32]), at(0), 0).expect("write");
    assert_eq!(ring.current().expect("current").version, 1);
    assert!(refused("unknown authority", with(&bao.address, None)).contains("ca_cert"));
    // The certificate names 127.0.0.1 and localhost, not this spelling of loopback.
    let other = bao.address.replace("127.0.0.1", "127.0.0.2");
    refused("another name", with(&other, Some(&ca)));
    let plain = bao.address.replace("https://", "http://");
    refused("plain to a TLS server", with(&plain, None));
    std::fs::write(&ca, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").expect("ca");
    refused("a CA file that is none", with(&bao.address, Some(&ca)));
}

fn signal(pid: u32, name: &str) {
    let done = std::process::Command::new("kill").arg(format!("-{name}")).arg(pid.to_string()).status();
    assert!(done.expect("kill").success());
}
