//! B1: watch notes, found in the workspace, mapped to our fields, searched by impact and verdict.

pub mod collect;
pub mod import;
pub mod mapping;
pub mod scan;
pub mod search;
