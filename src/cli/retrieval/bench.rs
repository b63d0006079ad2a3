//! `bench`.

use super::Session;
use super::args::{BenchArgs, BenchMode};
use super::models::Lazy;
use super::progress;
use crate::base::{Error, Kind, Result};
use crate::retrieval::bench::{Run, bench, comparable, expected};
use crate::retrieval::query::Mode;
use crate::store::open;
use crate::tr;

/// Most bytes of a fixture or of an earlier run.
const LONGEST: u64 = 64 << 20;

/// Measures search quality.
pub fn run(session: &Session, args: &BenchArgs) -> Result<u8> {
    let cwd = &session.cli.cwd;
    let path = cwd.join(&args.fixture);
    let text = open::read_text(&path, LONGEST)?;
    let old = args.compare.as_ref().map(|p| read(&cwd.join(p))).transpose()?;
    let mode = |m: &BenchMode| match m {
        BenchMode::Search => Mode::Search,
        BenchMode::Vsearch => Mode::Vsearch,
        BenchMode::Query => Mode::Query,
    };
    let modes: Vec<Mode> = if args.mode.is_empty() {
        vec![Mode::Search, Mode::Vsearch, Mode::Query]
    } else {
        args.mode.iter().map(mode).collect()
    };
    let catalog = session.open()?;
    let models = Lazy::new(catalog.models()?, &session.cli.env);
    let out = &session.cli.out;
    let bar = progress::bar("bench", out.quiet);
    let new =
        bench(&catalog, &text, &modes, &models, cwd, &mut |done, total| progress::show(&bar, done, total));
    bar.finish_and_clear();
    let new = new?;
    if !args.force {
        expected(&text, &new)?;
    }
    if let Some(old) = &old
        && !args.force
    {
        comparable(old, &new)?;
    }
    if let Some(file) = &args.out {
        let json = serde_json::to_string_pretty(&new).unwrap_or_default();
        crate::store::atomic::replace_unlocked(&cwd.join(file), json.as_bytes())?;
    }
    if !new.stale.is_empty() {
        out.note(tr!(
            "{} documents attendus ont changé depuis l'indexation",
            "{} expected documents have changed since they were indexed",
            new.stale.len()
        ));
    }
    if out.json {
        out.document(&new);
    } else {
        table(session, &new, old.as_ref());
    }
    Ok(0)
}

fn read(path: &std::path::Path) -> Result<Run> {
    let bytes = open::read(path, LONGEST)?;
    serde_json::from_slice(&bytes).map_err(|e| Error::new(Kind::Corrupt, format!("{}: {e}", path.display())))
}

fn table(session: &Session, new: &Run, old: Option<&Run>) {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    let (hit, recall) = (format!("hit@{}", new.k), format!("recall@{}", new.k));
    table.set_header(["mode", "n", &hit, &recall, "MRR", "nDCG@10", "p50 ms", "p95 ms"]);
    for (mode, s) in &new.modes {
        let before = old.and_then(|o| o.modes.get(mode));
        let cell = |value: f64, then: Option<f64>| match then {
            Some(then) => format!("{value:.3} ({:+.3})", value - then),
            None => format!("{value:.3}"),
        };
        table.add_row([
            mode.clone(),
            s.queries.to_string(),
            cell(s.metrics.hit, before.map(|b| b.metrics.hit)),
            cell(s.metrics.recall, before.map(|b| b.metrics.recall)),
            cell(s.metrics.mrr, before.map(|b| b.metrics.mrr)),
            cell(s.metrics.ndcg, before.map(|b| b.metrics.ndcg)),
            format!("{:.1}", s.p50_ms),
            format!("{:.1}", s.p95_ms),
        ]);
    }
    session.cli.out.line(table.to_string());
}
