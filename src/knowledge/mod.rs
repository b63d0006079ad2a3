//! The Markdown knowledge base, `govrag`.
//!
//! The pages are the truth; everything else is derived from them and can be made again at any time.
//! [`marker`] finds the base, [`load`] reads it once, [`graph`] and [`indexes`] derive, [`check`]
//! judges, [`drift`] compares pages with the code they describe, [`edit`] changes pages in place.

pub mod check;
pub mod code;
pub mod document;
pub mod drift;
pub mod edit;
pub mod git;
pub mod graph;
pub mod graph_view;
pub mod indexes;
pub mod install;
pub mod load;
pub mod managed;
pub mod marker;
pub mod names;
pub mod query;
pub mod read;
pub mod resolve;
pub mod scaffold;
pub mod schema;
pub mod stats;
pub mod tokens;
pub mod view;
pub mod walk;

pub use code::Code;
pub use document::Page;
pub use load::Base;
pub use marker::Marker;
