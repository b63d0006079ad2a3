//! `govrag show`: a page or a section, within a budget.

use super::base;
use crate::base::Result;
use crate::cli::Context;
use crate::knowledge::tokens::METHOD;
use crate::knowledge::view::show;
use crate::markdown::sanitize::terminal;
use crate::tr;

/// Arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: govrag show securite/mfa.md#enrollment --max-tokens 400")]
pub struct Args {
    /// A page from the root of the base, `#` and an anchor or heading for one section
    #[arg(value_name = "DOC[#SECTION]")]
    doc: String,
    /// Budget in tokens; a longer page is shown as its front matter and outline
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,
}

/// Shows it.
pub fn run(ctx: &Context, args: &Args) -> Result<u8> {
    let base = base(ctx)?;
    // A file name may hold `#`; an existing page wins.
    let (name, section) = match args.doc.split_once('#') {
        Some((name, section)) if base.page(&args.doc).is_none() => (name, Some(section)),
        _ => (args.doc.as_str(), None),
    };
    let page = base.named(name, Some(&ctx.cwd))?;
    let budget = args.max_tokens.unwrap_or(base.marker.limits.query);
    let view = show(&base, page, section, budget)?;
    if ctx.out.json {
        ctx.out.document(&view);
        return Ok(0);
    }
    let (path, status, tokens) = (&view.path, &view.status, view.tokens);
    ctx.out.note(format!("{path}:{}-{} [{status}] {tokens} tokens ({METHOD})", view.line, view.end_line));
    ctx.out.text(terminal(&view.text));
    if !view.text.ends_with('\n') {
        ctx.out.text("\n");
    }
    if !view.complete {
        ctx.out
            .line(tr!("\nSections (govrag show {path}#ancre) :", "\nSections (govrag show {path}#anchor):"));
        for s in view.outline.iter().filter(|s| s.level > 0) {
            let indent = "  ".repeat(usize::from(s.level));
            let (line, end, tokens) = (s.line, s.end_line, s.tokens);
            ctx.out.line(format!(
                "{indent}#{} — {} ({line}-{end}, {tokens} tokens)",
                s.anchor,
                terminal(&s.heading)
            ));
        }
    }
    if !view.neighbours.is_empty() && !view.complete {
        ctx.out.line(tr!("\nPages liées : {}", "\nLinked pages: {}", view.neighbours.join(", ")));
    }
    Ok(0)
}
