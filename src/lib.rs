//! govmem: governance memory, Markdown knowledge base and local document search in one library.
//!
//! # Map of the house
//!
//! Seven floors; a room may use the rooms below it, never one beside or above it:
//!
//! | floor | rooms |
//! |---|---|
//! | doors | `bin/` (a few lines each) |
//! | command lines | [`cli`]: arguments → settings → call → render; the only printer |
//! | service | [`serve`]: MCP and HTTP over `retrieval` |
//! | systems | [`memory`] (PD-295), [`knowledge`] (govrag), [`retrieval`] (govfind); they do not know each other |
//! | engines | [`embed`], [`vector`], [`guard`], [`audit`], [`assistants`] |
//! | files | [`store`] (records, locks), [`markdown`] (no I/O) |
//! | ground | [`base`] |
//!
//! `tests/house` checks these rules. The library never prints, never exits, and reads neither the
//! environment nor the clock by itself.

pub mod base;

pub mod markdown;
pub mod store;

pub mod assistants;
pub mod audit;
pub mod embed;
pub mod guard;
pub mod vector;

pub mod knowledge;
pub mod memory;
pub mod retrieval;

pub mod serve;

pub mod cli;
