//! `govrag index`: the derived files made again.

use serde_json::json;

use super::lock::base_to_write;
use crate::base::Result;
use crate::cli::Context;
use crate::knowledge::check::{Options, check, report};
use crate::knowledge::indexes;
use crate::tr;

/// Arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: govrag index")]
pub struct Args {}

/// Writes what differs, reports findings, exits 0.
pub fn run(ctx: &Context, _args: &Args) -> Result<u8> {
    let (mut base, _lock) = base_to_write(ctx, "govrag index")?;
    let plan = indexes::plan(&base);
    indexes::write(&base.marker, &plan)?;
    base.look_again()?;
    let options = Options { drift: false, ..Options::on(ctx.clock.now().date()) };
    let found = check(&base, &options)?;
    let written: Vec<&str> = plan.outdated.iter().map(|f| f.path.as_str()).collect();
    let documents = base.pages.len();
    // The process ends soon: giving back every page one by one would only make it wait.
    std::mem::forget(base);
    if ctx.out.json {
        ctx.out.document(&json!({
            "written": written,
            "removed": plan.stale,
            "blocked": plan.blocked,
            "sharded": plan.sharded,
            "documents": documents,
            "report": report::json(&found),
        }));
        return Ok(0);
    }
    for path in &written {
        ctx.out.line(tr!("écrit : {path}", "written: {path}"));
    }
    for path in &plan.stale {
        ctx.out.line(tr!("retiré : {path}", "removed: {path}"));
    }
    for path in &plan.blocked {
        ctx.out.line(tr!("laissé : {path} n'est pas un index", "left: {path} is no index"));
    }
    let (n, total) = (documents, plan.total - plan.blocked.len());
    ctx.out.line(tr!("{n} documents, {total} index à jour", "{n} documents, {total} indexes up to date"));
    if !ctx.out.quiet {
        ctx.out.note(report::text(&found, false, false).trim_end());
    }
    Ok(0)
}
