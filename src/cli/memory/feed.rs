//! `govmem learn` and `govmem gate`.

use super::args::{Gate, Learn};
use super::open;
use crate::base::{Error, Result};
use crate::cli::Context;
use crate::memory::gates::{self, Judgement};
use crate::memory::learnings::feed;
use crate::memory::learnings::foreign::Incoming;
use crate::store::schema::Verdict;
use crate::tr;

/// Records a lesson; prints its id.
pub fn learn(ctx: &Context, args: Learn) -> Result<u8> {
    let memory = open::memory(ctx, "learn")?;
    let lesson = match args.lesson.as_str() {
        "-" => open::read_input(ctx, std::path::Path::new("-"))?,
        text => text.to_owned(),
    };
    let trimmed = |list: Vec<String>| -> Vec<String> {
        list.into_iter().map(|t| t.trim().to_owned()).filter(|t| !t.is_empty()).collect()
    };
    let incoming = Incoming {
        story: args.story,
        gate: args.gate,
        domain: args.domain,
        project: args.project,
        tags: trimmed(args.tags),
        title: args.title,
        lesson: lesson.trim_end_matches('\n').to_owned(),
        created_at: memory.clock.now(),
        refs: trimmed(args.refs),
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
