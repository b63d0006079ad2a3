//! Verified events, streamed in order: what scores and reports read.
//!
//! Only lines that parse and whose signature verifies with the key version they name are handed on,
//! and of these only consistent ones. The chain plays no part here.

use rayon::prelude::*;

use super::blocks::{Block, Blocks, Line};
use super::canonical;
use super::envelope::Envelope;
use super::files::{self, TrailPaths};
use super::keyring::{Keyring, Verifier};
use super::signer::Signer;
use crate::base::Result;

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
    // Even an empty trail needs the key: without one nothing that follows could be signed.
    let current = keyring.current()?;
    let verifier = Verifier::new(keyring);
    verifier.remember(&current);
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

type Checked<'b> = (Line<'b>, std::result::Result<Envelope<'b>, Bad>);

/// The lines of a block, parsed and verified.
pub(super) fn check_block<'b>(block: &'b Block, verifier: &Verifier<'_>) -> Result<Vec<Checked<'b>>> {
    check_lines(&block.lines(), verifier)
}

/// Parses and verifies lines on all cores, keeping their order.
fn check_lines<'b>(lines: &[Line<'b>], verifier: &Verifier<'_>) -> Result<Vec<Checked<'b>>> {
    let parsed: Vec<_> = lines.par_iter().map(|line| Envelope::parse(line.bytes)).collect();
    let mut versions: Vec<(u64, std::sync::Arc<[Signer]>)> = Vec::new();
    for e in parsed.iter().flatten() {
        if versions.iter().all(|(v, _)| *v != e.key_version) {
            versions.push((e.key_version, verifier.signers(e.key_version)?));
        }
    }
    let signers_of = |version| versions.iter().find(|(v, _)| *v == version).map(|(_, s)| &s[..]);
    Ok(lines
        .par_iter()
        .zip(parsed)
        .map_init(Vec::new, |scratch, (line, parsed)| {
            let checked = match parsed {
                Ok(e) => verify(&e, signers_of(e.key_version).unwrap_or(&[]), scratch).map(|()| e),
                Err(reason) => Err(Bad::Line(reason)),
            };
            (*line, checked)
        })
        .collect())
}

fn verify(e: &Envelope<'_>, signers: &[Signer], scratch: &mut Vec<u8>) -> std::result::Result<(), Bad> {
    if signers.is_empty() {
        return Err(Bad::Key(e.key_version));
    }
    scratch.clear();
    canonical::write_signed_part(scratch, e);
    match signers.iter().any(|s| s.verify(scratch, &e.signature_hmac_sha256)) {
        true => Ok(()),
        false => Err(Bad::Signature),
    }
}
