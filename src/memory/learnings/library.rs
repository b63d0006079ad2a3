//! `learnings.jsonl` and `learnings-scores.jsonl` as one snapshot: which lessons count, and their
//! reuse scores.
//!
//! Of two lines with one id the first counts; a line whose stored id no longer follows from its
//! tags counts nowhere. Both are reported by [`Library::load`].

use std::cell::OnceCell;
use std::collections::HashMap;

use crate::base::Result;
use crate::memory::corpus::Entry;
use crate::memory::lifecycle::redact::REDACTED;
use crate::store::Workspace;
use crate::store::jsonl::Snapshot;
use crate::store::schema::{self, Learning, Loaded, Score};

/// A snapshot of the lessons and their scores.
pub struct Library {
    learnings: Snapshot,
    scores: Snapshot,
    by_id: OnceCell<HashMap<String, Learning>>,
    all_scores: OnceCell<Vec<Score>>,
}

impl Library {
    /// Reads both files as they stand.
    ///
    /// # Errors
    /// I/O; ERR-295-15 when a whole file is not JSON lines.
    pub fn read(workspace: &Workspace) -> Result<Self> {
        Ok(Library {
            learnings: Snapshot::read(&workspace.learnings())?,
            scores: Snapshot::read(&workspace.scores())?,
            by_id: OnceCell::new(),
            all_scores: OnceCell::new(),
        })
    }

    /// Every line as a record, without drifted ones and duplicates.
    pub fn load(&self) -> Loaded<Learning> {
        let mut loaded = schema::load::<Learning>(&self.learnings);
        loaded.exclude_drift(&self.learnings);
        loaded.exclude_duplicates(&self.learnings);
        loaded
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

    /// The reuse score of a lesson, 0.0 without one.
    pub fn score(&self, learning: &Learning) -> f64 {
        let hash = learning.recomputed_tag_hash();
        self.all_scores().iter().find(|s| joins(s, learning, &hash)).map_or(0.0, |s| s.reuse_score)
    }

    fn all_scores(&self) -> &[Score] {
        self.all_scores.get_or_init(|| {
            schema::load::<Score>(&self.scores).records.into_iter().map(|(_, score)| score).collect()
        })
    }

    /// Every score by learning id.
    pub fn scores(&self) -> HashMap<&str, f64> {
        self.all_scores().iter().map(|s| (s.learning_id.as_str(), s.reuse_score)).collect()
    }
}

/// Whether a score is that of a lesson with this tag hash: joined on story, gate and tag hash.
pub(super) fn joins(score: &Score, learning: &Learning, tag_hash: &str) -> bool {
    score.story == learning.story && score.gate == learning.gate && score.tag_hash == tag_hash
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
