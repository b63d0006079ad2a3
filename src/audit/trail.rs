//! The signed trail: opening it for appending, repairing what a crash left, and the append itself.
//!
//! An append is: chain entries (fsync) → lines (fsync) → signed checkpoint (fsync) → acknowledged.
//! Whatever lies after the last checkpoint was never acknowledged: whole lines that keep their
//! entries are adopted, torn bytes are set aside, entries without a line are voided. Anything a crash
//! cannot explain refuses the append; only an operator's reseal goes on from there.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use super::chain::{Checkpoint, Entry, Link, Record, link};
use super::envelope::Envelope;
use super::event::Event;
use super::files::{self, TrailPaths};
use super::keyring::{CurrentKey, Keyring, Verifier, unavailable};
use super::signed::Signed;
use super::signer::Signer;
use super::tail::{self, Tail};
use super::vocabulary::EventName;
use crate::base::{Code, Error, Instant, Result};
use crate::store::lock::{self, Exclusive, Guard};

/// How far the clock may lie behind the trail's last event, in seconds.
pub const CLOCK_TOLERANCE_S: i64 = 300;

/// The exclusive lock on the trail, which whoever appends must hold.
pub type TrailLock<'l> = Guard<'l, lock::Trail, Exclusive>;

/// What an append made durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Number of the first line of this append, from 1.
    pub first_line: u64,
    /// Lines of the trail now.
    pub count: u64,
    /// Bytes of the trail now.
    pub bytes: u64,
    /// The chain's head now, hex.
    pub head: String,
}

/// What opening repaired.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// Whole lines after the last checkpoint, adopted.
    pub adopted: u64,
    /// Entries whose lines never came, voided.
    pub voided: u64,
    /// Files that keep torn bytes.
    pub kept: Vec<PathBuf>,
}

/// A trail open for appending.
#[derive(Debug)]
pub struct Trail<'l> {
    paths: TrailPaths,
    trail: File,
    chain: File,
    version: u64,
    signer: Signer,
    count: u64,
    bytes: u64,
    head: Link,
    last: Option<(Instant, u64)>,
    repair: Repair,
    failed: bool,
    lock: std::marker::PhantomData<&'l ()>,
}

impl<'l> Trail<'l> {
    /// Opens the trail, creating it when absent, and repairs what a crash left. The cost is that of
    /// the last append, not of the trail.
    ///
    /// Errors: ERR-295-16 without a key or with one older than the trail's last; ERR-295-12 when the
    /// end of trail and chain do not agree; input/output.
    pub fn open(
        paths: &TrailPaths,
        keyring: &dyn Keyring,
        now: Instant,
        _lock: &'l TrailLock<'_>,
    ) -> Result<Self> {
        let current = keyring.current()?;
        let verifier = Verifier::new(keyring);
        verifier.remember(&current);
        let chain_there = paths.chain.symlink_metadata().is_ok();
        let trail = files::open_append(&paths.trail)?;
        if !chain_there && files::size(&trail, &paths.trail)? > 0 {
            return Err(broken(
                paths,
                &crate::tr!("la chaîne {} est absente", "the chain {} is absent", paths.chain.display()),
            ));
        }
        let chain = files::open_append(&paths.chain)?;
        let tail = tail::read(&chain, &paths.chain)?;
        let mut open = Trail {
            paths: paths.clone(),
            trail,
            chain,
            version: current.version,
            signer: Signer::new(&current.key),
            count: tail.count(),
            bytes: tail.bytes(),
            head: tail.head(),
            last: None,
            repair: Repair::default(),
            failed: false,
            lock: std::marker::PhantomData,
        };
        open.check_checkpoint(&tail, &verifier)?;
        open.recover(&tail, &verifier, now)?;
        open.check_version(&current)?;
        Ok(open)
    }

