//! ST-295-22: the purge by the hook of a closing story.

use crate::ringed::Ringed;
use govmem::store::Source;

/// Given an expired clarification, when a story closes REJECTED or DONE_WITH_ANOMALY, then it is
/// purged; any other status purges nothing.
#[test]
fn st_295_22_story_close_purges() {
    let hook = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/on-story-close.sh");
    for (status, purges) in [("DONE", false), ("REJECTED", true), ("DONE_WITH_ANOMALY", true)] {
        let world = Ringed::file();
        let old = world.clarification("PD-5", 700, "old");
        world.index(Source::Clarification, &[&old]);
        let bins = assert_cmd::cargo::cargo_bin("govmem");
        let path = format!("{}:/usr/bin:/bin", bins.parent().expect("directory").display());
        let done = world.command(hook).args(["PD-42", status]).env("PATH", path).output().expect("hook");
        assert!(done.status.success(), "{status}: {}", String::from_utf8_lossy(&done.stderr));
        assert_eq!(world.data("clarifications.jsonl").is_empty(), purges, "{status}");
        assert_eq!(world.events().len(), usize::from(purges), "{status}");
    }
}
