//! `govfind`: arguments → settings → call → render.

mod args;
mod bench;
mod collection;
mod configure;
mod context;
mod embed;
mod fetch;
mod mcp;
mod models;
mod progress;
mod render;
mod search;
mod serve;
mod status;
mod stop;
mod update;

use std::process::ExitCode;

use clap::CommandFactory;

use super::context::Context as Cli;
use crate::base::{Error, Result};
use crate::retrieval::Catalog;
use crate::retrieval::catalog::Location;
use crate::retrieval::plan::{Plan, quote};
use crate::retrieval::walk::glance;
use crate::tr;
use args::{Args, Verb};

/// Runs `govfind` with the process arguments.
pub fn govfind() -> ExitCode {
    super::context::run(
        |args: Args| {
            let Args { mut common, index, verb } = args;
            // `--json` after a verb that has formats is one of them.
            common.json |= verb.wants_json();
            (common, Box::new(move |cli: &Cli| run(cli, index.as_deref(), verb)))
        },
        |_, _| None,
    )
}

/// The argument table.
#[cfg(test)]
pub(in crate::cli) fn arguments() -> clap::Command {
    Args::command()
}

/// What a command is handed beside its own arguments.
struct Session<'a> {
    cli: &'a Cli,
    location: Location,
}

impl Session<'_> {
    /// The index, for reading.
    fn open(&self) -> Result<Catalog> {
        Catalog::open(&self.location).map_err(|e| self.planned(e))
    }

    /// The index, for writing.
    fn write(&self) -> Result<Catalog> {
        Catalog::open_existing(&self.location).map_err(|e| self.planned(e))
    }

    /// Names what an index of the current directory would take where there is no index.
    fn planned(&self, error: Error) -> Error {
        if self.location.path.exists() {
            return error;
        }
        let Some((files @ 1.., bytes)) = glance(&self.cli.cwd) else { return error };
        let dir = self.cli.cwd.file_name().unwrap_or_default().to_string_lossy();
        let name: String =
            dir.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40).collect();
        let name = if name.trim_matches('-').is_empty() { "docs" } else { name.trim_matches('-') };
        let option = &self.location.option;
        let command = format!("govfind{option} collection add . --name {name} && govfind{option} update");
        error.hint(Plan::update(command, files, bytes).line())
    }
}

/// The index: `--index`, as seen from the current directory, else that of `--workspace` or, without
/// it, of the current directory and its parents.
fn locate(cli: &Cli, index: Option<&str>) -> Result<Location> {
    let Some(dir) = &cli.common.workspace else { return Location::resolve(index, &cli.cwd, &cli.env) };
    let place = cli.cwd.join(dir);
    if !place.is_dir() {
        let place = place.display();
        return Err(Error::usage(tr!(
            "--workspace : {place} n'est pas un répertoire",
            "--workspace: {place} is not a directory"
        )));
    }
    if index.is_some() {
        return Location::resolve(index, &cli.cwd, &cli.env);
    }
    let mut location = Location::resolve(None, &place, &cli.env)?;
    // The commands that are printed have to find the same index.
    location.option = format!(" --workspace {}", quote(&dir.to_string_lossy()));
    Ok(location)
}

fn run(cli: &Cli, index: Option<&str>, verb: Verb) -> Result<u8> {
    let location = locate(cli, index)?;
    let session = Session { cli, location };
    match verb {
        Verb::Collection(verb) => collection::run(&session, verb),
        Verb::Context(verb) => context::run(&session, verb),
        Verb::Ls(args) => fetch::ls(&session, &args),
        Verb::Get(args) => fetch::get(&session, &args),
        Verb::MultiGet(args) => fetch::multi_get(&session, &args),
        Verb::Search(args) => search::run(&session, crate::retrieval::query::Mode::Search, args),
        Verb::Vsearch(args) => search::run(&session, crate::retrieval::query::Mode::Vsearch, args),
        Verb::Query(args) => search::run(&session, crate::retrieval::query::Mode::Query, args),
        Verb::Update(args) => update::run(&session, &args),
        Verb::Embed(args) => embed::run(&session, &args),
        Verb::Status => status::status(&session),
        Verb::Doctor => status::doctor(&session),
        Verb::Cleanup => status::cleanup(&session),
        Verb::Bench(args) => bench::run(&session, &args),
        Verb::Config(verb) => configure::config(&session, verb),
        Verb::Trust(args) => configure::trust(&session, &args),
        Verb::Mcp => mcp::run(&session),
        Verb::Serve(args) => serve::run(&session, &args),
        Verb::Stop => stop::run(&session),
        Verb::Completions { shell } => super::manual::completions::<Args>(cli, shell),
        Verb::Man => super::manual::man(cli, Args::command()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_sound() {
        Args::command().debug_assert();
    }
}