    /// Signs and appends `events`; they are on disk and chained when this returns.
    ///
    /// Errors: ERR-295-14 when an event lies more than 300 s before the trail's last one (a
    /// `clock_reset` may); ERR-295-12 when the trace is not on disk, after which this trail takes no
    /// more.
    pub fn append(&mut self, events: &[Event]) -> Result<Receipt> {
        self.append_signed(events, Signed::new(events, self.version, &self.signer))
    }

    /// Appends `events`, which were signed before the trail was opened; signed again should the key have
    /// changed meanwhile.
    ///
    /// Errors: as [`Trail::append`].
    pub fn append_signed(&mut self, events: &[Event], signed: Signed) -> Result<Receipt> {
        if self.failed {
            return Err(trace_failed(crate::tr!(
                "une écriture précédente a échoué",
                "an earlier write failed"
            )));
        }
        self.check_clock(events)?;
        let signed = match signed.version == self.version && signed.count() == events.len() {
            true => signed,
            false => Signed::new(events, self.version, &self.signer),
        };
        let first_line = self.count + 1;
        let last = events.last().map(|e| (e.at(), self.version)).or(self.last);
        if events.is_empty() {
            return Ok(self.receipt(first_line));
        }
        let mut entries = Vec::new();
        let (mut count, mut bytes, mut head) = (self.count, self.bytes, self.head);
        for line in signed.lines() {
            head = link(&head, line);
            count += 1;
            bytes += line.len() as u64 + 1;
            Record::Entry(Entry { n: count, len: line.len() as u64, h: head }).write(&mut entries);
        }
        // Until the checkpoint is down this trail is in an unknown state.
        self.failed = true;
        let chain_size = files::size(&self.chain, &self.paths.chain)?;
        write_durably(&mut self.chain, &entries, chain_size)
            .map_err(|e| trace_failed(Error::io(&self.paths.chain, &e).message()))?;
        if let Err(e) = self.write_lines(&signed, chain_size) {
            return Err(trace_failed(Error::io(&self.paths.trail, &e).message()));
        }
        (self.count, self.bytes, self.head, self.last) = (count, bytes, head, last);
        self.checkpoint(&[])?;
        self.failed = false;
        Ok(self.receipt(first_line))
    }

    /// Puts lines on disk whose entries stand in the chain. What fails is undone as far as that goes:
    /// entries without their lines are voided by the next writer, lines without entries would be taken
    /// for tampering.
    fn write_lines(&mut self, signed: &Signed, chain_size: u64) -> std::io::Result<()> {
        if let Err(e) = signed.write(&mut self.trail) {
            if self.trail.set_len(self.bytes).is_ok() {
                let _ = self.chain.set_len(chain_size);
            }
            return Err(e);
        }
        self.trail.sync_data().inspect_err(|_| {
            // Whether they are on disk is unknown. Their entries stay: a loss of power may bring the
            // lines back.
            let _ = self.trail.set_len(self.bytes);
        })
    }

    /// Lines of the trail.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The chain's head, hex; 64 zeros before the first line.
    pub fn head(&self) -> String {
        hex::encode(self.head)
    }

    /// The last event's instant.
    pub fn last_instant(&self) -> Option<Instant> {
        self.last.map(|(at, _)| at)
    }

    /// What opening repaired.
    pub fn repair(&self) -> &Repair {
        &self.repair
    }

    /// The key version that signs.
    pub fn key_version(&self) -> u64 {
        self.version
    }

    fn receipt(&self, first_line: u64) -> Receipt {
        Receipt { first_line, count: self.count, bytes: self.bytes, head: self.head() }
    }

    /// Whether `events` may be dated as they are.
    ///
    /// # Errors
    /// ERR-295-14.
    pub(super) fn check_clock(&self, events: &[Event]) -> Result<()> {
        let Some((last, _)) = self.last else { return Ok(()) };
        let first = events.iter().filter(|e| e.name() != EventName::ClockReset).map(Event::at).min();
        let reset = events.first().is_some_and(|e| e.name() == EventName::ClockReset);
        match first {
            Some(at) if !reset && at.unix() < last.unix() - CLOCK_TOLERANCE_S => Err(Error::memory(
                Code::ClockIncoherent,
                crate::tr!(
                    "l'horloge ({at}) est en retard de {} s sur le dernier événement de la trace ({last})",
                    "the clock ({at}) is {} s behind the trail's last event ({last})",
                    last.unix() - at.unix()
                ),
            )
            .hint(crate::tr!(
                "corrigez l'horloge, ou acceptez-la : govmem audit accept-clock --reason …",
                "set the clock right, or accept it: govmem audit accept-clock --reason …"
            ))),
            _ => Ok(()),
        }
    }

