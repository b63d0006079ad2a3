//! The governance memory through its binaries: step 0 from real documents to a verified trail.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed step is a failed test")]

#[path = "../support/space.rs"]
mod space;

mod block;
mod clarify;
mod feed;
mod flow;
mod lookalikes;
mod real_input;
mod searches;
