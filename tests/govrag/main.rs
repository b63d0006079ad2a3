//! `govrag init`, `query` and `install` through the binary, on generated and handed repositories.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed step is a failed test; an absent input is said aloud"
)]

mod failing;
mod hostile;
mod init;
mod install;
mod killed;
mod merge;
mod query;
mod repositories;
mod world;
