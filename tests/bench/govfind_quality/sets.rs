//! The sets of questions: where their documents come from, what is asked, and how they are halved.
//!
//! No set is drawn by what a search finds: the rules below depend on texts and hashes alone.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use govmem::base::id::sha256_hex;

use super::model;

/// Headings that a page is asked for by, at most.
const HEADINGS: usize = 4;

/// A question and the document that answers it.
pub struct Question {
    pub text: String,
    pub relevant: String,
    pub collection: &'static str,
}

impl Question {
    /// The same for the same text, everywhere.
    pub fn hash(&self) -> String {
        sha256_hex(format!("{}\0{}", self.collection, self.text))
    }

    /// Whether it belongs to the half that weights and rules are chosen on.
    pub fn chooses(&self) -> bool {
        self.hash().ends_with(['0', '2', '4', '6', '8', 'a', 'c', 'e'])
    }
}

/// Questions over one index.
pub struct Set {
    pub name: &'static str,
    pub index: PathBuf,
    pub questions: Vec<Question>,
}

/// All sets, indexed and embedded below `work`.
pub fn all(data: &Path, work: &Path) -> Vec<Set> {
    let (index, descriptions, headings) = astro(data, work);
    let mut sets = vec![
        Set { name: "PIAF", index: piaf(data, work), questions: piaf_questions(data) },
        Set { name: "Astro by description", index: index.clone(), questions: descriptions },
        Set { name: "Astro by heading", index, questions: headings },
    ];
    for set in &mut sets {
        set.questions.sort_by_cached_key(Question::hash);
    }
    sets
}

fn govfind(index: &Path, args: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_govfind"));
    command.arg("--index").arg(index).args(args).stdout(std::process::Stdio::null());
    assert!(command.status().expect("govfind").success(), "{args:?}");
}

/// Indexes and embeds what is not there yet.
fn fill(index: &Path, collections: &[(&str, PathBuf)]) {
    let there = index.is_file();
    for (name, dir) in collections.iter().filter(|_| !there) {
        let dir = dir.to_str().expect("path");
        govfind(index, &["collection", "add", dir, "--name", name, "--mask", "**/*.{md,mdx}"]);
    }
    govfind(index, &["update", "-q"]);
    let start = Instant::now();
    govfind(index, &["embed", "-q", "--model", model::minilm().to_str().expect("path")]);
    println!("{}: vectors in {:.0} s", index.display(), start.elapsed().as_secs_f64());
}

fn lines(path: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path).expect("lines");
    text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect()
}

fn field<'v>(value: &'v serde_json::Value, key: &str) -> &'v str {
    value[key].as_str().expect("text")
}

fn docid(text: &str) -> String {
    sha256_hex(text)[..6].to_owned()
}

fn piaf(data: &Path, work: &Path) -> PathBuf {
    let (dir, index) = (work.join("piaf"), work.join("piaf.db"));
    if !index.is_file() {
        std::fs::create_dir_all(&dir).expect("directory");
        for passage in lines(&data.join("retrieval/piaf-fr/corpus.jsonl")) {
            let path = dir.join(format!("{}.md", field(&passage, "_id")));
            std::fs::write(path, field(&passage, "text")).expect("passage");
        }
    }
    fill(&index, &[("piaf", dir)]);
    index
}

fn piaf_questions(data: &Path) -> Vec<Question> {
    let dir = data.join("retrieval/piaf-fr");
    let by_id = |file: &str, value: fn(&str) -> String| -> HashMap<String, String> {
        lines(&dir.join(file)).iter().map(|l| (field(l, "_id").to_owned(), value(field(l, "text")))).collect()
    };
    let passages = by_id("corpus.jsonl", docid);
    let texts = by_id("queries.jsonl", str::to_owned);
    let qrels = std::fs::read_to_string(dir.join("qrels.tsv")).expect("qrels");
    let question = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let (text, relevant) = (texts[columns[0]].clone(), passages[columns[1]].clone());
        Question { text, relevant, collection: "piaf" }
    };
    qrels.lines().skip(1).map(question).collect()
}

