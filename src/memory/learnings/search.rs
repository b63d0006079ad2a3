//! Searching lessons: distance in thousandths, then reuse score, then id.

use std::collections::HashMap;

use crate::base::id::Slug;
use crate::base::{Error, Result};
use crate::memory::block::Item;
use crate::memory::corpus;
use crate::memory::learnings::lessons::Lessons;
use crate::memory::learnings::library;
use crate::store::schema::{Learning, Scope};
use crate::tr;
use crate::vector::{IndexSet, RecordHit};

/// The highest least score that may be asked for.
pub const MAX_MIN_SCORE: f64 = 0.99;

/// What a search may return.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Least reuse score.
    pub min_score: f64,
    /// Scope; a lesson without one is of scope `story`.
    pub scope: Option<Scope>,
    /// Domain.
    pub domain: Option<Slug>,
    /// Project.
    pub project: Option<Slug>,
    /// The most lessons of one story, 0 for no limit.
    pub max_per_story: usize,
}

impl Filter {
    /// Refuses a least score outside 0 to 0.99.
    ///
    /// # Errors
    /// Usage.
    pub fn check(&self) -> Result<()> {
        let score = self.min_score;
        if (0.0..=MAX_MIN_SCORE).contains(&score) {
            return Ok(());
        }
        Err(Error::usage(tr!(
            "min_score {score} : attendu de 0 à {MAX_MIN_SCORE}",
            "min_score {score}: expected 0 to {MAX_MIN_SCORE}"
        )))
    }

    /// Whether every active lesson passes.
    pub(super) fn is_open(&self) -> bool {
        self.min_score <= 0.0 && self.scope.is_none() && self.domain.is_none() && self.project.is_none()
    }

    /// Whether `learning` with its score passes.
    pub fn accepts(&self, learning: &Learning, score: f64) -> bool {
        score >= self.min_score
            && self.scope.is_none_or(|s| s == scope(learning))
            && self.domain.as_ref().is_none_or(|d| *d == learning.domain)
            && self.project.as_ref().is_none_or(|p| *p == learning.project)
    }
}

/// The scope, `story` before the migration.
pub fn scope(learning: &Learning) -> Scope {
    learning.scope.unwrap_or(Scope::Story)
}

/// A lesson found.
#[derive(Clone, Debug)]
struct Found {
    hit: RecordHit,
    learning: Learning,
    score: f64,
}

/// The best `top_k` active lessons.
///
/// # Errors
/// ERR-295-02 and ERR-295-08 from the index.
pub fn search(
    lessons: &Lessons,
    set: &IndexSet,
    query: &[f32],
    top_k: usize,
    filter: &Filter,
) -> Result<Vec<Item>> {
    let allowed = lessons.allowed(filter)?;
    let shown = |id: &str| Ok(lessons.get(id)?.filter(Learning::is_active).map(|l| library::text(&l)));
    let mut wanted = top_k;
    loop {
        let hits = corpus::nearest(set, query, wanted, |id| allowed.has(id), shown)?;
        let exhausted = hits.len() < wanted;
        let chosen = choose(rank(lessons, hits)?, top_k, filter.max_per_story);
        if exhausted || chosen.len() >= top_k || filter.max_per_story == 0 {
            return Ok(chosen.into_iter().map(|f| item(&f.learning, f.score, f.hit.distance)).collect());
        }
        wanted = wanted.saturating_mul(2);
    }
}

fn rank(lessons: &Lessons, hits: Vec<RecordHit>) -> Result<Vec<Found>> {
    let mut found = Vec::with_capacity(hits.len());
    for hit in hits {
        if let Some(learning) = lessons.get(&hit.id)? {
            found.push(Found { score: lessons.score(&learning)?, learning, hit });
        }
    }
    found.sort_by(|a, b| {
        (a.hit.thousandths().cmp(&b.hit.thousandths()))
            .then_with(|| b.score.total_cmp(&a.score))
            .then_with(|| a.hit.id.cmp(&b.hit.id))
    });
    Ok(found)
}

fn choose(found: Vec<Found>, top_k: usize, max_per_story: usize) -> Vec<Found> {
    let mut per_story: HashMap<String, usize> = HashMap::new();
    let fits = move |f: &Found| {
        let count = per_story.entry(f.learning.story.to_string()).or_insert(0);
        *count += 1;
        max_per_story == 0 || *count <= max_per_story
    };
    found.into_iter().filter(fits).take(top_k).collect()
}

/// A lesson as an item of the block or of a result list.
pub fn item(learning: &Learning, score: f64, distance: f32) -> Item {
    Item {
        id: learning.id(),
        origin: "data/learnings.jsonl".into(),
        date: Some(learning.created_at.date()),
        label: format!("{} {}/{}", scope(learning), learning.domain, learning.project),
        reuse_score: Some(score),
        distance,
        title: learning.title.clone().unwrap_or_default(),
        text: learning.lesson.clone(),
    }
}
