//! Searching watch notes: distance, then date descending, then id.

use crate::base::Result;
use crate::memory::block::Item;
use crate::memory::corpus;
use crate::memory::lookup::Lookup;
use crate::memory::veille::collect::text;
use crate::store::Workspace;
use crate::store::jsonl::Snapshot;
use crate::store::schema::{self, Impact, Stance, Veille};
use crate::vector::IndexSet;

/// What a search may return; an empty list lets everything pass.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Impacts.
    pub impact: Vec<Impact>,
    /// Verdicts.
    pub verdict: Vec<Stance>,
}

impl Filter {
    fn is_open(&self) -> bool {
        self.impact.is_empty() && self.verdict.is_empty()
    }

    fn accepts(&self, note: &Veille) -> bool {
        (self.impact.is_empty() || self.impact.contains(&note.impact_pv))
            && (self.verdict.is_empty() || self.verdict.contains(&note.verdict))
    }
}

/// The best `top_k` notes.
///
/// # Errors
/// I/O; ERR-295-15 for a file that is no record file; ERR-295-02 and ERR-295-08 from the index.
pub fn search(
    workspace: &Workspace,
    set: &IndexSet,
    query: &[f32],
    top_k: usize,
    filter: &Filter,
) -> Result<Vec<Item>> {
    let snapshot = Snapshot::read(&workspace.veille())?;
    let lookup = Lookup::new(&snapshot, "id");
    let get = |id: &str| {
        if lookup.is_complete() {
            return lookup.records(&snapshot, id, |n: &Veille| n.id == id).next();
        }
        schema::load::<Veille>(&snapshot).values().find(|n| n.id == id).cloned()
    };
    let allowed: Box<dyn Fn(&str) -> bool> = if filter.is_open() {
        Box::new(|_| true)
    } else {
        let loaded = schema::load::<Veille>(&snapshot);
        let passes: std::collections::HashSet<String> =
            loaded.values().filter(|n| filter.accepts(n)).map(|n| n.id.clone()).collect();
        Box::new(move |id| passes.contains(id))
    };
    let hits = corpus::nearest(set, query, top_k, allowed, |id| get(id).map(|n| text(&n)))?;
    let mut found: Vec<(f32, Veille)> =
        hits.into_iter().filter_map(|hit| Some((hit.distance, get(&hit.id)?))).collect();
    found.sort_by(|(a, x), (b, y)| {
        a.total_cmp(b).then_with(|| y.date.cmp(&x.date)).then_with(|| x.id.cmp(&y.id))
    });
    Ok(found.into_iter().take(top_k).map(|(distance, note)| item(&note, distance)).collect())
}

/// A note as an item of the block or of a result list.
pub fn item(note: &Veille, distance: f32) -> Item {
    Item {
        id: note.id.clone(),
        origin: note.path.clone(),
        date: Some(note.date),
        label: format!("impact {} · {}", note.impact_pv, note.verdict),
        reuse_score: None,
        distance,
        title: note.title.clone(),
        text: note.summary.clone(),
    }
}
