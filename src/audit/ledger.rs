//! The whole sidecar, read and checked: what it claims about every line of the trail.
//!
//! Reading stops at the first record that cannot stand where it stands. Checkpoints are verified on
//! all cores; the fold itself is sequential. Forty bytes a line are kept.

use std::fs::File;
use std::path::Path;

use rayon::prelude::*;

use super::blocks::{Block, Blocks, Line};
use super::chain::{Checkpoint, GENESIS, Link, Record};
use super::findings::{Finding, Reason};
use super::keyring::Verifier;
use crate::base::Result;

/// What the sidecar claims about one line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    /// Its link.
    pub h: Link,
    /// Byte offset in the trail where its newline ends.
    pub end: u64,
}

/// The claims of a sidecar.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// One a line, voided ones left out.
    pub claims: Vec<Claim>,
    /// The last checkpoint.
    pub checkpoint: Option<Checkpoint>,
    /// The first record that cannot stand where it stands; line and offset are the sidecar's.
    pub problem: Option<Finding>,
    /// The sidecar ends in the torn rest of a write.
    pub torn: bool,
    read: u64,
    records: u64,
}

impl Ledger {
    /// Acknowledged lines.
    pub fn acknowledged(&self) -> u64 {
        self.checkpoint.as_ref().map_or(0, |c| c.count)
    }

    /// Link of the last acknowledged line.
    pub fn head(&self) -> Link {
        self.checkpoint.as_ref().map_or(GENESIS, |c| c.head)
    }

    /// The link before line `n` (from 1).
    pub fn before(&self, n: u64) -> Option<Link> {
        match n {
            0 => None,
            1 => Some(GENESIS),
            _ => self.claim(n - 1).map(|c| c.h),
        }
    }

    /// The claim about line `n` (from 1).
    pub fn claim(&self, n: u64) -> Option<&Claim> {
        usize::try_from(n.checked_sub(1)?).ok().and_then(|i| self.claims.get(i))
    }

    /// Reads on from where the last call stopped to `size`.
    pub fn read_to(&mut self, file: &File, path: &Path, size: u64, verifier: &Verifier<'_>) -> Result<()> {
        use std::io::{Seek, SeekFrom};

        use crate::base::error::IoContext;
        if self.problem.is_some() || self.torn && self.read > size {
            return Ok(());
        }
        self.torn = false;
        (&*file).seek(SeekFrom::Start(self.read)).at(path)?;
        self.claims.reserve(usize::try_from(size.saturating_sub(self.read) / 340).unwrap_or(0));
        let limit = size.saturating_sub(self.read);
        let mut blocks = Blocks::new(file, path, self.read, self.records + 1, limit);
        while let Some(block) = blocks.next()? {
            for (line, record) in parse(&block, verifier)? {
                if !line.whole {
                    self.torn = true;
                    return Ok(());
                }
                // Blocks that a power failure never wrote read as zeros: torn, like a partial line.
                if record.is_none() && line.bytes.contains(&0) {
                    self.torn = true;
                    return Ok(());
                }
                if let Err(reason) = self.fold(record) {
                    self.problem = Some(Finding::new(line.number, line.offset, reason));
                    return Ok(());
                }
                self.read = line.offset + line.bytes.len() as u64 + 1;
                self.records = line.number;
            }
        }
        Ok(())
    }

    fn fold(&mut self, record: Option<(Record, bool)>) -> std::result::Result<(), Reason> {
        let count = self.claims.len() as u64;
        match record {
            None => Err(Reason::ChainMalformed),
            Some((Record::Entry(e), _)) if e.n == count + 1 => {
                let end = self.claims.last().map_or(0, |c| c.end);
                self.claims.push(Claim { h: e.h, end: end.saturating_add(e.len + 1) });
                Ok(())
            }
            Some((Record::Void(n), _)) if n > self.acknowledged() && n <= count => {
                self.claims.truncate(usize::try_from(n - 1).unwrap_or(usize::MAX));
                Ok(())
            }
            Some((Record::Checkpoint(_), false)) => Err(Reason::CheckpointSignature),
            Some((Record::Checkpoint(c), true)) => {
                let (h, end) = self.claims.last().map_or((GENESIS, 0), |c| (c.h, c.end));
                let older = self.checkpoint.as_ref().is_some_and(|old| old.key_version > c.key_version);
                if c.count != count || c.head != h || c.bytes != end || older {
                    return Err(Reason::CheckpointMismatch);
                }
                self.checkpoint = Some(c);
                Ok(())
            }
            Some(_) => Err(Reason::ChainOutOfOrder),
        }
    }
}

/// A line with its record, and for a checkpoint whether its signature verifies.
type Parsed<'b> = (Line<'b>, Option<(Record, bool)>);

fn parse<'b>(block: &'b Block, verifier: &Verifier<'_>) -> Result<Vec<Parsed<'b>>> {
    let lines = block.lines();
    let records: Vec<_> = lines.par_iter().map(|line| Record::parse(line.bytes)).collect();
    let mut versions = Vec::new();
    for record in records.iter().flatten() {
        if let Record::Checkpoint(c) = record
            && versions.iter().all(|(v, _)| *v != c.key_version)
        {
            versions.push((c.key_version, verifier.signers(c.key_version)?));
        }
    }
    Ok(lines
        .into_par_iter()
        .zip(records)
        .map(|(line, record)| {
            let record = record.map(|r| {
                let genuine = match &r {
                    Record::Checkpoint(c) => versions
                        .iter()
                        .find(|(v, _)| *v == c.key_version)
                        .is_some_and(|(_, signers)| c.verify_line(line.bytes, signers)),
                    _ => true,
                };
                (r, genuine)
            });
            (line, record)
        })
        .collect())
}
