//! `govmem install`.

use super::args::Install;
use super::open;
use crate::base::lang;
use crate::base::{Error, Result};
use crate::cli::Context;
use crate::memory::install::{self, Action, Assistant, State};
use crate::tr;

/// Installs, examines or removes the assistants' files. Exit 3 when a team's own file was left
/// alone, or with `--status` when something is missing or behind.
pub fn run(ctx: &Context, args: Install) -> Result<u8> {
    let assistant = Assistant::parse(&args.cli).ok_or_else(|| {
        let cli = &args.cli;
        Error::usage(tr!("assistant inconnu {cli:?}", "unknown assistant {cli:?}")).hint(Assistant::names())
    })?;
    let action = match (args.status, args.remove) {
        (true, _) => Action::Status,
        (_, true) => Action::Remove,
        _ => Action::Install,
    };
    let dir = args.dir.map_or_else(|| ctx.cwd.clone(), |d| open::user_path(ctx, &d));
    let files = install::run(&dir, assistant, lang::current(), action)?;
    if ctx.out.json {
        ctx.out.document(&serde_json::json!({"schema": 1, "files": files}));
    } else {
        for file in &files {
            let what = match (file.state, file.changed, action) {
                (State::Foreign, ..) => tr!("à l'équipe, laissé tel quel", "the team's, left alone"),
                (_, true, Action::Remove) => tr!("retiré", "removed"),
                (_, true, _) => tr!("écrit", "written"),
                (State::Missing, ..) => tr!("absent", "missing"),
                (State::Behind, ..) => tr!("en retard", "behind"),
                (State::Current, ..) => tr!("à jour", "current"),
            };
            ctx.out.line(format!("{}: {what}", file.path.display()));
        }
        if files.iter().any(|f| f.changed) {
            ctx.out.note(tr!(
                "redémarrez l'assistant pour qu'il les voie",
                "restart the assistant so that it sees them"
            ));
        }
    }
    let attention = files.iter().any(|f| match action {
        Action::Status => f.state != State::Current,
        _ => f.state == State::Foreign,
    });
    Ok(if attention { 3 } else { 0 })
}
