//! Locks, JSON lines and schemas on a real file system: kills, stops, torn tails, odd paths, bad input.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed step is a failed test")]

mod bad_input;
mod child;
mod crashes;
mod locks;
mod properties;
mod torn;
