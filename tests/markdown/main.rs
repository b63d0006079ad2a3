//! The cases collected from public trackers, each by its number.

mod anchors;
mod front_matter;
mod links;
