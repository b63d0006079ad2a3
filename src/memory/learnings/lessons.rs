//! The lessons as a search sees them: a few looked up in the files, or all of them loaded.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::library::{Library, joins};
use super::search::Filter;
use crate::base::Result;
use crate::memory::lookup::Lookup;
use crate::store::Workspace;
use crate::store::schema::{Learning, Score};

/// The lessons and their scores, for one search.
pub enum Lessons {
    /// Looked up one by one.
    Few(Few),
    /// Loaded.
    All(Library),
}

impl Lessons {
    /// Opens the files: when `filter` looks into no lesson and every line carries its identifiers, the
    /// few that are found need not be accompanied by all the others.
    ///
    /// # Errors
    /// I/O; ERR-295-15 for a file that is no record file.
    pub fn open(workspace: &Workspace, filter: &Filter) -> Result<Self> {
        if filter.is_open() {
            let few = Few::read(workspace)?;
            if few.lessons.is_complete() && few.scores.is_complete() {
                return Ok(Lessons::Few(few));
            }
        }
        Ok(Lessons::All(Library::read(workspace)?))
    }

    /// The lesson `id`, archived or not.
    ///
    /// # Errors
    /// I/O.
    pub fn get(&self, id: &str) -> Result<Option<Learning>> {
        match self {
            Lessons::All(library) => Ok(library.all().get(id).cloned()),
            Lessons::Few(few) => few.get(id),
        }
    }

    /// The reuse score of a lesson, 0.0 without one.
    ///
    /// # Errors
    /// I/O.
    pub fn score(&self, learning: &Learning) -> Result<f64> {
        match self {
            Lessons::All(library) => Ok(library.score(learning)),
            Lessons::Few(few) => {
                let hash = learning.recomputed_tag_hash();
                let found = few.scores.first(&hash, |s: &Score| joins(s, learning, &hash))?;
                Ok(found.map_or(0.0, |s| s.reuse_score))
            }
        }
    }

    /// Which lessons a search may return.
    ///
    /// # Errors
    /// I/O.
    pub fn allowed(&self, filter: &Filter) -> Result<Allowed> {
        Ok(match self {
            Lessons::Few(few) => {
                let archived: Vec<Learning> = few.lessons.marked()?;
                let archived: HashSet<String> =
                    archived.iter().filter(|l| !l.is_active()).map(Learning::id).collect();
                Allowed::AllBut(archived)
            }
            Lessons::All(library) => {
                let scores = library.scores();
                let passes: HashSet<String> = library
                    .all()
                    .iter()
                    .filter(|(id, l)| {
                        l.is_active() && filter.accepts(l, scores.get(id.as_str()).copied().unwrap_or(0.0))
                    })
                    .map(|(id, _)| id.clone())
                    .collect();
                Allowed::Only(passes)
            }
        })
    }
}

/// The ids that a search may return.
pub enum Allowed {
    /// Every one but these.
    AllBut(HashSet<String>),
    /// Only these.
    Only(HashSet<String>),
}

impl Allowed {
    /// Whether `id` may be returned.
    pub fn has(&self, id: &str) -> bool {
        match self {
            Allowed::AllBut(ids) => !ids.contains(id),
            Allowed::Only(ids) => ids.contains(id),
        }
    }
}

/// Lessons and scores that are looked up in their files.
pub struct Few {
    workspace: Workspace,
    lessons: Lookup,
    scores: Lookup,
    all: OnceCell<Library>,
}

impl Few {
    fn read(workspace: &Workspace) -> Result<Self> {
        Ok(Few {
            workspace: workspace.clone(),
            lessons: Lookup::read(&workspace.learnings(), "learning_id", Some("archived"))?,
            scores: Lookup::read(&workspace.scores(), "tag_hash", None)?,
            all: OnceCell::new(),
        })
    }

    fn get(&self, id: &str) -> Result<Option<Learning>> {
        let own = |l: &Learning| !l.has_drift() && l.id() == id;
        if let Some(found) = self.lessons.first(id, own)? {
            return Ok(Some(found));
        }
        // The index knows it: gone since, or on a line that does not say so plainly.
        if self.all.get().is_none() {
            let _ = self.all.set(Library::read(&self.workspace)?);
        }
        Ok(self.all.get().and_then(|all| all.all().get(id).cloned()))
    }
}
