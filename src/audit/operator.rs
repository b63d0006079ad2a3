//! An operator's acts on the trail: bootstrap, and accepting a clock that is behind.
//!
//! Each is explicit, takes the trail's exclusive lock, and leaves a signed event.

use super::envelope::Envelope;
use super::event::Event;
use super::files::{self, TrailPaths};
use super::key::Key;
use super::keyring::{Keyring, Replaced};
use super::trail::{CLOCK_TOLERANCE_S, Receipt, Trail, TrailLock};
use super::vocabulary::EventName;
use crate::base::{Error, Instant, Result, secret};

/// What bootstrap did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bootstrapped {
    /// The key version that signs from here on.
    pub version: u64,
    /// Whether the key was made now; otherwise the keyring held it already.
    pub created: bool,
    /// The signed event.
    pub receipt: Receipt,
}

/// Puts a first key into use: makes one if the keyring holds none, raises its version above the
/// trail's last if the keyring counts anew, and signs `audit_bootstrapped`. Safe to run again after a
/// crash.
///
/// Errors: refused (exit 2) when the trail already signs with this key; those of [`Trail::open`].
pub fn bootstrap(
    paths: &TrailPaths,
    keyring: &dyn Keyring,
    now: Instant,
    lock: &TrailLock<'_>,
) -> Result<Bootstrapped> {
    let last = last_event(paths)?.map_or(0, |(_, version)| version);
    let (expected, key, created) = match keyring.read_current()? {
        Some(current) if current.version == last => {
            return Err(Error::usage(crate::tr!(
                "la trace signe déjà avec la version {last} de la clé",
                "the trail already signs with key version {last}"
            ))
            .hint(crate::tr!(
                "pour changer de clé : govmem audit rotate",
                "to change the key: govmem audit rotate"
            )));
        }
        Some(current) if current.version > last => (None, current.key, false),
        Some(current) => (Some(current.version), current.key, false),
        None => (Some(0), Key::generate()?.into(), true),
    };
    if let Some(expected) = expected
        && keyring.replace(expected, &key, now, last)? == Replaced::Lost
    {
        return Err(lost());
    }
    let mut trail = Trail::open(paths, keyring, now, lock)?;
    let version = trail.key_version();
    let event = Event::audit(EventName::AuditBootstrapped, now).with_detail("after", &version.to_string());
    let receipt = trail.append(&[event])?;
    Ok(Bootstrapped { version, created, receipt })
}

/// Signs a `clock_reset`, after which events may be dated from now on again.
///
/// Errors: refused (exit 2) without a reason or when the clock is not behind.
pub fn accept_clock(
    paths: &TrailPaths,
    keyring: &dyn Keyring,
    now: Instant,
    reason: &str,
    lock: &TrailLock<'_>,
) -> Result<Receipt> {
    let reason = required(reason)?;
    let mut trail = Trail::open(paths, keyring, now, lock)?;
    match trail.last_instant() {
        Some(last) if now.unix() < last.unix() - CLOCK_TOLERANCE_S => {
            let event = Event::audit(EventName::ClockReset, now)
                .with_detail("before", &last.to_string())
                .with_detail("after", &now.to_string())
                .with_detail("reason", reason);
            trail.append(&[event])
        }
        _ => Err(Error::usage(crate::tr!(
            "l'horloge n'est pas en retard sur la trace",
            "the clock is not behind the trail"
        ))),
    }
}

/// A reason that says something.
pub(super) fn required(reason: &str) -> Result<&str> {
    let reason = reason.trim();
    if reason.is_empty() || reason.chars().count() > 500 {
        return Err(Error::usage(crate::tr!(
            "une raison de 1 à 500 caractères est exigée",
            "a reason of 1 to 500 characters is required"
        ))
        .hint("--reason \"…\""));
    }
    if let Some(found) = secret::scan(reason).first() {
        let rule = found.rule;
        return Err(Error::usage(crate::tr!(
            "la raison contient un secret ({rule}) ; rien n'a été signé",
            "the reason holds a secret ({rule}); nothing was signed"
        ))
        .hint(crate::tr!("la raison reste dans la trace", "the reason stays in the trail")));
    }
    Ok(reason)
}

/// A compare-and-set that came second.
pub(super) fn lost() -> Error {
    Error::usage(crate::tr!(
        "une autre opération a changé la clé entre-temps ; rien n'a été signé ici",
        "another operation changed the key meanwhile; nothing was signed here"
    ))
    .hint(crate::tr!(
        "vérifiez avec `govmem audit verify` avant de relancer",
        "check with `govmem audit verify` before running again"
    ))
}

/// Instant and key version of the last line that parses as an event, unverified: a lower bound for
/// new versions, never a proof.
pub(super) fn last_event(paths: &TrailPaths) -> Result<Option<(Instant, u64)>> {
    let Some(file) = files::open_read(&paths.trail)? else { return Ok(None) };
    let line = files::last_line(&file, &paths.trail)?;
    Ok(line.and_then(|line| Envelope::parse(&line).ok().map(|e| (e.instant(), e.key_version))))
}
