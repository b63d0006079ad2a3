//! `govmem redact --id --reason`.

use super::{open, render};
use crate::base::Result;
use crate::cli::Context;
use crate::memory::lifecycle;
use crate::tr;

/// `redact`
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  govmem redact --id PD-19-3-a1b2c3d4e5f6 --reason \"customer name\"\n\nThe text becomes [redacted]; its vectors and replayable blocks go. Version control and backups keep what they have."
)]
pub struct Redact {
    /// The learning
    #[arg(long)]
    pub id: String,
    /// Why; signed, so never the leaked text itself
    #[arg(long)]
    pub reason: String,
}

/// Redacts a learning.
pub fn run(ctx: &Context, args: &Redact) -> Result<u8> {
    let memory = open::memory(ctx, "redact")?;
    let keyring = memory.keyring()?;
    let mut locks = memory.locks();
    let (id, reason) = (&args.id, &args.reason);
    let done = lifecycle::redact(&memory.workspace, &mut locks, keyring.as_ref(), memory.clock, id, reason)?;
    if ctx.out.json {
        ctx.out.document(&serde_json::json!({
            "schema": 1, "id": done.id, "already": done.already, "lines": done.lines, "rows": done.rows,
            "blocks": done.blocks, "torn": done.torn,
        }));
        return Ok(0);
    }
    let (id, lines, rows, torn) = (render::line(&done.id, 200), done.lines, done.rows, done.torn);
    ctx.out.line(if done.already {
        tr!("{id} : déjà expurgé", "{id}: redacted before")
    } else {
        tr!(
            "{id} : expurgé ; {lines} ligne(s) changée(s), {rows} ligne(s) d'index retirée(s)",
            "{id}: redacted; {lines} line(s) changed, {rows} index row(s) dropped"
        )
    });
    if torn > 0 {
        ctx.out.note(tr!(
            "{torn} reste(s) d'écritures inachevées de learnings.jsonl retiré(s) : jamais acquittés",
            "{torn} remainder(s) of unfinished writes of learnings.jsonl dropped: never acknowledged"
        ));
    }
    ctx.out.note(tr!(
        "l'historique git et les sauvegardes gardent l'ancien texte : à nettoyer à part",
        "git history and backups keep the old text: clean them separately"
    ));
    Ok(0)
}
