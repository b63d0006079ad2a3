//! Seeded vectors, small sets, and the exact index that FAISS is compared with.

use govmem::base::{ModelIdentity, Result};
use govmem::store::lock::{LockSettings, Single};
use govmem::vector::{Draft, Hit, Rows, SetFiles, VectorIndex};

pub use crate::seeded::Seeded;

impl Seeded {
    /// Below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// A guard that allows writing in `dir`.
pub fn writing(dir: &std::path::Path) -> Single {
    let settings = LockSettings { allow_network: true, ..LockSettings::default() };
    Single::take(&dir.join("set.lock"), &settings).unwrap()
}

/// Commits `draft` as the set of `files` in `dir`.
pub fn commit(files: &SetFiles, draft: Draft) -> govmem::vector::Manifest {
    let guard = writing(files.manifest().parent().unwrap());
    files.prepare(&guard, draft).unwrap().commit(&guard).unwrap()
}

pub fn model(width: usize) -> ModelIdentity {
    ModelIdentity {
        provider: "local".into(),
        name: "seeded".into(),
        digest: "0123456789abcdef".into(),
        width,
        query_prefix: String::new(),
        document_prefix: String::new(),
        window: 256,
    }
}

/// A draft of `n` records, every third with two windows.
pub fn draft(seed: u64, n: usize, width: usize, stored: usize) -> Draft {
    let mut random = Seeded(seed);
    let mut draft = Draft::new(&model(width), stored, "Flat").unwrap();
    for i in 0..n {
        let windows: Vec<Vec<f32>> = (0..1 + usize::from(i % 3 == 0)).map(|_| random.unit(width)).collect();
        draft.push(&format!("R-{i}"), &format!("{seed:032x}{i:032x}"), &windows).unwrap();
    }
    draft
}

/// Exact search by a plain loop in double precision.
pub struct Exact {
    pub width: usize,
    pub values: Vec<f32>,
}

impl VectorIndex for Exact {
    fn len(&self) -> usize {
        self.values.len() / self.width
    }

    fn width(&self) -> usize {
        self.width
    }

    fn search(&self, query: &[f32], k: usize, allowed: Option<&Rows>) -> Result<Vec<Hit>> {
        let mut hits: Vec<Hit> = self
            .values
            .chunks(self.width)
            .enumerate()
            .filter(|(row, _)| allowed.is_none_or(|a| a.contains(*row)))
            .map(|(row, v)| {
                let ip: f64 = v.iter().zip(query).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                Hit { row, distance: (1.0 - ip).clamp(0.0, 2.0) as f32 }
            })
            .collect();
        hits.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.row.cmp(&b.row)));
        hits.truncate(k);
        Ok(hits)
    }
}
