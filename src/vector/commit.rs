//! Replacing an index set so that a kill at any moment leaves the old one or the new one.
//!
//! `X.next` files are written and fsynced; renaming the manifest is the commit; then the other two
//! are renamed and the directory is fsynced. The next writer finishes what a kill interrupted.
//! Preparing (training, writing) is separate from committing, so that only the renames happen under
//! the record locks.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::index::{Factory, FaissIndex};
use super::manifest::{Manifest, Row, Stamp};
use super::set::SetFiles;
use super::{matrix, unit};
use crate::base::error::IoContext;
use crate::base::{Error, ModelIdentity, Result};
use crate::store::atomic::{next_path, promote_next, sync_parent, write_next};
use crate::store::{Writing, open};

/// The rows and vectors of a set to come.
#[derive(Clone, Debug)]
pub struct Draft {
    model: ModelIdentity,
    factory: Factory,
    width: usize,
    rows: Vec<Row>,
    vectors: Vec<f32>,
}

impl Draft {
    /// An empty draft: vectors of `model`, padded to `width`, indexed by `factory` (`"Flat"` …).
    ///
    /// # Errors
    /// Usage (exit 2) when the factory is unknown; ERR-295-02 when `width` is less than the model's.
    pub fn new(model: &ModelIdentity, width: usize, factory: &str) -> Result<Self> {
        if width < model.width || width == 0 {
            return Err(Error::memory(
                crate::base::Code::EmbeddingInvalid,
                crate::tr!(
                    "le modèle {} donne des vecteurs de {}, l'index en tient {width}",
                    "model {} makes vectors of {}, the index holds {width}",
                    model.name,
                    model.width
                ),
            )
            .exit_with(65));
        }
        Ok(Draft {
            model: model.clone(),
            factory: Factory::parse(factory)?,
            width,
            rows: Vec::new(),
            vectors: Vec::new(),
        })
    }

    /// Adds a record: `text_hash` is the SHA-256 hex of its embedded text, `windows` the vectors of
    /// its windows in order (one for most texts), the model's width or already padded.
    ///
    /// # Errors
    /// ERR-295-02 when a vector is too wide, zero or not finite; then nothing is added.
    pub fn push<V: AsRef<[f32]>>(&mut self, id: &str, text_hash: &str, windows: &[V]) -> Result<()> {
        let vectors = windows.iter().map(|w| unit(w.as_ref(), self.width)).collect::<Result<Vec<_>>>()?;
        for (window, vector) in (0u32..).zip(vectors) {
            self.vectors.extend(vector);
            self.rows.push(Row { id: id.to_owned(), text: text_hash.to_owned(), window });
        }
        Ok(())
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// A set written beside the old one, not yet committed.
#[derive(Debug)]
#[must_use = "a prepared set changes nothing until it is committed"]
pub struct Prepared {
    files: SetFiles,
    manifest: Manifest,
    unchanged: bool,
}

impl SetFiles {
    /// Writes an empty set if there is none; `writing` is the guard that allows it.
    ///
    /// # Errors
    /// As [`SetFiles::prepare`].
    pub fn init(
        &self,
        writing: &impl Writing,
        model: &ModelIdentity,
        width: usize,
        factory: &str,
    ) -> Result<()> {
        if self.manifest().exists() {
            return Ok(());
        }
        self.prepare(writing, Draft::new(model, width, factory)?)?.commit(writing)?;
        Ok(())
    }

    /// Finishes an interrupted commit, then builds and writes the `X.next` files of `draft`, fsynced.
    /// `writing` is the guard that keeps other writers of this set away.
    ///
    /// # Errors
    /// I/O (exit 74); ERR-295-08 from FAISS.
    pub fn prepare(&self, writing: &impl Writing, draft: Draft) -> Result<Prepared> {
        self.finish(writing)?;
        let old = self.read_manifest().ok();
        let generation = old.as_ref().map_or(1, |m| m.generation.saturating_add(1));
        let mut manifest = Manifest::new(&self.source, generation, draft.model, draft.width);
        manifest.factory = draft.factory.as_str().to_owned();
        manifest.rows = draft.rows;

        let (npy, faiss) = (next_path(&self.npy()), next_path(&self.faiss()));
        matrix::write(&npy, &draft.vectors, draft.width)?;
        manifest.npy = stamp(&npy)?;
        if let Some(old) = old.filter(|old| self.same(old, &manifest)) {
            remove(&npy)?;
            return Ok(Prepared { files: self.clone(), manifest: old, unchanged: true });
        }
        let index = FaissIndex::build(&draft.factory, draft.width, &draft.vectors)?;
        index.write(&faiss)?;
        manifest.built = index.factory().as_str().to_owned();
        manifest.faiss = stamp(&faiss)?;

        write_next(&self.manifest(), &manifest.to_bytes(), writing)?;
        Ok(Prepared { files: self.clone(), manifest, unchanged: false })
    }

    /// Whether the committed set already is what `new` would be.
    fn same(&self, old: &Manifest, new: &Manifest) -> bool {
        let like_new = Manifest {
            generation: new.generation,
            built: String::new(),
            faiss: new.faiss.clone(),
            ..old.clone()
        };
        like_new == *new && self.open().is_ok()
    }

    /// Finishes a commit that a kill interrupted and removes what an unfinished preparation left.
    /// `writing` is the guard that keeps other writers of this set away.
    ///
    /// # Errors
    /// I/O (exit 74).
    pub fn finish(&self, writing: &impl Writing) -> Result<()> {
        let pairs = [self.faiss(), self.npy()];
        let nexts = [next_path(&self.manifest()), next_path(&pairs[0]), next_path(&pairs[1])];
        if !nexts.iter().any(|path| path.exists()) {
            return Ok(());
        }
        if let Ok(manifest) = self.read_manifest() {
            for (path, stamp) in pairs.iter().zip([&manifest.faiss, &manifest.npy]) {
                // The file that fits may be the `.next` one: then its rename is still to be done.
                if self.matching(path, stamp).is_ok_and(|(_, found)| found != *path) {
                    promote_next(path, writing)?;
                }
            }
        }
        for path in &nexts {
            remove(path)?;
        }
        sync_parent(&self.manifest())
    }
}

impl Prepared {
    /// The manifest the commit will publish.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Publishes the set; `writing` is the guard that allows it. A set that would not change keeps
    /// its bytes and its generation.
    ///
    /// # Errors
    /// I/O (exit 74).
    pub fn commit(self, writing: &impl Writing) -> Result<Manifest> {
        if !self.unchanged {
            for path in [self.files.manifest(), self.files.faiss(), self.files.npy()] {
                promote_next(&path, writing)?;
            }
        }
        Ok(self.manifest)
    }
}

fn stamp(path: &Path) -> Result<Stamp> {
    let file = open::regular(path, fs::OpenOptions::new().read(true)).at(path)?;
    // SAFETY: the file was just written by us and nobody else knows its name.
    let map = unsafe { memmap2::Mmap::map(&file) }.at(path)?;
    Ok(Stamp::of(&map))
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(Error::io(path, &e)),
        _ => Ok(()),
    }
}
