//! `step0-inject` and `govmem inject`.

use serde::Deserialize;

use super::args::Inject;
use super::open;
use crate::base::id::{Slug, StoryId};
use crate::base::{Error, Result};
use crate::cli::Context;
use crate::memory::injection::{self, Injection, Request};
use crate::store::Source;
use crate::tr;

/// The document of `--from-json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    story_id: StoryId,
    #[serde(default)]
    title: String,
    domain: Slug,
    project: Slug,
    query: Option<String>,
}

/// Injects step 0 and prints the block.
pub fn run(ctx: &Context, args: Inject) -> Result<u8> {
    let request = request(ctx, args)?;
    let memory = open::memory(ctx, "step0-inject")?;
    let injection = injection::inject(&memory, &request)?;
    if ctx.out.json {
        ctx.out.document(&document(&injection));
    } else {
        ctx.out.text(&injection.block);
    }
    Ok(0)
}

fn request(ctx: &Context, args: Inject) -> Result<Request> {
    if let Some(path) = &args.from_json {
        let text = open::read_input(ctx, path)?;
        let input: Input = serde_json::from_str(&text).map_err(|e| {
            Error::usage(format!("--from-json: {e}"))
                .hint(r#"{"story_id": "PD-42", "title": "…", "domain": "auth", "project": "backend"}"#)
        })?;
        return Ok(Request {
            story: input.story_id,
            title: input.title,
            domain: input.domain,
            project: input.project,
            query: input.query,
        });
    }
    let missing = |flag: &str| Error::usage(tr!("{flag} est requis", "{flag} is required"));
    Ok(Request {
        story: args.story.ok_or_else(|| missing("--story"))?,
        title: args.title.unwrap_or_default(),
        domain: args.domain.ok_or_else(|| missing("--domain"))?,
        project: args.project.ok_or_else(|| missing("--project"))?,
        query: args.query,
    })
}

fn document(injection: &Injection) -> serde_json::Value {
    let sources: serde_json::Map<String, serde_json::Value> = Source::ALL
        .into_iter()
        .zip(&injection.ids)
        .map(|(source, ids)| (source.tag().to_owned(), serde_json::json!({"count": ids.len(), "ids": ids})))
        .collect();
    serde_json::json!({
        "schema": 1,
        "story_id": injection.story,
        "timestamp": injection.at,
        "state": if injection.is_complete() { "complete" } else { "degraded" },
        "replayed": injection.replayed,
        "query": injection.query,
        "sources": sources,
        "unavailable": injection.unavailable,
        "block": injection.block,
    })
}
