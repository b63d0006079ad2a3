//! `govmem trust`: what workspaces may do with tokens and texts.

use super::args::Trust as Args;
use crate::audit::{Grant, Trust};
use crate::base::Result;
use crate::cli::Context;
use crate::tr;

/// Lists, approves or withdraws.
pub fn run(ctx: &Context, args: Args) -> Result<u8> {
    let mut trust = Trust::load(&ctx.env)?;
    if let Some(what) = &args.what {
        let grant = Grant::parse(what, &ctx.cwd);
        let done = if args.remove {
            trust.withdraw(&grant)?;
            tr!("retiré : {grant}", "withdrawn: {grant}")
        } else {
            trust.approve(&grant, ctx.clock.now())?;
            tr!("approuvé : {grant}", "approved: {grant}")
        };
        ctx.out.note(done);
    }
    let trusted = trust.list();
    if ctx.out.json {
        ctx.out.document(&serde_json::json!({"schema": 1, "trusted": trusted}));
    } else {
        trusted.iter().for_each(|t| ctx.out.line(t));
    }
    Ok(0)
}
