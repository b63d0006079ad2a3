//! Completions and manual pages, from the argument tables.

use clap::{Command, CommandFactory};

use super::{Context, french};
use crate::base::lang::{self, Lang};
use crate::base::{Error, Result};

/// The argument table in the language of this process.
fn localised(command: Command) -> Command {
    if lang::current() == Lang::Fr { french::command(command) } else { command }
}

/// Prints the completions of `P` for `shell`.
pub fn completions<P: CommandFactory>(ctx: &Context, shell: clap_complete::Shell) -> Result<u8> {
    let mut command = localised(P::command());
    let name = command.get_name().to_owned();
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut text);
    ctx.out.text(String::from_utf8_lossy(&text));
    Ok(0)
}

/// Prints the manual page of `command` and, below it, of its subcommands.
pub fn man(ctx: &Context, command: Command) -> Result<u8> {
    let mut text = Vec::new();
    clap_mangen::Man::new(localised(command)).render(&mut text).map_err(|e| Error::io("man", &e))?;
    ctx.out.text(String::from_utf8_lossy(&text));
    Ok(0)
}
