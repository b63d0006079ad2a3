//! Replacing an index set so that a kill at any moment leaves the old one or the new one.
//!
//! `X.next` files are written and fsynced; renaming the manifest is the commit; then the other two
//! are renamed and the directory is fsynced. The next writer finishes what a kill interrupted.
//! Preparing (training, writing) is separate from committing, so that only the renames happen under
//! the record locks.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use super::file::{sync_dir, with_suffix};
use super::index::{Factory, FaissIndex};
use super::manifest::{Manifest, Row, Stamp};
use super::set::SetFiles;
use super::{matrix, unit};
use crate::base::error::IoContext;
use crate::base::{Error, ModelIdentity, Result};

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
    pub fn init<W: ?Sized>(
        &self,
        writing: &W,
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
    pub fn prepare<W: ?Sized>(&self, writing: &W, draft: Draft) -> Result<Prepared> {
        self.finish(writing)?;
        let old = self.read_manifest().ok();
        let generation = old.as_ref().map_or(1, |m| m.generation.saturating_add(1));
        let mut manifest = Manifest::new(&self.source, generation, draft.model, draft.width);
        manifest.factory = draft.factory.as_str().to_owned();
        manifest.rows = draft.rows;

        let (npy, faiss) = (with_suffix(&self.npy(), ".next"), with_suffix(&self.faiss(), ".next"));
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

        let path = with_suffix(&self.manifest(), ".next");
        let mut file = fs::File::create(&path).at(&path)?;
        file.write_all(&manifest.to_bytes()).and_then(|()| file.sync_all()).at(&path)?;
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
    pub fn finish<W: ?Sized>(&self, _writing: &W) -> Result<()> {
        let pairs = [self.faiss(), self.npy()];
        let next = |path: &Path| with_suffix(path, ".next");
        let manifest_next = next(&self.manifest());
        if !manifest_next.exists() && !pairs.iter().any(|p| next(p).exists()) {
            return Ok(());
        }
        if let Ok(manifest) = self.read_manifest() {
            for (path, stamp) in pairs.iter().zip([&manifest.faiss, &manifest.npy]) {
                // The file that fits may be the `.next` one: then its rename is still to be done.
                if self.matching(path, stamp).is_ok_and(|(_, found)| found != *path) {
                    fs::rename(next(path), path).at(path)?;
                }
            }
        }
        for path in [&manifest_next, &next(&pairs[0]), &next(&pairs[1])] {
            remove(path)?;
        }
        sync_dir(&self.dir)
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
    pub fn commit<W: ?Sized>(self, _writing: &W) -> Result<Manifest> {
        if !self.unchanged {
            for path in [self.files.manifest(), self.files.faiss(), self.files.npy()] {
                fs::rename(with_suffix(&path, ".next"), &path).at(&path)?;
            }
            sync_dir(&self.files.dir)?;
        }
        Ok(self.manifest)
    }
}

fn stamp(path: &Path) -> Result<Stamp> {
    let file = fs::File::open(path).at(path)?;
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
