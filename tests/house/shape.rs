//! The shape of files: length, opening comment, what never stands in them, and nothing forgotten.

use crate::{Source, none, root, sources};

fn all() -> Vec<Source> {
    let mut all = sources("src");
    all.extend(sources("tests"));
    all
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let mut offences = Vec::new();
    for source in all().iter().filter(|s| !s.path.starts_with("tests/fuzz/")) {
        let lines = source.text.lines().count();
        let limit = if source.room() == "bin" { 20 } else { 500 };
        if lines > limit {
            offences.push(format!("{}: {lines} lines, {limit} at most", source.path));
        }
        if !source.text.starts_with("//!") {
            offences.push(format!("{}: does not begin with a module comment", source.path));
        }
    }
    none(offences);
}

#[test]
fn what_never_stands_in_a_file() {
    // Written apart, so that this file does not hold them.
    let never = [
        concat!("#[", "ignore"),
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
        concat!("#[", "allow("),
        concat!("#![", "allow("),
        concat!("dbg", "!("),
        concat!("XX", "X:"),
        concat!("FIX", "ME"),
    ];
    let mut offences = Vec::new();
    for source in all() {
        for (number, line) in source.text.lines().enumerate() {
            for word in never.iter().filter(|w| line.contains(**w)) {
                offences.push(format!("{}:{}: {word}", source.path, number + 1));
            }
        }
    }
    none(offences);
}

#[test]
fn only_base_and_cli_touch_the_process() {
    let process = [
        "println!(",
        "print!(",
        "eprintln!(",
        "eprint!(",
        "process::exit",
        "std::env::",
        "use std::env",
        "io::stdout()",
        "io::stderr()",
        "io::stdin()",
        "SystemTime::now",
        "Utc::now",
        "Local::now",
    ];
    let mut offences = Vec::new();
    for source in sources("src").iter().filter(|s| !matches!(s.room(), "base" | "cli")) {
        for (number, line) in source.code() {
            for word in process.iter().filter(|w| line.contains(**w)) {
                offences.push(format!("{}:{number}: {word}", source.path));
            }
        }
    }
    none(offences);
}

/// A file that no `mod` declares is compiled by nobody.
#[test]
fn no_file_is_forgotten() {
    let cargo = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let all = all();
    let mut offences = Vec::new();
    for source in &all {
        let (dir, file) = source.path.rsplit_once('/').unwrap();
        let declared_in_cargo = cargo.contains(&format!("path = \"{}\"", source.path));
        if file == "lib.rs" || declared_in_cargo || dir.starts_with("tests/fuzz") {
            continue;
        }
        if file == "main.rs" && dir.starts_with("tests/") {
            offences.push(format!("{}: no [[test]] in Cargo.toml", source.path));
            continue;
        }
        // `a/b/mod.rs` is declared beside `a/b`, any other file in its own directory.
        let (dir, name) = match file {
            "mod.rs" => dir.rsplit_once('/').unwrap(),
            _ => (dir, file.trim_end_matches(".rs")),
        };
        let parents = ["mod.rs", "lib.rs", "main.rs"].map(|f| format!("{dir}/{f}"));
        let flat = format!("{dir}.rs");
        let declared = all
            .iter()
            .filter(|s| parents.contains(&s.path) || s.path == flat || s.text.contains("#[path ="))
            .any(|s| declares(&s.text, name));
        // A shared helper is declared by whichever test needs it.
        let shared = dir == "tests" || dir.starts_with("tests/support");
        let used = shared && all.iter().any(|s| declares(&s.text, name) || declares(&s.text, "support"));
        if !declared && !used {
            offences.push(format!("{}: no `mod {name};` declares it", source.path));
        }
    }
    none(offences);
}

fn declares(text: &str, name: &str) -> bool {
    text.lines().any(|l| {
        let l = l.trim();
        let l = l.strip_prefix("pub ").or_else(|| l.strip_prefix("pub(crate) ")).unwrap_or(l);
        let l = l.strip_prefix("pub(super) ").unwrap_or(l);
        l == format!("mod {name};")
    })
}
