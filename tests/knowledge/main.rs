//! The knowledge base, end to end.

mod data;
mod tokens;
