//! Records as rows, and one record whole.

use serde::Serialize;
use serde_json::Value;

use crate::base::Result;
use crate::base::id::{Slug, StoryId};
use crate::base::secret;
use crate::markdown::sanitize;
use crate::memory::Memory;
use crate::memory::clarifications::collect::identified;
use crate::memory::learnings::library::Library;
use crate::memory::learnings::search::scope;
use crate::store::jsonl::Snapshot;
use crate::store::schema::{self, Clarification, Metric, Record, Veille};

/// Which records are listed.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Of this story.
    pub story: Option<StoryId>,
    /// Of this domain.
    pub domain: Option<Slug>,
    /// Of this project.
    pub project: Option<Slug>,
    /// Archived learnings too.
    pub include_archived: bool,
}

impl Filter {
    fn accepts(&self, story: Option<&StoryId>, domain: Option<&Slug>, project: Option<&Slug>) -> bool {
        self.story.as_ref().is_none_or(|s| story == Some(s))
            && self.domain.as_ref().is_none_or(|d| domain == Some(d))
            && self.project.as_ref().is_none_or(|p| project == Some(p))
    }
}

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Identifier.
    pub id: String,
    /// Day, or instant of a gate.
    pub date: String,
    /// Scope, impact, domain …
    pub label: String,
    /// Title or beginning of the text.
    pub text: String,
}

/// Newest first; equal dates by id.
fn newest_first(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by(|a, b| b.date.cmp(&a.date).then_with(|| a.id.cmp(&b.id)));
    rows
}

/// The lessons.
///
/// # Errors
/// I/O; ERR-295-15.
pub fn learnings(memory: &Memory<'_>, filter: &Filter) -> Result<Vec<Row>> {
    let library = Library::read(&memory.workspace)?;
    let scores = library.scores();
    let rows = library.load().records.into_iter().filter_map(|(_, l)| {
        let shown = (l.is_active() || filter.include_archived)
            && filter.accepts(Some(&l.story), Some(&l.domain), Some(&l.project));
        shown.then(|| {
            let id = l.id();
            let archived = if l.is_active() { "" } else { " archived" };
            Row {
                date: l.created_at.date().to_string(),
                label: format!(
                    "{}{archived} {:.3}",
                    scope(&l),
                    scores.get(id.as_str()).copied().unwrap_or(0.0)
                ),
                text: l.title.unwrap_or(l.lesson),
                id,
            }
        })
    });
    Ok(newest_first(rows.collect()))
}

/// The collected watch notes.
///
/// # Errors
/// I/O; ERR-295-15.
pub fn veille(memory: &Memory<'_>, filter: &Filter) -> Result<Vec<Row>> {
    let loaded = schema::load::<Veille>(&Snapshot::read(&memory.workspace.veille())?);
    let rows = loaded.records.into_iter().filter(|(_, n)| filter.accepts(None, n.domain.as_ref(), None));
    Ok(newest_first(
        rows.map(|(_, n)| Row {
            id: n.id,
            date: n.date.to_string(),
            label: format!("{} {}", n.impact_pv, n.verdict),
            text: n.title,
        })
        .collect(),
    ))
}

/// The collected clarifications.
///
/// # Errors
/// I/O; ERR-295-15.
pub fn clarifications(memory: &Memory<'_>, filter: &Filter) -> Result<Vec<Row>> {
    let loaded = schema::load::<Clarification>(&Snapshot::read(&memory.workspace.clarifications())?);
    let records = identified(loaded.records.into_iter().map(|(_, r)| r).collect());
    let rows = records
        .into_iter()
        .filter(|(_, c)| filter.accepts(Some(&c.story), Some(&c.domain), Some(&c.project)))
        .map(|(id, c)| Row {
            id,
            date: c.date.to_string(),
            label: format!("{} {}/{}", c.story, c.domain, c.project),
            text: c.questions.into_iter().next().map(|q| q.answer).unwrap_or_default(),
        });
    Ok(newest_first(rows.collect()))
}

/// The gate records.
///
/// # Errors
/// I/O; ERR-295-15.
pub fn gates(memory: &Memory<'_>, filter: &Filter) -> Result<Vec<Row>> {
    let loaded = schema::load::<Metric>(&Snapshot::read(&memory.workspace.metrics())?);
    let rows = loaded
        .records
        .into_iter()
        .filter(|(_, m)| filter.accepts(Some(&m.story), Some(&m.domain), Some(&m.project)))
        .map(|(_, m)| Row {
            id: m.story.to_string(),
            date: m.timestamp.to_string(),
            label: format!("gate {} v{} {}", m.gate, m.version, m.verdict),
            text: format!("{}/{}", m.domain, m.project),
        });
    Ok(newest_first(rows.collect()))
}

/// A record with where it is.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// Identifier.
    pub id: String,
    /// Its file, with the line of a record file.
    pub origin: String,
    /// The fields.
    pub record: Value,
}

impl Shown {
    /// The record as text, one field a paragraph, neutralised and with secrets masked.
    pub fn text(&self) -> String {
        let mut out = format!("{}  {}\n", sanitize::terminal(&self.id), sanitize::terminal(&self.origin));
        let fields = self.record.as_object().into_iter().flatten();
        for (name, value) in fields {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Array(list) if list.iter().any(Value::is_object) => list.iter().map(entry).collect(),
                Value::Array(list) => list.iter().map(scalar).collect::<Vec<_>>().join(", "),
                other => other.to_string(),
            };
            let text = sanitize::terminal(&secret::mask(&text)).replace('\n', "\n    ");
            out.push_str(&format!("  {}: {text}\n", sanitize::terminal(name)));
        }
        out
    }
}

/// An object of a list as a line of its own, its values beside each other.
fn entry(value: &Value) -> String {
    let values = value.as_object().into_iter().flat_map(|fields| fields.values());
    format!("\n- {}", values.map(scalar).collect::<Vec<_>>().join(" · "))
}

fn scalar(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The records that `id` names: a learning, a watch note, a clarification, or all of a story.
///
/// # Errors
/// I/O; ERR-295-15.
pub fn show(memory: &Memory<'_>, id: &str) -> Result<Vec<Shown>> {
    let mut found = Vec::new();
    let mut keep = |id: String, origin: String, line: String| {
        found.push(Shown { id, origin, record: serde_json::from_str(&line).unwrap_or(Value::Null) });
    };
    for (line, learning) in Library::read(&memory.workspace)?.load().records {
        if learning.id() == id || learning.story.as_str() == id {
            keep(learning.id(), format!("data/learnings.jsonl:{}", line + 1), learning.to_line());
        }
    }
    for (_, note) in schema::load::<Veille>(&Snapshot::read(&memory.workspace.veille())?).records {
        if note.id == id {
            keep(note.id.clone(), note.path.clone(), note.to_line());
        }
    }
    let loaded = schema::load::<Clarification>(&Snapshot::read(&memory.workspace.clarifications())?);
    for (slug, record) in identified(loaded.records.into_iter().map(|(_, r)| r).collect()) {
        if slug == id || record.story.as_str() == id {
            keep(slug, record.path.clone(), record.to_line());
        }
    }
    for (line, metric) in schema::load::<Metric>(&Snapshot::read(&memory.workspace.metrics())?).records {
        if metric.story.as_str() == id {
            keep(metric.story.to_string(), format!("data/metrics.jsonl:{}", line + 1), metric.to_line());
        }
    }
    Ok(found)
}
