//! `govfind` through its binary and its library.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should stop with the line")]

mod bad_input;
mod collections;
mod damage;
mod fetching;
mod hooks;
mod meaning;
mod parallel;
mod searching;
mod updating;
mod world;
