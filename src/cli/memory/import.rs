//! `govmem import learnings|metrics`.

use super::args::{ImportLearnings, ImportMetrics};
use super::{open, render};
use crate::base::Result;
use crate::cli::Context;
use crate::memory::excluded::Excluded;
use crate::memory::gates;
use crate::memory::learnings::feed;
use crate::memory::learnings::foreign::{self, Defaults, FieldMap};
use crate::memory::tree::Path as Field;
use crate::tr;

/// Imports lessons; exit 3 when some were left out.
pub fn learnings(ctx: &Context, args: ImportLearnings) -> Result<u8> {
    let memory = open::memory(ctx, "import")?;
    let now = memory.clock.now();
    let fields = FieldMap::parse(&args.map)?;
    let at = args.items.as_deref().map(Field::parse).transpose()?;
    let defaults =
        Defaults { story: args.story, gate: args.gate, domain: args.domain, project: args.project, now };
    let mut excluded: Vec<Excluded> = Vec::new();
    let mut incoming = Vec::new();
    for file in &args.files {
        let path = open::user_path(ctx, file);
        let shown = file.display().to_string();
        for (line, item) in foreign::items(&path, at.as_ref(), &mut excluded)? {
            match foreign::map(&item, &fields, &defaults, (shown.clone(), line)) {
                Ok(lesson) => incoming.push(lesson),
                Err(reason) => excluded.push(Excluded { origin: shown.clone(), line, reason }),
            }
        }
    }
    let unread = excluded.len();
    let mut report = feed::add(&memory, &incoming, Some(now), args.dry_run)?;
    report.read += unread;
    report.excluded.splice(0..0, excluded);
    render::excluded(ctx, &report.excluded, "ERR-295-15");
    if ctx.out.json {
        let mut document = serde_json::json!({"schema": 1, "dry_run": args.dry_run});
        if let (Some(map), Ok(serde_json::Value::Object(fields))) =
            (document.as_object_mut(), serde_json::to_value(&report))
        {
            map.extend(fields);
        }
        ctx.out.document(&document);
    } else {
        ctx.out.line(tr!(
            "lus {} · ajoutés {} · dont désambiguïsés {} · déjà là {} · exclus {}",
            "read {} · added {} · of these disambiguated {} · same {} · excluded {}",
            report.read,
            report.added,
            report.disambiguated,
            report.same,
            report.excluded.len()
        ));
    }
    Ok(if report.excluded.is_empty() { 0 } else { 3 })
}

/// Imports gate records; exit 3 when some were left out.
pub fn metrics(ctx: &Context, args: ImportMetrics) -> Result<u8> {
    let memory = open::memory(ctx, "import")?;
    let report = gates::import(&memory, &open::user_path(ctx, &args.file))?;
    render::excluded(ctx, &report.excluded, "ERR-295-15");
    if ctx.out.json {
        ctx.out.document(&serde_json::json!({
            "schema": 1, "read": report.read, "added": report.added, "same": report.same,
            "excluded": report.excluded,
        }));
    } else {
        ctx.out.line(tr!(
            "lus {} · ajoutés {} · déjà là {} · exclus {}",
            "read {} · added {} · same {} · excluded {}",
            report.read,
            report.added,
            report.same,
            report.excluded.len()
        ));
    }
    Ok(if report.excluded.is_empty() { 0 } else { 3 })
}
