//! Whole-trail verification: every line parsed strictly, its signature checked with the key version
//! it names, its place checked against the chain.
//!
//! No lock is taken: the chain is read first, then the trail's size, then what the chain gained
//! meanwhile, so that a writer at work never looks like tampering.

use std::fs::File;
use std::os::unix::fs::MetadataExt;

use rayon::prelude::*;

use super::blocks::{Blocks, Line};
use super::chain::{GENESIS, Link, link};
use super::envelope::Envelope;
use super::events::{Bad, check_block};
use super::files::{self, TrailPaths};
use super::findings::{Finding, Reason, diagnose};
use super::keyring::{Keyring, Verifier};
use super::ledger::Ledger;
use crate::base::error::IoContext;
use crate::base::{Error, Instant, Result};

/// Findings listed one by one; the rest is only counted.
const LISTED: usize = 1000;

/// The state of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChainState {
    /// Every line is acknowledged and in place.
    Ok,
    /// A trail without sidecar.
    Absent,
    /// The rest of a crash, or a write under way, follows the last checkpoint.
    Unacknowledged,
    /// Lines were changed, removed, moved, added, or the sidecar was.
    Broken,
}

/// What verification found.
#[derive(Clone, Debug, serde::Serialize)]
pub struct VerifyReport {
    /// Whole lines.
    pub events: u64,
    /// Lines that parse and whose signature verifies.
    pub valid: u64,
    /// What is wrong, in the order of the trail; at most 1,000 are listed.
    pub invalid: Vec<Finding>,
    /// How many things are wrong.
    pub invalid_total: u64,
    /// Signed events whose count is not the number of their ids; nothing counts them.
    pub inconsistent: u64,
    /// The chain.
    pub chain: ChainState,
    /// What is wrong in the sidecar itself; line and offset are the sidecar's.
    pub chain_finding: Option<Finding>,
    /// Entries after the last checkpoint.
    pub unacknowledged: u64,
    /// The chain's head, hex; absent with the chain.
    pub head: Option<String>,
    /// Acknowledged lines, and when the last was written.
    pub acknowledged: u64,
    /// Instant of the last acknowledged event.
    pub acknowledged_at: Option<Instant>,
    /// The key versions that signed, ascending.
    pub key_versions: Vec<u64>,
    /// With an anchor: the line it stands after, or none when this trail never had that head.
    pub anchor: Option<AnchorState>,
}

/// What became of an anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AnchorState {
    /// The head after this line.
    Found(u64),
    /// This trail does not contain it: both files were rolled back or replaced.
    Missing,
}

impl VerifyReport {
    /// Whether nothing is wrong. The rest of a crash is nothing wrong.
    pub fn is_good(&self) -> bool {
        let chain = matches!(self.chain, ChainState::Ok | ChainState::Unacknowledged);
        self.invalid_total == 0 && chain && self.anchor != Some(AnchorState::Missing)
    }

    /// What this verification could not have seen.
    pub fn blind_spot(&self) -> String {
        match self.anchor {
            Some(_) => crate::tr!(
                "HMAC est symétrique : qui détient la clé peut avoir réécrit la trace",
                "HMAC is symmetric: whoever holds the key may have rewritten the trail"
            ),
            None => crate::tr!(
                "un retour en arrière des deux fichiers ensemble ne se voit qu'avec --anchor ; qui détient la clé peut avoir réécrit la trace",
                "a rollback of both files together shows only with --anchor; whoever holds the key may have rewritten the trail"
            ),
        }
    }

    fn add(&mut self, finding: Finding) {
        self.invalid_total += 1;
        if self.invalid.len() < LISTED {
            self.invalid.push(finding);
        }
    }
}

