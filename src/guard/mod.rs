//! Guards of step 0: sliding-window rate limit, idempotency.
//!
//! Both keep their state in `data/.state/`, replaced atomically under the exclusive state lock. The
//! rate limit is asked first.

pub mod idempotency;
pub mod rate;
mod state;

pub use idempotency::{Done, Key, Ledger, Lookup, Outcome};
pub use rate::{Rate, Refusal, Window};
