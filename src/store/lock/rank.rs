//! The one order of the locks, as types.
//!
//! `R: After<L>` says that lock `R` may be taken by whoever last took `L`. The relation is strict and
//! total along the list below; nothing else implements it.

/// A lock of the order.
pub trait Rank: sealed::Sealed + Send + Sync + 'static {
    /// The lock file, relative to `data/`.
    const FILE: &'static str;
}

/// `Self` comes strictly after `L` in the order of the locks.
#[diagnostic::on_unimplemented(
    message = "lock `{Self}` may not be taken after `{L}`",
    note = "the order is reindex, gate, learnings, scores, veille, clarifications, state, trail"
)]
pub trait After<L>: Rank {}

/// A lock of record files, taken inside the gate.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a lock of records")]
pub trait Record: Rank {}

/// A lock taken outside the gate.
#[diagnostic::on_unimplemented(message = "`{Self}` is a lock of records: pass the gate first")]
pub trait Free: Rank {}

/// Nothing is held.
#[derive(Debug)]
pub enum Start {}

macro_rules! ranks {
    ($($(#[$doc:meta])* $name:ident = $file:literal $(, $class:ident)?;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub enum $name {}
            impl sealed::Sealed for $name {}
            impl Rank for $name { const FILE: &'static str = $file; }
            $(impl $class for $name {})?
            impl After<Start> for $name {}
        )*
        ranks!(@order $($name)*);
    };
    (@order $first:ident $($rest:ident)*) => {
        $(impl After<$first> for $rest {})*
        ranks!(@order $($rest)*);
    };
    (@order) => {};
}

ranks! {
    /// Index, collect, reindex and purge exclude each other.
    Reindex = "reindex.lock", Free;
    /// The turnstile before the record locks.
    Turnstile = "gate.lock";
    /// `learnings.jsonl` and its index set.
    Learnings = "learnings.jsonl.lock", Record;
    /// `learnings-scores.jsonl` and `metrics.jsonl`, from which scores are computed.
    Scores = "learnings-scores.jsonl.lock", Record;
    /// `veille.jsonl` and its index set.
    Veille = "veille.jsonl.lock", Record;
    /// `clarifications.jsonl` and its index set.
    Clarifications = "clarifications.jsonl.lock", Record;
    /// Limiter, idempotency, caches.
    State = ".state/state.lock", Free;
    /// The signed trail and its chain.
    Trail = "learnings-injections.jsonl.lock", Free;
}

mod sealed {
    /// Keeps the order closed.
    pub trait Sealed {}
}
