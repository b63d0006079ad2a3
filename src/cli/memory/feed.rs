//! `govmem learn` and `govmem gate`.

use super::args::{Gate, Learn};
use super::open;
use crate::base::id::{Slug, StoryId};
use crate::base::{Error, Result};
use crate::cli::Context;
use crate::memory::gates::{self, Judgement};
use crate::memory::learnings::feed;
use crate::memory::learnings::foreign::Incoming;
use crate::store::schema::Verdict;
use crate::store::strict;
use crate::tr;

/// A lesson as it is given: the flags, or the document of `--from-json`.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    story: StoryId,
    gate: i64,
    domain: Slug,
    project: Slug,
    tags: Vec<String>,
    lesson: String,
    title: Option<String>,
    #[serde(default)]
    refs: Vec<String>,
}

fn input(ctx: &Context, args: Learn) -> Result<Input> {
    if let Some(path) = &args.from_json {
        let text = open::read_input(ctx, path)?;
        let refuse = |why: String| {
            Error::usage(format!("--from-json: {why}")).hint(
                r#"{"story": "PD-42", "gate": 8, "domain": "auth", "project": "backend", "tags": ["mfa"], "lesson": "…"}"#,
            )
        };
        let input: Input = strict::parse(&text).map_err(|fault| refuse(fault.message))?;
        if !(0..=9999).contains(&input.gate) {
            return Err(refuse(format!("gate {}", input.gate)));
        }
        return Ok(input);
    }
    let missing = |flag: &str| Error::usage(tr!("{flag} est requis", "{flag} is required"));
    let lesson = args.lesson.ok_or_else(|| missing("--lesson"))?;
    Ok(Input {
        story: args.story.ok_or_else(|| missing("--story"))?,
        gate: args.gate.ok_or_else(|| missing("--gate"))?,
        domain: args.domain.ok_or_else(|| missing("--domain"))?,
        project: args.project.ok_or_else(|| missing("--project"))?,
        tags: args.tags,
        lesson: if lesson == "-" { open::read_input(ctx, std::path::Path::new("-"))? } else { lesson },
        title: args.title,
        refs: args.refs,
    })
}

/// Records a lesson; prints its id.
pub fn learn(ctx: &Context, args: Learn) -> Result<u8> {
    let memory = open::memory(ctx, "learn")?;
    let input = input(ctx, args)?;
    let trimmed = |list: Vec<String>| -> Vec<String> {
        list.into_iter().map(|t| t.trim().to_owned()).filter(|t| !t.is_empty()).collect()
    };
    let incoming = Incoming {
        story: input.story,
        gate: input.gate,
        domain: input.domain,
        project: input.project,
        tags: trimmed(input.tags),
        title: input.title,
        lesson: input.lesson.trim_end_matches('\n').to_owned(),
        created_at: memory.clock.now(),
        refs: trimmed(input.refs),
        origin: ("--lesson".into(), None),
    };
    let id = feed::learn(&memory, incoming)?;
    if ctx.out.json {
        ctx.out.document(&serde_json::json!({"schema": 1, "learning_id": id}));
    } else {
        ctx.out.line(&id);
        ctx.out.note(tr!("trouvable après : govmem reindex", "searchable after: govmem reindex"));
    }
    Ok(0)
}

/// Records a gate.
pub fn gate(ctx: &Context, args: Gate) -> Result<u8> {
    let memory = open::memory(ctx, "gate")?;
    let verdict: Verdict = args
        .verdict
        .parse()
        .map_err(|e: String| Error::usage(tr!("verdict refusé : {e}", "refused verdict: {e}")))?;
    let judgement = Judgement {
        story: args.story,
        gate: args.gate,
        version: u32::try_from(args.version).unwrap_or(u32::MAX),
        verdict,
        domain: args.domain,
        project: args.project,
    };
    let metric = gates::record(&memory, judgement)?;
    if ctx.out.json {
        ctx.out.document(&serde_json::json!({
            "schema": 1, "story": metric.story, "gate": metric.gate, "version": metric.version,
            "verdict": metric.verdict, "timestamp": metric.timestamp, "domain": metric.domain,
            "project": metric.project,
        }));
    } else {
        ctx.out.line(format!("{} gate {} v{} {}", metric.story, metric.gate, metric.version, metric.verdict));
    }
    Ok(0)
}
