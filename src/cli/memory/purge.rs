//! `govmem purge clarifications`.

use super::{open, render};
use crate::base::Result;
use crate::cli::Context;
use crate::memory::retention;
use crate::tr;

/// What to purge.
#[derive(Debug, clap::Subcommand)]
pub enum Purge {
    /// Clarifications whose 18 months have passed
    Clarifications(PurgeClarifications),
}

/// `purge clarifications`
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  govmem purge clarifications --json")]
pub struct PurgeClarifications {
    /// Remove their Markdown files below docs/epics too
    #[arg(long)]
    pub include_source: bool,
}

/// Purges expired clarifications.
pub fn run(ctx: &Context, args: &Purge) -> Result<u8> {
    let Purge::Clarifications(args) = args;
    let memory = open::memory(ctx, "purge")?;
    let keyring = memory.keyring()?;
    let mut locks = memory.locks();
    let done =
        retention::purge(&memory.workspace, &mut locks, keyring.as_ref(), memory.clock, args.include_source)?;
    if ctx.out.json {
        let mut document = serde_json::to_value(&done).unwrap_or_default();
        if let Some(map) = document.as_object_mut() {
            map.insert("schema".into(), 1.into());
        }
        ctx.out.document(&document);
        return Ok(0);
    }
    render::named(ctx, &done.excluded);
    for id in &done.purged {
        ctx.out.line(render::line(id, 200));
    }
    ctx.out.line(tr!(
        "purgées {} · lignes d'index {} · queues déchirées {} · sources retirées {}",
        "purged {} · index rows {} · torn tails {} · sources removed {}",
        done.purged.len(),
        done.rows,
        done.torn,
        done.sources_removed.len()
    ));
    if let Some(note) = retention::kept_sources(&done) {
        ctx.out.note(note);
    }
    Ok(0)
}
