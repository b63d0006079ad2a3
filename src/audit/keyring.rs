//! Where keys come from: the trait of both keyrings, and what is derived from it.
//!
//! A keyring fails closed: whatever goes wrong is ERR-295-16. None creates a key by itself; only
//! bootstrap and rotation write, by compare-and-set on the version.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::key::Key;
use super::signer::Signer;
use crate::base::{Code, Error, Instant, Result};

/// The key that signs now, with its version (from 1).
#[derive(Clone, Debug)]
pub struct CurrentKey {
    /// Version as the keyring counts it.
    pub version: u64,
    /// The key.
    pub key: Arc<Key>,
}

/// What became of a compare-and-set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// The new key is in force under this version.
    Done(u64),
    /// Somebody else wrote first; nothing was changed.
    Lost,
}

/// A source of audit keys.
pub trait Keyring: Send + Sync {
    /// What it is and where, for messages; never a secret.
    fn describe(&self) -> String;

    /// The current key, read anew; `None` when the keyring is reachable and holds none.
    fn read_current(&self) -> Result<Option<CurrentKey>>;

    /// The keys ever in force under `version`: none if unknown, more than one only where an
    /// operator let a keyring count again from 1.
    fn by_version(&self, version: u64) -> Result<Vec<Arc<Key>>>;

    /// Keeps `current` where [`Keyring::by_version`] will find it after a replacement. Idempotent.
    fn archive(&self, current: &CurrentKey, at: Instant) -> Result<()>;

    /// Puts `key` in force if the current version is still `expected` (0: there is none), under a
    /// version above `above`.
    fn replace(&self, expected: u64, key: &Key, at: Instant, above: u64) -> Result<Replaced>;

    /// The current key; its absence is ERR-295-16 with the way to bootstrap.
    fn current(&self) -> Result<CurrentKey> {
        self.read_current()?.ok_or_else(|| {
            unavailable(crate::tr!("aucune clé d'audit dans {}", "no audit key in {}", self.describe())).hint(
                crate::tr!(
                    "un opérateur la crée : govmem audit bootstrap",
                    "an operator creates it: govmem audit bootstrap"
                ),
            )
        })
    }
}

/// ERR-295-16.
pub fn unavailable(message: impl Into<String>) -> Error {
    Error::memory(Code::AuditKeyUnavailable, message)
}

/// Signers by version, asked of the keyring once per process and version.
pub struct Verifier<'k> {
    keyring: &'k dyn Keyring,
    known: Mutex<HashMap<u64, Arc<[Signer]>>>,
}

impl<'k> Verifier<'k> {
    /// A verifier over `keyring`.
    pub fn new(keyring: &'k dyn Keyring) -> Self {
        Verifier { keyring, known: Mutex::default() }
    }

    /// A verifier that has the current key in hand. Errors: ERR-295-16.
    pub fn with_current(keyring: &'k dyn Keyring) -> Result<Self> {
        let verifier = Verifier::new(keyring);
        verifier.remember(&keyring.current()?);
        Ok(verifier)
    }

    /// The signers of `version`; empty when the keyring does not know it.
    pub fn signers(&self, version: u64) -> Result<Arc<[Signer]>> {
        // Held while the keyring is asked: several cores meet a new version at once.
        let mut known = self.lock();
        if let Some(found) = known.get(&version) {
            return Ok(found.clone());
        }
        let keys = self.keyring.by_version(version)?;
        let signers: Arc<[Signer]> = keys.iter().map(|k| Signer::new(k)).collect();
        known.insert(version, signers.clone());
        Ok(signers)
    }

    /// Adds a key already in hand, so that it is not asked for again.
    pub fn remember(&self, current: &CurrentKey) {
        self.lock().entry(current.version).or_insert_with(|| [Signer::new(&current.key)].into());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Arc<[Signer]>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
