//! Known-item recall and cost of `govrag query` on handed documentation, against plain BM25 over
//! sections, and, on bases of 1,000 real pages in three to eight themes, against the norm's manual
//! protocol ([`by_hand`]).
//!
//! Known items: stretches of twelve words of prose that stand on one page only, and headings of at
//! least two content words that one page has. Paraphrases: forty questions written by hand.
//! `cargo bench --bench knowledge_query`

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench prints its figures and stops at the first failure"
)]

#[path = "by_hand.rs"]
mod by_hand;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use govmem::base::lang::Lang;
use govmem::knowledge::query::rank::{RankedPage, WEIGHTS, Weights};
use govmem::knowledge::query::scan::{Scan, scan};
use govmem::knowledge::query::words::{Recogniser, Terms};
use govmem::knowledge::query::{Corpus, Filters, Format, Options, answer, render, run};
use govmem::knowledge::tokens::estimate;
use govmem::knowledge::{Marker, Page, marker};

use by_hand::Hand;

/// Plain BM25 over sections: heading and body alike, no other field, no neighbours.
const PLAIN: Weights = Weights {
    heading: 1.0,
    parents: 0.0,
    title: 0.0,
    summary: 0.0,
    tags: 0.0,
    path: 0.0,
    pair: 0.0,
    run: 0.0,
    same_heading: 0.0,
    same_title: 0.0,
    k1: 1.2,
    b: 0.75,
    rest: 0.0,
    archived: 1.0,
    whole: 0.0,
};

/// Questions of one kind over one base.
const MOST_ITEMS: usize = 800;
/// Questions of one kind whose cost is compared.
const COMPARED: usize = 250;
/// The goal: an answer costs at most this share of reading by hand.
const GOAL: f64 = 5.0;

/// A question and the page that answers it.
struct Item {
    question: String,
    page: String,
}

fn main() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/kb");
    if !data.exists() {
        println!("SKIPPED: ../shared/data absent");
        return;
    }
    for (name, root) in [
        ("astro-docs fr", data.join("astro-docs/src/content/docs/fr")),
        ("astro-docs en", data.join("astro-docs/src/content/docs/en")),
        ("rumdl", data.join("rumdl/docs")),
    ] {
        let marker = marker_of(&root);
        let corpus = Corpus::read(&marker).expect("pages");
        println!("\n{name}: {} pages", corpus.paths.len());
        let (body, headings) = known_items(&corpus);
        measure("twelve words", &corpus, &marker, &body);
        measure("headings", &corpus, &marker, &headings);
        if let Some(lang) = name.strip_prefix("astro-docs ") {
            measure("paraphrased", &corpus, &marker, &paraphrased(lang));
        }
    }
    // Even themes make the smallest manifests that the norm allows: eight are the hardest to beat.
    for themes in [8, 5, 3] {
        cost(&data, themes);
    }
    growth(&data);
}

fn marker_of(root: &Path) -> Marker {
    let text = format!("version: \"1\"\nroot: {}\nextensions: [mdx]\n", root.display());
    marker::parse(Path::new("/nowhere/.rag"), &text).expect("marker")
}

/// The handed fixture: language, page, question, tab-separated.
fn paraphrased(lang: &str) -> Vec<Item> {
    include_str!("paraphrased.tsv")
        .lines()
        .filter_map(|line| {
            let mut fields = line.split('\t');
            let (of, page, question) = (fields.next()?, fields.next()?, fields.next()?);
            (of == lang).then(|| Item { question: question.to_owned(), page: page.to_owned() })
        })
        .collect()
}

/// Two stretches of twelve words of each page, and every heading that tells one page.
fn known_items(corpus: &Corpus) -> (Vec<Item>, Vec<Item>) {
    let langs = [Lang::Fr, Lang::En];
    let nothing = Terms::new("", &langs, false);
    let mut seed = 42u64;
    let (mut body, mut headings) = (Vec::new(), BTreeMap::<String, (String, BTreeSet<&str>)>::new());
    for (path, text) in corpus.paths.iter().zip(&corpus.texts) {
        let scanned = scan(path, text, &nothing, &mut Recogniser::new(&nothing, &langs));
        for section in scanned.sections.iter().filter(|s| s.level > 0) {
            let heading = &text[section.heading.clone()];
            let entry = headings.entry(heading.to_lowercase());
            entry.or_insert_with(|| (heading.to_owned(), BTreeSet::new())).1.insert(path);
        }
        let mut lines = prose(text, &scanned);
        for _ in 0..2 {
            if lines.is_empty() {
                break;
            }
            let words = lines.swap_remove(next(&mut seed) % lines.len());
            let at = next(&mut seed) % (words.len() - 11);
            let question = words[at..at + 12].join(" ");
            if corpus.texts.iter().filter(|t| t.contains(&question)).count() == 1 {
                body.push(Item { question, page: path.clone() });
            }
        }
    }
    let headings = headings.into_values().filter_map(|(heading, pages)| {
        let page = pages.first().filter(|_| pages.len() == 1)?;
        let telling = Terms::new(&heading, &langs, false).len() >= 2;
        telling.then(|| Item { question: heading, page: (*page).to_owned() })
    });
    (sample(body), sample(headings.collect()))
}

