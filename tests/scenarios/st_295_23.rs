//! ST-295-23: the daily purge, and three triggers at once.

use std::process::Stdio;

use crate::ringed::Ringed;
use govmem::store::Source;

/// Given an expired clarification, when the daily job's command runs, then it is purged; run again it
/// changes nothing.
#[test]
fn st_295_23_the_daily_job_purges() {
    let world = Ringed::file();
    let old = world.clarification("PD-5", 700, "old");
    world.index(Source::Clarification, &[&old]);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/purge-clarifications.py");
    let bins = assert_cmd::cargo::cargo_bin("govmem");
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bins.parent().expect("directory").display());
    for _ in 0..2 {
        let mut job = world.command(script);
        job.arg("--workspace").arg(world.dir.path()).env("PATH", &path).current_dir("/");
        let done = job.output().expect("job");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        assert_eq!((world.data("clarifications.jsonl").len(), world.events().len()), (0, 1));
        assert!(world.indexed(Source::Clarification).is_empty());
    }
}

/// Given three triggers at once, then the purge happens once, is signed once, and all three succeed.
#[test]
fn st_295_23_three_triggers_purge_once() {
    let world = Ringed::file();
    let ids: Vec<String> = (1..=20).map(|n| world.clarification(&format!("PD-{n}"), 700, "old")).collect();
    world.index(Source::Clarification, &ids.iter().map(String::as_str).collect::<Vec<_>>());
    let binary = assert_cmd::cargo::cargo_bin("govmem");
    let children: Vec<_> = (0..3)
        .map(|_| {
            let mut command = world.command(&binary);
            command.args(["purge", "clarifications", "--json"]).stdout(Stdio::piped());
            command.spawn().expect("trigger")
        })
        .collect();
    let mut purged = Vec::new();
    for child in children {
        let output = child.wait_with_output().expect("trigger");
        assert!(output.status.success());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        purged.push(report["purged"].as_array().expect("list").len());
    }
    purged.sort_unstable();
    assert_eq!(purged, [0, 0, 20]);
    assert_eq!(world.events().len(), 1);
    assert!(world.data("clarifications.jsonl").is_empty() && world.indexed(Source::Clarification).is_empty());
}