    fn check_version(&self, current: &CurrentKey) -> Result<()> {
        match self.last {
            Some((_, last)) if current.version < last => Err(unavailable(crate::tr!(
                "la version {} de la clé est antérieure à la dernière de la trace ({last})",
                "key version {} is older than the trail's last ({last})",
                current.version
            ))
            .hint(crate::tr!(
                "le porte-clés a été restauré ou ses versions recommencent : govmem audit bootstrap",
                "the keyring was restored or counts its versions anew: govmem audit bootstrap"
            ))),
            _ => Ok(()),
        }
    }

    /// The last checkpoint is genuine and the trail reaches it with the line it names.
    fn check_checkpoint(&mut self, tail: &Tail, verifier: &Verifier<'_>) -> Result<()> {
        if let Some(at) = tail.malformed_at {
            return Err(broken(
                &self.paths,
                &crate::tr!("chaîne malformée à l'octet {at}", "malformed chain at byte {at}"),
            ));
        }
        let Some(checkpoint) = &tail.checkpoint else { return Ok(()) };
        if !checkpoint.verify(verifier)? {
            return Err(broken(
                &self.paths,
                &crate::tr!(
                    "le dernier point de contrôle n'est pas signé par la clé de version {}",
                    "the last checkpoint is not signed by the key of version {}",
                    checkpoint.key_version
                ),
            ));
        }
        let size = files::size(&self.trail, &self.paths.trail)?;
        if size < self.bytes {
            return Err(broken(
                &self.paths,
                &crate::tr!(
                    "la trace est tronquée : {size} octets sur {} confirmés",
                    "the trail is truncated: {size} of {} acknowledged bytes",
                    self.bytes
                ),
            ));
        }
        if self.count == 0 {
            return Ok(());
        }
        let from = self.bytes.checked_sub(tail.last_len + 1);
        let line = match from {
            Some(from) => files::read_range(&self.trail, &self.paths.trail, from, self.bytes)?,
            None => Vec::new(),
        };
        let whole = line.split_last().filter(|(end, _)| **end == b'\n').map(|(_, line)| line);
        let Some(line) = whole.filter(|line| link(&tail.before_last, line) == self.head) else {
            return Err(broken(
                &self.paths,
                &crate::tr!(
                    "la ligne {} n'est pas celle de la chaîne",
                    "line {} is not the one of the chain",
                    self.count
                ),
            ));
        };
        // A reseal may have adopted a line that does not parse: then the checkpoint dates it.
        self.last = Some(match Envelope::parse(line) {
            Ok(e) => (e.instant(), e.key_version),
            Err(_) => (checkpoint.instant, checkpoint.key_version),
        });
        Ok(())
    }

