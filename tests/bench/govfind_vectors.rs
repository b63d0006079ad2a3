//! Bench: the vector index alone. `exact`: 100,000 × 768 beside one reading of the same memory.
//! `approx N`: N × 768, a tenth of them vectors of real chunks and the others those with seeded noise as
//! long as the median distance between neighbours; recall against a plain comparison with every row.
//!
//! Run: `cargo bench --bench govfind_vectors -- exact`, `… -- approx 1000000`. The vectors of the chunks
//! stay below the target directory. Fails when a goal is missed.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a bench reports on the terminal and stops at the first failure"
)]

#[path = "../support/model.rs"]
#[expect(dead_code, clippy::unwrap_used, reason = "shared with the tests")]
mod model;
#[path = "../support/seeded.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod seeded;

use std::path::Path;
use std::time::Instant;

use govmem::embed::{Embedder, LocalEmbedder, Prefixes};
use govmem::retrieval::bench::metrics::percentile;
use govmem::vector::index::Factory;
use govmem::vector::{FaissIndex, VectorIndex};
use seeded::Seeded;

const WIDTH: usize = 768;
/// Values of a MiniLM vector; the others are zero.
const OWN: usize = 384;
const QUERIES: usize = 100;

impl Seeded {
    /// A direction; the sum of four uniform values is near enough to normal.
    fn direction(&mut self, width: usize) -> Vec<f32> {
        let uniform = |bits: u64| f64::from(bits as u16) / 65536.0 - 0.5;
        let mut v: Vec<f32> = (0..width)
            .map(|_| {
                let bits = self.next();
                (0..4).map(|i| uniform(bits >> (16 * i))).sum::<f64>() as f32
            })
            .collect();
        normalise(&mut v);
        v
    }
}

fn normalise(v: &mut [f32]) {
    let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt();
    v.iter_mut().for_each(|x| *x /= norm);
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; 16];
    for (a, b) in a.chunks_exact(16).zip(b.chunks_exact(16)) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let holds = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] | ["exact"] => exact(100_000),
        ["approx", rows] => approximate(rows.parse().expect("a number of rows")),
        _ => {
            println!("exact | approx ROWS");
            false
        }
    };
    std::process::exit(i32::from(!holds));
}

