//! What verification finds: where, and why.

use std::fmt;

use super::chain::link;
use super::ledger::Ledger;

/// How far a displaced line is looked for, in lines.
const NEIGHBOURHOOD: u64 = 2000;

/// Something wrong at a place.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// Line, from 1.
    pub line: u64,
    /// Byte offset of the line.
    pub offset: u64,
    /// Why.
    pub reason: Reason,
}

impl Finding {
    pub(super) fn new(line: u64, offset: u64, reason: Reason) -> Self {
        Finding { line, offset, reason }
    }
}

/// Why a line, or the chain, does not hold. Printed as a word, a colon and particulars where there
/// are any; machine output carries the same text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The line does not parse.
    InvalidLine(String),
    /// The keyring does not know the key version the line names.
    UnknownKeyVersion(u64),
    /// No key of the version it names signed it.
    InvalidSignature,
    /// A line before it was signed by a later version.
    KeyVersionDecreases,
    /// A last line without newline that no write under way explains.
    Torn,
    /// The line differs from what was acknowledged; the next one stands in its place.
    Edited,
    /// So many acknowledged lines are missing here.
    Deleted(u64),
    /// A line that was never acknowledged stands here.
    Inserted,
    /// This line and the next changed places.
    Swapped,
    /// A copy of that earlier line stands here.
    Replayed(u64),
    /// The line is not the acknowledged one, nor one of its neighbours.
    Altered,
    /// The trail ends before so many acknowledged lines.
    Truncated(u64),
    /// The line has no entry in the chain.
    Unchained,
    /// A record of the sidecar is malformed.
    ChainMalformed,
    /// A record of the sidecar does not follow the one before.
    ChainOutOfOrder,
    /// A checkpoint's signature does not verify.
    CheckpointSignature,
    /// A checkpoint contradicts the entries before it.
    CheckpointMismatch,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::InvalidLine(why) => write!(f, "invalid_line: {why}"),
            Reason::UnknownKeyVersion(v) => write!(f, "unknown_key_version: {v}"),
            Reason::InvalidSignature => f.write_str("invalid_signature"),
            Reason::KeyVersionDecreases => f.write_str("key_version_decreases"),
            Reason::Torn => f.write_str("torn"),
            Reason::Edited => f.write_str("edited"),
            Reason::Deleted(n) => write!(f, "deleted: {n} lines missing here"),
            Reason::Inserted => f.write_str("inserted"),
            Reason::Swapped => f.write_str("swapped: with the next line"),
            Reason::Replayed(n) => write!(f, "replayed: a copy of line {n}"),
            Reason::Altered => f.write_str("altered"),
            Reason::Truncated(n) => write!(f, "truncated: {n} acknowledged lines missing"),
            Reason::Unchained => f.write_str("unchained"),
            Reason::ChainMalformed => f.write_str("chain_malformed"),
            Reason::ChainOutOfOrder => f.write_str("chain_out_of_order"),
            Reason::CheckpointSignature => f.write_str("checkpoint_signature"),
            Reason::CheckpointMismatch => f.write_str("checkpoint_mismatch"),
        }
    }
}

impl serde::Serialize for Reason {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

/// Says what happened where line `n` of the trail, followed by `next`, is not the acknowledged one.
pub(super) fn diagnose(ledger: &Ledger, n: u64, line: &[u8], next: Option<&[u8]>) -> Reason {
    let stands_as = |line: &[u8], n: u64| match (ledger.before(n), ledger.claim(n)) {
        (Some(before), Some(claim)) => link(&before, line) == claim.h,
        _ => false,
    };
    let after = ledger.acknowledged().min(n + NEIGHBOURHOOD);
    if let Some(later) = (n + 1..=after).find(|j| stands_as(line, *j)) {
        let swapped = later == n + 1 && next.is_some_and(|next| stands_as(next, n));
        return if swapped { Reason::Swapped } else { Reason::Deleted(later - n) };
    }
    if let Some(earlier) = (n.saturating_sub(NEIGHBOURHOOD).max(1)..n).rev().find(|j| stands_as(line, *j)) {
        return Reason::Replayed(earlier);
    }
    match next {
        Some(next) if stands_as(next, n) => Reason::Inserted,
        Some(next) if stands_as(next, n + 1) => Reason::Edited,
        None if n == ledger.acknowledged() => Reason::Edited,
        _ => Reason::Altered,
    }
}
