//! `govmem search learnings|veille|clarifications`.

use super::args::{Search, SearchCommon};
use super::{open, render};
use crate::base::{Error, Result};
use crate::cli::Context;
use crate::memory::block::{Item, NO_RESULT};
use crate::memory::search::{self, Scope as Where, Search as Query};
use crate::memory::{clarifications, learnings, veille};
use crate::store::Source;
use crate::store::schema::{Impact, Scope, Stance};
use crate::tr;

/// Searches one source; exit 1 when nothing is found.
pub fn run(ctx: &Context, args: Search) -> Result<u8> {
    let memory = open::memory(ctx, "search")?;
    let (common, filter) = match args {
        Search::Learnings(a) => {
            let filter = learnings::search::Filter {
                min_score: a.min_score.unwrap_or(memory.config.search.min_score_default),
                scope: a.scope.as_deref().map(word::<Scope>).transpose()?,
                domain: a.domain,
                project: a.project,
                max_per_story: 0,
            };
            filter.check()?;
            (a.common, Where::Learnings { filter, archived: a.include_archived })
        }
        Search::Veille(a) => {
            let filter = veille::search::Filter {
                impact: words::<Impact>(&a.impact)?,
                verdict: words::<Stance>(&a.verdict)?,
            };
            (a.common, Where::Veille(filter))
        }
        Search::Clarifications(a) => {
            let filter = clarifications::search::Filter::new(a.domain.as_ref(), a.project.as_ref())?;
            (a.common, Where::Clarifications(filter))
        }
    };
    let query = Query { text: common.query.clone(), top_k: common.top_k as usize, within: filter };
    let trace = trace(&common);
    let (text, items) = search::run(&memory, &query, trace.as_ref())?;
    show(ctx, query.within.source(), &text, &items);
    Ok(u8::from(items.is_empty()))
}

fn trace(common: &SearchCommon) -> Option<crate::base::id::StoryId> {
    common.story.clone().filter(|_| common.trace)
}

fn show(ctx: &Context, source: Source, query: &str, items: &[Item]) {
    if ctx.out.json {
        let results: Vec<serde_json::Value> = items
            .iter()
            .map(|i| {
                serde_json::json!({
                    "id": i.id, "distance": i.distance, "reuse_score": i.reuse_score, "title": i.title,
                    "text": crate::base::secret::mask(&i.text), "origin": i.origin, "date": i.date,
                    "label": i.label,
                })
            })
            .collect();
        ctx.out.document(&serde_json::json!({
            "schema": 1, "source": source, "query": query, "count": items.len(), "results": results,
        }));
    } else if items.is_empty() {
        ctx.out.line(NO_RESULT);
    } else {
        ctx.out.text(render::items(ctx, items));
    }
}

/// A word of a closed vocabulary; the error lists them.
fn word<T: std::str::FromStr<Err = String>>(text: &str) -> Result<T> {
    text.parse().map_err(|e: String| Error::usage(tr!("valeur refusée : {e}", "refused value: {e}")))
}

fn words<T: std::str::FromStr<Err = String>>(texts: &[String]) -> Result<Vec<T>> {
    texts.iter().map(|t| word(t)).collect()
}
