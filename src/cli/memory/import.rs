//! `govmem import learnings|veille|clarifications|metrics`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{open, render};
use crate::base::id::{Slug, StoryId};
use crate::base::{Date, Error, Result};
use crate::cli::Context;
use crate::memory::excluded::Excluded;
use crate::memory::field_map::FieldMap;
use crate::memory::learnings::feed;
use crate::memory::learnings::foreign::{self, Defaults};
use crate::memory::tree::Path as Field;
use crate::memory::veille::mapping;
use crate::memory::{clarifications, gates, import, veille};
use crate::tr;

/// What to import.
#[derive(Debug, Subcommand)]
pub enum Import {
    /// Lessons from JSON lines, JSON documents or Markdown with front matter
    Learnings(ImportLearnings),
    /// Watch notes from Markdown, YAML or JSON, as notes of our own form
    Veille(ImportVeille),
    /// Clarifications from JSON, YAML or Markdown, as files of our own form
    Clarifications(ImportClarifications),
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

/// `import veille`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  govmem import veille radar/ --map verdict=ring --impact modere --latest --dry-run\n  govmem import veille blips/*.yaml --map title=name,verdict=blip[-1].ring,date=blip[-1].date,summary=description+rationale --verdicts pilot=experimenter --impact faible"
)]
pub struct ImportVeille {
    /// The files; of a directory every Markdown, YAML and JSON file in it
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Our field = their path, separated by commas; `a+b` joins two paths, `a|b` takes the first that is there
    #[arg(long, value_delimiter = ',', value_name = "FIELD=PATH")]
    pub map: Vec<String>,
    /// Their verdict = ours, separated by commas; adopt, trial, assess, hold, archive are known
    #[arg(long, value_delimiter = ',', value_name = "THEIRS=OURS")]
    pub verdicts: Vec<String>,
    /// Impact of notes that name none: fort, modere, faible or nul
    #[arg(long)]
    pub impact: Option<String>,
    /// Where the items stand in a JSON or YAML document
    #[arg(long, value_name = "PATH")]
    pub items: Option<String>,
    /// Of notes with one title, the latest only
    #[arg(long)]
    pub latest: bool,
    /// Say what would be imported, write nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `import clarifications`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  govmem import clarifications answers.jsonl --map story=ticket,Q1=why,Q2=done_when,Q3=limits,Q4=first --domain auth --project backend\n  govmem import clarifications specs/ --domain auth --project backend --dry-run"
)]
pub struct ImportClarifications {
    /// The files; of a directory every spec.md, *-clarifications.md, JSON and YAML file in it
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Our field = their path, separated by commas: story, date, Q1 to Q4, questions, question, answer, theme …
    #[arg(long, value_delimiter = ',', value_name = "FIELD=PATH")]
    pub map: Vec<String>,
    /// Where the items stand in a JSON or YAML document
    #[arg(long, value_name = "PATH")]
    pub items: Option<String>,
    /// Story of items that name none
    #[arg(long)]
    pub story: Option<StoryId>,
    /// Domain of items that name none; `[clarifications] domain` by default
    #[arg(long)]
    pub domain: Option<Slug>,
    /// Project of items that name none; `[clarifications] project` by default
    #[arg(long)]
    pub project: Option<Slug>,
    /// Day of items that name none, from which their retention counts
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub date: Option<String>,
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
    let fields = FieldMap::parse(&foreign::FIELDS, &args.map)?;
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
        ctx.out.document(&document(&report, args.dry_run));
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
        next(ctx, report.added, args.dry_run, "govmem reindex");
    }
    Ok(if report.excluded.is_empty() { 0 } else { 3 })
}