fn exact(rows: usize) -> bool {
    let mut seed = Seeded(1);
    let mut values = Vec::with_capacity(rows * WIDTH);
    (0..rows).for_each(|_| values.extend(seed.direction(WIDTH)));
    let queries: Vec<Vec<f32>> = (0..21).map(|_| seed.direction(WIDTH)).collect();
    let index = FaissIndex::build(&Factory::flat(), WIDTH, &values).expect("index");
    let (mut reading, mut searching) = (Vec::new(), Vec::new());
    for query in &queries {
        let start = Instant::now();
        // So many sums that no addition waits for the one before.
        let mut sums = [0f32; 128];
        for part in values.chunks_exact(128) {
            sums.iter_mut().zip(part).for_each(|(s, v)| *s += v);
        }
        std::hint::black_box(sums);
        reading.push(start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        let found = index.search(query, 10, None).expect("search");
        searching.push(start.elapsed().as_secs_f64() * 1e3);
        let best = (0..rows)
            .map(|r| dot(query, &values[r * WIDTH..(r + 1) * WIDTH]))
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .expect("a row");
        assert!((1.0 - best.1 - found[0].distance).abs() < 1e-5, "the nearest row");
    }
    let (reading, searching) = (percentile(&reading, 0.5), percentile(&searching, 0.5));
    let holds = searching <= 1.5 * reading;
    println!(
        "exact {rows} × {WIDTH}: search {searching:.1} ms, reading once {reading:.1} ms: {:.2} × (goal 1.5){}",
        searching / reading,
        if holds { "" } else { "  MISSED" }
    );
    holds
}

fn approximate(rows: usize) -> bool {
    let base = chunks(rows / 10);
    let own: Vec<&[f32]> = base.chunks_exact(OWN).collect();
    let mut seed = Seeded(2);
    let noise = neighbours(&own, &mut seed);
    let copy = |from: &[f32], seed: &mut Seeded| {
        let mut v: Vec<f32> = from.iter().zip(seed.direction(OWN)).map(|(x, d)| x + noise * d).collect();
        normalise(&mut v);
        v.resize(WIDTH, 0.0);
        v
    };
    let mut values: Vec<f32> = Vec::with_capacity(rows * WIDTH);
    for row in 0..rows {
        let from = own[row % own.len()];
        match row < own.len() {
            true => values.extend(from.iter().copied().chain(std::iter::repeat_n(0.0, WIDTH - OWN))),
            false => values.extend(copy(from, &mut seed)),
        }
    }
    let queries: Vec<Vec<f32>> =
        (0..QUERIES).map(|_| copy(own[(seed.next() % own.len() as u64) as usize], &mut seed)).collect();
    let truth = nearest(&values, &queries);
    println!("{rows} × {WIDTH}, noise of length {noise:.3}");

    let lists = (rows as f64).sqrt().round() as usize;
    let factory = Factory::parse(&format!("IVF{lists}_HNSW32,SQ8")).expect("factory");
    let start = Instant::now();
    let index = FaissIndex::build(&factory, WIDTH, &values).expect("index");
    let build = start.elapsed().as_secs_f64();
    let peak = peak_gib();
    drop(values);
    let (mut times, mut hit) = (Vec::new(), 0);
    for (query, truth) in queries.iter().zip(&truth) {
        let start = Instant::now();
        let found = index.search(query, 10, None).expect("search");
        times.push(start.elapsed().as_secs_f64() * 1e3);
        hit += found.iter().filter(|h| truth.contains(&h.row)).count();
    }
    let (median, recall) = (percentile(&times, 0.5), hit as f64 / (QUERIES * 10) as f64);
    let holds = median <= 10.0 && recall >= 0.95 && build <= 900.0 && peak <= 6.0;
    println!(
        "{}: search {median:.2} ms (p95 {:.2}), recall@10 {recall:.3}, build {build:.0} s, peak {peak:.2} GiB{}",
        factory.as_str(),
        percentile(&times, 0.95),
        if holds { "" } else { "  MISSED" }
    );
    holds
}

/// The ten nearest rows of every query, by comparing with all.
fn nearest(values: &[f32], queries: &[Vec<f32>]) -> Vec<Vec<usize>> {
    let one = |query: &Vec<f32>| {
        let mut all: Vec<(f32, usize)> =
            values.chunks_exact(WIDTH).enumerate().map(|(row, v)| (dot(query, v), row)).collect();
        all.select_nth_unstable_by(9, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        all.truncate(10);
        all.into_iter().map(|(_, row)| row).collect()
    };
    std::thread::scope(|scope| {
        let halves: Vec<_> = queries
            .chunks(queries.len().div_ceil(2))
            .map(|part| scope.spawn(move || part.iter().map(one).collect::<Vec<_>>()))
            .collect();
        halves.into_iter().flat_map(|h| h.join().expect("half")).collect()
    })
}

/// The median distance of 200 chunks to their nearest other chunk.
fn neighbours(own: &[&[f32]], seed: &mut Seeded) -> f32 {
    let distances: Vec<f64> = (0..200)
        .map(|_| {
            let at = (seed.next() % own.len() as u64) as usize;
            let others = own.iter().enumerate().filter(|(i, _)| *i != at);
            let best = others.map(|(_, v)| dot(own[at], v)).fold(-1.0, f32::max);
            f64::from((2.0 - 2.0 * best).max(0.0)).sqrt()
        })
        .collect();
    percentile(&distances, 0.5) as f32
}

/// Vectors of that many different chunks of the documents beside the repository, kept once computed.
fn chunks(count: usize) -> Vec<f32> {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("chunks-{count}.f32"));
    if let Ok(bytes) = std::fs::read(&cache)
        && bytes.len() == count * OWN * 4
    {
        let (values, _) = bytes.as_chunks::<4>();
        return values.iter().map(|b| f32::from_le_bytes(*b)).collect();
    }
    let texts = texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), count);
    let local = LocalEmbedder::open(&model::minilm(), Prefixes::default(), None).expect("model");
    let mut values: Vec<f32> = Vec::with_capacity(count * OWN);
    for part in texts.chunks(1024) {
        let slices: Vec<&str> = part.iter().map(String::as_str).collect();
        for windows in local.embed_windows(&slices, &mut |_| {}).expect("vectors") {
            values.extend(&windows[0].vector);
        }
        println!("{} of {count} chunks", values.len() / OWN);
    }
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    std::fs::write(&cache, bytes).expect("cache");
    values
}

/// Runs of twelve words, each starting four words after the one before.
fn texts(data: &Path, count: usize) -> Vec<String> {
    let mut waiting = vec![data.to_owned()];
    let mut files = Vec::new();
    while let Some(dir) = waiting.pop() {
        for entry in std::fs::read_dir(dir).expect("../shared/data") {
            let path = entry.expect("entry").path();
            match path.extension().and_then(|e| e.to_str()) {
                _ if path.is_dir() => waiting.push(path),
                Some("md" | "mdx") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    let (mut out, mut seen) = (Vec::new(), std::collections::HashSet::new());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let words: Vec<&str> =
            text.split_whitespace().filter(|w| w.chars().any(char::is_alphanumeric)).collect();
        for start in (0..words.len().saturating_sub(12)).step_by(4) {
            let chunk = words[start..start + 12].join(" ");
            if out.len() < count && seen.insert(chunk.clone()) {
                out.push(chunk);
            }
        }
    }
    assert_eq!(out.len(), count, "too few documents");
    out
}

fn peak_gib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("status");
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).expect("VmHWM");
    line.split_whitespace().nth(1).and_then(|k| k.parse::<f64>().ok()).expect("number") / 1024.0 / 1024.0
}
