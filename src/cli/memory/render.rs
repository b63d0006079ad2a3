//! How the memory's results look as text. Every text of a record is neutralised here.

use std::fmt::Write;

use crate::cli::Context;
use crate::markdown::sanitize;
use crate::memory::block::Item;
use crate::memory::excluded::Excluded;
use crate::tr;

/// `text` on one line, at most `width` columns, safe for a terminal.
pub fn line(text: &str, width: usize) -> String {
    use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};
    let flat = sanitize::terminal(text).split_whitespace().collect::<Vec<_>>().join(" ");
    if flat.width() <= width {
        return flat;
    }
    let mut out = String::new();
    let mut used = 0;
    for c in flat.chars() {
        used += c.width().unwrap_or(0);
        if used >= width {
            break;
        }
        out.push(c);
    }
    format!("{}…", out.trim_end())
}

/// `value` as a machine document: its fields after `"schema": 1`.
pub fn schema_1(value: &impl serde::Serialize) -> serde_json::Value {
    let mut document = serde_json::json!({"schema": 1});
    if let (Some(map), Ok(serde_json::Value::Object(fields))) =
        (document.as_object_mut(), serde_json::to_value(value))
    {
        map.extend(fields);
    }
    document
}

/// A result list: rank, distance, score, id; title; the beginning of the text.
pub fn items(ctx: &Context, items: &[Item]) -> String {
    let width = ctx.out.width.min(120);
    let (bold, dim, reset) = if ctx.out.color { ("\x1b[1m", "\x1b[2m", "\x1b[0m") } else { ("", "", "") };
    let mut out = String::new();
    for (i, item) in items.iter().enumerate() {
        let score = item.reuse_score.map(|s| format!("  reuse {s:.3}")).unwrap_or_default();
        let date = item.date.map(|d| format!("  {d}")).unwrap_or_default();
        let _ = writeln!(
            out,
            "{:>2}. {bold}{}{reset}  {dim}{:.3}{score}{date}  {}{reset}",
            i + 1,
            line(&item.id, width),
            item.distance,
            line(&item.label, 40),
        );
        if !item.title.trim().is_empty() {
            let _ = writeln!(out, "    {}", line(&item.title, width - 4));
        }
        let _ = writeln!(out, "    {}", line(&crate::base::secret::mask(&item.text), width - 4));
        let _ = writeln!(out, "    {dim}{}{reset}", line(&item.origin, width - 4));
    }
    out
}

/// Says what was left out, on stderr: each with its place and reason, at most twenty, then the rest
/// as a number.
pub fn excluded(ctx: &Context, excluded: &[Excluded], code: &str) {
    for one in excluded.iter().take(20) {
        let place = one.line.map(|n| format!(":{n}")).unwrap_or_default();
        ctx.out.note(format!("{code} {}{place}: {}", line(&one.origin, 200), line(&one.reason, 300)));
    }
    if let Some(more @ 1..) = excluded.len().checked_sub(20) {
        ctx.out.note(tr!(
            "… et {more} autres (--json les donne tous)",
            "… and {more} more (--json gives them all)"
        ));
    }
}

/// Says what was left out, on stderr, where each reason names its own code.
pub fn named(ctx: &Context, named: &[Excluded]) {
    for one in named.iter().take(20) {
        let place = one.line.map(|n| format!(":{n}")).unwrap_or_default();
        ctx.out.note(format!("{}{place}: {}", line(&one.origin, 200), line(&one.reason, 300)));
    }
    if let Some(more @ 1..) = named.len().checked_sub(20) {
        ctx.out.note(tr!(
            "… et {more} autres (--json les donne tous)",
            "… and {more} more (--json gives them all)"
        ));
    }
}
