//! Searching clarifications: exact domain and project first, then distance, date descending, id.

use std::borrow::Cow;
use std::collections::HashMap;

use super::collect::text;
use crate::base::id::Slug;
use crate::base::{Code, Date, Error, Result};
use crate::memory::block::Item;
use crate::memory::corpus;
use crate::memory::ids::unique_slugs;
use crate::store::Workspace;
use crate::store::jsonl::Snapshot;
use crate::store::schema::{Clarification, Record};
use crate::tr;
use crate::vector::IndexSet;

/// Domain and project, both required.
#[derive(Clone, Debug)]
pub struct Filter {
    /// The exact domain.
    pub domain: Slug,
    /// The exact project.
    pub project: Slug,
}

impl Filter {
    /// A filter of both.
    ///
    /// # Errors
    /// ERR-295-04 when one is absent.
    pub fn new(domain: Option<&Slug>, project: Option<&Slug>) -> Result<Self> {
        match (domain, project) {
            (Some(domain), Some(project)) => Ok(Filter { domain: domain.clone(), project: project.clone() }),
            _ => Err(Error::memory(
                Code::FilterRequired,
                tr!(
                    "une recherche de clarifications a besoin d'un domaine et d'un projet",
                    "a search of clarifications needs a domain and a project"
                ),
            )
            .hint("--domain … --project …")),
        }
    }
}

/// The best `top_k` clarifications that have not expired on `today`.
///
/// # Errors
/// I/O; ERR-295-15 for a file that is no record file; ERR-295-02 and ERR-295-08 from the index.
pub fn search(
    workspace: &Workspace,
    set: &IndexSet,
    query: &[f32],
    top_k: usize,
    filter: &Filter,
    today: Date,
) -> Result<Vec<Item>> {
    let snapshot = Snapshot::read(&workspace.clarifications())?;
    let candidates = candidates(&snapshot, filter, today);
    let whole = |id: &str| {
        let line = snapshot.line(*candidates.get(id)?)?;
        Clarification::parse(line.text().ok()?).ok()
    };
    let hits = corpus::nearest(
        set,
        query,
        top_k,
        |id| candidates.contains_key(id),
        |id| Ok(whole(id).map(|r| text(&r))),
    )?;
    let records: HashMap<String, Clarification> =
        hits.iter().filter_map(|h| Some((h.id.clone(), whole(&h.id)?))).collect();
    let mut found: Vec<(f32, String, &Clarification)> =
        hits.into_iter().filter_map(|h| Some((h.distance, h.id.clone(), records.get(&h.id)?))).collect();
    found.sort_by(|(a, i, x), (b, j, y)| {
        a.total_cmp(b).then_with(|| y.date.cmp(&x.date)).then_with(|| i.cmp(j))
    });
    Ok(found.into_iter().take(top_k).map(|(distance, id, record)| item(&id, record, distance)).collect())
}

/// The part of a line that filters look at; the answers are skipped.
#[derive(serde::Deserialize)]
struct Head<'l> {
    #[serde(borrow)]
    path: Cow<'l, str>,
    domain: Slug,
    project: Slug,
    retention_until: Date,
}

/// The ids that pass the filter on `today`, each with the index of its line. A line that is no
/// record has no id; one that is only found out when it is read whole is left out then.
fn candidates(snapshot: &Snapshot, filter: &Filter, today: Date) -> HashMap<String, usize> {
    let mut heads: Vec<(usize, Head<'_>)> = snapshot
        .lines()
        .enumerate()
        .filter_map(|(i, line)| Some((i, serde_json::from_str::<Head<'_>>(line.text().ok()?).ok()?)))
        .collect();
    heads.sort_by(|(_, a), (_, b)| a.path.cmp(&b.path));
    let ids = unique_slugs(heads.iter().map(|(_, h)| h.path.as_ref()));
    ids.into_iter()
        .zip(&heads)
        .filter(|(_, (_, h))| {
            h.domain == filter.domain && h.project == filter.project && today <= h.retention_until
        })
        .map(|(id, (line, _))| (id, *line))
        .collect()
}

/// A record as an item of the block or of a result list.
pub fn item(id: &str, record: &Clarification, distance: f32) -> Item {
    let lines = record.questions.iter().map(|q| format!("{} ({}): {}", q.id, q.theme, q.answer));
    Item {
        id: id.to_owned(),
        origin: record.path.clone(),
        date: Some(record.date),
        label: format!("{}/{}", record.domain, record.project),
        reuse_score: None,
        distance,
        title: record.story.to_string(),
        text: lines.collect::<Vec<_>>().join("\n"),
    }
}
