//! `govmem list` and `govmem show`.

use super::args::{Kind, List, Show};
use super::{open, render};
use crate::base::Result;
use crate::cli::Context;
use crate::memory::block::NO_RESULT;
use crate::memory::listing::{self, Filter, Row};

/// Lists records, newest first; exit 1 when there is none.
pub fn list(ctx: &Context, args: List) -> Result<u8> {
    let memory = open::memory(ctx, "list")?;
    let filter = Filter {
        story: args.story,
        domain: args.domain,
        project: args.project,
        include_archived: args.include_archived,
    };
    let mut rows = match args.kind {
        Kind::Learnings => listing::learnings(&memory, &filter)?,
        Kind::Veille => listing::veille(&memory, &filter)?,
        Kind::Clarifications => listing::clarifications(&memory, &filter)?,
        Kind::Gates => listing::gates(&memory, &filter)?,
    };
    let total = rows.len();
    rows.truncate(args.limit);
    if ctx.out.json {
        ctx.out.document(&serde_json::json!({"schema": 1, "count": total, "rows": rows}));
    } else if rows.is_empty() {
        ctx.out.line(NO_RESULT);
    } else {
        for row in &rows {
            ctx.out.line(line(ctx, row));
        }
        if total > rows.len() {
            let shown = rows.len();
            ctx.out.note(crate::tr!("{shown} sur {total} (-n)", "{shown} of {total} (-n)"));
        }
    }
    Ok(u8::from(total == 0))
}

fn line(ctx: &Context, row: &Row) -> String {
    let head = format!("{}  {}  {}", row.id, row.date, row.label);
    let room = ctx.out.width.min(120).saturating_sub(head.chars().count() + 2);
    if room < 12 { head } else { format!("{head}  {}", render::line(&row.text, room)) }
}

/// Shows one record; exit 1 when nothing has that id.
pub fn show(ctx: &Context, args: Show) -> Result<u8> {
    let memory = open::memory(ctx, "show")?;
    let found = listing::show(&memory, &args.id)?;
    if ctx.out.json {
        ctx.out.document(&serde_json::json!({"schema": 1, "records": found}));
    } else if found.is_empty() {
        ctx.out.line(NO_RESULT);
    } else {
        for record in &found {
            ctx.out.text(record.text());
        }
    }
    Ok(u8::from(found.is_empty()))
}
