//! The cases collected from public trackers, each by its number.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests: what does not parse is a failed test"
)]
#![expect(clippy::panic, reason = "a failed step is a failed test")]

mod anchors;
mod front_matter;
mod links;
