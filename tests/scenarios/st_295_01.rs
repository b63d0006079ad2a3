//! ST-295-01: watch notes, the nominal way.

use crate::space::Space;

const NOTE: &str = "---\ntitle: TOTP\ndate: 2026-01-02\nimpact_pv: Modéré\nverdict: Adopter\ntags: [mfa]\n---\nTime-based codes.\n";

#[test]
fn st_295_01_watch_notes_nominal() {
    // Given a valid note.
    let space = Space::new("");
    space.write("docs/veille/totp.md", NOTE);
    // When B1 runs.
    let report = space.run("veille-index", &["--json"]).expect(0).json();
    assert_eq!(
        (report["sources"][0]["kept"].as_u64(), report["sources"][0]["index"]["rows"].as_u64()),
        (Some(1), Some(1))
    );
    // Then it is recorded, indexed at 768, found by impact and verdict, and a traced search is signed.
    let record: serde_json::Value = serde_json::from_str(space.read("data/veille.jsonl").trim()).unwrap();
    assert_eq!((record["impact_pv"].as_str(), record["verdict"].as_str()), (Some("modere"), Some("adopter")));
    let npy = std::fs::read(space.path("data/veille-embeddings.npy")).unwrap();
    assert!(String::from_utf8_lossy(&npy[..128]).contains("'shape': (1, 768)"));
    let args = [
        "search",
        "veille",
        "codes",
        "--impact",
        "modere",
        "--verdict",
        "adopter",
        "--trace",
        "--story",
        "PD-9",
    ];
    assert!(space.run("govmem", &args).expect(0).out.contains("docs-veille-totp-md"));
    assert!(space.read("data/learnings-injections.jsonl").contains("\"veille_injected\""));
    space.run("govmem", &["audit", "verify"]).expect(0);
}
