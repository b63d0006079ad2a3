//! `govrag stats`: figures of the base.

use super::base;
use crate::base::Result;
use crate::cli::Context;
use crate::knowledge::stats::{Stats, stats};
use crate::markdown::sanitize::terminal;
use crate::tr;

/// Arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: govrag stats --json")]
pub struct Args {}

/// Prints them.
pub fn run(ctx: &Context, _args: &Args) -> Result<u8> {
    let figures = stats(&base(ctx)?);
    if ctx.out.json {
        ctx.out.document(&figures);
    } else {
        ctx.out.text(text(&figures));
    }
    Ok(0)
}

fn text(s: &Stats) -> String {
    let mut out = Vec::new();
    out.push(tr!(
        "Documents : {} ({} illisibles)",
        "Documents: {} ({} unreadable)",
        s.documents,
        s.unreadable
    ));
    if s.unreadable > 0 {
        out.push(tr!("Illisibles (govrag check dit pourquoi) :", "Unreadable (govrag check says why):"));
        out.extend(first(&s.unreadable_pages));
    }
    out.push(tr!("Tokens ({}) :", "Tokens ({}):", s.method));
    let phases = [
        (1, tr!("manifeste", "manifest"), s.manifest_tokens),
        (2, tr!("front matter", "front matter"), s.front_matter_tokens),
        (3, tr!("corps", "bodies"), s.body_tokens),
        (4, tr!("graphe", "graph"), s.relations_tokens),
    ];
    out.extend(phases.iter().map(|(n, what, tokens)| format!("  phase {n} {what}: {tokens}")));
    out.push(tr!("Statuts :", "Statuses:"));
    for (status, n) in &s.statuses {
        let share = n * 100 / s.documents.max(1);
        out.push(format!("  {status}: {n} ({share} %)"));
    }
    out.push(tr!("Thèmes :", "Themes:"));
    out.extend(s.themes.iter().map(|(theme, n)| format!("  {}: {n}", terminal(theme))));
    out.push(tr!("Les plus grosses pages :", "Biggest pages:"));
    out.extend(s.biggest.iter().map(|(page, tokens)| format!("  {}: {tokens}", terminal(page))));
    out.push(tr!("Sans impl_refs : {}", "Without impl_refs: {}", s.without_refs.len()));
    out.extend(first(&s.without_refs));
    out.join("\n") + "\n"
}

/// The first twenty paths, a line each; `…` for the rest, which JSON holds.
fn first(paths: &[String]) -> impl Iterator<Item = String> {
    let rest = (paths.len() > 20).then(|| "  …".to_owned());
    paths.iter().take(20).map(|p| format!("  {}", terminal(p))).chain(rest)
}
