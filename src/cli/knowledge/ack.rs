//! `govrag ack`: a page was read against its code.

use serde_json::json;

use super::lock::base_to_write;
use crate::base::Result;
use crate::cli::Context;
use crate::knowledge::edit::ack;
use crate::knowledge::indexes;
use crate::tr;

/// Arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: govrag ack securite/mfa.md --status stable")]
pub struct Args {
    /// The page, from the root of the base
    doc: String,
    /// Give the page this status; only here does a page become stable
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
}

/// Records it.
pub fn run(ctx: &Context, args: &Args) -> Result<u8> {
    let (base, _lock) = base_to_write(ctx, "govrag ack")?;
    let page = base.named(&args.doc, Some(&ctx.cwd))?;
    let plan = ack::plan(&base, page, args.status.as_deref())?;
    plan.write(&base)?;
    let path = page.path.clone();
    // Asked for again after an interruption, the status stands and the indexes may be behind.
    if args.status.is_some() {
        let base = base.reload()?;
        indexes::write(&base.marker, &indexes::plan(&base))?;
    }
    if ctx.out.json {
        ctx.out.document(&json!({
            "page": path, "recorded": plan.recorded, "missing": plan.missing,
            "status": plan.change.as_ref().and(args.status.as_deref()),
        }));
        return Ok(0);
    }
    let n = plan.recorded;
    ctx.out.line(tr!("{path} : {n} impl_refs relus", "{path}: {n} impl_refs acknowledged"));
    for reference in &plan.missing {
        ctx.out.line(tr!("introuvable, non relu : {reference}", "missing, not acknowledged: {reference}"));
    }
    Ok(0)
}
