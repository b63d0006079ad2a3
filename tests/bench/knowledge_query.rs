//! Known-item recall and cost of `govrag query` on handed documentation, against plain BM25 over
//! sections and against reading by hand as the norm describes it.
//!
//! Known items: stretches of twelve words of prose that stand on one page only, and headings of at
//! least two content words that one page has. Paraphrases: forty questions written by hand.
//! `cargo bench --bench knowledge_query`

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench prints its figures and stops at the first failure"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use govmem::base::lang::Lang;
use govmem::knowledge::query::rank::{RankedPage, WEIGHTS, Weights};
use govmem::knowledge::query::scan::{Scan, scan};
use govmem::knowledge::query::words::{Recogniser, Terms};
use govmem::knowledge::query::{Corpus, Filters, Format, Options, answer, render, run};
use govmem::knowledge::tokens::estimate;
use govmem::knowledge::{Marker, Page, indexes, marker};

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
    let (mut cost, mut manual, mut over) = (0usize, 0usize, 0usize);
    let manifest = manifest(corpus, marker);
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
        manual += by_hand(corpus, &ranked, manifest);
    }
    let n = items.len();
    println!("  {what}: {n} questions, {over} answers above 800 tokens");
    println!("    answer of 800 tokens  {}", recall(&answered));
    println!("    ranking alone         {}", recall(&ours));
    println!("    plain section BM25    {}", recall(&plain));
    let (cost, manual) = (cost as f64 / n as f64, manual as f64 / n as f64);
    println!("    tokens a question: {cost:.0}, by hand {manual:.0} ({:.1} %)", 100.0 * cost / manual);
}

/// Tokens of the manifest of these pages.
fn manifest(corpus: &Corpus, marker: &Marker) -> usize {
    let row = |i: usize| indexes::row(&corpus.page(i, marker.summary_max), marker.summary_max);
    estimate(&(0..corpus.paths.len()).map(row).collect::<String>())
}

/// What the norm's protocol costs by hand: the manifest, the front matter of five candidates, the body
/// section of the best one and of the next.
fn by_hand(corpus: &Corpus, ranked: &[RankedPage], manifest: usize) -> usize {
    let page = |r: &RankedPage| Page::parse("p.md", corpus.texts[r.page].clone(), usize::MAX);
    let front: usize = ranked.iter().take(5).map(|r| estimate(page(r).front_text())).sum();
    let section = |r: &RankedPage| {
        let langs = [Lang::Fr, Lang::En];
        let nothing = Terms::new("", &langs, false);
        let text = &corpus.texts[r.page];
        let scanned = scan("p.md", text, &nothing, &mut Recogniser::new(&nothing, &langs));
        let best = r.sections.first().and_then(|s| scanned.sections.get(s.section));
        best.map_or(0, |s| estimate(&text[s.bytes.clone()]))
    };
    manifest + front + ranked.iter().take(2).map(section).sum::<usize>()
}

/// Time and cost of a question over bases of growing size, read anew each time. Every page gets complete
/// front matter, so that its row in the manifest costs what it would in earnest.
fn growth(data: &Path) {
    let dir = tempfile::tempdir().expect("folder");
    let mut sources: Vec<PathBuf> = Vec::new();
    let mut stack = vec![data.to_owned()];
    while let Some(folder) = stack.pop() {
        for entry in std::fs::read_dir(folder).expect("folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                stack.push(path);
            } else if path.extension().is_some_and(|e| e == "md" || e == "mdx") {
                sources.push(path);
            }
        }
    }
    sources.sort();
    println!();
    for pages in [1_000usize, 1_600, 5_000] {
        let root = dir.path().join(pages.to_string());
        let mut bytes = 0;
        for (n, source) in sources.iter().cycle().take(pages).enumerate() {
            let folder = root.join(format!("t{}", n % 20));
            std::fs::create_dir_all(&folder).expect("folder");
            let text = complete(&std::fs::read_to_string(source).expect("text"));
            bytes += text.len();
            std::fs::write(folder.join(format!("p{n}.md")), text).expect("write");
        }
        let marker = marker_of(&root);
        let corpus = Corpus::read(&marker).expect("pages");
        let (whole, sharded) = manifests(&corpus, &marker);
        let (mut times, mut cost, mut by_whole, mut by_shard) = (Vec::new(), 0, 0, 0);
        let items: Vec<Item> = paraphrased("en").into_iter().chain(paraphrased("fr")).collect();
        for item in &items {
            let start = Instant::now();
            let found = run(&marker, &item.question, &Options::default()).expect("answer");
            times.push(start.elapsed().as_secs_f64() * 1e3);
            assert!(found.tokens.total <= 800, "{} tokens", found.tokens.total);
            cost += estimate(&render(&found, Format::Text));
            let ranked = corpus.rank(&item.question, &Filters::default()).pages;
            by_whole += by_hand(&corpus, &ranked, whole);
            by_shard += by_hand(&corpus, &ranked, sharded);
        }
        times.sort_by(f64::total_cmp);
        let share = |hand: usize| 100.0 * cost as f64 / hand as f64;
        println!(
            "{pages} pages, {:.1} MB: median {:.0} ms, slowest {:.0} ms; {:.1} % of reading by hand with one manifest, {:.1} % with shards",
            bytes as f64 / 1e6,
            times[times.len() / 2],
            times[times.len() - 1],
            share(by_whole),
            share(by_shard),
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

/// Tokens of the manifest in one file, and of the table of shards with the biggest shard.
fn manifests(corpus: &Corpus, marker: &Marker) -> (usize, usize) {
    let mut themes: BTreeMap<String, String> = BTreeMap::new();
    for i in 0..corpus.paths.len() {
        let page = corpus.page(i, marker.summary_max);
        themes.entry(page.theme().to_owned()).or_default().push_str(&indexes::row(&page, marker.summary_max));
    }
    let whole = themes.values().map(|rows| estimate(rows)).sum();
    let biggest = themes.values().map(|rows| estimate(rows)).max().unwrap_or(0);
    // A row of the table of shards names the theme, its count and its tags.
    (whole, biggest + themes.len() * 30)
}
