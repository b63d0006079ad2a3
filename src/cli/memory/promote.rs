//! `learnings-promote` and `govmem promote`: B4.

use super::{open, render, score};
use crate::base::Result;
use crate::cli::Context;
use crate::memory::forget;
use crate::memory::lifecycle::{self, Move, Options, Promotion};
use crate::tr;

/// `promote` and `learnings-promote`
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  learnings-promote --dry-run\n  learnings-promote --yes")]
pub struct Promote {
    /// Print the plan, change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Archive even more than a fifth of the active learnings in one run
    #[arg(long)]
    pub yes: bool,
}

/// Migrates, promotes and archives, one step.
pub fn run(ctx: &Context, args: &Promote) -> Result<u8> {
    let memory = open::memory(ctx, "promote")?;
    let keyring = memory.keyring()?;
    let options = Options { dry_run: args.dry_run, yes: args.yes };
    let mut locks = memory.locks();
    let done = lifecycle::promote(&memory.workspace, &mut locks, keyring.as_ref(), memory.clock, options)?;
    if !args.dry_run {
        forget::expired_blocks(&memory.workspace, &mut memory.locks(), memory.clock.now());
    }
    if ctx.out.json {
        document(ctx, &done, args.dry_run);
        return Ok(0);
    }
    render::named(ctx, &done.scoring.named);
    let verb = if args.dry_run { tr!("prévu : ", "planned: ") } else { String::new() };
    for Move { id, from, to, .. } in done.promoted.iter().chain(&done.archived) {
        ctx.out.line(format!("{verb}{} : {from} → {to}", render::line(id, 200)));
    }
    ctx.out.line(tr!(
        "{verb}migrés {} · promus {} · archivés {} · actifs avant {} · exclus {}",
        "{verb}migrated {} · promoted {} · archived {} · active before {} · excluded {}",
        done.migrated,
        done.promoted.len(),
        done.archived.len(),
        done.active,
        score::excluded(&done.scoring)
    ));
    if let Some(refusal) = &done.refusal {
        ctx.out.note(tr!("serait refusé : {refusal}", "would be refused: {refusal}"));
        ctx.out.note(refusal.hint_text().map(|hint| format!("hint: {hint}")).unwrap_or_default());
    } else if !args.dry_run && !done.archived.is_empty() {
        ctx.out.note(tr!(
            "les archivés quittent l'index au prochain `govmem reindex`",
            "the archived ones leave the index at the next `govmem reindex`"
        ));
    }
    Ok(0)
}

fn document(ctx: &Context, done: &Promotion, dry_run: bool) {
    let refusal = done.refusal.as_ref().map(|e| {
        serde_json::json!({
            "code": e.code_text(), "name": e.name(), "message": e.message(), "hint": e.hint_text(),
        })
    });
    ctx.out.document(&serde_json::json!({
        "schema": 1,
        "dry_run": dry_run,
        "migrated": done.migrated,
        "promoted": done.promoted,
        "archived": done.archived,
        "active": done.active,
        "excluded": done.scoring.excluded,
        "named": done.scoring.named,
        "refusal": refusal,
    }));
}
