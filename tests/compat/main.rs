//! Files that earlier versions wrote: every later version opens them, verifies them and goes on.

#![expect(clippy::expect_used, clippy::panic, reason = "a failed step is a failed test")]

#[path = "../support/space.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod space;

use std::path::Path;

use space::Space;

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("directory");
    for entry in std::fs::read_dir(from).expect("fixture") {
        let entry = entry.expect("entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), &target).expect("copy");
        }
    }
}

/// A workspace as `version` left it.
fn opened(version: &str) -> Space {
    use std::os::unix::fs::PermissionsExt;
    let mut space = Space::bare();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compat").join(version);
    copy(&fixture, &space.path(""));
    // Version control keeps no private modes.
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(space.path("keyring.json"), private).expect("mode");
    space.env.push(("GOVMEM_EMBEDDER_DIR".into(), space::model().display().to_string()));
    space
}

#[test]
fn version_0_1() {
    let space = opened("v0.1");
    let report = space.run("govmem", &["--json", "audit", "verify"]).expect(0).json();
    // Bootstrap and one injection of three sources.
    assert_eq!((report["events"].as_u64(), report["valid"].as_u64()), (Some(4), Some(4)));
    assert_eq!(report["chain"], "ok");
    // The indexes are searched as they are, with no reindexing first.
    let found = space.run("govmem", &["--json", "search", "veille", "one-time codes"]).expect(0).json();
    assert_eq!(found["results"][0]["id"], "docs-veille-totp-md");
    let found = space.run("govmem", &["--json", "search", "learnings", "constant time"]).expect(0).json();
    assert_eq!(found["count"], 2);
    assert_eq!(found["results"][0]["title"], "Constant time");
    // And everything goes on: an injection, a lesson, a run that embeds only what is new.
    let block = space.inject("PD-5", "Second factor").expect(0).json();
    assert_eq!(block["sources"]["clarification"]["count"], 1);
    space.learn("PD-5", "new", "A lesson of a later version.");
    let report = space.run("govmem", &["--json", "reindex"]).expect(0).json();
    assert_eq!(report["sources"][0]["index"]["embedded"], 1);
    assert_eq!(space.run("govmem", &["--json", "audit", "verify"]).expect(0).json()["events"], 7);
}
