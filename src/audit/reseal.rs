//! Reseal: an operator takes the trail as it stands and builds its chain anew.
//!
//! No line is changed or removed; invalid ones stay visible to verification. A torn end is set aside,
//! the old sidecar is kept under another name, and a signed `chain_resealed` says what was found.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Seek, Write};
use std::path::PathBuf;

use super::blocks::Blocks;
use super::chain::{Checkpoint, Entry, GENESIS, Record, link};
use super::envelope::Envelope;
use super::event::Event;
use super::files::{self, TrailPaths};
use super::keyring::Keyring;
use super::operator::required;
use super::signer::Signer;
use super::trail::{CLOCK_TOLERANCE_S, Receipt, Trail, TrailLock};
use super::verify::{ChainState, VerifyReport, verify};
use super::vocabulary::EventName;
use crate::base::error::IoContext;
use crate::base::{Code, Error, Instant, Result};
use crate::store::{atomic, open};

/// What a reseal did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resealed {
    /// Lines adopted.
    pub lines: u64,
    /// Files kept: the old sidecar, torn bytes.
    pub kept: Vec<PathBuf>,
    /// The signed event.
    pub receipt: Receipt,
}

/// Builds the chain anew over the trail as it stands and signs `chain_resealed`.
///
/// Errors: refused (exit 2) without a reason or when the chain is intact; ERR-295-14 when the clock is
/// behind the trail; those of [`Trail::open`].
pub fn reseal(
    paths: &TrailPaths,
    keyring: &dyn Keyring,
    now: Instant,
    reason: &str,
    lock: &TrailLock<'_>,
) -> Result<Resealed> {
    let reason = required(reason)?;
    let current = keyring.current()?;
    let found = verify(paths, keyring, None, &mut |_, _| ())?;
    // An intact chain that cannot be continued, because the key of its last checkpoint is lost, shows
    // as broken: the checkpoint does not verify.
    if matches!(found.chain, ChainState::Ok | ChainState::Unacknowledged) {
        return Err(Error::usage(crate::tr!("la chaîne est intacte", "the chain is intact")));
    }
    let trail = files::open_append(&paths.trail)?;
    let mut kept = Vec::new();
    let next = atomic::next_path(&paths.chain);
    let built = build(&trail, paths, &next, current.version, &Signer::new(&current.key))?;
    if let Some(last) = built.last
        && now.unix() < last.unix() - CLOCK_TOLERANCE_S
    {
        return Err(Error::memory(
            Code::ClockIncoherent,
            crate::tr!(
                "l'horloge ({now}) est en retard sur la trace ({last})",
                "the clock ({now}) is behind the trail ({last})"
            ),
        ));
    }
    if built.torn {
        kept.push(files::set_aside(&trail, &paths.trail, built.bytes, now)?);
    }
    if paths.chain.symlink_metadata().is_ok() {
        kept.push(keep_old(paths, now)?);
    }
    atomic::promote_next(&paths.chain, lock)?;
    let mut trail = Trail::open(paths, keyring, now, lock)?;
    let event = Event::audit(EventName::ChainResealed, now)
        .with_detail("before", &summary(&found))
        .with_detail("after", &trail.head())
        .with_detail("reason", reason);
    let receipt = trail.append(&[event])?;
    Ok(Resealed { lines: built.lines, kept, receipt })
}

struct Built {
    lines: u64,
    bytes: u64,
    torn: bool,
    last: Option<Instant>,
}

/// Writes the new sidecar durably to `next`.
fn build(trail: &File, paths: &TrailPaths, next: &PathBuf, version: u64, signer: &Signer) -> Result<Built> {
    match std::fs::remove_file(next) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(Error::io(next, &e)),
        _ => {}
    }
    let out = open::regular(next, OpenOptions::new().write(true).create_new(true)).at(next)?;
    let mut out = BufWriter::with_capacity(1 << 20, out);
    let mut at = trail;
    at.rewind().at(&paths.trail)?;
    let mut blocks = Blocks::new(trail, &paths.trail, 0, 1, u64::MAX);
    let mut built = Built { lines: 0, bytes: 0, torn: false, last: None };
    let (mut head, mut record) = (GENESIS, Vec::new());
    while let Some(block) = blocks.next()? {
        for line in block.lines() {
            if !line.whole {
                built.torn = true;
                break;
            }
            head = link(&head, line.bytes);
            built.lines = line.number;
            built.bytes = line.offset + line.bytes.len() as u64 + 1;
            if let Ok(e) = Envelope::parse(line.bytes) {
                built.last = Some(e.instant());
            }
            record.clear();
            Record::Entry(Entry { n: line.number, len: line.bytes.len() as u64, h: head }).write(&mut record);
            out.write_all(&record).at(next)?;
        }
    }
    let at = built.last.unwrap_or(Instant::from_unix(0));
    record.clear();
    let checkpoint = Checkpoint::sign(built.lines, built.bytes, head, at, version, signer);
    Record::Checkpoint(checkpoint).write(&mut record);
    out.write_all(&record).at(next)?;
    let out = out.into_inner().map_err(|e| Error::io(next, e.error()))?;
    out.sync_all().at(next)?;
    Ok(built)
}

/// Gives the old sidecar a second name, which stays when the new one takes its place.
fn keep_old(paths: &TrailPaths, now: Instant) -> Result<PathBuf> {
    let mut n = 1;
    loop {
        let mut name = paths.chain.as_os_str().to_owned();
        name.push(format!(".before-{}", now.compact()));
        if n > 1 {
            name.push(format!(".{n}"));
        }
        let kept = PathBuf::from(name);
        match std::fs::hard_link(&paths.chain, &kept) {
            Ok(()) => return Ok(kept),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists && n < 10_000 => n += 1,
            Err(e) => return Err(Error::io(&kept, &e)),
        }
    }
}

/// What was found, in a line for the event.
fn summary(found: &VerifyReport) -> String {
    let state = match found.chain {
        ChainState::Absent => "absent",
        _ => "broken",
    };
    let first = found.invalid.first().map(|f| format!(", line {}: {}", f.line, f.reason));
    let sidecar = found.chain_finding.as_ref().map(|f| format!(", sidecar line {}: {}", f.line, f.reason));
    format!("{state}{}{}", first.unwrap_or_default(), sidecar.unwrap_or_default())
}
