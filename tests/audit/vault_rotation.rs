//! Rotations on a real OpenBao server, under the policies of `deploy/vault`.

use govmem::audit::{
    Bootstrapped, Keyring, Rotated, Token, Trail, VaultAuth, VaultKeyring, VaultSettings, bootstrap, rotate,
    verify,
};
use govmem::base::{Code, Error, Result};

use crate::openbao::{OpenBao, ROOT_TOKEN};
use crate::operators::locked;
use crate::world::{World, at, event};

const MAIN: &str = "kv/data/pd-295/memory-audit-hmac";

fn ring(bao: &OpenBao, token: &str) -> VaultKeyring {
    let auth = VaultAuth::Token(Token::new(token));
    VaultKeyring::new(VaultSettings::new(&bao.address, auth)).expect("keyring")
}

fn policy(bao: &OpenBao, name: &str) -> String {
    let file = format!("{}/deploy/vault/{name}.hcl", env!("CARGO_MANIFEST_DIR"));
    bao.token_with_policy(name, &std::fs::read_to_string(file).expect("policy"))
}

fn append(w: &World, keyring: &dyn Keyring, n: u64) {
    let done = locked(w, |l| Trail::open(&w.paths, keyring, at(0), l)?.append(&[event(n, 0, 1)]));
    done.expect("append");
}

fn begin(w: &World, keyring: &dyn Keyring) -> Result<Bootstrapped> {
    locked(w, |l| bootstrap(&w.paths, keyring, at(0), l))
}

fn turn(w: &World, keyring: &dyn Keyring) -> Result<Rotated> {
    let seen = keyring.current()?.version;
    locked(w, |l| rotate(&w.paths, keyring, seen, at(0), l, &mut |_| Ok(())))
}

/// A fresh process verifies everything: nothing is cached.
fn check(w: &World, bao: &OpenBao, token: &str, events: u64, versions: &[u64]) {
    let r = verify(&w.paths, &ring(bao, token), None, &mut |_, _| ()).expect("verify");
    assert!(r.is_good(), "{r:?}");
    assert_eq!((r.events, r.key_versions.as_slice()), (events, versions));
}