/// Imports watch notes; exit 3 when some were left out.
pub fn veille(ctx: &Context, args: ImportVeille) -> Result<u8> {
    let memory = open::memory(ctx, "import")?;
    let pairs = |given: &[String], flag: &str| -> Result<BTreeMap<String, String>> {
        let pair = |p: &String| p.split_once('=').map(|(k, v)| (k.trim().to_owned(), v.trim().to_owned()));
        let refuse =
            |p: &String| Error::usage(tr!("{flag} : {p:?} n'est pas a=b", "{flag}: {p:?} is not a=b"));
        given.iter().map(|p| pair(p).ok_or_else(|| refuse(p))).collect()
    };
    if let Some(impact) =
        args.impact.as_deref().filter(|i| !mapping::IMPACTS.contains(&mapping::fold(i).as_str()))
    {
        return Err(Error::usage(format!("--impact: {impact:?}")).hint(mapping::IMPACTS.join(", ")));
    }
    let verdicts = pairs(&args.verdicts, "--verdicts")?;
    if let Some(ours) = verdicts.values().find(|v| !mapping::VERDICTS.contains(&mapping::fold(v).as_str())) {
        return Err(Error::usage(format!("--verdicts: {ours:?}")).hint(mapping::VERDICTS.join(", ")));
    }
    let mapping = mapping::Mapping::new(&pairs(&args.map, "--map")?, &verdicts, args.impact.as_deref())?;
    let at = args.items.as_deref().map(Field::parse).transpose()?;
    let mut excluded = Vec::new();
    let wanted = |path: &std::path::Path| import::has_extension(path, &veille::import::EXTENSIONS);
    let files = import::files(&args.files, &ctx.cwd, wanted, &mut excluded);
    let found = veille::import::read(&files, at.as_ref(), &mapping, excluded)?;
    let report = veille::import::add(&memory, found, args.latest, args.dry_run)?;
    render::excluded(ctx, &report.excluded, "ERR-295-01");
    if ctx.out.json {
        ctx.out.document(&document(&report, args.dry_run));
        return Ok(if report.excluded.is_empty() { 0 } else { 3 });
    }
    ctx.out.line(tr!(
        "lus {} · ajoutés {} · dont numérotés {} · déjà là {} · remplacés par une édition plus récente {} · sans note {} · exclus {}",
        "read {} · added {} · of these numbered {} · same {} · superseded {} · no note {} · excluded {}",
        report.read,
        report.added,
        report.disambiguated,
        report.same,
        report.superseded,
        report.not_notes,
        report.excluded.len()
    ));
    if !report.unmapped.is_empty() {
        let names: Vec<String> = report.unmapped.iter().map(|(k, n)| format!("{k} ({n})")).collect();
        let names = render::line(&names.join(", "), 300);
        ctx.out.note(tr!("champs non repris : {names}", "fields not taken over: {names}"));
    }
    next(ctx, report.added, args.dry_run, "govmem index veille");
    Ok(if report.excluded.is_empty() { 0 } else { 3 })
}

/// Imports clarifications; exit 3 when some were left out.
pub fn clarifications(ctx: &Context, args: ImportClarifications) -> Result<u8> {
    let memory = open::memory(ctx, "import")?;
    let fields = FieldMap::parse(&clarifications::foreign::FIELDS, &args.map)?;
    let at = args.items.as_deref().map(Field::parse).transpose()?;
    let date = match &args.date {
        Some(text) => Some(Date::parse(text).ok_or_else(|| {
            Error::usage(tr!("--date : {text:?} n'est pas un jour", "--date: {text:?} is not a day"))
                .hint("YYYY-MM-DD")
        })?),
        None => None,
    };
    let configured = memory.config.clarifications.clone();
    let defaults = clarifications::foreign::Defaults {
        story: args.story,
        domain: args.domain.or(configured.domain),
        project: args.project.or(configured.project),
        date,
    };
    let mut excluded = Vec::new();
    let files = import::files(&args.files, &ctx.cwd, clarifications::import::is_wanted, &mut excluded);
    let found = clarifications::import::read(&files, at.as_ref(), &fields, &defaults, excluded)?;
    let report = clarifications::import::add(&memory, found, args.dry_run)?;
    render::excluded(ctx, &report.excluded, "ERR-295-03");
    if ctx.out.json {
        ctx.out.document(&document(&report, args.dry_run));
        return Ok(if report.excluded.is_empty() { 0 } else { 3 });
    }
    ctx.out.line(tr!(
        "lus {} · ajoutés {} · dont numérotés {} · déjà là {} · échus {} · sans réponse {} · questions sans réponse {} · exclus {}",
        "read {} · added {} · of these numbered {} · same {} · expired {} · without answers {} · unanswered questions {} · excluded {}",
        report.read,
        report.added,
        report.disambiguated,
        report.same,
        report.expired,
        report.without_answers,
        report.unanswered,
        report.excluded.len()
    ));
    next(ctx, report.added, args.dry_run, "govmem collect");
    Ok(if report.excluded.is_empty() { 0 } else { 3 })
}

/// Says how what was imported becomes searchable.
fn next(ctx: &Context, added: usize, dry_run: bool, command: &str) {
    if dry_run {
        ctx.out.note(tr!("à blanc : rien n'a été écrit", "dry run: nothing was written"));
    } else if added > 0 {
        ctx.out.note(tr!("pour chercher dedans : {command}", "to make it searchable: {command}"));
    }
}

/// A report as a machine document.
fn document(report: &impl serde::Serialize, dry_run: bool) -> serde_json::Value {
    let mut document = render::schema_1(report);
    document["dry_run"] = dry_run.into();
    document
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
