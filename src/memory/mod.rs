//! The governance memory of PD-295: three sources, found, injected at step 0, and traced.
//!
//! - [`corpus`]: records ↔ vectors of one source.
//! - [`veille`], [`clarifications`], [`learnings`]: the three sources.
//! - [`block`]: the Markdown of step 0, pure; [`injection`]: the steps of B5, in order.
//! - [`facts`]: what reports are computed from; [`kpi`], [`morning`], [`report`]: the reports.
//! - [`reuse`]: B3, scores from verified events; [`lifecycle`]: B4 and the operator's acts on lessons;
//!   [`retention`]: the end of clarifications.
//! - [`index`]: the indexing runs; [`init`], [`status`], [`doctor`]: the workspace as a whole.

pub mod block;
pub mod clarifications;
pub mod corpus;
pub mod doctor;
pub mod document;
pub mod excluded;
pub mod facts;
pub mod field_map;
pub mod forget;
pub mod gates;
pub mod ids;
pub mod import;
pub mod index;
pub mod init;
pub mod injection;
pub mod install;
pub mod kpi;
pub mod learnings;
pub mod lifecycle;
pub mod listing;
pub mod lookup;
pub mod morning;
pub mod query;
pub mod report;
pub mod retention;
pub mod reuse;
pub mod search;
pub mod secrets;
pub mod status;
pub mod tree;
pub mod tree_walk;
pub mod veille;

use crate::audit::Keyring;
use crate::base::config::Config;
use crate::base::{Clock, ModelIdentity, Result};
use crate::embed::Embedder;
use crate::store::Workspace;
use crate::store::lock::{LockSettings, Locks};

/// Opens the configured embedder; called at most when vectors are needed.
pub type OpenEmbedder<'a> = Box<dyn Fn() -> Result<Box<dyn Embedder>> + Send + Sync + 'a>;
/// Says which model the configured embedder has, without a long wait; called by reports.
pub type ProbeEmbedder<'a> = Box<dyn Fn() -> Result<ModelIdentity> + Send + Sync + 'a>;
/// Opens the configured keyring; called at most when events are signed or verified.
pub type OpenKeyring<'a> = Box<dyn Fn() -> Result<Box<dyn Keyring>> + Send + Sync + 'a>;

/// A workspace with what its commands need. Nothing is opened before it is used.
pub struct Memory<'a> {
    /// Where everything lies.
    pub workspace: Workspace,
    /// `govmem.toml` and the environment.
    pub config: Config,
    /// Time.
    pub clock: &'a dyn Clock,
    /// What a process waiting for our locks is told.
    pub command: String,
    /// The embedder.
    pub open_embedder: OpenEmbedder<'a>,
    /// Whether it would open.
    pub probe_embedder: ProbeEmbedder<'a>,
    /// The keyring.
    pub open_keyring: OpenKeyring<'a>,
}

impl Memory<'_> {
    /// The locks of the workspace, none of them taken.
    pub fn locks(&self) -> Locks {
        Locks::new(&self.workspace, LockSettings::of(&self.config, &self.command))
    }

    /// The embedder, opened now.
    ///
    /// # Errors
    /// ERR-295-02 when none is configured or reachable.
    pub fn embedder(&self) -> Result<Box<dyn Embedder>> {
        (self.open_embedder)()
    }

    /// The keyring, opened now.
    ///
    /// # Errors
    /// ERR-295-16.
    pub fn keyring(&self) -> Result<Box<dyn Keyring>> {
        (self.open_keyring)()
    }
}
