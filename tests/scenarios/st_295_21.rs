//! ST-295-21: signatures of a rotated key verify with its archive.

use crate::ringed::{FIRST_KEY, shown, signature, with_both_keyrings};
use serde_json::json;

/// Given events of the first key, when the key is rotated twice, then the rotations are signed with
/// the new versions, all events verify, scores count events of every version, and without the archive
/// the old ones do not verify and do not count.
#[test]
fn st_295_21_old_signatures_verify_with_the_archive() {
    with_both_keyrings(|world| {
        let id = world.lesson("PD-1", "mfa", 9, json!({"scope": "story"}));
        world.append(&[shown(5, "PD-2", "auth", &[&id])]);
        assert_eq!(world.run("govmem", &["audit", "rotate", "--json"]).expect(0).json()["to"], 2);
        world.append(&[shown(0, "PD-3", "auth", &[&id])]);
        assert_eq!(world.run("govmem", &["audit", "rotate", "--json"]).expect(0).json()["to"], 3);
        world.append(&[shown(0, "PD-4", "auth", &[&id])]);

        let events = world.events();
        let versions: Vec<_> = events.iter().map(|e| e["key_version"].as_u64().expect("version")).collect();
        assert_eq!(versions, [1, 2, 2, 3, 3]);
        assert_eq!(
            (&events[1]["event"], &events[3]["event"]),
            (&json!("audit_key_rotated"), &json!("audit_key_rotated"))
        );
        assert_eq!(events[0]["signature_hmac_sha256"], signature(&events[0], &FIRST_KEY));
        for event in &events[1..] {
            assert_ne!(event["signature_hmac_sha256"], signature(event, &FIRST_KEY));
        }
        let verified = world.run("govmem", &["audit", "verify", "--json"]).expect(0).json();
        assert_eq!((&verified["valid"], &verified["chain"]), (&json!(5), &json!("ok")));
        let report = world.run("learnings-score", &["--json"]).expect(0).json();
        assert_eq!((&report["verified_events"], &report["excluded"]), (&json!(5), &json!({})));
        assert_eq!(world.records("learnings-scores.jsonl")[0]["nb_stories"], 3);

        match &world.server {
            None => {
                let path = world.path("keyring.json");
                let mut ring: serde_json::Value =
                    serde_json::from_str(&std::fs::read_to_string(&path).expect("ring")).expect("JSON");
                ring["keys"].as_object_mut().expect("keys").remove("1");
                std::fs::write(&path, ring.to_string()).expect("ring");
            }
            Some(server) => {
                let listed = server.request("LIST", "kv/metadata/pd-295/memory-audit-hmac/archive", "");
                let listed: serde_json::Value = serde_json::from_str(&listed.body).expect("JSON");
                let names = listed["data"]["keys"].as_array().expect("names");
                assert_eq!(names.len(), 2);
                for name in names {
                    let name = name.as_str().expect("name");
                    let at = |part: &str| format!("kv/{part}/pd-295/memory-audit-hmac/archive/{name}");
                    let entry = server.request("GET", &at("data"), "").body;
                    let entry: serde_json::Value = serde_json::from_str(&entry).expect("JSON");
                    if entry["data"]["data"]["key_version"] == 1 {
                        assert!(server.request("DELETE", &at("metadata"), "").status < 300);
                    }
                }
            }
        }
        if let Some(server) = &world.server {
            // The server keeps old versions of the main path for a while: they serve, until they are gone.
            world.run("govmem", &["audit", "verify"]).expect(0);
            let path = "kv/destroy/pd-295/memory-audit-hmac";
            assert!(server.request("PUT", path, r#"{"versions":[1]}"#).status < 300);
        }
        let found = world.run("govmem", &["audit", "verify", "--json"]).expect(1).json();
        assert_eq!((&found["valid"], &found["invalid"][0]["line"]), (&json!(4), &json!(1)));
        let report = world.run("learnings-score", &["--json"]).expect(0).json();
        assert_eq!(report["excluded"], json!({"audit_invalid_signature": 1}));
        assert_eq!(world.records("learnings-scores.jsonl")[0]["nb_stories"], 2);
        world.run("learnings-promote", &[]).expect(65);
    });
}
