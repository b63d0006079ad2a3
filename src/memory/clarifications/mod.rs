//! B2: the product owner's answers, recorded verbatim, collected, searched by domain and project.

pub mod collect;
pub mod foreign;
pub mod form;
pub mod import;
pub mod record;
pub mod search;
pub mod spec;
