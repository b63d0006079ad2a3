//! `govrag init`, `query` and `install` through the binary, on generated and handed repositories.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a failed step is a failed test")]

mod init;
mod install;
mod merge;
mod query;
mod repositories;
mod world;
