//! `govrag mv`: a page moves, everything that names it follows.

use serde_json::json;

use super::lock::base_to_write;
use crate::base::Result;
use crate::cli::Context;
use crate::knowledge::check::repair::unified;
use crate::knowledge::edit::moves;
use crate::knowledge::indexes;
use crate::tr;

/// Arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: govrag mv login.md securite/authentification/login.md")]
pub struct Args {
    /// The page or folder, from the root of the base
    old: String,
    /// Its new path from the root, or a folder to put it in
    new: String,
    /// Show the diff and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// Moves it and makes the indexes again.
pub fn run(ctx: &Context, args: &Args) -> Result<u8> {
    let (base, _lock) = base_to_write(ctx, "govrag mv")?;
    let plain = args.old.trim_start_matches("./").trim_end_matches('/');
    let is_folder = base.tree.folders.iter().any(|f| f == plain);
    let old = if is_folder { plain.to_owned() } else { base.named(&args.old, Some(&ctx.cwd))?.path.clone() };
    let plan = moves::plan(&base, &old, &args.new)?;
    if args.dry_run {
        ctx.out.text(tr!("{} → {}\n", "{} → {}\n", plan.old, plan.new));
        for change in &plan.changes {
            ctx.out.text(unified(&change.path, &change.before, &change.after));
        }
        return Ok(0);
    }
    plan.write(&base.marker)?;
    let base = base.reload()?;
    indexes::write(&base.marker, &indexes::plan(&base))?;
    if ctx.out.json {
        ctx.out.document(&json!({
            "old": plan.old, "new": plan.new, "repaired": plan.repaired, "left": plan.left,
            "unread": plan.unread,
            "changed": plan.changes.iter().map(|c| &c.path).collect::<Vec<_>>(),
        }));
        return Ok(0);
    }
    let (old, new, n) = (&plan.old, &plan.new, plan.repaired);
    ctx.out.line(tr!("{old} → {new} : {n} liens réparés", "{old} → {new}: {n} links repaired"));
    for place in &plan.left {
        ctx.out.line(tr!("à corriger à la main : {place}", "to correct by hand: {place}"));
    }
    if plan.unread > 0 {
        let n = plan.unread;
        ctx.out.line(tr!(
            "{n} pages illisibles peuvent encore nommer {old} : govrag check",
            "{n} pages that cannot be read may still name {old}: govrag check"
        ));
    }
    Ok(0)
}
