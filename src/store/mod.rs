//! Records on disk: schemas, JSON lines, atomic replacement, locks, and where everything lies.
//!
//! Every function that writes a shared file takes the lock guard that allows it ([`lock::Writing`]).
//! Nothing here knows what a record means to the systems above.

pub mod atomic;
pub mod inside;
pub mod jsonl;
pub mod layout;
pub mod lock;
pub mod open;
pub mod schema;
mod settings;
pub mod strict;

pub use layout::{Source, Workspace};
pub use lock::{LockSettings, Locks, Writing};
