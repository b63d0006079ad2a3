//! B4 and the operator's acts: the life of a lesson.
//!
//! - [`state`]: the closed state machine (pure);
//! - [`plan`]: what one run would change (pure);
//! - [`job`]: `learnings-promote`, one step a run, every change signed;
//! - [`git`]: what the migration asks of version control;
//! - [`leak`]: where a leaked text stands (pure);
//! - [`mod@restore`], [`mod@redact`]: an operator's acts on one lesson.
//!
//! The file is the state. A change is written beside the file, then signed in the trail, then put in
//! place: after a crash in between, the next run repeats it.

pub mod change;
pub mod git;
pub mod job;
pub mod leak;
pub mod plan;
pub mod redact;
pub mod restore;
pub mod state;

pub use job::{Options, Promotion, promote};
pub use plan::{Move, Plan};
pub use redact::{Redaction, redact};
pub use restore::{Restored, restore};
pub use state::{By, Facts, State};
