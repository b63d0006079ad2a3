//! `govrag install`: skills, commands and the pointer for an assistant.

use serde_json::json;

use super::start;
use crate::base::lang;
use crate::base::{Error, Result};
use crate::cli::Context;
use crate::knowledge::install::{self, Cli, Placed, Settings, git};
use crate::knowledge::managed::State;
use crate::knowledge::marker;
use crate::tr;

/// Arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: govrag install --cli claude --git")]
pub struct Args {
    /// The assistant: claude, kilo, opencode, codex, gemini; may be repeated
    #[arg(long, value_name = "CLI", value_delimiter = ',')]
    cli: Vec<String>,
    /// For the user, in every repository
    #[arg(long)]
    global: bool,
    /// One copy of the skills in .agents/skills, links to it elsewhere
    #[arg(long, conflicts_with = "remove")]
    link: bool,
    /// Remove what is ours and unchanged
    #[arg(long)]
    remove: bool,
    /// Say which copies are missing, behind or changed; write nothing
    #[arg(long, conflicts_with_all = ["remove", "link", "git"])]
    status: bool,
    /// Set the merge driver of the derived files and the hook that makes them again
    #[arg(long, conflicts_with = "remove")]
    git: bool,
}

/// Installs, removes or reports. `--status` exits 1 when something is missing or behind.
pub fn run(ctx: &Context, args: &Args) -> Result<u8> {
    let found = marker::open(&start(ctx)).ok();
    let home = found.as_ref().map_or_else(|| start(ctx), |m| m.home.clone());
    let lang = found.as_ref().filter(|m| m.lang_given).map_or_else(lang::current, |m| m.lang);
    let settings = Settings { home, global: args.global, link: args.link, lang };
    let clis = clis(ctx, args, &settings)?;
    let mut placed: Vec<Placed> = Vec::new();
    for cli in &clis {
        placed.extend(match (args.status, args.remove) {
            (true, _) => install::status(*cli, &settings, &ctx.env)?,
            (_, true) => install::remove(*cli, &settings, &ctx.env)?,
            _ => install::install(*cli, &settings, &ctx.env)?,
        });
    }
    let merged = match (&found, args.git) {
        (Some(marker), true) => Some(git::set(marker)?),
        (None, true) => return Err(marker::open(&start(ctx)).err().unwrap_or_else(|| Error::usage(".rag"))),
        _ => None,
    };
    if ctx.out.json {
        ctx.out.document(&json!({
            "files": placed,
            "git": merged.as_ref().map(|m| json!({
                "attributes": m.attributes, "driver_set": m.driver_set,
                "hook": m.hook.as_ref().map(|(path, state)| json!({"path": path, "state": state})),
            })),
        }));
    } else {
        text(ctx, args, &settings, &placed);
        if let Some(report) = &merged {
            merge(ctx, report);
        }
    }
    let late = placed.iter().any(|p| matches!(p.state, State::Missing | State::Behind));
    Ok(u8::from(args.status && (late || placed.is_empty())))
}

fn clis(ctx: &Context, args: &Args, settings: &Settings) -> Result<Vec<Cli>> {
    let named = args.cli.iter().map(|name| {
        Cli::parse(name).ok_or_else(|| {
            Error::usage(tr!("--cli {name} : assistant inconnu", "--cli {name}: unknown assistant"))
                .hint(Cli::names())
        })
    });
    let named: Vec<Cli> = named.collect::<Result<_>>()?;
    if !named.is_empty() || args.git {
        return Ok(named);
    }
    // Without a name: those that have something.
    let found = install::installed(settings, &ctx.env);
    if args.status || (args.remove && !found.is_empty()) {
        return Ok(found);
    }
    Err(Error::usage(tr!("quel assistant ?", "which assistant?")).hint("govrag install --cli claude"))
}

fn text(ctx: &Context, args: &Args, settings: &Settings, placed: &[Placed]) {
    let mut changed = false;
    for file in placed {
        let path = file.path.strip_prefix(&settings.home).unwrap_or(&file.path).display();
        let word = match (args.status, args.remove, file.state) {
            (_, _, State::Changed) => tr!("modifié par l'équipe, laissé", "changed by the team, left alone"),
            (true, _, State::Missing) => tr!("absent", "missing"),
            (true, _, State::Behind) => tr!("en retard", "behind"),
            (true, _, State::Current) => tr!("à jour", "up to date"),
            (_, true, _) => tr!("retiré", "removed"),
            (_, _, State::Current) => tr!("déjà à jour", "up to date already"),
            (_, _, State::Missing | State::Behind) => {
                changed = true;
                tr!("écrit", "written")
            }
        };
        ctx.out.line(format!("{} {path} : {word}", file.cli));
    }
    if args.status && placed.is_empty() {
        ctx.out.line(tr!("rien d'installé", "nothing installed"));
    }
    if changed || args.remove {
        ctx.out.line(tr!(
            "relancez l'assistant : il ne découvre compétences et commandes qu'au démarrage",
            "restart the assistant: it finds skills and commands at its start only"
        ));
    }
}

fn merge(ctx: &Context, report: &git::GitReport) {
    for line in &report.attributes {
        ctx.out.line(format!(".gitattributes : {line}"));
    }
    if report.driver_set {
        ctx.out.line(tr!("git : pilote de fusion govrag défini", "git: merge driver govrag set"));
    }
    if let Some((path, state)) = &report.hook {
        let path = path.display();
        ctx.out.line(match state {
            State::Changed => tr!(
                "{path} : existe déjà ; ajoutez-y « govrag index »",
                "{path}: exists already; add 'govrag index' to it"
            ),
            State::Current => tr!("{path} : déjà à jour", "{path}: up to date already"),
            State::Missing | State::Behind => tr!("{path} : écrit", "{path}: written"),
        });
    }
}
