//! The knowledge base, end to end.

mod bases;
mod checks;
mod data;
mod golden;
mod histories;
mod tokens;
mod world;
