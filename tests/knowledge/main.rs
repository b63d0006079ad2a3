//! The knowledge base, end to end.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "helpers of tests: a broken world is a failed test, and a skipped one must say so"
)]

mod bases;
mod cases;
mod checkouts;
mod checks;
mod commands;
mod data;
mod golden;
mod histories;
mod numbers;
mod odd_files;
mod reliability;
mod symbolic_links;
mod tokens;
mod world;