    /// Adopts, sets aside and voids what lies after the last checkpoint.
    fn recover(&mut self, tail: &Tail, verifier: &Verifier<'_>, now: Instant) -> Result<()> {
        let size = files::size(&self.trail, &self.paths.trail)?;
        if size == self.bytes && tail.begun.is_empty() && tail.torn_at.is_none() {
            return Ok(());
        }
        if let Some(at) = tail.torn_at {
            let kept = files::set_aside(&self.chain, &self.paths.chain, at, now)?;
            self.repair.kept.push(kept);
        }
        let rest = files::read_range(&self.trail, &self.paths.trail, self.bytes, size)?;
        let mut rest = rest.as_slice();
        let mut begun = tail.begun.iter();
        let mut unmatched = None;
        for entry in begun.by_ref() {
            let line = usize::try_from(entry.len).ok().and_then(|len| rest.split_at_checked(len));
            match line {
                Some((line, after)) if after.first() == Some(&b'\n') && link(&self.head, line) == entry.h => {
                    self.adopt(line, verifier)?;
                    rest = &after[1..];
                }
                _ => {
                    unmatched = Some(entry.n);
                    break;
                }
            }
        }
        let mut records = Vec::new();
        if let Some(n) = unmatched {
            self.repair.voided = 1 + begun.len() as u64;
            Record::Void(n).write(&mut records);
        } else if rest.contains(&b'\n') {
            return Err(broken(
                &self.paths,
                &crate::tr!(
                    "la ligne {} n'a pas d'entrée dans la chaîne",
                    "line {} has no entry in the chain",
                    self.count + 1
                ),
            ));
        }
        if !rest.is_empty() {
            let kept = files::set_aside(&self.trail, &self.paths.trail, self.bytes, now)?;
            self.repair.kept.push(kept);
        }
        if self.repair.adopted > 0 {
            self.trail.sync_all().map_err(|e| Error::io(&self.paths.trail, &e))?;
        }
        self.checkpoint(&records)
    }

    /// Takes over a line that was written but not acknowledged. Only a genuine one: the chain alone
    /// is no proof, as anyone can compute it.
    fn adopt(&mut self, line: &[u8], verifier: &Verifier<'_>) -> Result<()> {
        let genuine = match Envelope::parse(line) {
            Ok(e) if self.last.is_none_or(|(_, version)| version <= e.key_version) => {
                let mut message = Vec::with_capacity(line.len());
                super::canonical::write_signed_part(&mut message, &e);
                self.last = Some((e.instant(), e.key_version));
                let signers = verifier.signers(e.key_version)?;
                signers.iter().any(|s| s.verify(&message, &e.signature_hmac_sha256))
            }
            _ => false,
        };
        if !genuine {
            let n = self.count + 1;
            return Err(broken(
                &self.paths,
                &crate::tr!("la ligne {n} n'est pas signée", "line {n} is not signed"),
            ));
        }
        self.head = link(&self.head, line);
        self.count += 1;
        self.bytes += line.len() as u64 + 1;
        self.repair.adopted += 1;
        Ok(())
    }

    /// Writes `records` and a checkpoint of the present state.
    fn checkpoint(&mut self, records: &[u8]) -> Result<()> {
        let mut out = records.to_vec();
        let at = self.last.map_or(Instant::from_unix(0), |(at, _)| at);
        let checkpoint = Checkpoint::sign(self.count, self.bytes, self.head, at, self.version, &self.signer);
        Record::Checkpoint(checkpoint).write(&mut out);
        let size = files::size(&self.chain, &self.paths.chain)?;
        write_durably(&mut self.chain, &out, size)
            .map_err(|e| trace_failed(Error::io(&self.paths.chain, &e).message()))
    }
}

/// One write, one fsync. A write that fails half way is cut off again (best effort: otherwise the
/// next writer sets the rest aside); a failed fsync is final and leaves the file as it is.
fn write_durably(file: &mut File, bytes: &[u8], old_size: u64) -> std::io::Result<()> {
    if let Err(e) = file.write_all(bytes) {
        let _ = file.set_len(old_size);
        return Err(e);
    }
    file.sync_data()
}

/// ERR-295-12.
fn trace_failed(message: impl Into<String>) -> Error {
    Error::memory(Code::TraceFailed, message)
}

/// ERR-295-12: trail and chain disagree in a way that no crash explains.
fn broken(paths: &TrailPaths, what: &str) -> Error {
    trace_failed(format!("{}: {what}", paths.trail.display())).hint(crate::tr!(
        "examinez avec `govmem audit verify` ; un opérateur rouvre la trace avec `govmem audit reseal --reason …`",
        "examine it with `govmem audit verify`; an operator reopens the trail with `govmem audit reseal --reason …`"
    ))
}
