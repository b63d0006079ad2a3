//! Arguments of the signed trail.

use clap::{Args, Subcommand};

/// The signed trail.
#[derive(Debug, Subcommand)]
pub enum Audit {
    /// Verify every signature and the chain
    Verify(AuditVerify),
    /// Create the first key and sign the trail's first event (an operator's act)
    Bootstrap,
    /// Rotate the key
    Rotate,
    /// Adopt or reopen the chain, with a signed reason (an operator's act)
    Reseal(Reason),
    /// Accept a clock that stands behind the trail, with a signed reason
    AcceptClock(Reason),
}

/// `audit verify`
#[derive(Debug, Args)]
pub struct AuditVerify {
    /// A chain head noted earlier; the trail must contain it
    #[arg(long, value_name = "HEAD")]
    pub anchor: Option<String>,
}

/// A reason that is signed.
#[derive(Debug, Args)]
pub struct Reason {
    /// Why
    #[arg(long)]
    pub reason: String,
}
