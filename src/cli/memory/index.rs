//! `veille-index`, `clarifications-collect`, `govmem index`, `govmem collect`, `govmem reindex`.

use indicatif::{ProgressBar, ProgressStyle};

use super::{open, render};
use crate::base::{Code, Result};
use crate::cli::Context;
use crate::memory::index::{self, Report};
use crate::store::Source;
use crate::tr;

/// Indexes `sources`.
pub fn run(ctx: &Context, sources: &[Source], full: bool, strict: bool) -> Result<u8> {
    let memory = open::memory(ctx, "index")?;
    let bar = (!ctx.out.quiet && !ctx.out.json).then(progress_bar);
    let reports = index::run(&memory, sources, full, &mut |source, done, total| {
        if let Some(bar) = &bar {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
            bar.set_message(source.stem());
        }
    });
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    let reports = reports?;
    if ctx.out.json {
        ctx.out.document(&serde_json::json!({"schema": 1, "sources": reports}));
    }
    for report in &reports {
        let code = match report.source {
            Source::Veille => Code::VeilleInvalid,
            Source::Clarification => Code::ClarificationInvalid,
            Source::Learning => Code::SchemaInvalid,
        };
        render::excluded(ctx, &report.excluded, &code.to_string());
        if !ctx.out.json {
            ctx.out.line(summary(report));
        }
        for root in &report.missing_roots {
            ctx.out.note(tr!("dossier absent : {}", "no such directory: {}", root.display()));
        }
    }
    let lost = reports.iter().any(|r| !r.excluded.is_empty());
    Ok(if strict && lost { 3 } else { 0 })
}

/// The last line of a job: read, kept, left out by reason, embedded.
fn summary(report: &Report) -> String {
    let mut parts = vec![
        tr!("lus {}", "read {}", report.read),
        tr!("gardés {}", "kept {}", report.kept),
        tr!("exclus {}", "excluded {}", report.excluded.len()),
    ];
    parts.extend(report.skipped.iter().map(|(reason, n)| format!("{reason} {n}")));
    let index = &report.index;
    parts.push(tr!(
        "index : {} enregistrements, {} lignes, {} calculés, {} repris",
        "index: {} records, {} rows, {} embedded, {} reused",
        index.records,
        index.rows,
        index.embedded,
        index.reused
    ));
    format!("{}: {}", report.source.stem(), parts.join(" · "))
}

fn progress_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len} {eta}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    // indicatif draws on stderr, and nothing when it is no terminal.
    ProgressBar::new(0).with_style(style)
}
