//! Verified events: what scores and reports read, in order or by as many readers as there are cores.
//!
//! Only lines that parse and whose signature verifies with the key version they name are handed on,
//! and of these only consistent ones. The chain plays no part here.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::blocks::{Block, Blocks, Line};
use super::canonical;
use super::envelope::Envelope;
use super::files::{self, TrailPaths};
use super::keyring::{Keyring, Verifier};
use super::signer::Signer;
use crate::base::{Error, Result};

/// What was read and what was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// Whole lines.
    pub events: u64,
    /// Events handed on.
    pub verified: u64,
    /// Lines that do not parse.
    pub invalid_line: u64,
    /// Lines whose signature does not verify, or whose key version is unknown.
    pub invalid_signature: u64,
    /// Signed events whose count is not the number of their ids.
    pub audit_inconsistent_trace: u64,
    /// Whether a torn last line was passed over.
    pub torn: bool,
}

impl Tally {
    /// Lines that nobody can rely on: promotion refuses while there are any.
    pub fn unverifiable(&self) -> u64 {
        self.invalid_line + self.invalid_signature
    }
}

/// Why a line is not a verified event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Bad {
    /// It does not parse.
    Line(String),
    /// The keyring does not know this version.
    Key(u64),
    /// No key of the version it names signed it.
    Signature,
}

/// Hands every verified, consistent event to one of several parts, one part a core, in no order: for
/// sums. Nobody waits for anybody, so that this is the quicker way through a long trail.
///
/// Errors: ERR-295-16 when the keyring cannot be asked; input/output. An absent trail has no parts.
pub fn verified_parts<P: Send>(
    paths: &TrailPaths,
    keyring: &dyn Keyring,
    part: impl Fn() -> P + Sync,
    visit: impl Fn(&mut P, &Envelope<'_>) + Sync,
) -> Result<(Tally, Vec<P>)> {
    // Even an empty trail needs the key: without one nothing that follows could be signed.
    let verifier = Verifier::with_current(keyring)?;
    let Some(file) = files::open_read(&paths.trail)? else { return Ok((Tally::default(), Vec::new())) };
    let limit = files::size(&file, &paths.trail)?;
    let blocks = Mutex::new(Some(Blocks::new(&file, &paths.trail, 0, 1, limit)));
    // Whoever fails leaves no block for the others.
    let next = || match &mut *blocks.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(blocks) => blocks.next(),
        None => Ok(None),
    };
    let work = || -> Result<(Tally, P)> {
        let (mut tally, mut part, mut worker) = (Tally::default(), part(), Worker::default());
        while let Some(block) = next()? {
            for line in block.lines() {
                let checked = (line, worker.check(&line, &verifier)?);
                tally.take(&checked, &mut |event| visit(&mut part, event));
            }
        }
        Ok((tally, part))
    };
    let done = rayon::broadcast(|_| {
        work().inspect_err(|_| *blocks.lock().unwrap_or_else(PoisonError::into_inner) = None)
    });
    let (mut tally, mut parts) = (Tally::default(), Vec::new());
    for done in done {
        let (some, part) = done?;
        tally.add(&some);
        parts.push(part);
    }
    Ok((tally, parts))
}

