//! `govmem trust`: which addresses of workspaces may get tokens and texts.

use super::args::Trust as Args;
use crate::audit::Trust;
use crate::base::Result;
use crate::cli::Context;
use crate::tr;

/// Lists, approves or withdraws.
pub fn run(ctx: &Context, args: Args) -> Result<u8> {
    let mut trust = Trust::load(&ctx.env)?;
    if let Some(address) = &args.address {
        let done = if args.remove {
            trust.withdraw(address)?;
            tr!("retirée : {address}", "withdrawn: {address}")
        } else {
            trust.approve(address, ctx.clock.now())?;
            tr!("approuvée : {address}", "approved: {address}")
        };
        ctx.out.note(done);
    }
    let addresses = trust.addresses();
    if ctx.out.json {
        ctx.out.document(&serde_json::json!({"schema": 1, "trusted": addresses}));
    } else {
        addresses.iter().for_each(|a| ctx.out.line(a));
    }
    Ok(0)
}
