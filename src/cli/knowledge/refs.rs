//! `govrag refs`: the pages that describe a file.

use serde_json::json;

use super::{base, from_home};
use crate::base::Result;
use crate::cli::Context;
use crate::knowledge::edit::update::describing;
use crate::markdown::sanitize::terminal;
use crate::tr;

/// Arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: govrag refs src/auth/login.ts")]
pub struct Args {
    /// A file or folder of the repository
    file: String,
}

/// Lists them; exits 1 when there is none.
pub fn run(ctx: &Context, args: &Args) -> Result<u8> {
    let base = base(ctx)?;
    let file = from_home(ctx, &base.marker, &args.file);
    let found = describing(&base, &file);
    // What a page describes whose front matter does not parse is not known.
    let unreadable = base.pages.iter().filter(|p| !p.is_readable()).count();
    if ctx.out.json {
        let pages: Vec<_> = found
            .iter()
            .map(|(page, reference)| json!({"page": page, "impl_ref": reference, "status": base.page(page).map(|p| p.status().to_owned())}))
            .collect();
        ctx.out.document(&json!({"file": file, "pages": pages, "unreadable": unreadable}));
    } else if found.is_empty() {
        ctx.out.note(tr!("aucune page ne décrit {file}", "no page describes {file}"));
    } else {
        for (page, reference) in &found {
            let status = base.page(page).map_or("?", |p| p.status());
            ctx.out.line(format!("{} [{status}] {}", terminal(page), terminal(reference)));
        }
    }
    if unreadable > 0 && !ctx.out.json {
        ctx.out.note(tr!(
            "{unreadable} pages illisibles : govrag check",
            "{unreadable} pages could not be read: govrag check"
        ));
    }
    Ok(u8::from(found.is_empty()))
}
