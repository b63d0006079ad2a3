//! What reuse scores say about lessons that people retired: a report, not a threshold.
//!
//! 143 active and 38 retired lessons of a real project; seeded stories retrieve them by words and end
//! by a stated rule over features of what they received. The rules never see which lessons were
//! retired: [`Features`] does not hold it. `cargo bench --bench eviction` prints the tables that
//! `specs/eviction.md` discusses.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a bench prints its tables and stops at the first surprise"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use govmem::base::Instant;
use govmem::memory::lifecycle::state::STALE_AFTER_S;
use govmem::memory::reuse::{Figures, Lesson, Outcomes, Tally};
use govmem::store::schema::{Metric, Record};
use serde_json::Value;

const DATA: &str = "../shared/data/memory/learnings/joeblackwaslike+lessons-learned/data";
/// The day on which most of the retired ones were retired, and the first day of the stories.
const RETIRED_ON: &str = "2026-06-22T00:00:00Z";
const FIRST_STORY: &str = "2026-04-07T00:00:00Z";
const SEEDS: u64 = 30;
const SHOWN: usize = 5;

/// What a rule may look at.
struct Features {
    priority: f64,
    code: f64,
    length: f64,
}

/// One lesson.
struct Item {
    lesson: Lesson,
    retired: bool,
    created: i64,
    words: Vec<String>,
    problem: Vec<String>,
    tags: Vec<String>,
    features: Features,
}

/// How the outcome of a story depends on what it received.
type Rule = (&'static str, fn(&Features) -> f64);

const RULES: [Rule; 4] = [
    ("chance alone", |_| 0.0),
    ("priority helps", |f| f.priority),
    ("code in the solution helps", |f| f.code),
    ("a long solution helps", |f| f.length),
];

fn main() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(DATA);
    if !dir.exists() {
        println!("SKIPPED: {DATA} absent");
        return;
    }
    let all = read(&dir);
    let cut = instant(RETIRED_ON);
    let old: Vec<usize> = (0..all.len()).filter(|i| all[*i].created < cut).collect();
    let every: Vec<usize> = (0..all.len()).collect();
    let retired = |set: &[usize]| set.iter().filter(|i| all[**i].retired).count();
    println!("{} lessons, {} retired", every.len(), retired(&every));
    println!("{} written before {RETIRED_ON}, {} retired: those at risk\n", old.len(), retired(&old));

    let is_retired = |i: usize| all[i].retired;
    let age = |i: usize| -(all[i].created as f64);
    // Lessons written while the stories went on could be received for a shorter time only.
    let first = instant(FIRST_STORY);
    let whole: Vec<usize> = old.iter().copied().filter(|i| all[*i].created < first).collect();
    println!(
        "{} of them written before {FIRST_STORY}, {} retired: equally exposed",
        whole.len(),
        retired(&whole)
    );
    println!(
        "age only (older = retired): AUC {:.3} of all, {:.3} of those at risk, {:.3} of the equally exposed\n",
        auc(&every, is_retired, age),
        auc(&old, is_retired, age),
        auc(&whole, is_retired, age)
    );

    println!("Do the rules know? AUC of the rule's own value (low = retired), lessons at risk\n");
    for (name, rule) in &RULES[1..] {
        let all = &all;
        println!("{name:<28} {:.3}", auc(&old, is_retired, |i| -rule(&all[i].features)));
    }

    println!("\nAUC over {SEEDS} seeds: median (least to most)");
    println!(
        "people: low score, never retrieved, low score of the equally exposed, against the retired ones"
    );
    println!(
        "rule: low score, of all and of the equally exposed, and low worth per story, against what the rule holds unhelpful\n"
    );
    println!(
        "{:<26} {:>7}  {:<22} {:<22} {:<22} {:<22} {:<22} {:<22}",
        "rule",
        "stories",
        "people: score",
        "people: never",
        "people: exposed",
        "rule: score",
        "rule: exposed",
        "rule: per story"
    );
    for (name, rule) in RULES {
        for stories in [50, 150, 500] {
            let runs: Vec<Vec<Figures>> =
                (0..SEEDS).map(|seed| simulate(&all, rule, stories, seed)).collect();
            let all = &all;
            let unhelpful = |i: usize| rule(&all[i].features) < 0.0;
            // Lessons that no story received have no worth per story: they are left out there.
            let by = |set: &[usize], label: &dyn Fn(usize) -> bool, value: &dyn Fn(&Figures) -> f64| {
                let one = |run: &Vec<Figures>| {
                    let known: Vec<usize> =
                        set.iter().copied().filter(|i| !value(&run[*i]).is_nan()).collect();
                    auc(&known, label, |i| value(&run[i]))
                };
                let mut aucs: Vec<f64> = runs.iter().map(one).filter(|auc| !auc.is_nan()).collect();
                aucs.sort_by(f64::total_cmp);
                let (Some(least), Some(most)) = (aucs.first(), aucs.last()) else { return "none".to_owned() };
                format!("{:.3} ({least:.3} to {most:.3})", aucs[aucs.len() / 2])
            };
            let score = |f: &Figures| -f.score();
            let never = |f: &Figures| f64::from(u8::from(f.injections == 0));
            let per_story = |f: &Figures| -(f.tenths as f64) / f.stories as f64;
            println!(
                "{name:<26} {stories:>7}  {:<22} {:<22} {:<22} {:<22} {:<22} {:<22}",
                by(&old, &is_retired, &score),
                by(&old, &is_retired, &never),
                by(&whole, &is_retired, &score),
                by(&old, &unhelpful, &score),
                by(&whole, &unhelpful, &score),
                by(&old, &unhelpful, &per_story),
            );
        }
    }

    println!(
        "\nThe archival rule on {RETIRED_ON} (0 injections, more than 56 days): medians over {SEEDS} seeds\n"
    );
    println!(
        "{:>7}  {:>8}  {:>16}  {:>9}  {:>6}",
        "stories", "archived", "of them retired", "precision", "recall"
    );
    let stale: Vec<usize> = old.iter().copied().filter(|i| cut - all[*i].created > STALE_AFTER_S).collect();
    let base = retired(&stale) as f64 / stale.len() as f64;
    for stories in [50, 150, 500] {
        let mut rows: Vec<(usize, usize)> = (0..SEEDS)
            .map(|seed| {
                let run = simulate(&all, RULES[0].1, stories, seed);
                let archived: Vec<usize> =
                    stale.iter().copied().filter(|i| run[*i].injections == 0).collect();
                (archived.len(), retired(&archived))
            })
            .collect();
        rows.sort_unstable();
        let (archived, right) = rows[rows.len() / 2];
        let (precision, recall) =
            (right as f64 / archived.max(1) as f64, right as f64 / retired(&old) as f64);
        println!("{stories:>7}  {archived:>8}  {right:>16}  {precision:>9.2}  {recall:>6.2}");
    }
    println!("\nold enough on that day: {}, of which retired {} ({base:.2})", stale.len(), retired(&stale));
}

