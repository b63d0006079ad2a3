//! `govmem` and the five batch jobs: arguments and rendering, one file per command.

pub mod args;
mod audit;
mod clarify;
mod doctor;
mod feed;
mod import;
mod index;
mod init;
mod inject;
mod install;
mod kpi;
mod list;
mod morning;
mod open;
mod promote;
mod purge;
mod redact;
mod render;
mod report;
mod restore;
mod score;
mod search;
mod settings;
mod status;
mod trust;

use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory;

use super::context::{Command as Runner, Context, run};
use super::signals::keep_memory_private;
use crate::base::Result;
use crate::base::env::Env;
use crate::base::lang::Lang;
use crate::store::{Source, Workspace};
use args::{
    ClarificationsCollect, Command, Govmem, Index, LearningsPromote, LearningsScore, Step0Inject, VeilleIndex,
};
use import::Import;

/// Runs `govmem` with the process arguments.
pub fn govmem() -> ExitCode {
    keep_memory_private();
    run::<Govmem>(|parsed| (parsed.common, Box::new(move |ctx| dispatch(ctx, parsed.command))), language)
}

/// The argument tables of `govmem` and of the jobs.
#[cfg(test)]
pub(in crate::cli) fn arguments() -> Vec<clap::Command> {
    vec![
        Govmem::command(),
        VeilleIndex::command(),
        ClarificationsCollect::command(),
        LearningsScore::command(),
        LearningsPromote::command(),
        Step0Inject::command(),
    ]
}

/// The language of the workspace that holds `folder`.
fn language(folder: &Path, env: &Env) -> Option<Lang> {
    Workspace::find(folder).ok()?.load_config(env).ok()?.lang
}

/// Runs the batch job `name` with the process arguments.
pub fn job(name: &str) -> ExitCode {
    fn boxed(f: impl FnOnce(&Context) -> Result<u8> + 'static) -> Runner<'static> {
        Box::new(f)
    }
    keep_memory_private();
    let indexed = |ctx: &Context, source, strict| index::run(ctx, &[source], false, strict);
    match name {
        "index" => run::<VeilleIndex>(
            |p| (p.common, boxed(move |ctx| indexed(ctx, Source::Veille, p.args.strict))),
            language,
        ),
        "collect" => run::<ClarificationsCollect>(
            |p| (p.common, boxed(move |ctx| indexed(ctx, Source::Clarification, p.args.strict))),
            language,
        ),
        "score" => {
            run::<LearningsScore>(|p| (p.common, boxed(move |ctx| score::run(ctx, &p.args))), language)
        }
        "promote" => {
            run::<LearningsPromote>(|p| (p.common, boxed(move |ctx| promote::run(ctx, &p.args))), language)
        }
        _ => run::<Step0Inject>(|p| (p.common, boxed(move |ctx| inject::run(ctx, p.args))), language),
    }
}

fn dispatch(ctx: &Context, command: Command) -> Result<u8> {
    match command {
        Command::Init(args) => init::run(ctx, args),
        Command::Status => status::run(ctx),
        Command::Doctor(args) => doctor::run(ctx, args),
        Command::Trust(args) => trust::run(ctx, args),
        Command::Install(args) => install::run(ctx, args),
        Command::Clarify(args) => clarify::run(ctx, args),
        Command::Learn(args) => feed::learn(ctx, args),
        Command::Gate(args) => feed::gate(ctx, args),
        Command::List(args) => list::list(ctx, args),
        Command::Show(args) => list::show(ctx, args),
        Command::Collect(args) => index::run(ctx, &[Source::Clarification], false, args.strict),
        Command::Index(Index::Veille(args)) => index::run(ctx, &[Source::Veille], false, args.strict),
        Command::Score(args) => score::run(ctx, &args),
        Command::Promote(args) => promote::run(ctx, &args),
        Command::Restore(args) => restore::run(ctx, &args),
        Command::Redact(args) => redact::run(ctx, &args),
        Command::Purge(args) => purge::run(ctx, &args),
        Command::Inject(args) => inject::run(ctx, args),
        Command::Search(args) => search::run(ctx, args),
        Command::Reindex(args) => index::run(ctx, &Source::ALL, args.full, args.strict),
        Command::Import(Import::Learnings(args)) => import::learnings(ctx, args),
        Command::Import(Import::Veille(args)) => import::veille(ctx, args),
        Command::Import(Import::Clarifications(args)) => import::clarifications(ctx, args),
        Command::Import(Import::Metrics(args)) => import::metrics(ctx, args),
        Command::Audit(args) => audit::run(ctx, args),
        Command::Morning => morning::run(ctx),
        Command::Kpi(args) => kpi::run(ctx, args),
        Command::Report(args) => report::run(ctx, args),
        Command::Completions(args) => super::manual::completions::<Govmem>(ctx, args.shell),
        Command::Man => super::manual::man(ctx, Govmem::command()),
    }
}
