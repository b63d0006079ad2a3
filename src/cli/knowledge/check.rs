//! `govrag check`: findings in the format asked for, repairs on request.

use std::path::Path;

use super::base;
use super::lock::base_to_write;
use crate::base::{Date, Error, Result};
use crate::cli::Context;
use crate::knowledge::Base;
use crate::knowledge::check::baseline::Baseline;
use crate::knowledge::check::{Options, Report, Strict, check, repair, report};
use crate::knowledge::install::shortcomings;
use crate::tr;

/// A format of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON document.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// GitHub workflow commands.
    Github,
}

/// How strict the exit code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Strictness {
    /// Warnings fail, except those that only time brings.
    Warnings,
    /// Every warning fails.
    All,
}

/// Arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: govrag check --strict --format sarif > govrag.sarif")]
pub struct Args {
    /// Only this page, folder or theme
    #[arg(value_name = "PATH|THEME")]
    scope: Option<String>,
    /// Repair what needs no judgement: indexes, cases, quotes, moves that git knows
    #[arg(long)]
    fix: bool,
    /// With --fix: show the diff and write nothing
    #[arg(long, requires = "fix")]
    dry_run: bool,
    /// Fail on warnings; `=all` includes pages that only grew old
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "warnings", value_name = "HOW")]
    strict: Option<Strictness>,
    /// Format of the report
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Count ages from this day
    #[arg(long, value_name = "DATE")]
    today: Option<String>,
    /// Write the findings as the known ones, into the file that `check.baseline` of .rag names
    #[arg(long, conflicts_with = "fix")]
    write_baseline: bool,
}

/// Checks, and repairs when asked. Exits 1 for errors (warnings when strict).
pub fn run(ctx: &Context, args: &Args) -> Result<u8> {
    let writes = args.fix && !args.dry_run || args.write_baseline;
    let (mut base, _lock) = if writes { base_to_write(ctx, "govrag check")? } else { (base(ctx)?, None) };
    let options = options(ctx, args, &base)?;
    let mut repaired = Vec::new();
    if args.fix {
        let fixes = repair::plan(base, &options)?;
        if args.dry_run {
            ctx.out.text(fixes.diff());
            return Ok(0);
        }
        repaired = fixes.write()?;
        base = fixes.base.reload()?;
    }
    if args.write_baseline {
        return write_baseline(ctx, base, &options);
    }
    let mut found = check(&base, &options)?;
    found.repaired = repaired;
    render(ctx, args.format, &found);
    let exit = found.exit(match args.strict {
        None => Strict::No,
        Some(Strictness::Warnings) => Strict::Warnings,
        Some(Strictness::All) => Strict::All,
    });
    // The process ends here: giving back every page and finding one by one would only make it wait.
    std::mem::forget((base, found));
    Ok(exit)
}

fn options(ctx: &Context, args: &Args, base: &Base) -> Result<Options> {
    let today = match &args.today {
        None => ctx.clock.now().date(),
        Some(text) => Date::parse(text).ok_or_else(|| {
            Error::usage(tr!("--today {text} : jour inconnu", "--today {text}: no such day"))
                .hint("2026-07-01")
        })?,
    };
    let mut options = Options::on(today);
    options.integration = shortcomings(&base.marker.home, base.marker.lang, &ctx.env);
    options.scope = args.scope.as_deref().map(|s| scope(ctx, base, s)).transpose()?;
    Ok(options)
}

/// A page, folder or theme as a path from the root.
fn scope(ctx: &Context, base: &Base, text: &str) -> Result<String> {
    let plain = text.trim_start_matches("./").trim_end_matches('/');
    let known =
        |path: &str| base.page(path).is_some() || base.tree.folders.iter().any(|f| f == path) || path == ".";
    if known(plain) {
        return Ok(plain.to_owned());
    }
    let absolute = std::fs::canonicalize(ctx.cwd.join(text)).ok();
    let root = std::fs::canonicalize(&base.marker.root).ok();
    let inside =
        absolute.zip(root).and_then(|(a, r)| crate::knowledge::walk::slashed(a.strip_prefix(r).ok()?));
    match inside {
        Some(path) if path.is_empty() => Ok(String::new()),
        Some(path) if known(&path) => Ok(path),
        _ => Err(Error::usage(tr!(
            "{text} n'est ni une page ni un dossier de la base",
            "{text} is neither a page nor a folder of the base"
        ))
        .hint(tr!("donnez un chemin depuis la racine de la base", "give a path from the root of the base"))),
    }
}

fn render(ctx: &Context, format: Format, found: &Report) {
    match format {
        Format::Json => ctx.out.document(&report::json(found)),
        Format::Sarif => ctx.out.document(&report::sarif(found)),
        Format::Github => ctx.out.text(report::github(found)),
        Format::Text if ctx.out.json => ctx.out.document(&report::json(found)),
        Format::Text => ctx.out.text(report::text(found, !ctx.out.quiet, ctx.out.color)),
    }
}

fn write_baseline(ctx: &Context, mut base: Base, options: &Options) -> Result<u8> {
    let file = base.marker.baseline.take().ok_or_else(|| {
        Error::usage(tr!(".rag ne nomme pas de référence", ".rag names no baseline"))
            .hint("check: {baseline: .rag-baseline}")
    })?;
    let found = check(&base, options)?;
    let path = base.marker.home.join(Path::new(&file));
    Baseline::write(&path, &found.findings)?;
    let n = found.findings.len();
    ctx.out.line(tr!("{n} constats connus dans {file}", "{n} known findings in {file}"));
    Ok(0)
}