/// The figures of every lesson after `stories` seeded stories, by the code that scores in production.
fn simulate(all: &[Item], rule: fn(&Features) -> f64, stories: usize, seed: u64) -> Vec<Figures> {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) + 1);
    let lessons: Vec<Lesson> = all.iter().map(|item| item.lesson.clone()).collect();
    let tally = Tally::new(&lessons);
    let mut part = tally.part();
    let mut outcomes = Outcomes::default();
    let topics: Vec<Vec<usize>> = topics(all);
    let rarity = rarity(all);
    let (first, last) = (instant(FIRST_STORY), instant(RETIRED_ON));
    for n in 0..stories {
        let at = first
            + (last - first) * i64::try_from(n).expect("a number")
                / i64::try_from(stories).expect("a number");
        // A topic, and twelve words from the problems that lessons of the topic speak of.
        let topic = &topics[random.below(topics.len())];
        let pool: Vec<&String> = topic.iter().flat_map(|i| &all[*i].problem).collect();
        let query: BTreeSet<&String> = (0..12).map(|_| pool[random.below(pool.len())]).collect();
        let received = retrieve(all, &rarity, &query, at);
        let story = format!("S-{}", n + 1);
        let ids = received.iter().map(|i| lessons[*i].id.as_str());
        part.injection(&story, "all", Instant::from_unix(at), ids);
        let mean =
            received.iter().map(|i| rule(&all[*i].features)).sum::<f64>() / received.len().max(1) as f64;
        let good = 1.0 / (1.0 + (-0.4 - 1.5 * mean).exp());
        let (version, verdict) = match (random.unit() < good, random.unit()) {
            (true, _) => (1, "GO"),
            (false, u) if u < 0.5 => (2, "GO"),
            (false, u) if u < 0.8 => (1, "RESERVE"),
            (false, _) => (1, "REJECTED"),
        };
        let line = format!(
            r#"{{"story":"{story}","gate":8,"version":{version},"verdict":"{verdict}","timestamp":"{RETIRED_ON}","domain":"all","project":"all"}}"#
        );
        outcomes.record(&Metric::parse(&line).expect("a gate record"));
    }
    tally.finish(vec![part], &outcomes).figures
}

/// The lessons that carry each tag of at least two.
fn topics(all: &[Item]) -> Vec<Vec<usize>> {
    let mut topics: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, item) in all.iter().enumerate() {
        item.tags.iter().for_each(|tag| topics.entry(tag).or_default().push(i));
    }
    topics.into_values().filter(|lessons| lessons.len() > 1).collect()
}

/// The inverse document frequency of every word.
fn rarity(all: &[Item]) -> BTreeMap<&str, f64> {
    let mut seen: BTreeMap<&str, f64> = BTreeMap::new();
    for item in all {
        let words: BTreeSet<&str> = item.words.iter().map(String::as_str).collect();
        words.into_iter().for_each(|word| *seen.entry(word).or_default() += 1.0);
    }
    seen.into_iter().map(|(word, n)| (word, (1.0 + (all.len() as f64 - n + 0.5) / (n + 0.5)).ln())).collect()
}

