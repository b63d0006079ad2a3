//! Markdown as text: front matter, sections, links, slugs, sanitising. No input or output.
//!
//! Every position handed out is a byte range of the whole document, whatever line endings or byte
//! order mark it has; [`position::LineIndex`] turns it into a line and a column.

pub mod anchor;
pub mod body;
pub mod decode;
pub mod front_matter;
pub mod links;
pub mod position;
pub mod sanitize;
pub mod sections;
pub mod slug;
pub mod target;

pub use body::{Body, scan};
pub use front_matter::FrontMatter;
pub use position::{LineIndex, Position};