/// Verifies the trail. `anchor` is a head noted earlier, 64 hex digits; `progress` is told bytes done
/// and bytes in all.
///
/// Errors: ERR-295-16 when keys cannot be asked for; wrong usage for a malformed anchor; input/output.
/// Whatever is wrong with the trail is in the report.
pub fn verify(
    paths: &TrailPaths,
    keyring: &dyn Keyring,
    anchor: Option<&str>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<VerifyReport> {
    let anchor = anchor.map(parse_head).transpose()?;
    let (report, ()) = attempt(paths, keyring, anchor.as_ref(), progress, || (), |(), _| {})?;
    Ok(report)
}

/// Verifies the trail and hands the events that [`super::verified_events`] would to `visit`, in one
/// reading; `begin` makes what they are gathered in.
///
/// Errors: as [`verify`].
pub fn verify_and_gather<G>(
    paths: &TrailPaths,
    keyring: &dyn Keyring,
    begin: impl Fn() -> G,
    visit: impl Fn(&mut G, &Envelope<'_>),
) -> Result<(VerifyReport, G)> {
    attempt(paths, keyring, None, &mut |_, _| {}, begin, visit)
}

fn attempt<G>(
    paths: &TrailPaths,
    keyring: &dyn Keyring,
    anchor: Option<&Link>,
    progress: &mut dyn FnMut(u64, u64),
    begin: impl Fn() -> G,
    visit: impl Fn(&mut G, &Envelope<'_>),
) -> Result<(VerifyReport, G)> {
    let verifier = Verifier::with_current(keyring)?;
    let mut attempts = 0;
    loop {
        let before = stamp(paths);
        let mut gathered = begin();
        let report = pass(paths, &verifier, anchor, progress, &mut |e| visit(&mut gathered, e))?;
        attempts += 1;
        // A repair or a reseal may have moved things under our eyes: look again.
        if report.chain != ChainState::Broken || before == stamp(paths) || attempts == 3 {
            return Ok((report, gathered));
        }
    }
}

/// Identity and size of both files.
fn stamp(paths: &TrailPaths) -> [Option<(u64, u64)>; 2] {
    [&paths.trail, &paths.chain].map(|p| p.symlink_metadata().ok().map(|m| (m.ino(), m.len())))
}

fn parse_head(text: &str) -> Result<Link> {
    let mut head = GENESIS;
    hex::decode_to_slice(text.trim(), &mut head).map_err(|_| {
        Error::usage(crate::tr!(
            "une ancre est une tête de chaîne : 64 chiffres hexadécimaux",
            "an anchor is a chain head: 64 hex digits"
        ))
        .hint(crate::tr!("`govmem morning` l'affiche", "`govmem morning` prints it"))
    })?;
    Ok(head)
}

fn pass(
    paths: &TrailPaths,
    verifier: &Verifier<'_>,
    anchor: Option<&Link>,
    progress: &mut dyn FnMut(u64, u64),
    visit: &mut dyn FnMut(&Envelope<'_>),
) -> Result<VerifyReport> {
    let chain = files::open_read(&paths.chain)?;
    let mut ledger = Ledger::default();
    let read_chain = |ledger: &mut Ledger| match &chain {
        Some(file) => ledger.read_to(file, &paths.chain, files::size(file, &paths.chain)?, verifier),
        None => Ok(()),
    };
    read_chain(&mut ledger)?;
    let acknowledged_before = ledger.acknowledged();
    let trail = files::open_read(&paths.trail)?;
    let size = trail.as_ref().map_or(Ok(0), |file| files::size(file, &paths.trail))?;
    read_chain(&mut ledger)?;
    let mut state = State {
        report: VerifyReport {
            events: 0,
            valid: 0,
            invalid: Vec::new(),
            invalid_total: 0,
            inconsistent: 0,
            chain: ChainState::Ok,
            chain_finding: ledger.problem.clone(),
            unacknowledged: ledger.claims.len() as u64 - ledger.acknowledged(),
            head: chain.is_some().then(|| hex::encode(ledger.head())),
            acknowledged: ledger.acknowledged(),
            acknowledged_at: ledger.checkpoint.as_ref().filter(|c| c.count > 0).map(|c| c.instant),
            key_versions: Vec::new(),
            anchor: anchor.map(|head| find_anchor(&ledger, head)),
        },
        chained: chain.is_some(),
        ledger,
        acknowledged_before,
        off_chain: false,
        rest: false,
        lines: 0,
    };
    if let Some(file) = &trail {
        state.read_trail(file, paths, size, verifier, progress, visit)?;
    }
    Ok(state.finish(size))
}

fn find_anchor(ledger: &Ledger, head: &Link) -> AnchorState {
    if *head == GENESIS {
        return AnchorState::Found(0);
    }
    let place = ledger.claims.par_iter().position_last(|c| c.h == *head);
    place.map_or(AnchorState::Missing, |i| AnchorState::Found(i as u64 + 1))
}

struct State {
    report: VerifyReport,
    ledger: Ledger,
    chained: bool,
    /// Lines acknowledged before the trail's size was taken.
    acknowledged_before: u64,
    /// A line was not in its place; the places of later lines mean nothing.
    off_chain: bool,
    /// The rest of a crash was reached.
    rest: bool,
    lines: u64,
}

impl State {
    fn read_trail(
        &mut self,
        file: &File,
        paths: &TrailPaths,
        size: u64,
        verifier: &Verifier<'_>,
        progress: &mut dyn FnMut(u64, u64),
        visit: &mut dyn FnMut(&Envelope<'_>),
    ) -> Result<()> {
        use std::io::Seek;
        let mut file_at = file;
        file_at.rewind().at(&paths.trail)?;
        let mut blocks = Blocks::new(file, &paths.trail, 0, 1, size);
        let mut last_version = 0;
        let mut block = blocks.next()?;
        while let Some(this) = block {
            let (following, checked) = rayon::join(
                || blocks.next(),
                || {
                    let checked = check_block(&this, verifier)?;
                    let in_place: Vec<bool> = checked.par_iter().map(|(l, _)| self.in_place(l)).collect();
                    Ok::<_, Error>((checked, in_place))
                },
            );
            let (checked, in_place) = checked?;
            for (i, (line, outcome)) in checked.iter().enumerate() {
                let next = checked.get(i + 1).map(|(line, _)| line.bytes);
                if let Ok(e) = outcome
                    && line.whole
                    && e.is_consistent()
                {
                    visit(e);
                }
                // What follows a crash is not judged; its events count like all that verify.
                if !self.rest {
                    self.take(line, outcome, in_place[i], next, &mut last_version);
                }
            }
            progress(this.offset + this.bytes.len() as u64, size);
            drop(checked);
            block = following?;
        }
        Ok(())
    }

    /// Whether the line is, byte for byte and at this offset, the one its entry claims.
    fn in_place(&self, line: &Line<'_>) -> bool {
        match (self.ledger.before(line.number), self.ledger.claim(line.number)) {
            (Some(before), Some(claim)) => {
                let end = line.offset + line.bytes.len() as u64 + 1;
                end == claim.end && link(&before, line.bytes) == claim.h
            }
            _ => false,
        }
    }

    fn take(
        &mut self,
        line: &Line<'_>,
        outcome: &std::result::Result<Envelope<'_>, Bad>,
        in_place: bool,
        next: Option<&[u8]>,
        last_version: &mut u64,
    ) {
        let claimed = line.number <= self.ledger.claims.len() as u64;
        let follows = self.chained && !self.off_chain;
        if !line.whole {
            // Below the acknowledged count this is a truncation, told at the end.
            let acknowledged = follows && line.number <= self.acknowledged_before;
            self.rest = follows && claimed && !acknowledged;
            if !acknowledged && !self.rest {
                self.report.add(Finding::new(line.number, line.offset, Reason::Torn));
            }
            return;
        }
        let acknowledged = line.number <= self.ledger.acknowledged();
        if follows && claimed && !acknowledged && !in_place {
            self.rest = true;
            return;
        }
        self.lines = line.number;
        self.report.events += 1;
        if let Err(reason) = self.judge(outcome, last_version) {
            self.report.add(Finding::new(line.number, line.offset, reason));
        }
        if follows && !in_place && (claimed || self.ledger.problem.is_none()) {
            let reason = match claimed {
                true => diagnose(&self.ledger, line.number, line.bytes, next),
                false => Reason::Unchained,
            };
            self.report.add(Finding::new(line.number, line.offset, reason));
            self.off_chain = true;
        }
    }

    fn judge(
        &mut self,
        outcome: &std::result::Result<Envelope<'_>, Bad>,
        last_version: &mut u64,
    ) -> std::result::Result<(), Reason> {
        let e = match outcome {
            Ok(e) => e,
            Err(Bad::Line(why)) => return Err(Reason::InvalidLine(why.clone())),
            Err(Bad::Key(version)) => return Err(Reason::UnknownKeyVersion(*version)),
            Err(Bad::Signature) => return Err(Reason::InvalidSignature),
        };
        self.report.valid += 1;
        self.report.inconsistent += u64::from(!e.is_consistent());
        if let Err(i) = self.report.key_versions.binary_search(&e.key_version) {
            self.report.key_versions.insert(i, e.key_version);
        }
        if e.key_version < *last_version {
            return Err(Reason::KeyVersionDecreases);
        }
        *last_version = e.key_version;
        Ok(())
    }

    fn finish(mut self, size: u64) -> VerifyReport {
        let missing = self.acknowledged_before.saturating_sub(self.lines);
        let truncated = self.chained && !self.off_chain && missing > 0;
        if truncated {
            let end = self.ledger.claim(self.lines).map_or(0, |c| c.end);
            self.report.add(Finding::new(self.lines + 1, end, Reason::Truncated(missing)));
        }
        let begun = self.report.unacknowledged > 0 || self.ledger.torn || self.rest;
        self.report.chain = match () {
            () if !self.chained && size > 0 => ChainState::Absent,
            () if truncated || self.off_chain || self.ledger.problem.is_some() => ChainState::Broken,
            () if begun => ChainState::Unacknowledged,
            () => ChainState::Ok,
        };
        self.report
    }
}
