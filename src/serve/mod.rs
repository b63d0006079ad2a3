//! The service over [`crate::retrieval`]: MCP on two streams or over HTTP, a plain HTTP API, and the
//! record of the daemon.
//!
//! ```text
//! backend (questions and answers) ← mcp, http ← guard (who may ask, how much) ← listen (sockets)
//! daemon (who serves), token (who may ask)
//! ```
//!
//! Read-only: nothing here writes to an index. Streams, addresses and directories come in as
//! arguments; the types of the protocol libraries stay inside this room.

pub mod backend;
pub mod daemon;
mod depth;
mod guard;
mod http;
mod instructions;
mod lines;
mod listen;
mod mcp;
mod scout;
pub mod token;

pub use backend::Backend;
pub use instructions::gaps_of as gaps;
pub use listen::{Server, Settings};
pub use mcp::stdio;
pub use token::Token;
