//! `govrag update`: pages brought up to date with the code.

use serde_json::{Value, json};

use super::from_home;
use super::lock::base_to_write;
use crate::base::{Error, Result};
use crate::cli::Context;
use crate::knowledge::check::{Options, Report, check, repair, report};
use crate::knowledge::drift::Ledger;
use crate::knowledge::edit::update::{self, Scope, Update};
use crate::knowledge::git::Repo;
use crate::knowledge::scaffold::{self, news};
use crate::knowledge::{Base, indexes};
use crate::markdown::sanitize::terminal;
use crate::tr;

/// Arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: govrag update --since HEAD~3")]
pub struct Args {
    /// Look at what changed since this revision
    #[arg(long, value_name = "REV", conflicts_with = "what")]
    since: Option<String>,
    /// Files that changed, or one branch
    #[arg(value_name = "PATH|BRANCH")]
    what: Vec<String>,
    /// Archive this page; may be repeated
    #[arg(long, value_name = "DOC")]
    archive: Vec<String>,
}

/// What was done.
struct Done {
    update: Update,
    created: Vec<String>,
    links: usize,
    indexes: usize,
    /// Pages that cannot be read.
    unreadable: usize,
    check: Option<Report>,
}

/// Updates, makes the indexes again, checks when `.rag` asks for it.
pub fn run(ctx: &Context, args: &Args) -> Result<u8> {
    let (base, _lock) = base_to_write(ctx, "govrag update")?;
    let scope = scope(ctx, args, &base)?;
    let archive: Vec<String> = args
        .archive
        .iter()
        .map(|doc| Ok(base.named(doc, Some(&ctx.cwd))?.path.clone()))
        .collect::<Result<_>>()?;
    let mut update = update::plan(base, &scope, &archive)?;
    update.write(&update.base.marker)?;
    let options = Options::on(ctx.clock.now().date());
    let drafts = news::drafts(&update.base, &scope, options.today)?;
    scaffold::write_drafts(&update.base.marker, &drafts)?;
    let created: Vec<String> = drafts.into_iter().map(|d| d.path).collect();
    // One base at a time: it moves from step to step, and is read again only when its pages changed.
    let empty = Base::empty(update.base.marker.clone());
    let base = std::mem::replace(&mut update.base, empty);
    // It is on disk now.
    update.ledger = Ledger::default();
    let base = if created.is_empty() { base } else { base.reload()? };
    let unreadable = base.pages.iter().filter(|p| !p.is_readable()).count();
    if !base.marker.check_on_update {
        let plan = indexes::plan(&base);
        indexes::write(&base.marker, &plan)?;
        let indexes = plan.outdated.len() + plan.stale.len();
        return tell(ctx, &Done { update, created, links: 0, indexes, unreadable, check: None });
    }
    let fixes = repair::plan(base, &options)?;
    fixes.write()?;
    let (links, indexes) = (fixes.pages.len(), fixes.indexes.outdated.len() + fixes.indexes.stale.len());
    let mut base = if links == 0 { fixes.base } else { fixes.base.reload()? };
    base.look_again()?;
    let check = Some(check(&base, &options)?);
    // The process ends soon: giving back every page one by one would only make it wait.
    std::mem::forget(base);
    tell(ctx, &Done { update, created, links, indexes, unreadable, check })
}

fn tell(ctx: &Context, done: &Done) -> Result<u8> {
    if ctx.out.json {
        ctx.out.document(&document(done));
    } else {
        text(ctx, done);
    }
    Ok(0)
}

fn scope(ctx: &Context, args: &Args, base: &Base) -> Result<Scope> {
    if let Some(revision) = &args.since {
        return Ok(Scope::Since(revision.clone()));
    }
    if args.what.is_empty() {
        return Ok(Scope::Everything);
    }
    let exists = |text: &String| ctx.cwd.join(text).exists() || base.marker.home.join(text).exists();
    if let [name] = args.what.as_slice()
        && !exists(name)
    {
        let is_revision = Repo::discover(&base.marker.home).is_ok_and(|r| r.is_revision(name));
        if is_revision {
            return Ok(Scope::Branch(name.clone()));
        }
        // A file that was deleted is a change too, when a page names it.
        let path = from_home(ctx, &base.marker, name);
        if update::describing(base, &path).is_empty() {
            return Err(Error::usage(tr!(
                "{name} n'est ni un fichier ni une branche",
                "{name} is neither a file nor a branch"
            ))
            .hint(tr!(
                "donnez des chemins, une branche, ou --since REV",
                "give paths, a branch, or --since REV"
            )));
        }
    }
    Ok(Scope::Paths(args.what.iter().map(|p| from_home(ctx, &base.marker, p)).collect()))
}

fn document(done: &Done) -> Value {
    let u = &done.update;
    json!({
        "created": done.created,
        "changed": u.changes.iter().map(|c| &c.path).collect::<Vec<_>>(),
        "needs_review": u.marked.iter().map(|(p, why)| json!({"page": p, "reason": why})).collect::<Vec<_>>(),
        "drift": u.drifted.iter().map(|(p, r, why)| json!({"page": p, "impl_ref": r, "reason": why})).collect::<Vec<_>>(),
        "renamed": u.renamed.iter().map(|(p, a, b)| json!({"page": p, "from": a, "to": b})).collect::<Vec<_>>(),
        "lost": u.lost,
        "archived": u.archived,
        "skipped": u.skipped.iter().map(|(p, why)| json!({"page": p, "reason": why})).collect::<Vec<_>>(),
        "repaired_pages": done.links,
        "indexes_written": done.indexes,
        "unreadable": done.unreadable,
        "report": done.check.as_ref().map(report::json),
    })
}

fn text(ctx: &Context, done: &Done) {
    let u = &done.update;
    let line = |text: String| ctx.out.line(terminal(&text));
    for (page, from, to) in &u.renamed {
        line(tr!("{page} : {from} → {to}", "{page}: {from} → {to}"));
    }
    for (page, why) in &u.marked {
        line(tr!("{page} : à revoir ({why})", "{page}: needs review ({why})"));
    }
    for page in &u.lost {
        line(tr!(
            "{page} : plus aucun impl_ref n'existe (govrag update --archive {page} ?)",
            "{page}: none of its impl_refs exists (govrag update --archive {page}?)"
        ));
    }
    for page in &u.archived {
        line(tr!("{page} : archivée", "{page}: archived"));
    }
    for (page, why) in &u.skipped {
        line(tr!("{page} : laissée ({why})", "{page}: left ({why})"));
    }
    for page in &done.created {
        line(tr!("{page} : ébauchée", "{page}: drafted"));
    }
    let created = done.created.len();
    let (changed, drift, links, indexes) = (u.changes.len(), u.drifted.len(), done.links, done.indexes);
    line(tr!(
        "{created} pages ébauchées, {changed} changées, {drift} dérives, {links} pages réparées, {indexes} index écrits",
        "{created} pages drafted, {changed} changed, {drift} drifts, {links} pages repaired, {indexes} indexes written"
    ));
    match &done.check {
        Some(found) => ctx.out.text(report::text(found, false, ctx.out.color)),
        None if done.unreadable > 0 => {
            let n = done.unreadable;
            line(tr!("{n} pages illisibles : govrag check", "{n} pages could not be read: govrag check"));
        }
        None => {}
    }
}
