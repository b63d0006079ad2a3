//! `govrag`: arguments and rendering, one file a command.

mod ack;
mod check;
mod graph;
mod index;
mod init;
mod install;
mod lock;
mod mv;
mod query;
mod refs;
mod show;
mod slug;
mod stats;
mod update;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::base::Result;
use crate::base::lang;
use crate::cli::context::{self, Common, Context, explicit_language};
use crate::cli::manual;
use crate::knowledge::{Base, Marker, marker};

/// The Markdown knowledge base beside the code: found by `.rag`, read by people and assistants.
#[derive(Debug, Parser)]
#[command(name = "govrag", version, max_term_width = 100)]
#[command(after_help = "Example: govrag check --strict --format github")]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Commands,
}

#[derive(Debug, Subcommand)]
enum Commands {
    /// Make a base of draft pages from what the repository holds
    Init(init::Args),
    /// Bring pages up to date with what happened to the code they describe
    Update(update::Args),
    /// Make the derived indexes again
    Index(index::Args),
    /// Check the base against the norm, its links and its code
    Check(check::Args),
    /// Answer a question from the base within a token budget
    Query(query::Args),
    /// Show a page or one of its sections within a token budget
    Show(show::Args),
    /// List the pages that describe a file
    Refs(refs::Args),
    /// Draw the graph of pages
    Graph(graph::Args),
    /// Move a page or a folder and repair everything that names it
    Mv(mv::Args),
    /// Record that a page was read against its code
    Ack(ack::Args),
    /// Figures of the base: documents, tokens per phase, statuses
    Stats(stats::Args),
    /// The normative slug of a title
    Slug(slug::Args),
    /// Put skills, commands and the pointer where an assistant finds them
    Install(install::Args),
    /// Print the completion script of a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// The argument table.
#[cfg(test)]
pub(in crate::cli) fn arguments() -> clap::Command {
    Cli::command()
}

/// Runs `govrag` with the process arguments.
pub fn govrag() -> ExitCode {
    context::run::<Cli>(
        |cli| {
            let command = cli.command;
            (cli.common, Box::new(move |ctx| run(ctx, &command)))
        },
        |folder, _| marker::open(folder).ok().filter(|m| m.lang_given).map(|m| m.lang),
    )
}

fn run(ctx: &Context, command: &Commands) -> Result<u8> {
    match command {
        Commands::Init(args) => init::run(ctx, args),
        Commands::Query(args) => query::run(ctx, args),
        Commands::Install(args) => install::run(ctx, args),
        Commands::Update(args) => update::run(ctx, args),
        Commands::Index(args) => index::run(ctx, args),
        Commands::Check(args) => check::run(ctx, args),
        Commands::Show(args) => show::run(ctx, args),
        Commands::Refs(args) => refs::run(ctx, args),
        Commands::Graph(args) => graph::run(ctx, args),
        Commands::Mv(args) => mv::run(ctx, args),
        Commands::Ack(args) => ack::run(ctx, args),
        Commands::Stats(args) => stats::run(ctx, args),
        Commands::Slug(args) => slug::run(ctx, args),
        Commands::Completions { shell } => manual::completions::<Cli>(ctx, *shell),
        Commands::Man => manual::man(ctx, Cli::command()),
    }
}

/// Where the search for `.rag` starts: `--workspace`, else the current folder.
fn start(ctx: &Context) -> PathBuf {
    ctx.common.workspace.as_ref().map_or_else(|| ctx.cwd.clone(), |dir| ctx.cwd.join(dir))
}

/// The active base's configuration; its language becomes that of the messages.
fn marker(ctx: &Context) -> Result<Marker> {
    let marker = marker::open(&start(ctx))?;
    if marker.lang_given && !explicit_language(&ctx.env) {
        lang::set(marker.lang);
    }
    for warning in &marker.warnings {
        ctx.out.note(warning);
    }
    Ok(marker)
}

/// The active base, read.
fn base(ctx: &Context) -> Result<Base> {
    Base::load(marker(ctx)?)
}

/// A path a user gave, as seen from the folder of `.rag`, with `/`.
fn from_home(ctx: &Context, marker: &Marker, path: &str) -> String {
    let absolute = ctx.cwd.join(path);
    let real = std::fs::canonicalize(&absolute).unwrap_or(absolute);
    let home = std::fs::canonicalize(&marker.home).unwrap_or_else(|_| marker.home.clone());
    real.strip_prefix(home)
        .ok()
        .and_then(crate::knowledge::walk::slashed)
        .unwrap_or_else(|| path.trim_start_matches("./").trim_end_matches('/').to_owned())
}
