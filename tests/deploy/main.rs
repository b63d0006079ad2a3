//! What `deploy/` holds is run, not only read: the crontab line by a shell, the units by
//! systemd-analyze, the container's lists against the build.
#![expect(clippy::expect_used, reason = "a failed step is a failed test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn deploy() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy")
}

fn read(name: &str) -> String {
    fs::read_to_string(deploy().join(name)).expect(name)
}

/// The variables and the only command of the crontab.
fn crontab() -> (Vec<(String, String)>, String, String) {
    let text = read("crontab");
    let (mut variables, mut jobs) = (Vec::new(), Vec::new());
    for line in text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty()) {
        match line.split_once('=') {
            Some((name, value)) if name.bytes().all(|b| b.is_ascii_uppercase()) => {
                variables.push((name.to_owned(), value.to_owned()));
            }
            _ => jobs.push(line.to_owned()),
        }
    }
    assert_eq!(jobs.len(), 1, "one job");
    let fields: Vec<&str> = jobs[0].splitn(6, ' ').collect();
    (variables, fields[..5].join(" "), fields[5].to_owned())
}

#[test]
fn the_crontab_line_runs_the_purge_daily() {
    let (variables, when, command) = crontab();
    let fields: Vec<&str> = when.split(' ').collect();
    assert_eq!(fields[2..], ["*", "*", "*"], "every day");
    assert!(fields[0].parse::<u8>().is_ok_and(|m| m < 60) && fields[1].parse::<u8>().is_ok_and(|h| h < 24));
    // cron turns an unescaped % into a newline.
    assert!(!command.contains('%'));
    let dir = tempfile::tempdir().expect("dir");
    let bin = dir.path().join("govmem");
    fs::write(&bin, "#!/bin/sh\nfor a in \"$@\"; do printf '%s\\n' \"$a\"; done\nexit 3\n").expect("write");
    fs::set_permissions(&bin, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("mode");
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(&command).env_clear().current_dir("/");
    for (name, value) in variables {
        let value = match name.as_str() {
            "PATH" => format!("{}:{value}", dir.path().display()),
            "WORKSPACE" => "/a workspace".to_owned(),
            _ => value,
        };
        shell.env(name, value);
    }
    let output = shell.output().expect("sh");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        said.lines().collect::<Vec<_>>(),
        ["--workspace", "/a workspace", "purge", "clarifications", "--quiet"]
    );
    assert_eq!(output.status.code(), Some(3));
}

/// The value of `key` in a unit.
fn setting(unit: &str, key: &str) -> String {
    let lines: Vec<&str> = unit.lines().filter_map(|l| l.strip_prefix(key)?.strip_prefix('=')).collect();
    assert_eq!(lines.len(), 1, "{key}");
    lines[0].to_owned()
}

#[test]
fn the_unit_starts_a_command_that_exists() {
    let start = setting(&read("systemd/govmem-purge@.service"), "ExecStart");
    let words: Vec<&str> = start.split(' ').collect();
    assert_eq!(words[0], "/usr/local/bin/govmem");
    // The same arguments with --help: usage that does not exist would exit 2.
    let args: Vec<&str> = words[1..].iter().map(|w| if *w == "%f" { "/" } else { *w }).collect();
    let output =
        Command::new(assert_cmd::cargo::cargo_bin("govmem")).args(&args).arg("--help").output().expect("run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("purge clarifications"));
}

#[test]
fn systemd_accepts_the_units() {
    if !Command::new("systemd-analyze").arg("--version").output().is_ok_and(|o| o.status.success()) {
        // No systemd, nobody to run the units.
        return;
    }
    let dir = tempfile::tempdir().expect("dir");
    let govmem = assert_cmd::cargo::cargo_bin("govmem");
    for name in ["govmem-purge@.service", "govmem-purge@.timer"] {
        // systemd wants the program to exist where the unit says.
        let text =
            read(&format!("systemd/{name}")).replace("/usr/local/bin/govmem", &govmem.display().to_string());
        fs::write(dir.path().join(name), text).expect("unit");
    }
    for name in ["govmem-purge@srv-team.service", "govmem-purge@srv-team.timer"] {
        let output = Command::new("systemd-analyze")
            .args(["verify", "--man=no", "--recursive-errors=no"])
            .arg(dir.path().join(name))
            .output()
            .expect("systemd-analyze");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && !said.contains("govmem-purge"), "{name}: {said}");
    }
    let when = setting(&read("systemd/govmem-purge@.timer"), "OnCalendar");
    let output = Command::new("systemd-analyze").args(["calendar", &when]).output().expect("systemd-analyze");
    assert!(output.status.success(), "{when}");
}

#[test]
fn the_container_copies_every_binary_and_what_they_load() {
    let text = read("Containerfile");
    let manifest =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).expect("manifest");
    let declared: BTreeSet<&str> = manifest
        .split("[[bin]]")
        .skip(1)
        .filter_map(|part| part.split("name = \"").nth(1)?.split('"').next())
        .collect();
    let copied: BTreeSet<&str> =
        text.split_whitespace().filter_map(|w| w.strip_prefix("/build/release/")).collect();
    assert_eq!(copied, declared);
    let toolchain =
        manifest.split("rust-version = \"").nth(1).and_then(|t| t.split('"').next()).expect("version");
    assert!(text.contains(&format!("FROM rust:{toolchain}-")), "{toolchain}");

    // Every shared library of the build comes from a package that the image installs, or from libc.
    let govmem = assert_cmd::cargo::cargo_bin("govmem");
    let loaded = Command::new("ldd").arg(&govmem).output().expect("ldd");
    let runtime = text.rsplit("FROM debian").next().expect("image");
    for line in String::from_utf8_lossy(&loaded.stdout).lines() {
        let Some(name) = line.split_whitespace().next().filter(|n| n.starts_with("lib")) else { continue };
        let stem = name.split(".so").next().unwrap_or(name);
        let package = match stem {
            "libc" | "libm" | "libdl" | "libpthread" | "librt" | "libgcc_s" => continue,
            "libstdc++" => "libstdc++6",
            "libgomp" => "libgomp1",
            "liblapack" => "liblapack3",
            "libblas" | "libopenblas" => "libopenblas0-pthread",
            "libgfortran" | "libquadmath" => "libgfortran5",
            other => panic!("{other} comes from no package of the image"),
        };
        assert!(runtime.split_whitespace().any(|w| w == package), "{name} needs {package}");
    }
}
