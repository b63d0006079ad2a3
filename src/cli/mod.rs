//! The command lines: arguments → settings → call → render. The only room that prints, reads the
//! environment, installs signal handlers and chooses the exit code.

pub mod context;
pub mod cpu;
pub mod french;
pub mod manual;
pub mod output;
pub mod signals;

pub mod knowledge;
pub mod memory;
pub mod retrieval;

use std::process::ExitCode;

pub use context::{Common, Context};

/// `govmem`.
pub fn govmem() -> ExitCode {
    memory::govmem()
}

/// `step0-inject`.
pub fn step0_inject() -> ExitCode {
    memory::job("inject")
}

/// `veille-index`.
pub fn veille_index() -> ExitCode {
    memory::job("index")
}

/// `clarifications-collect`.
pub fn clarifications_collect() -> ExitCode {
    memory::job("collect")
}

/// `learnings-score`.
pub fn learnings_score() -> ExitCode {
    memory::job("score")
}

/// `learnings-promote`.
pub fn learnings_promote() -> ExitCode {
    memory::job("promote")
}

/// `govrag`.
pub fn govrag() -> ExitCode {
    knowledge::govrag()
}

/// `govfind`.
pub fn govfind() -> ExitCode {
    retrieval::govfind()
}
