//! `learnings-score` and `govmem score`: B3.

use super::{open, render};
use crate::base::Result;
use crate::cli::Context;
use crate::memory::forget;
use crate::memory::reuse::{self, Report};
use crate::tr;

/// `score` and `learnings-score`
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  learnings-score --json\n\nA score is an association between a lesson and what became of the stories that received it; it does not say that the lesson caused it."
)]
pub struct Score {}

/// Computes the scores and writes those that changed.
pub fn run(ctx: &Context, _args: &Score) -> Result<u8> {
    let memory = open::memory(ctx, "score")?;
    let keyring = memory.keyring()?;
    let report = reuse::score(&memory.workspace, &mut memory.locks(), keyring.as_ref(), memory.clock)?;
    forget::expired_blocks(&memory.workspace, &mut memory.locks(), memory.clock.now());
    if ctx.out.json {
        ctx.out.document(&serde_json::json!({
            "schema": 1,
            "learnings": report.learnings,
            "scored": report.scored,
            "changed": report.changed,
            "verified_events": report.verified_events,
            "excluded": report.excluded,
            "named": report.named,
        }));
        return Ok(0);
    }
    render::named(ctx, &report.named);
    ctx.out.line(tr!(
        "learnings lus {} · scores {} · changés {} · événements vérifiés {} · exclus {}",
        "learnings read {} · scored {} · changed {} · verified events {} · excluded {}",
        report.learnings,
        report.scored,
        report.changed,
        report.verified_events,
        excluded(&report)
    ));
    Ok(0)
}

/// How many were left out, and by which code.
pub fn excluded(report: &Report) -> String {
    let total: u64 = report.excluded.values().sum();
    let codes: Vec<String> = report.excluded.iter().map(|(code, n)| format!("{code} {n}")).collect();
    if codes.is_empty() { total.to_string() } else { format!("{total} ({})", codes.join(", ")) }
}
