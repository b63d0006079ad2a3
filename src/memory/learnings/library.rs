//! `learnings.jsonl` and `learnings-scores.jsonl` as one snapshot: which lessons count, and their
//! reuse scores.
//!
//! Of two lines with one id the first counts; a line whose stored id no longer follows from its
//! tags counts nowhere. Both are reported by [`Library::load`].

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

use crate::base::Result;
use crate::memory::corpus::Entry;
use crate::memory::lifecycle::redact::REDACTED;
use crate::memory::lookup;
use crate::store::Workspace;
use crate::store::jsonl::Snapshot;
use crate::store::schema::{self, Learning, Loaded, Score};

/// A snapshot of the lessons and their scores.
pub struct Library {
    learnings: Snapshot,
    scores: Snapshot,
    /// Every line carries its id literally, so that single lessons are found without a full load.
    carries_ids: bool,
    by_id: OnceCell<HashMap<String, Learning>>,
    /// Lessons that were looked up one by one.
    found: RefCell<HashMap<String, Option<Learning>>>,
    score_by_id: OnceCell<HashMap<String, f64>>,
}

impl Library {
    /// Reads both files as they stand.
    ///
    /// # Errors
    /// I/O; ERR-295-15 when a whole file is not JSON lines.
    pub fn read(workspace: &Workspace) -> Result<Self> {
        let learnings = Snapshot::read(&workspace.learnings())?;
        let carries_ids = lookup::count(&learnings, "\"learning_id\"") >= learnings.len();
        Ok(Library {
            scores: Snapshot::read(&workspace.scores())?,
            learnings,
            carries_ids,
            by_id: OnceCell::new(),
            found: RefCell::default(),
            score_by_id: OnceCell::new(),
        })
    }

    /// Every line as a record, without drifted ones and duplicates.
    pub fn load(&self) -> Loaded<Learning> {
        let mut loaded = schema::load::<Learning>(&self.learnings);
        loaded.exclude_drift(&self.learnings);
        loaded.exclude_duplicates(&self.learnings);
        loaded
    }

    /// The lesson `id`, archived or not.
    pub fn get(&self, id: &str) -> Option<Learning> {
        if self.carries_ids && self.by_id.get().is_none() {
            if let Some(known) = self.found.borrow().get(id) {
                return known.clone();
            }
            let counts = |l: &Learning| !l.has_drift();
            let found = lookup::records(&self.learnings, id, counts).find(|l: &Learning| l.id() == id);
            self.found.borrow_mut().insert(id.to_owned(), found.clone());
            return found;
        }
        self.all().get(id).cloned()
    }

    /// The ids of the archived lessons.
    pub fn archived(&self) -> HashSet<String> {
        lookup::records(&self.learnings, "archived", |l: &Learning| !l.is_active()).map(|l| l.id()).collect()
    }

    /// The lessons by id.
    pub fn all(&self) -> &HashMap<String, Learning> {
        self.by_id.get_or_init(|| {
            let mut map = HashMap::new();
            for (_, learning) in self.load().records {
                map.entry(learning.id()).or_insert(learning);
            }
            map
        })
    }

    /// The reuse score of a lesson, 0.0 without one; joined on story, gate and tag hash.
    pub fn score(&self, learning: &Learning) -> f64 {
        let hash = learning.recomputed_tag_hash();
        let joins = |s: &Score| s.story == learning.story && s.gate == learning.gate && s.tag_hash == hash;
        lookup::records(&self.scores, &hash, joins).next().map_or(0.0, |s: Score| s.reuse_score)
    }

    /// Every score by learning id.
    pub fn scores(&self) -> &HashMap<String, f64> {
        self.score_by_id.get_or_init(|| {
            let loaded = schema::load::<Score>(&self.scores);
            loaded.records.into_iter().map(|(_, s)| (s.learning_id, s.reuse_score)).collect()
        })
    }
}

/// The text that stands for a lesson in the index.
pub fn text(learning: &Learning) -> String {
    let mut text = String::new();
    if let Some(title) = learning.title.as_deref().filter(|t| !t.trim().is_empty()) {
        text.push_str(title.trim());
        text.push('\n');
    }
    text.push_str(learning.lesson.trim());
    text.push('\n');
    text.push_str(&learning.tags.join(", "));
    text
}

/// What the index holds: the active lessons that were not redacted, in file order.
pub fn entries(loaded: &Loaded<Learning>) -> Vec<Entry> {
    let shown = |l: &&Learning| l.is_active() && l.lesson != REDACTED;
    loaded.values().filter(shown).map(|l| Entry { id: l.id(), text: text(l) }).collect()
}
