//! `govmem report compounding|html`.

use std::io::Read;
use std::path::Path;

use super::args::{Report, ReportHtml};
use super::open;
use super::render::schema_1;
use crate::base::error::IoContext;
use crate::base::{Error, Result, lang};
use crate::cli::Context;
use crate::memory::morning::{self, Down};
use crate::memory::report::{compounding, html};
use crate::memory::{Memory, facts, kpi};
use crate::store::atomic;
use crate::tr;

/// Makes a report.
pub fn run(ctx: &Context, report: Report) -> Result<u8> {
    let memory = open::memory(ctx, "report")?;
    match report {
        Report::Compounding(args) => {
            let facts = facts::load(&memory)?;
            let report = compounding::make(&facts, args.story.as_ref().map(|s| s.as_str()));
            if ctx.out.json {
                ctx.out.document(&schema_1(&report));
            } else {
                ctx.out.text(compounding::render(&report));
            }
        }
        Report::Html(args) => page(ctx, &memory, args)?,
    }
    Ok(0)
}

/// Refuses to write over anything but a page of this command, and below `data/`.
fn require_ours(memory: &Memory<'_>, path: &Path) -> Result<()> {
    let shown = path.display();
    let elsewhere = || tr!("choisissez un autre nom avec -o", "choose another name with -o");
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = path.parent().map(real).unwrap_or_default();
    if folder.starts_with(real(&memory.workspace.data())) {
        let data = memory.workspace.data();
        let data = data.display();
        return Err(Error::usage(tr!(
            "{shown} : {data} est aux enregistrements, aucune page n'y est écrite",
            "{shown}: {data} is for records, no page is written there"
        ))
        .hint(elsewhere()));
    }
    let mut head = Vec::new();
    match std::fs::File::open(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        file => file.at(path)?.take(2048).read_to_end(&mut head).at(path)?,
    };
    if html::is_page(&head) {
        return Ok(());
    }
    Err(Error::usage(tr!(
        "{shown} existe et n'est pas une page de cette commande ; rien n'a été écrit",
        "{shown} exists and is no page of this command; nothing was written"
    ))
    .hint(tr!("{} ou déplacez ce fichier", "{}, or move that file away", elsewhere())))
}

fn page(ctx: &Context, memory: &Memory<'_>, args: ReportHtml) -> Result<()> {
    let facts = facts::load(memory)?;
    let baseline = kpi::Baseline::read(&memory.workspace.baseline())?;
    let measures = kpi::all(&facts, baseline.as_ref());
    let alerts = morning::from_facts(&facts, &Down::indexes(memory)).alerts;
    let root =
        memory.workspace.root().canonicalize().unwrap_or_else(|_| memory.workspace.root().to_path_buf());
    let folder = root.file_name().map(|n| n.to_string_lossy().into_owned());
    let input = html::Input {
        name: args.title.as_deref().or(folder.as_deref()).unwrap_or("govmem"),
        lang: lang::current(),
        facts: &facts,
        measures: &measures,
        alerts: &alerts,
    };
    let page = html::page(&input);
    let Some(output) = args.output else {
        ctx.out.text(page);
        return Ok(());
    };
    let path = open::user_path(ctx, &output);
    require_ours(memory, &path)?;
    atomic::replace_unlocked(&path, page.as_bytes())?;
    if ctx.out.json {
        ctx.out.document(&serde_json::json!({"schema": 1, "path": path, "bytes": page.len()}));
    } else {
        let shown = path.display();
        ctx.out.line(tr!("écrit : {shown}", "written: {shown}"));
    }
    Ok(())
}
