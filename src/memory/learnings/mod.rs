//! Lessons: recorded, imported, searched with their reuse scores.

pub mod feed;
pub mod foreign;
pub mod lessons;
pub mod library;
pub mod search;
