//! `govrag`: arguments and rendering.

use std::process::ExitCode;

/// Runs `govrag` with the process arguments.
pub fn govrag() -> ExitCode {
    ExitCode::from(2)
}
