//! `govrag graph`: the graph drawn.

use super::base;
use crate::base::Result;
use crate::cli::Context;
use crate::knowledge::graph_view::{dot, json, mermaid, selection};

/// A format of the drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Nodes with title, type, status and edges.
    Json,
    /// A Mermaid flowchart.
    Mermaid,
    /// A Graphviz digraph.
    Dot,
}

/// Arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: govrag graph securite/mfa.md --depth 2 --format mermaid")]
pub struct Args {
    /// Only what lies around this page
    #[arg(value_name = "DOC")]
    doc: Option<String>,
    /// Steps around the page
    #[arg(long, default_value_t = 1, requires = "doc", value_name = "N")]
    depth: usize,
    /// Format
    #[arg(long, value_enum, default_value = "json")]
    format: Format,
}

/// Draws it.
pub fn run(ctx: &Context, args: &Args) -> Result<u8> {
    let base = base(ctx)?;
    let around = match &args.doc {
        Some(doc) => Some((base.named(doc, Some(&ctx.cwd))?.path.clone(), args.depth)),
        None => None,
    };
    let pages = selection(&base.graph, around.as_ref().map(|(p, d)| (p.as_str(), *d)));
    match args.format {
        Format::Mermaid if !ctx.out.json => ctx.out.text(mermaid(&base, &pages)),
        Format::Dot if !ctx.out.json => ctx.out.text(dot(&base, &pages)),
        _ => ctx.out.document(&json(&base, &pages)),
    }
    Ok(0)
}
