//! The locks of a workspace, in one order that the compiler enforces.
//!
//! ```text
//! reindex → gate → learnings → scores → veille → clarifications → state → trail
//! ```
//!
//! A chain starts with [`Locks::begin`] and only moves forward: each step consumes the token of the
//! step before. Record locks are taken inside the [`Gate`], a turnstile held while they are waited
//! for, so that overlapping readers cannot starve a writer; [`Gate::leave`] opens it again.
//!
//! ```
//! use govmem::store::lock::{Learnings, Locks, LockSettings, Scores, Trail};
//! # let dir = tempfile::tempdir().unwrap();
//! let workspace = govmem::store::Workspace::new(dir.path());
//! let mut locks = Locks::new(&workspace, LockSettings::default());
//! let gate = locks.begin().gate()?;
//! let (learnings, gate) = gate.shared::<Learnings>()?;
//! let (scores, gate) = gate.exclusive::<Scores>()?;
//! let order = gate.leave();
//! let (trail, _) = order.exclusive::<Trail>()?;
//! # Ok::<(), govmem::base::Error>(())
//! ```
//!
//! The wrong order does not compile:
//!
//! ```compile_fail,E0277
//! use govmem::store::lock::{Learnings, Locks, Scores};
//! fn scores_before_learnings(locks: &mut Locks) -> govmem::base::Result<()> {
//!     let (scores, gate) = locks.begin().gate()?.shared::<Scores>()?;
//!     let (learnings, gate) = gate.shared::<Learnings>()?;
//!     Ok(())
//! }
//! ```
//!
//! Nor does a record lock outside the gate, nor one after the state:
//!
//! ```compile_fail,E0277
//! use govmem::store::lock::{Learnings, Locks};
//! fn past_the_gate(locks: &mut Locks) -> govmem::base::Result<()> {
//!     let (learnings, order) = locks.begin().shared::<Learnings>()?;
//!     Ok(())
//! }
//! ```
//!
//! ```compile_fail,E0277
//! use govmem::store::lock::{Locks, State};
//! fn gate_after_state(locks: &mut Locks) -> govmem::base::Result<()> {
//!     let (state, order) = locks.begin().exclusive::<State>()?;
//!     order.gate()?;
//!     Ok(())
//! }
//! ```
//!
//! Nor an upgrade from shared to exclusive, which is the same lock taken twice:
//!
//! ```compile_fail,E0277
//! use govmem::store::lock::{Learnings, Locks};
//! fn upgrade(locks: &mut Locks) -> govmem::base::Result<()> {
//!     let (shared, gate) = locks.begin().gate()?.shared::<Learnings>()?;
//!     let (exclusive, gate) = gate.exclusive::<Learnings>()?;
//!     Ok(())
//! }
//! ```
//!
//! Nor a second chain while a guard of the first is held, nor a token used twice:
//!
//! ```compile_fail,E0499
//! use govmem::store::lock::{Locks, Reindex, Trail};
//! fn two_chains(locks: &mut Locks) -> govmem::base::Result<()> {
//!     let (trail, _) = locks.begin().exclusive::<Trail>()?;
//!     let (reindex, _) = locks.begin().exclusive::<Reindex>()?;
//!     drop(trail);
//!     Ok(())
//! }
//! ```
//!
//! ```compile_fail,E0382
//! use govmem::store::lock::{Locks, State, Trail};
//! fn token_twice(locks: &mut Locks) -> govmem::base::Result<()> {
//!     let order = locks.begin();
//!     let (trail, _) = order.exclusive::<Trail>()?;
//!     let (state, _) = order.exclusive::<State>()?;
//!     Ok(())
//! }
//! ```
//!
//! And nothing is written under a shared lock:
//!
//! ```compile_fail,E0277
//! use govmem::store::lock::{Locks, Trail};
//! fn write_shared(locks: &mut Locks) -> govmem::base::Result<()> {
//!     let (trail, _) = locks.begin().shared::<Trail>()?;
//!     govmem::store::atomic::replace(std::path::Path::new("x"), b"", &trail)
//! }
//! ```

mod file;
mod holder;
mod network;
mod order;
mod rank;

use std::path::Path;
use std::time::Duration;

pub use order::{Exclusive, Gate, Guard, Order, Shared};
pub use rank::{After, Clarifications, Free, Learnings, Rank, Record, Reindex, Scores, Start, State};
pub use rank::{Trail, Turnstile, Veille};

use super::layout::Workspace;
use crate::base::Result;

/// How locks are waited for.
#[derive(Clone, Debug)]
pub struct LockSettings {
    /// Longest wait for each lock; 30 s by contract.
    pub timeout: Duration,
    /// Accept network file systems.
    pub allow_network: bool,
    /// What a waiting process is told about this one, such as `govmem score`.
    pub command: String,
}

impl Default for LockSettings {
    fn default() -> Self {
        LockSettings { timeout: Duration::from_secs(30), allow_network: false, command: "govmem".into() }
    }
}

/// The locks of one workspace.
#[derive(Debug)]
pub struct Locks {
    workspace: Workspace,
    settings: LockSettings,
}

impl Locks {
    /// The locks of `workspace`. Nothing is opened yet.
    pub fn new(workspace: &Workspace, settings: LockSettings) -> Self {
        Locks { workspace: workspace.clone(), settings }
    }

    /// Starts a chain. It borrows the locks until its last guard is gone.
    pub fn begin(&mut self) -> Order<'_, Start> {
        Order::start(self)
    }
}

/// Proof that a lock is held exclusively: functions that write take `&impl Writing`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not allow writing",
    note = "an exclusive guard of the file's lock is needed"
)]
pub trait Writing: private::Sealed {}

mod private {
    /// Keeps the proof unforgeable.
    pub trait Sealed {}
}

/// Shared or exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Shared,
    Exclusive,
}

/// A single exclusive lock outside the order of the workspace, for stores that have one file only.
#[derive(Debug)]
pub struct Single(file::Held);

impl Single {
    /// Takes the exclusive lock at `path`; waits and fails as the locks of a workspace do.
    pub fn take(path: &Path, settings: &LockSettings) -> Result<Single> {
        Ok(Single(file::Held::take(path, Mode::Exclusive, settings)?))
    }

    /// Gives the lock up for as long as it takes those who wait to notice.
    pub fn let_others_in(self) {
        drop(self);
        std::thread::sleep(file::LONGEST_PAUSE * 2);
    }

    /// The lock file.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl private::Sealed for Single {}
impl Writing for Single {}