/// The five nearest lessons that exist at `at`, by BM25; equal ones by id.
fn retrieve(all: &[Item], rarity: &BTreeMap<&str, f64>, query: &BTreeSet<&String>, at: i64) -> Vec<usize> {
    let mean = all.iter().map(|item| item.words.len()).sum::<usize>() as f64 / all.len() as f64;
    let mut ranked: Vec<(f64, usize)> = (0..all.len())
        .filter(|i| all[*i].created < at)
        .map(|i| {
            let words = &all[i].words;
            let long = 1.2 * (0.25 + 0.75 * words.len() as f64 / mean);
            let score = query.iter().map(|q| {
                let n = words.iter().filter(|w| w == q).count() as f64;
                rarity.get(q.as_str()).unwrap_or(&0.0) * n * 2.2 / (n + long)
            });
            (score.sum(), i)
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| all[a.1].lesson.id.cmp(&all[b.1].lesson.id)));
    ranked.into_iter().take(SHOWN).filter(|(score, _)| *score > 0.0).map(|(_, i)| i).collect()
}

/// The chance that a labelled lesson of `set` has a greater value than another; ties count half. Not a
/// number when either kind is missing.
fn auc(set: &[usize], label: impl Fn(usize) -> bool, value: impl Fn(usize) -> f64) -> f64 {
    let (gone, stayed): (Vec<usize>, Vec<usize>) = set.iter().partition(|i| label(**i));
    let wins = gone.iter().flat_map(|g| stayed.iter().map(move |s| (*g, *s))).map(|(g, s)| {
        match value(g).total_cmp(&value(s)) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        }
    });
    wins.sum::<f64>() / (gone.len() * stayed.len()) as f64
}

fn read(dir: &Path) -> Vec<Item> {
    let document = |name: &str| -> Value {
        let text = std::fs::read_to_string(dir.join(name)).expect("document");
        serde_json::from_str(&text).expect("JSON")
    };
    let (active, retired) = (document("lesson-manifest.json"), document("obsoleted-lessons.json"));
    let active = active["lessons"].as_object().expect("lessons");
    let retired = retired["entries"].as_array().expect("entries");
    let active = active.iter().map(|(id, value)| item(id, value, false));
    let mut all: Vec<Item> =
        active.chain(retired.iter().map(|v| item(v["id"].as_str().expect("id"), v, true))).collect();
    let mut seen = BTreeSet::new();
    // Retired and later taken up again under the same id: the ledger says that it was retired.
    all.reverse();
    all.retain(|item| seen.insert(item.lesson.id.clone()));
    all.sort_by(|a, b| a.lesson.id.cmp(&b.lesson.id));
    let features: [fn(&mut Features) -> &mut f64; 3] =
        [|f| &mut f.priority, |f| &mut f.code, |f| &mut f.length];
    for feature in features {
        let values: Vec<f64> = all.iter_mut().map(|item| *feature(&mut item.features)).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let spread = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt();
        all.iter_mut()
            .for_each(|item| *feature(&mut item.features) = (*feature(&mut item.features) - mean) / spread);
    }
    all
}

fn item(id: &str, value: &Value, retired: bool) -> Item {
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_lowercase);
        words.filter(|w| w.len() > 2).collect()
    };
    let solution = text("solution");
    let code = solution.chars().filter(|c| "`(){}[]=/$<>_".contains(*c)).count() as f64
        / solution.len().max(1) as f64;
    // Two seeded ids are one digit short; the time stands in the first ten.
    let ulid: ulid::Ulid = format!("{id:0<26}").parse().expect("a ULID");
    let created = i64::try_from(ulid.timestamp_ms() / 1000).expect("seconds");
    let tags = value["tags"].as_array().expect("tags");
    Item {
        lesson: Lesson {
            line: 0,
            id: id.to_owned(),
            story: "OWN-1".parse().expect("story"),
            gate: 8,
            tag_hash: [0; 32],
            domain: "all".parse().expect("domain"),
            project: "all".parse().expect("project"),
            scope: None,
            active: true,
            age_from: Instant::from_unix(created),
        },
        retired,
        created,
        words: words(&[text("summary"), text("problem"), solution.clone()].join(" ")),
        problem: words(&text("problem")),
        // Both files mix `lang:` and `language:` for the same thing.
        tags: tags.iter().filter_map(Value::as_str).map(|t| t.replace("language:", "lang:")).collect(),
        features: Features {
            priority: value["priority"].as_f64().unwrap_or(5.0),
            code,
            length: solution.len() as f64,
        },
    }
}

fn instant(text: &str) -> i64 {
    Instant::parse(text).expect("an instant").unix()
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).expect("below a usize")
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
