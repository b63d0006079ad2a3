//! `govmem import learnings|metrics`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{open, render};
use crate::base::Result;
use crate::base::id::{Slug, StoryId};
use crate::cli::Context;
use crate::memory::excluded::Excluded;
use crate::memory::gates;
use crate::memory::learnings::feed;
use crate::memory::learnings::foreign::{self, Defaults, FieldMap};
use crate::memory::tree::Path as Field;
use crate::tr;

/// What to import.
#[derive(Debug, Subcommand)]
pub enum Import {
    /// Lessons from JSON lines, JSON documents or Markdown with front matter
    Learnings(ImportLearnings),
    /// Gate records from JSON lines
    Metrics(ImportMetrics),
}

/// `import learnings`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  govmem import learnings notes.jsonl --map lesson=takeaway,created_at=ts --story LEG-1 --gate 8 --domain harness --project yyds\n  govmem import learnings manifest.json --items lessons --map lesson=problem+solution,title=summary --story LEG-2 --gate 8 --domain tools --project lessons"
)]
pub struct ImportLearnings {
    /// The files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Our field = their path, separated by commas; `a+b` joins two paths
    #[arg(long, value_delimiter = ',', value_name = "FIELD=PATH")]
    pub map: Vec<String>,
    /// Where the items stand in a JSON document
    #[arg(long, value_name = "PATH")]
    pub items: Option<String>,
    /// Story of items that name none
    #[arg(long)]
    pub story: Option<StoryId>,
    /// Gate of items that name none
    #[arg(long, value_parser = clap::value_parser!(i64).range(0..=99))]
    pub gate: Option<i64>,
    /// Domain of items that name none
    #[arg(long)]
    pub domain: Option<Slug>,
    /// Project of items that name none
    #[arg(long)]
    pub project: Option<Slug>,
    /// Say what would be imported, write nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `import metrics`
#[derive(Debug, Args)]
pub struct ImportMetrics {
    /// The file of JSON lines
    pub file: PathBuf,
}

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