/// Known items of all French and English pages: a page by the description that its authors wrote, which
/// is taken out of it before it is indexed; and a page by headings of level two or three that stand
/// outside fences, have three words or more and occur on one page of their language only, of each page
/// the four whose SHA-256 are the least. A description that several pages share asks for none.
fn astro(data: &Path, work: &Path) -> (PathBuf, Vec<Question>, Vec<Question>) {
    let root = data.join("kb/astro-docs/src/content/docs");
    let (dir, index) = (work.join("astro-all"), work.join("astro-all.db"));
    let (mut descriptions, mut headings) = (Vec::new(), Vec::new());
    for language in ["fr", "en"] {
        let mut described: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut headed: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (path, text) in pages(&root.join(language)) {
            let (text, description) = without_description(&text);
            let to = dir.join(language).join(&path);
            std::fs::create_dir_all(to.parent().expect("parent")).expect("directory");
            if !to.is_file() {
                std::fs::write(&to, &text).expect("page");
            }
            if let Some(description) = description {
                described.entry(description).or_default().push(docid(&text));
            }
            for heading in headings_of(&text) {
                headed.entry(heading).or_default().push(docid(&text));
            }
        }
        let one = |(text, mut pages): (String, Vec<String>)| {
            let relevant = pages.pop().filter(|_| pages.is_empty())?;
            Some(Question { text, relevant, collection: language })
        };
        descriptions.extend(described.into_iter().filter_map(one));
        let mut of_page: BTreeMap<String, Vec<Question>> = BTreeMap::new();
        for question in headed.into_iter().filter_map(one) {
            of_page.entry(question.relevant.clone()).or_default().push(question);
        }
        for mut questions in of_page.into_values() {
            questions.sort_by_cached_key(|q| sha256_hex(format!("{}\0{}", q.relevant, q.text)));
            headings.extend(questions.into_iter().take(HEADINGS));
        }
    }
    fill(&index, &[("fr", dir.join("fr")), ("en", dir.join("en"))]);
    (index, descriptions, headings)
}

fn pages(root: &Path) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(dir) = waiting.pop() {
        for entry in std::fs::read_dir(dir).expect("pages") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|e| e == "md" || e == "mdx") {
                let name = path.strip_prefix(root).expect("prefix").to_string_lossy().into_owned();
                out.push((name, std::fs::read_to_string(&path).expect("page")));
            }
        }
    }
    out.sort();
    out
}

/// A page without the description in its front matter, and that description when it is one line of
/// three words or more.
fn without_description(text: &str) -> (String, Option<String>) {
    let (mut kept, mut description) = (String::with_capacity(text.len()), None);
    let (mut fences, mut skipping) = (0, false);
    for line in text.split_inclusive('\n') {
        fences += usize::from(line.trim_end() == "---");
        let inside = fences == 1;
        // Lines that go on with a value are indented.
        skipping = inside && skipping && line.starts_with([' ', '\t']);
        if let Some(value) = line.strip_prefix("description:").filter(|_| inside) {
            skipping = true;
            let value = value.trim().trim_matches(['"', '\'']).replace('`', "");
            description = Some(value).filter(|v| v.split_whitespace().count() >= 3);
        }
        if skipping && !line.starts_with("description:") {
            description = None;
        }
        if !skipping {
            kept.push_str(line);
        }
    }
    (kept, description)
}

fn headings_of(text: &str) -> Vec<String> {
    let (mut out, mut fenced) = (Vec::new(), false);
    for line in text.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            fenced = !fenced;
        }
        let heading = line.strip_prefix("## ").or_else(|| line.strip_prefix("### "));
        if let Some(heading) = heading.filter(|_| !fenced) {
            let heading = heading.replace('`', "");
            if heading.split_whitespace().count() >= 3 {
                out.push(heading.trim().to_owned());
            }
        }
    }
    out.sort();
    out.dedup();
    out
}
