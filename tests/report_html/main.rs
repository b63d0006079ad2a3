//! The HTML page through the binary and a real browser: nothing on its console, nothing asked of any
//! server, a picture at every width, in both languages, light and dark.
#![expect(clippy::expect_used, reason = "a failed step is a failed test")]

#[path = "../support/governed.rs"]
#[expect(dead_code, reason = "each test binary uses a part of the helpers")]
mod governed;

use std::path::Path;
use std::process::Command;

use governed::{Governed, ago, shown, stdout};
use govmem::store::Source;

/// A workspace with something in every section, some of it hostile.
fn world(lang: &str) -> Governed {
    let g = Governed::new(lang, 80);
    let titles =
        ["Compare codes in constant time", "</title><script>alert('x')</script>", "Été \u{202e}desrever"];
    let mut ids = Vec::new();
    for (i, title) in titles.iter().enumerate() {
        let (story, tag) = (format!("PD-{}", i + 1), format!("tag{i}"));
        let id = g.learning(&story, &tag, title, ago(120, 0));
        g.score(&story, &tag, &id, 0.7 - 0.2 * i as f64);
        ids.push(id);
    }
    g.line("veille.jsonl", r#"{"id":"docs-veille-x-md","title":"X","date":"2026-04-01","path":"docs/veille/x.md","tags":[],"impact_pv":"fort","verdict":"adopter","summary":"s","content_hash":"00"}"#);
    let mut events = Vec::new();
    for week in (0..8).rev() {
        let (story, at) = (format!("PD-{}", 100 - week), ago(week * 7 + 1, 0));
        let own: Vec<&str> = ids.iter().take(1 + week as usize % 3).map(String::as_str).collect();
        events.push(shown(Source::Learning, at, &story, &own));
        events.push(shown(Source::Veille, at, &story, &["docs-veille-x-md"]));
        events.push(shown(Source::Clarification, at, &story, &[]));
        g.gate8(&story, 1, if week % 2 == 0 { "GO" } else { "RESERVE" }, at.plus(3600));
    }
    g.append(&events);
    g
}

/// Runs Chromium on `page`: standard output and its log. Its absence is a failure: the test script
/// installs it.
fn chromium(page: &Path, more: &[&str]) -> (String, String) {
    let found = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success()));
    let browser = found.expect("no chromium: run scripts/test.sh");
    let profile = tempfile::tempdir().expect("profile");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--hide-scrollbars"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(more)
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("chromium");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_page_needs_nothing_but_itself() {
    for lang in ["fr", "en"] {
        let g = world(lang);
        let html = stdout(&g.run("govmem", &["report", "html"]));
        assert!(
            html.starts_with("<!DOCTYPE html><html lang=\"") && html.contains(&format!("lang=\"{lang}\""))
        );
        for bad in ["://", "<script", "javascript:", "url(", "@import", " style=", " onload", "\u{202e}"] {
            assert!(!html.contains(bad), "{bad}");
        }
        assert!(html.contains("Compare codes in constant time") && html.contains("&lt;script&gt;"));
        for id in ["kpi", "injections", "scores", "life", "best", "graph"] {
            assert!(html.contains(&format!("<section id=\"{id}\"")), "{id}");
        }
    }
}

#[test]
fn a_browser_finds_nothing_to_complain_of() {
    let g = world("en");
    let path = g.dir.path().join("report.html");
    stdout(&g.run("govmem", &["report", "html", "--output", "report.html"]));
    let (dom, log) = chromium(&path, &["--dump-dom"]);
    assert!(dom.contains("Compare codes in constant time") && dom.trim_end().ends_with("</html>"), "{log}");
    // The browser reads the sheet: its policy would say so on the console if it did not.
    assert!(!log.contains("CONSOLE"), "{log}");
    assert!(!dom.contains("<script"), "a script came alive");
    // The console is heard: a sheet changed by one byte is refused aloud.
    let html = std::fs::read_to_string(&path).expect("page");
    std::fs::write(&path, html.replacen("margin:0", "margin:1", 1)).expect("page");
    let (_, log) = chromium(&path, &["--dump-dom"]);
    assert!(log.contains("CONSOLE") && log.contains("style"), "{log}");
}

#[test]
fn pictures_at_every_width_light_and_dark() {
    let g = world("fr");
    let path = g.dir.path().join("report.html");
    stdout(&g.run("govmem", &["report", "html", "-o", "report.html"]));
    let mut seen = std::collections::HashSet::new();
    for (width, scheme) in [("500", "0"), ("1000", "1"), ("1000", "0"), ("1600", "1")] {
        let shot = g.dir.path().join(format!("{width}-{scheme}.png"));
        let screenshot = format!("--screenshot={}", shot.display());
        let size = format!("--window-size={width},1200");
        let scheme = format!("--blink-settings=preferredColorScheme={scheme}");
        chromium(&path, &[&screenshot, &size, &scheme]);
        let png = std::fs::read(&shot).expect("picture");
        assert!(png.starts_with(b"\x89PNG") && png.len() > 20_000, "{} bytes", png.len());
        let pixels = u32::from_be_bytes(png[16..20].try_into().expect("width"));
        assert_eq!(pixels.to_string(), width);
        assert!(seen.insert(govmem::base::id::sha256_hex(&png)), "two settings, one picture");
    }
}

#[test]
fn an_empty_workspace_has_a_page_too() {
    let g = Governed::new("fr", 3);
    let html = stdout(&g.run("govmem", &["report", "html", "--title", "L'équipe <b>"]));
    assert!(html.contains("L'équipe &lt;b&gt;") && html.contains("step0-inject"));
    assert!(html.contains("données insuffisantes"));
}

#[test]
fn only_a_page_of_its_own_is_written_over() {
    let g = world("en");
    let write = |name: &str| g.run("govmem", &["report", "html", "-o", name]);
    stdout(&write("report.html"));
    stdout(&write("report.html"));
    std::fs::write(g.dir.path().join("other.html"), "<!DOCTYPE html><html><p>a page of the team")
        .expect("page");
    for name in [
        "govmem.toml",
        "keys/keyring.json",
        "other.html",
        "data/learnings-injections.jsonl",
        "data/new.html",
        "docs/../data/new.html",
    ] {
        std::fs::create_dir_all(g.dir.path().join("docs")).expect("docs");
        let path = g.dir.path().join(name);
        let before = std::fs::read(&path).ok();
        let said = governed::stderr(&write(name), 2);
        assert!(said.contains("-o"), "{said}");
        assert_eq!(std::fs::read(&path).ok(), before, "{name}");
    }
}

/// Numerator and denominator of CS-2 count different things; the label says which.
#[test]
fn the_label_of_cs_2_says_what_is_counted() {
    for (lang, words) in [
        ("en", ["injected since B5 / ", "created before B5, of which injected: "]),
        ("fr", ["depuis B5 / ", "créés avant B5, dont injectés : "]),
    ] {
        let g = world(lang);
        let kpi: serde_json::Value =
            serde_json::from_str(&stdout(&g.run("govmem", &["kpi", "cs2", "--json"]))).expect("JSON");
        let html = stdout(&g.run("govmem", &["report", "html"])).replace('\u{a0}', " ");
        let under = format!("{}{} {}", words[0], kpi["denominator"], words[1]);
        let of_them = &kpi["details"]["injected_created_before"];
        assert!(html.contains(&format!("{under}{of_them}")), "{under}{of_them} {kpi}");
    }
}
