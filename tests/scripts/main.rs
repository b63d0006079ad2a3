//! The contract names of PD-295 are callable at their paths: each passes its arguments and the exit
//! code through. The release script makes a release and publishes nothing.
#![expect(clippy::expect_used, reason = "a failed step is a failed test")]

mod release;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SHIMS: [(&str, &[&str]); 12] = [
    ("rotate-audit-hmac.sh", &["govmem", "audit", "rotate"]),
    ("measure-cs1-baseline.py", &["govmem", "kpi", "cs1", "--freeze"]),
    ("measure-cs2.sh", &["govmem", "kpi", "cs2"]),
    ("measure-cs3.sh", &["govmem", "kpi", "cs3"]),
    ("measure-cs4.sh", &["govmem", "kpi", "cs4"]),
    ("purge-clarifications.py", &["govmem", "purge", "clarifications"]),
    ("restore-learning.py", &["govmem", "restore"]),
    ("search-clarifications.py", &["govmem", "search", "clarifications"]),
    ("search-learnings.py", &["govmem", "search", "learnings"]),
    ("search-veille.py", &["govmem", "search", "veille"]),
    ("gov-learnings-inject.sh", &["step0-inject"]),
    ("reindex-all.sh", &["govmem", "reindex"]),
];

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts")
}

/// A program that prints its name and arguments, one a line, and exits 75.
fn recorder(path: &Path) {
    fs::create_dir_all(path.parent().expect("parent")).expect("dir");
    fs::write(path, "#!/bin/sh\nbasename \"$0\"\nfor a in \"$@\"; do printf '%s\\n' \"$a\"; done\nexit 75\n")
        .expect("write");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("mode");
}

fn run(script: &Path, path: &str, args: &[&str]) -> Output {
    Command::new(script)
        .args(args)
        .env_clear()
        .env("PATH", path)
        .env("HOME", "/nonexistent")
        .output()
        .expect("run")
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn every_shim_passes_arguments_and_exit_code() {
    let dir = tempfile::tempdir().expect("dir");
    for name in ["govmem", "step0-inject"] {
        recorder(&dir.path().join("bin").join(name));
    }
    let path = format!("{}:/usr/bin:/bin", dir.path().join("bin").display());
    let args = ["a b", "--top-k", "3", "é$(x)\"", ""];
    for (name, command) in SHIMS {
        let mut want: Vec<String> = command.iter().map(|s| (*s).to_owned()).collect();
        want.extend(args.map(str::to_owned));
        let output = run(&scripts().join(name), &path, &args);
        assert_eq!(lines(&output), want, "{name}");
        assert_eq!(output.status.code(), Some(75), "{name}");
        // Reached through a link, from anywhere.
        let link = dir.path().join(name);
        symlink(scripts().join(name), &link).expect("link");
        assert_eq!(lines(&run(&link, &path, &args)), want, "{name}");
    }
}

#[test]
fn the_story_hook_purges_on_two_statuses_only() {
    let dir = tempfile::tempdir().expect("dir");
    recorder(&dir.path().join("govmem"));
    let path = format!("{}:/usr/bin:/bin", dir.path().display());
    let hook = scripts().join("on-story-close.sh");
    for status in ["REJECTED", "DONE_WITH_ANOMALY"] {
        let output = run(&hook, &path, &["PD-42", status, "--quiet"]);
        assert_eq!(lines(&output), ["govmem", "purge", "clarifications", "--quiet"]);
        assert_eq!(output.status.code(), Some(75));
    }
    for status in ["DONE", "rejected", "OPEN", ""] {
        let output = run(&hook, &path, &["PD-42", status]);
        assert_eq!((lines(&output).len(), output.status.code()), (0, Some(0)), "{status}");
    }
    for args in [&[][..], &["PD-42"], &["pd-42", "REJECTED"], &["PD-42;x", "REJECTED"]] {
        let output = run(&hook, &path, args);
        assert_eq!((lines(&output).len(), output.status.code()), (0, Some(2)), "{args:?}");
    }
}

/// A checkout with only the scripts in it.
fn checkout(dir: &Path) -> PathBuf {
    let copy = dir.join("repo/scripts");
    fs::create_dir_all(copy.join("lib")).expect("dir");
    for name in ["measure-cs3.sh", "search-veille.py", "lib/run.sh"] {
        fs::copy(scripts().join(name), copy.join(name)).expect("copy");
    }
    copy
}

#[test]
fn without_a_binary_the_shim_says_what_to_do() {
    let dir = tempfile::tempdir().expect("dir");
    let copy = checkout(dir.path());
    for name in ["measure-cs3.sh", "search-veille.py"] {
        let output = run(&copy.join(name), "/usr/bin:/bin", &[]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(69), "{said}");
        assert!(said.contains("govmem is neither on PATH") && said.contains("hint: "), "{said}");
    }
}

#[test]
fn a_build_beside_the_scripts_is_found_release_first() {
    let dir = tempfile::tempdir().expect("dir");
    let copy = checkout(dir.path());
    recorder(&dir.path().join("repo/target/debug/govmem"));
    assert_eq!(
        lines(&run(&copy.join("measure-cs3.sh"), "/usr/bin:/bin", &["x"])),
        ["govmem", "kpi", "cs3", "x"]
    );
    let release = dir.path().join("repo/target/release/govmem");
    recorder(&release);
    fs::write(&release, "#!/bin/sh\necho release\n").expect("write");
    assert_eq!(lines(&run(&copy.join("measure-cs3.sh"), "/usr/bin:/bin", &[])), ["release"]);
}

#[test]
fn a_shim_stays_a_shim() {
    for (name, _) in SHIMS {
        let text = fs::read_to_string(scripts().join(name)).expect(name);
        assert!(text.lines().count() <= 9, "{name} does more than pass on");
    }
}

/// Nothing of a client is installed whose hash is not written down.
#[test]
fn every_file_of_the_mcp_clients_is_pinned_by_its_hash() {
    let pins = scripts().join("lib/mcp-client");
    let requirements = fs::read_to_string(pins.join("requirements.txt")).expect("requirements");
    let logical = requirements.replace("\\\n", " ");
    let packages: Vec<&str> = logical.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).collect();
    assert!(packages.iter().any(|p| p.starts_with("mcp==")) && packages.len() > 20);
    for package in packages {
        assert!(package.contains("==") && package.contains("--hash=sha256:"), "{package}");
    }
    let lock = fs::read_to_string(pins.join("package-lock.json")).expect("lock");
    let lock: serde_json::Value = serde_json::from_str(&lock).expect("JSON");
    for (name, package) in
        lock["packages"].as_object().expect("packages").iter().filter(|(n, _)| !n.is_empty())
    {
        assert!(package["integrity"].as_str().is_some_and(|i| i.starts_with("sha512-")), "{name}");
    }
    let wanted = fs::read_to_string(pins.join("package.json")).expect("package");
    let wanted: serde_json::Value = serde_json::from_str(&wanted).expect("JSON");
    assert_eq!(wanted["dependencies"], lock["packages"][""]["dependencies"]);
}
