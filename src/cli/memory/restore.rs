//! `govmem restore --id`.

use super::{open, render};
use crate::base::Result;
use crate::cli::Context;
use crate::memory::lifecycle;
use crate::tr;

/// `restore`
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  govmem restore --id PD-19-3-a1b2c3d4e5f6")]
pub struct Restore {
    /// The archived learning
    #[arg(long)]
    pub id: String,
}

/// Restores a learning to the scope `story`.
pub fn run(ctx: &Context, args: &Restore) -> Result<u8> {
    let memory = open::memory(ctx, "restore")?;
    let keyring = memory.keyring()?;
    let mut locks = memory.locks();
    let done = lifecycle::restore(&memory.workspace, &mut locks, keyring.as_ref(), memory.clock, &args.id)?;
    if ctx.out.json {
        ctx.out.document(&serde_json::json!({
            "schema": 1, "id": done.id, "from": done.from, "to": done.to, "restored_at": done.restored_at,
        }));
        return Ok(0);
    }
    ctx.out.line(format!("{} : {} → {}", render::line(&done.id, 200), done.from, done.to));
    ctx.out.note(tr!(
        "s'il a quitté l'index, il y revient au prochain `govmem reindex`",
        "if it left the index, it comes back at the next `govmem reindex`"
    ));
    Ok(0)
}