/// At most [`MOST_ITEMS`], evenly spread.
fn sample(items: Vec<Item>) -> Vec<Item> {
    let step = items.len().div_ceil(MOST_ITEMS).max(1);
    items.into_iter().step_by(step).collect()
}

/// Lines of prose of at least fourteen words.
fn prose<'t>(text: &'t str, scanned: &Scan) -> Vec<Vec<&'t str>> {
    let mut fenced = false;
    let mut out = Vec::new();
    for line in text[scanned.front.end..].lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if !fenced && words.len() >= 14 && !line.starts_with(['<', '|', '#']) && !line.starts_with("import ")
        {
            out.push(words);
        }
    }
    out
}

fn next(seed: &mut u64) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize
}

/// Recall at 1, 5 and 10 as a line.
fn recall(places: &[Option<usize>]) -> String {
    let at =
        |k: usize| places.iter().filter(|p| p.is_some_and(|p| p < k)).count() as f64 / places.len() as f64;
    format!("R@1 {:.4}  R@5 {:.4}  R@10 {:.4}", at(1), at(5), at(10))
}

fn measure(what: &str, corpus: &Corpus, marker: &Marker, items: &[Item]) {
    let options = Options { max_tokens: Some(800), ..Options::default() };
    let (mut answered, mut plain, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    let (mut cost, mut over) = (0usize, 0usize);
    for item in items {
        let found = answer(marker, corpus, &item.question, &options).expect("answer");
        let text = render(&found, Format::Text);
        let mut pages: Vec<&str> = Vec::new();
        for entry in &found.entries {
            if !pages.contains(&entry.path.as_str()) {
                pages.push(&entry.path);
            }
        }
        answered.push(pages.iter().position(|p| *p == item.page));
        cost += estimate(&text);
        over += usize::from(estimate(&text) > 800);
        let place = |ranked: &[RankedPage]| ranked.iter().position(|p| corpus.paths[p.page] == item.page);
        let ranked = corpus.rank_with(&item.question, &Filters::default(), &PLAIN).pages;
        plain.push(place(&ranked));
        let ranked = corpus.rank_with(&item.question, &Filters::default(), &WEIGHTS).pages;
        ours.push(place(&ranked));
    }
    let n = items.len();
    println!("  {what}: {n} questions, {over} answers above 800 tokens");
    println!("    answer of 800 tokens  {}", recall(&answered));
    println!("    ranking alone         {}", recall(&ours));
    println!("    plain section BM25    {}", recall(&plain));
    println!("    tokens a question: {:.0}", cost as f64 / n as f64);
}

/// A base of 1,000 handed pages in this many themes of equal size, and what questions cost in it.
fn cost(data: &Path, themes: usize) {
    let dir = tempfile::tempdir().expect("folder");
    let sources: Vec<PathBuf> = sources(data).into_iter().take(1_000).collect();
    let mut places: BTreeMap<PathBuf, String> = BTreeMap::new();
    for (n, source) in sources.iter().enumerate() {
        let inside = source.strip_prefix(data).expect("inside").to_string_lossy().to_lowercase();
        let inside = inside.replace("astro-docs/src/content/docs/", "");
        let stem = inside.rsplit_once('.').map_or(inside.as_str(), |(stem, _)| stem).replace(['_', '.'], "-");
        let path = format!("theme-{}/{stem}.md", n * themes / sources.len() + 1);
        let file = dir.path().join(&path);
        std::fs::create_dir_all(file.parent().expect("folder")).expect("folder");
        std::fs::write(file, complete(&std::fs::read_to_string(source).expect("text"))).expect("write");
        places.insert(source.clone(), path);
    }
    let marker = marker_of(dir.path());
    let corpus = Corpus::read(&marker).expect("pages");
    assert_eq!(corpus.paths.len(), 1_000);
    // The norm cuts by theme and no further; govrag's own limit of tokens cuts themes too.
    let dot_rag =
        "# .rag\nversion: \"1\"\nroot: ./docs-rag\nlang: en\nsummary_max: 240\ncheck_on_update: true\n";
    let wide = format!("{dot_rag}tokens: {{pages: 500, index: 10000000}}\n");
    let norm =
        Hand::new(&corpus, &marker::parse(Path::new("/nowhere/.rag"), &wide).expect("marker"), dot_rag);
    let own = Hand::new(&corpus, &marker, dot_rag);
    let (body, headings) = known_items(&corpus);
    let mut asked: Vec<Item> = Vec::new();
    for lang in ["en", "fr"] {
        for item in paraphrased(lang) {
            let source = data.join("astro-docs/src/content/docs").join(lang).join(&item.page);
            asked.push(Item { page: places[&source].clone(), question: item.question });
        }
    }
    println!("\n1,000 pages in {themes} themes: mean tokens of an answer and of reading by hand");
    let (mut all, mut least_of_all) = (0, 0);
    for (what, items) in [("twelve words", few(body)), ("headings", few(headings)), ("paraphrased", asked)] {
        let (mut ours, mut least, mut usual, mut sharded, mut most) = (0, 0, 0, 0, 0);
        for item in &items {
            let found = answer(&marker, &corpus, &item.question, &Options::default()).expect("answer");
            let tokens = estimate(&render(&found, Format::Text));
            assert!(tokens <= 800, "{tokens} tokens");
            let ranked = corpus.rank(&item.question, &Filters::default()).pages;
            ours += tokens;
            most = most.max(tokens);
            least += norm.least(&corpus, &item.page, &item.question, &ranked);
            usual += norm.usual(&corpus, &item.page, &item.question, &ranked);
            sharded += own.least(&corpus, &item.page, &item.question, &ranked);
        }
        let (n, share) = (items.len(), |hand: usize| 100.0 * ours as f64 / hand as f64);
        println!(
            "  {what} ({n}): answer {}, at most {most}; by hand without any error {} ({:.1} %), with the norm's budget {} ({:.1} %), with govrag's smaller shards {} ({:.1} %)",
            ours / n,
            least / n,
            share(least),
            usual / n,
            share(usual),
            sharded / n,
            share(sharded),
        );
        (all, least_of_all) = (all + ours, least_of_all + least);
    }
    let share = 100.0 * all as f64 / least_of_all as f64;
    let verdict = if share <= GOAL { "reached" } else { "MISSED" };
    println!("  together {share:.1} % of reading by hand without any error; goal {GOAL} %: {verdict}");
}

/// At most [`COMPARED`], evenly spread.
fn few(items: Vec<Item>) -> Vec<Item> {
    let step = items.len().div_ceil(COMPARED).max(1);
    items.into_iter().step_by(step).collect()
}

/// The handed documents, those of astro first.
fn sources(data: &Path) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = Vec::new();
    let mut stack = vec![data.to_owned()];
    while let Some(folder) = stack.pop() {
        for entry in std::fs::read_dir(folder).expect("folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                stack.push(path);
            } else if path.extension().is_some_and(|e| e == "md" || e == "mdx") {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

/// Time of a question over bases of growing size, read anew each time. Every page gets complete front
/// matter, as in earnest.
fn growth(data: &Path) {
    let dir = tempfile::tempdir().expect("folder");
    let sources = sources(data);
    println!();
    for pages in [1_000usize, 1_600, 5_000] {
        let root = dir.path().join(pages.to_string());
        let mut bytes = 0;
        for (n, source) in sources.iter().cycle().take(pages).enumerate() {
            let folder = root.join(format!("t{}", n % 8));
            std::fs::create_dir_all(&folder).expect("folder");
            let text = complete(&std::fs::read_to_string(source).expect("text"));
            bytes += text.len();
            std::fs::write(folder.join(format!("p{n}.md")), text).expect("write");
        }
        let marker = marker_of(&root);
        let mut times = Vec::new();
        for item in paraphrased("en").into_iter().chain(paraphrased("fr")) {
            let start = Instant::now();
            let found = run(&marker, &item.question, &Options::default()).expect("answer");
            times.push(start.elapsed().as_secs_f64() * 1e3);
            assert!(found.tokens.total <= 800, "{} tokens", found.tokens.total);
        }
        times.sort_by(f64::total_cmp);
        println!(
            "{pages} pages, {:.1} MB: median {:.0} ms, slowest {:.0} ms",
            bytes as f64 / 1e6,
            times[times.len() / 2],
            times[times.len() - 1],
        );
    }
}

/// `text` with front matter that holds a title and a summary.
fn complete(text: &str) -> String {
    let page = Page::parse("p.md", text.to_owned(), usize::MAX);
    let body = &text[page.front.split.body..];
    let lead =
        body.lines().find(|l| l.split_whitespace().count() > 8 && !l.starts_with(['<', '#', '|', '`']));
    let summary = page.front.text("description").or(lead).unwrap_or("A page of documentation.");
    let summary: String = summary.chars().filter(|c| !"\"\\".contains(*c)).take(239).collect();
    let title = page.title().replace(['"', '\\'], "");
    format!(
        "---\ntitle: \"{title}\"\nsummary: \"{summary}\"\ntype: guide\nstatus: stable\ntags: [guide, documentation]\nupdated: 2026-07-01\n---\n{body}"
    )
}
