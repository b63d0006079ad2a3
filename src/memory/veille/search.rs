//! Searching watch notes: distance, then date descending, then id.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

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
    let path = workspace.veille();
    let lookup = Lookup::read(&path, "id", None)?;
    let all: OnceCell<HashMap<String, Veille>> = OnceCell::new();
    let load = || -> Result<&HashMap<String, Veille>> {
        if all.get().is_none() {
            let loaded = schema::load::<Veille>(&Snapshot::read(&path)?);
            let mut by_id = HashMap::new();
            for (_, note) in loaded.records {
                by_id.entry(note.id.clone()).or_insert(note);
            }
            let _ = all.set(by_id);
        }
        Ok(all.get_or_init(HashMap::new))
    };
    let get = |id: &str| -> Result<Option<Veille>> {
        match lookup.first(id, |n: &Veille| n.id == id)? {
            None => Ok(load()?.get(id).cloned()),
            found => Ok(found),
        }
    };
    let allowed: Box<dyn Fn(&str) -> bool> = if filter.is_open() {
        Box::new(|_| true)
    } else {
        let passes: HashSet<String> =
            load()?.values().filter(|n| filter.accepts(n)).map(|n| n.id.clone()).collect();
        Box::new(move |id| passes.contains(id))
    };
    let hits = corpus::nearest(set, query, top_k, allowed, |id| Ok(get(id)?.map(|n| text(&n))))?;
    let mut found: Vec<(f32, Veille)> = Vec::new();
    for hit in hits {
        if let Some(note) = get(&hit.id)? {
            found.push((hit.distance, note));
        }
    }
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
