//! ST-295-23: the daily purge by cron, and by the systemd unit that may stand in for it.

use std::path::Path;

use crate::governed::{binary, stdout};
use crate::st_295_22::{assert_purged, worlds};

fn deployed(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(name)).expect(name)
}

/// Given an expired clarification, when the crontab's line runs as cron runs it, then it is purged.
#[test]
fn st_295_23_purge_by_cron() {
    let text = deployed("crontab");
    let job = text.lines().rfind(|l| !l.starts_with('#') && l.contains("govmem")).expect("a job");
    let command = job.splitn(6, ' ').nth(5).expect("a command");
    let bin = binary("govmem");
    worlds(|g, expired, live| {
        let before = g.data("clarifications.jsonl");
        for _ in 0..2 {
            let mut shell = g.command("/bin/sh");
            shell.arg("-c").arg(command).current_dir("/");
            shell.env("PATH", format!("{}:/usr/bin:/bin", bin.parent().expect("parent").display()));
            shell.env("WORKSPACE", g.dir.path());
            stdout(&shell.output().expect("sh"));
            assert_purged(g, &before, expired, live);
        }
    });
}

/// The unit's command line does the same.
#[test]
fn st_295_23_purge_by_systemd() {
    let unit = deployed("systemd/govmem-purge@.service");
    let start = unit.lines().find_map(|l| l.strip_prefix("ExecStart=")).expect("ExecStart");
    worlds(|g, expired, live| {
        let before = g.data("clarifications.jsonl");
        let root = g.dir.path().to_str().expect("path");
        let args: Vec<&str> = start.split(' ').skip(1).map(|w| if w == "%f" { root } else { w }).collect();
        let output = g.command(binary("govmem")).args(args).current_dir("/").output().expect("run");
        stdout(&output);
        assert_purged(g, &before, expired, live);
    });
}
