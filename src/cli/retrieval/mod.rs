//! `govfind`: arguments and rendering.

use std::process::ExitCode;

/// Runs `govfind` with the process arguments.
pub fn govfind() -> ExitCode {
    ExitCode::from(2)
}
