//! The service as its clients see it: the same answers as the command line, by MCP and by HTTP; what
//! it refuses; its daemon; and the official clients.
#![expect(
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failed step is a failed test"
)]

mod answers;
mod assistant;
mod clients;
mod daemon;
mod hostile;
mod mcp;
mod slow;
mod world;
