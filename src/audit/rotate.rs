//! Rotation of the audit key: archive the old one → put the new one in force by compare-and-set →
//! read it back → sign `audit_key_rotated` with it.
//!
//! A note without a secret (the old version, the new key's fingerprint) says how far a rotation came,
//! so that running it again after a crash at any step completes it and never rotates twice.

use super::event::Event;
use super::events::verified_events;
use super::files::TrailPaths;
use super::key::Key;
use super::keyring::{Keyring, Replaced};
use super::operator::{last_event, lost};
use super::trail::{Receipt, Trail, TrailLock};
use super::vocabulary::EventName;
use crate::base::error::IoContext;
use crate::base::{Error, Instant, Result};
use crate::store::atomic;

/// The steps of a rotation, told to the observer when they are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotationStep {
    /// The note is on disk.
    Noted,
    /// The old key is archived.
    Archived,
    /// The new key is in force.
    Replaced,
    /// The keyring gave it back.
    ReadBack,
    /// The event is on disk.
    Signed,
}

/// What a rotation did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotated {
    /// The version before.
    pub from: u64,
    /// The version that signs now.
    pub to: u64,
    /// Whether it completed a rotation that was interrupted after the new key came into force.
    pub resumed: bool,
    /// The signed event; none if it was on disk already.
    pub receipt: Option<Receipt>,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Note {
    from: u64,
    key_sha256: String,
}

/// Rotates the key. `seen` is the version in force when the operator asked, read before waiting for
/// the lock: if it is no longer in force another rotation won and this one stops (exit 2).
///
/// `observe` is told each step; an error of its own stops there, as a crash would.
pub fn rotate(
    paths: &TrailPaths,
    keyring: &dyn Keyring,
    seen: u64,
    now: Instant,
    lock: &TrailLock<'_>,
    observe: &mut dyn FnMut(RotationStep) -> Result<()>,
) -> Result<Rotated> {
    let current = keyring.current()?;
    if let Some(note) = read_note(paths)? {
        if current.key.fingerprint() == note.key_sha256 {
            return finish(paths, keyring, note.from, true, now, lock, observe);
        }
        // Not ours: either our key never came into force, or somebody else's did since.
        remove_note(paths)?;
        if current.version != note.from {
            return Err(lost());
        }
    }
    if current.version != seen {
        return Err(lost());
    }
    // A trail or a clock that cannot take the event must be mended before the key changes.
    Trail::open(paths, keyring, now, lock)?.check_clock(&[Event::audit(EventName::AuditKeyRotated, now)])?;
    let key = Key::generate()?;
    write_note(paths, &Note { from: current.version, key_sha256: key.fingerprint() }, lock)?;
    observe(RotationStep::Noted)?;
    keyring.archive(&current, now)?;
    observe(RotationStep::Archived)?;
    let last = last_event(paths)?.map_or(0, |(_, version)| version);
    let Replaced::Done(to) = keyring.replace(current.version, &key, now, last.max(current.version))? else {
        remove_note(paths)?;
        return Err(lost());
    };
    observe(RotationStep::Replaced)?;
    let back = keyring.current()?;
    if back.version != to || *back.key != key {
        remove_note(paths)?;
        return Err(lost());
    }
    observe(RotationStep::ReadBack)?;
    finish(paths, keyring, current.version, false, now, lock, observe)
}

fn finish(
    paths: &TrailPaths,
    keyring: &dyn Keyring,
    from: u64,
    resumed: bool,
    now: Instant,
    lock: &TrailLock<'_>,
    observe: &mut dyn FnMut(RotationStep) -> Result<()>,
) -> Result<Rotated> {
    let mut trail = Trail::open(paths, keyring, now, lock)?;
    let to = trail.key_version();
    let mut signed = false;
    if resumed {
        verified_events(paths, keyring, |e| {
            signed |= e.event == EventName::AuditKeyRotated && e.key_version == to;
        })?;
    }
    let receipt = if signed {
        None
    } else {
        let event = Event::audit(EventName::AuditKeyRotated, now)
            .with_detail("before", &from.to_string())
            .with_detail("after", &to.to_string());
        Some(trail.append(&[event])?)
    };
    observe(RotationStep::Signed)?;
    remove_note(paths)?;
    Ok(Rotated { from, to, resumed, receipt })
}

fn read_note(paths: &TrailPaths) -> Result<Option<Note>> {
    match std::fs::read(&paths.rotation) {
        // A note that does not parse is the work of nobody here: it is not followed.
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::io(&paths.rotation, &e)),
    }
}

fn write_note(paths: &TrailPaths, note: &Note, lock: &TrailLock<'_>) -> Result<()> {
    if let Some(dir) = paths.rotation.parent() {
        std::fs::create_dir_all(dir).at(dir)?;
    }
    let text = format!("{{\"from\":{},\"key_sha256\":\"{}\"}}\n", note.from, note.key_sha256);
    atomic::replace(&paths.rotation, text.as_bytes(), lock)
}

fn remove_note(paths: &TrailPaths) -> Result<()> {
    match std::fs::remove_file(&paths.rotation) {
        Ok(()) => atomic::sync_parent(&paths.rotation),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(Error::io(&paths.rotation, &e)),
    }
}