/// Hands every verified, consistent event to `visit`, in the order of the trail, while the next ones
/// are read and verified.
///
/// Errors: ERR-295-16 when the keyring cannot be asked; input/output. An absent trail is empty.
pub fn verified_events(
    paths: &TrailPaths,
    keyring: &dyn Keyring,
    mut visit: impl FnMut(&Envelope<'_>) + Send,
) -> Result<Tally> {
    let mut tally = Tally::default();
    // Even an empty trail needs the key, as above.
    let verifier = Verifier::with_current(keyring)?;
    let Some(file) = files::open_read(&paths.trail)? else { return Ok(tally) };
    let limit = files::size(&file, &paths.trail)?;
    let mut blocks = Blocks::new(&file, &paths.trail, 0, 1, limit);
    let mut block = blocks.next()?;
    while let Some(this) = block {
        let lines = this.lines();
        let (following, done) =
            rayon::join(|| blocks.next(), || tally.take_all(&lines, &verifier, &mut visit));
        done?;
        block = following?;
    }
    Ok(tally)
}

impl Tally {
    /// Verifies `lines`, hands their events on and counts the rest.
    fn take_all(
        &mut self,
        lines: &[Line<'_>],
        verifier: &Verifier<'_>,
        visit: &mut (impl FnMut(&Envelope<'_>) + Send),
    ) -> Result<()> {
        let mut ready: Vec<Checked<'_>> = Vec::new();
        for lines in lines.chunks(CHUNK) {
            let (checked, ()) = rayon::join(
                || check_lines(lines, verifier),
                || ready.iter().for_each(|line| self.take(line, visit)),
            );
            ready = checked?;
        }
        ready.iter().for_each(|line| self.take(line, visit));
        Ok(())
    }

    fn add(&mut self, other: &Tally) {
        self.events += other.events;
        self.verified += other.verified;
        self.invalid_line += other.invalid_line;
        self.invalid_signature += other.invalid_signature;
        self.audit_inconsistent_trace += other.audit_inconsistent_trace;
        self.torn |= other.torn;
    }

    fn take(&mut self, (line, checked): &Checked<'_>, visit: &mut impl FnMut(&Envelope<'_>)) {
        if !line.whole {
            self.torn = true;
            return;
        }
        self.events += 1;
        match checked {
            Ok(e) if e.is_consistent() => {
                self.verified += 1;
                visit(e);
            }
            Ok(_) => self.audit_inconsistent_trace += 1,
            Err(Bad::Line(_)) => self.invalid_line += 1,
            Err(Bad::Key(_) | Bad::Signature) => self.invalid_signature += 1,
        }
    }
}

/// Lines that are handed on while as many others are being verified.
const CHUNK: usize = 1024;

type Outcome<'b> = std::result::Result<Envelope<'b>, Bad>;
type Checked<'b> = (Line<'b>, Outcome<'b>);

/// The lines of a block, parsed and verified.
pub(super) fn check_block<'b>(block: &'b Block, verifier: &Verifier<'_>) -> Result<Vec<Checked<'b>>> {
    check_lines(&block.lines(), verifier)
}

/// Parses and verifies lines on all cores, keeping their order.
fn check_lines<'b>(lines: &[Line<'b>], verifier: &Verifier<'_>) -> Result<Vec<Checked<'b>>> {
    let unasked: Mutex<Option<Error>> = Mutex::default();
    let checked = lines
        .par_iter()
        .with_min_len(32)
        .map_init(Worker::default, |worker, line| {
            let checked = worker.check(line, verifier).unwrap_or_else(|error| {
                unasked.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                Err(Bad::Signature)
            });
            (*line, checked)
        })
        .collect();
    match unasked.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(checked),
    }
}

/// What one core keeps from line to line.
#[derive(Default)]
struct Worker {
    /// The key version of the last line, and its signers.
    signers: Option<(u64, Arc<[Signer]>)>,
    scratch: Vec<u8>,
}

impl Worker {
    /// The line parsed and verified. Errors: the keyring cannot be asked.
    fn check<'b>(&mut self, line: &Line<'b>, verifier: &Verifier<'_>) -> Result<Outcome<'b>> {
        let e = match Envelope::parse(line.bytes) {
            Ok(e) => e,
            Err(why) => return Ok(Err(Bad::Line(why))),
        };
        self.turn_to(e.key_version, verifier)?;
        Ok(self.verify(&e).map(|()| e))
    }

    fn turn_to(&mut self, version: u64, verifier: &Verifier<'_>) -> Result<()> {
        if self.signers.as_ref().is_none_or(|(known, _)| *known != version) {
            self.signers = None;
            self.signers = Some((version, verifier.signers(version)?));
        }
        Ok(())
    }

    fn verify(&mut self, e: &Envelope<'_>) -> std::result::Result<(), Bad> {
        let signers = self.signers.as_ref().map_or(&[][..], |(_, signers)| signers);
        if signers.is_empty() {
            return Err(Bad::Key(e.key_version));
        }
        self.scratch.clear();
        canonical::write_signed_part(&mut self.scratch, e);
        match signers.iter().any(|s| s.verify(&self.scratch, &e.signature_hmac_sha256)) {
            true => Ok(()),
            false => Err(Bad::Signature),
        }
    }
}
