//! `govfind` through its binary and its library.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should stop with the line")]

#[path = "../support/model.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod model;

mod at_work;
mod bad_input;
mod chunk_limits;
mod collections;
mod damage;
mod fetching;
mod fixtures;
mod hooks;
mod kept;
mod lost_output;
mod meaning;
mod odd_files;
mod parallel;
mod searching;
mod updating;
mod weights;
mod world;