#[test]
fn each_policy_does_its_work_and_no_more() {
    let bao = OpenBao::start();
    let (reader, writer, rotator) =
        (policy(&bao, "govmem-reader"), policy(&bao, "govmem-writer"), policy(&bao, "govmem-rotator"));
    let w = World::new();
    let denied = |e: Error| {
        assert_eq!(e.code(), Some(Code::AuditKeyUnavailable));
        assert!(e.hint_text().expect("hint").contains("deploy/vault"), "{e}");
    };
    denied(begin(&w, &ring(&bao, &reader)).expect_err("reader creates"));
    begin(&w, &ring(&bao, &writer)).expect("writer creates");
    append(&w, &ring(&bao, &reader), 1);
    denied(turn(&w, &ring(&bao, &reader)).expect_err("reader rotates"));
    denied(turn(&w, &ring(&bao, &writer)).expect_err("writer rotates"));
    assert_eq!(turn(&w, &ring(&bao, &rotator)).expect("rotator rotates").to, 2);
    append(&w, &ring(&bao, &reader), 2);
    check(&w, &bao, &reader, 4, &[1, 2]);
    for token in [&reader, &writer, &rotator] {
        let archive = format!("{MAIN}/archive/2026-04-11");
        for (method, path) in [
            ("DELETE", MAIN),
            ("DELETE", "kv/metadata/pd-295/memory-audit-hmac"),
            ("POST", archive.as_str()),
            ("DELETE", archive.as_str()),
            ("PUT", "kv/destroy/pd-295/memory-audit-hmac"),
        ] {
            let status = bao.request_as(token, method, path, r#"{"data":{"key":"x"}}"#).status;
            assert_eq!(status, 403, "{method} {path}");
        }
    }
}

#[test]
fn a_crash_after_each_step_is_completed_by_running_again() {
    let bao = OpenBao::start();
    // With the policy that is shipped, which may not touch an archive that stands.
    let rotator = policy(&bao, "govmem-rotator");
    let w = World::new();
    begin(&w, &ring(&bao, ROOT_TOKEN)).expect("bootstrap");
    for crash_after in 1..=5u64 {
        let mut step = 0;
        let crashed = locked(&w, |l| {
            rotate(&w.paths, &ring(&bao, &rotator), crash_after, at(0), l, &mut |_| {
                step += 1;
                if step == crash_after { Err(Error::usage("crash")) } else { Ok(()) }
            })
        });
        assert_eq!(crashed.expect_err("crash").message(), "crash");
        append(&w, &ring(&bao, ROOT_TOKEN), 1);
        let done = turn(&w, &ring(&bao, &rotator)).expect("rerun");
        assert_eq!((done.from, done.to), (crash_after, crash_after + 1), "{crash_after}");
    }
    // One archive a version, five of them on one day.
    let names = bao.request("LIST", "kv/metadata/pd-295/memory-audit-hmac/archive", "").body;
    let names: serde_json::Value = serde_json::from_str(&names).expect("json");
    let mut names: Vec<&str> =
        names["data"]["keys"].as_array().expect("keys").iter().filter_map(|k| k.as_str()).collect();
    names.sort_unstable();
    let day = "2026-04-11";
    assert_eq!(names, [day, "2026-04-11.2", "2026-04-11.3", "2026-04-11.4", "2026-04-11.5"]);
    let first = bao.request("GET", &format!("{MAIN}/archive/{day}"), "").body;
    let first: serde_json::Value = serde_json::from_str(&first).expect("json");
    assert_eq!(first["data"]["data"]["key_version"], 1);
    assert_eq!(first["data"]["data"]["rotated_at"], "2026-04-11T09:42:17Z");
    check(&w, &bao, ROOT_TOKEN, 11, &[1, 2, 3, 4, 5, 6]);
}

#[test]
fn of_32_workspaces_rotating_at_once_one_wins() {
    let bao = OpenBao::start();
    let rotator = policy(&bao, "govmem-rotator");
    let worlds: Vec<World> = (0..32).map(|_| World::new()).collect();
    begin(&worlds[0], &ring(&bao, ROOT_TOKEN)).expect("bootstrap");
    let start = std::sync::Barrier::new(32);
    let won: Vec<bool> = std::thread::scope(|scope| {
        let threads: Vec<_> = worlds
            .iter()
            .map(|w| {
                scope.spawn(|| {
                    let keyring = ring(&bao, &rotator);
                    let seen = keyring.current().expect("current").version;
                    start.wait();
                    let done = locked(w, |l| rotate(&w.paths, &keyring, seen, at(0), l, &mut |_| Ok(())));
                    match done {
                        Ok(rotated) => {
                            assert_eq!(rotated.to, 2);
                            true
                        }
                        Err(e) => {
                            assert_eq!(e.exit(), 2, "{e}");
                            false
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().expect("thread")).collect()
    });
    assert_eq!(won.iter().filter(|w| **w).count(), 1);
    for (w, won) in worlds.iter().zip(won) {
        append(w, &ring(&bao, ROOT_TOKEN), 1);
        let r = verify(&w.paths, &ring(&bao, ROOT_TOKEN), None, &mut |_, _| ()).expect("verify");
        assert!(r.is_good(), "{r:?}");
        assert!(!w.paths.rotation.exists());
        assert!(r.events <= 3 && (!won || r.events >= 2));
    }
    // The old key is archived, once or more, always the same.
    let bootstrap_line = &worlds[0];
    let r = verify(&bootstrap_line.paths, &ring(&bao, ROOT_TOKEN), None, &mut |_, _| ()).expect("verify");
    assert_eq!(r.key_versions, [1, 2]);
}

#[test]
fn deleted_metadata_restarts_versions_and_bootstrap_goes_past_them() {
    let bao = OpenBao::start();
    let w = World::new();
    begin(&w, &ring(&bao, ROOT_TOKEN)).expect("bootstrap");
    turn(&w, &ring(&bao, ROOT_TOKEN)).expect("rotate");
    turn(&w, &ring(&bao, ROOT_TOKEN)).expect("rotate");
    let current = ring(&bao, ROOT_TOKEN).current().expect("current");
    assert_eq!(current.version, 3);
    // The operator archives by hand what is about to go, as the runbook says, with text values.
    let hex = current.key.to_hex();
    let body = format!(r#"{{"data":{{"key":"{}","key_version":"3"}}}}"#, hex.as_str());
    assert_eq!(bao.post(&format!("{MAIN}/archive/2026-04-12"), &body).status, 200);
    assert_eq!(bao.request("DELETE", "kv/metadata/pd-295/memory-audit-hmac", "").status, 204);
    let e = locked(&w, |l| Trail::open(&w.paths, &ring(&bao, ROOT_TOKEN), at(0), l).map(|_| ()));
    assert!(e.expect_err("absent").hint_text().expect("hint").contains("bootstrap"));
    // A key written by hand counts from 1 again: the trail refuses it until its version is past.
    bao.post(MAIN, &format!(r#"{{"data":{{"key":"{}"}}}}"#, "ab".repeat(32)));
    let e = locked(&w, |l| Trail::open(&w.paths, &ring(&bao, ROOT_TOKEN), at(0), l).map(|_| ()));
    assert_eq!(e.expect_err("older").code(), Some(Code::AuditKeyUnavailable));
    let again = begin(&w, &ring(&bao, ROOT_TOKEN)).expect("bootstrap");
    assert_eq!((again.version, again.created), (4, false));
    append(&w, &ring(&bao, ROOT_TOKEN), 1);
    // Version 1 is both an archived key and one of the new count: lines of the old one still verify.
    check(&w, &bao, ROOT_TOKEN, 5, &[1, 2, 3, 4]);
    assert_eq!(turn(&w, &ring(&bao, ROOT_TOKEN)).expect("rotate").to, 5);
    check(&w, &bao, ROOT_TOKEN, 6, &[1, 2, 3, 4, 5]);
}

/// An archive that was deleted and can be undeleted keeps its name: the next rotation takes another.
#[test]
fn a_rotator_goes_past_a_deleted_archive_and_needs_its_rights() {
    let bao = OpenBao::start();
    let w = World::new();
    let rotator = policy(&bao, "govmem-rotator");
    begin(&w, &ring(&bao, ROOT_TOKEN)).expect("bootstrap");
    turn(&w, &ring(&bao, &rotator)).expect("rotate");
    let archive = format!("{MAIN}/archive/2026-04-11");
    assert_eq!(bao.request("DELETE", &archive, "").status, 204);
    assert_eq!(turn(&w, &ring(&bao, &rotator)).expect("rotate").to, 3);
    let second: serde_json::Value =
        serde_json::from_str(&bao.request("GET", &format!("{archive}.2"), "").body).expect("json");
    assert_eq!(second["data"]["data"]["key_version"], 2);
    // Where archives may not be added at all, that is said, and the key stays.
    let main =
        "path \"kv/data/pd-295/memory-audit-hmac\" { capabilities = [\"create\", \"read\", \"update\"] }";
    let list = "path \"kv/metadata/pd-295/memory-audit-hmac/archive/\" { capabilities = [\"list\"] }";
    let read = "path \"kv/data/pd-295/memory-audit-hmac/archive/*\" { capabilities = [\"read\"] }";
    let poor = bao.token_with_policy("poor", &format!("{main}\n{list}\n{read}"));
    let refused = turn(&w, &ring(&bao, &poor)).expect_err("no archive");
    assert_eq!(refused.code(), Some(Code::AuditKeyUnavailable));
    assert_eq!(ring(&bao, ROOT_TOKEN).current().expect("current").version, 3);
}

#[test]
fn approle_logs_in_from_files() {
    let bao = OpenBao::start();
    bao.token_with_policy(
        "govmem-writer",
        &std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/vault/govmem-writer.hcl"))
            .expect("policy"),
    );
    assert_eq!(bao.post("sys/auth/approle", r#"{"type":"approle"}"#).status, 204);
    bao.post("auth/approle/role/govmem", r#"{"token_policies":["govmem-writer"]}"#);
    let field = |body: &str, name: &str| {
        let json: serde_json::Value = serde_json::from_str(body).expect("json");
        json["data"][name].as_str().expect("field").to_owned()
    };
    let role = field(&bao.request("GET", "auth/approle/role/govmem/role-id", "").body, "role_id");
    let secret = field(&bao.post("auth/approle/role/govmem/secret-id", "{}").body, "secret_id");
    let w = World::new();
    let (role_id_file, secret_id_file) = (w.dir.path().join("role"), w.dir.path().join("secret"));
    std::fs::write(&role_id_file, format!("{role}\n")).expect("role");
    std::fs::write(&secret_id_file, secret).expect("secret");
    let auth = VaultAuth::AppRole { role_id_file, secret_id_file: secret_id_file.clone() };
    let settings = VaultSettings::new(&bao.address, auth);
    begin(&w, &VaultKeyring::new(settings.clone()).expect("keyring")).expect("bootstrap");
    check(&w, &bao, ROOT_TOKEN, 1, &[1]);
    std::fs::write(&secret_id_file, "wrong").expect("secret");
    let e = VaultKeyring::new(settings).expect("keyring").current().expect_err("denied");
    assert!(e.hint_text().expect("hint").contains("login"), "{e}");
}
