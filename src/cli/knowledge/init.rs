//! `govrag init`: a base of draft pages from what the repository holds.

use serde_json::json;

use super::start;
use crate::base::lang::Lang;
use crate::base::{Error, Result};
use crate::cli::Context;
use crate::knowledge::check::{Options, check, report};
use crate::knowledge::code::Severity;
use crate::knowledge::install::shortcomings;
use crate::knowledge::managed::State;
use crate::knowledge::scaffold::{self, Report};
use crate::markdown::sanitize::terminal;
use crate::tr;

/// Arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: govrag init ./docs-rag --lang fr")]
pub struct Args {
    /// Where the pages go [default: ./docs-rag]
    #[arg(value_name = "ROOT")]
    root: Option<String>,
    /// Language of the pages, fr or en; deduced from the repository otherwise
    #[arg(long, value_name = "LANG")]
    lang: Option<String>,
}

/// Makes the base, its indexes and the norm, then checks and reports.
pub fn run(ctx: &Context, args: &Args) -> Result<u8> {
    let lang = match args.lang.as_deref() {
        None => None,
        Some("fr") => Some(Lang::Fr),
        Some("en") => Some(Lang::En),
        Some(other) => {
            return Err(Error::usage(tr!(
                "--lang {other} : langue inconnue",
                "--lang {other}: unknown language"
            ))
            .hint("fr, en"));
        }
    };
    let today = ctx.clock.now().date();
    let home = start(ctx);
    let made = scaffold::init(&home, args.root.as_deref(), lang, today)?;
    let mut options = Options::on(today);
    options.integration = shortcomings(&home, made.base.marker.lang, &ctx.env);
    let found = check(&made.base, &options)?;
    if ctx.out.json {
        ctx.out.document(&json!({
            "root": made.base.marker.root_text,
            "lang": made.base.marker.lang.tag(),
            "themes": made.themes,
            "pages": made.pages,
            "unresolved": made.unresolved.iter().map(|(p, r)| json!({"page": p, "impl_ref": r})).collect::<Vec<_>>(),
            "sampled_out": made.sampled_out,
            "norm": made.norm,
            "report": report::json(&found),
            "next": next(),
        }));
        return Ok(0);
    }
    text(ctx, &made);
    let (errors, warnings) = (found.count(Severity::Error), found.count(Severity::Warning));
    ctx.out.line(tr!(
        "contrôle : {errors} erreurs, {warnings} alertes (govrag check)",
        "check: {errors} errors, {warnings} warnings (govrag check)"
    ));
    ctx.out.line(next());
    Ok(0)
}

fn next() -> String {
    tr!(
        "suite : relire les ébauches, puis govrag ack --status stable PAGE ; govrag install --cli … pour les assistants",
        "next: read the drafts, then govrag ack --status stable PAGE; govrag install --cli … for assistants"
    )
}

fn text(ctx: &Context, made: &Report) {
    let (root, lang) = (&made.base.marker.root_text, made.base.marker.lang.tag());
    let written = if made.marker_written { tr!("écrit", "written") } else { tr!("gardé", "kept") };
    ctx.out.line(tr!(
        ".rag : {written}, racine {root}, langue {lang}",
        ".rag: {written}, root {root}, language {lang}"
    ));
    if made.norm == State::Changed {
        ctx.out.line(tr!("rag.md : modifié par l'équipe, laissé", "rag.md: changed by the team, left alone"));
    }
    ctx.out.line(tr!("thèmes :", "themes:"));
    for theme in &made.themes {
        ctx.out.line(terminal(&format!("  {} ({}) — {}", theme.name, theme.pages, theme.reason)));
    }
    let pages = made.pages.len();
    ctx.out.line(tr!("{pages} pages, toutes en ébauche", "{pages} pages, all drafts"));
    if made.sampled_out > 0 {
        let n = made.sampled_out;
        ctx.out.line(tr!(
            "{n} fichiers laissés de côté : grand dépôt, échantillonné",
            "{n} files left aside: a big repository, sampled"
        ));
    }
    let unresolved = made.unresolved.len();
    ctx.out.line(tr!("impl_refs introuvables : {unresolved}", "impl_refs not found: {unresolved}"));
    for (page, reference) in &made.unresolved {
        ctx.out.line(terminal(&format!("  {page}: {reference}")));
    }
}
