//! The knowledge base, end to end.

mod bases;
mod checks;
mod commands;
mod data;
mod golden;
mod histories;
mod tokens;
mod world;
