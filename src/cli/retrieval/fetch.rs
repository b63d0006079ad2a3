//! `ls`, `get`, `multi-get`.

use super::Session;
use super::args::{GetArgs, LsArgs, MultiGetArgs};
use super::render;
use crate::base::{Error, Result};
use crate::retrieval::fetch::{self, Options};
use crate::tr;

/// Lists files.
pub fn ls(session: &Session, args: &LsArgs) -> Result<u8> {
    let catalog = session.open()?;
    let listed = fetch::ls(&catalog, args.scope.as_deref())?;
    render::listed(session.cli, args.format.chosen(), &listed, args.full_path);
    if listed.is_empty() {
        session.cli.out.note(catalog.command("update"));
        return Ok(1);
    }
    Ok(0)
}

/// Prints a document.
pub fn get(session: &Session, args: &GetArgs) -> Result<u8> {
    let catalog = session.open()?;
    let _still = catalog.snapshot()?;
    let mut target = fetch::resolve(&catalog, &args.document, &session.cli.cwd)?;
    let narrow = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let given = args.from.is_some() || args.lines.is_some();
    if given && (target.from.is_some() || target.count.is_some()) {
        return Err(Error::usage(tr!("les lignes sont données deux fois", "the lines are given twice")));
    }
    if given {
        target.from = Some(args.from.map_or(1, narrow));
        target.count = args.lines.map(narrow);
    }
    let options = Options { disk: args.disk, full_path: args.full_path };
    let fetched = fetch::get(&catalog, &target, options)?;
    if fetched.stale && !args.disk {
        session.cli.out.note(tr!(
            "le fichier a changé depuis l'indexation : {}, ou get --disk",
            "the file has changed since it was indexed: {}, or get --disk",
            catalog.command("update")
        ));
    }
    render::one(session.cli, args.format.chosen(), &fetched, !args.no_line_numbers);
    Ok(0)
}

/// Prints several documents; what is left out is named with the command that reads it. Exit 3 when a name
/// failed.
pub fn multi_get(session: &Session, args: &MultiGetArgs) -> Result<u8> {
    let catalog = session.open()?;
    let narrow = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let limits = (narrow(args.max_lines), narrow(args.max_bytes));
    let options = Options { disk: args.disk, full_path: args.full_path };
    let many = fetch::multi_get(&catalog, &args.pattern, &session.cli.cwd, limits, options)?;
    render::many(session.cli, args.format.chosen(), &many, !args.no_line_numbers);
    for s in &many.skipped {
        session.cli.out.note(tr!(
            "laissé de côté : {} ({}) — {}",
            "left out: {} ({}) — {}",
            crate::markdown::sanitize::terminal(&s.uri),
            s.reason,
            s.command
        ));
    }
    if !args.disk && many.fetched.iter().any(|f| f.stale) {
        session.cli.out.note(tr!(
            "des fichiers ont changé depuis l'indexation : {}, ou multi-get --disk",
            "files have changed since they were indexed: {}, or multi-get --disk",
            catalog.command("update")
        ));
    }
    many.failed.iter().for_each(|f| session.cli.out.error(&f.error));
    Ok(if many.failed.is_empty() { 0 } else { 3 })
}
