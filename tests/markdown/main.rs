//! The cases collected from public trackers, each by its number.
#![expect(clippy::panic, reason = "a failed step is a failed test")]

mod anchors;
mod front_matter;
mod links;
