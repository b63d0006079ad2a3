//! B3: how often a lesson was reused, and with what outcome.
//!
//! `brut` is the sum, over the distinct stories that received a lesson at step 0 (its own excluded),
//! of what became of each story; the score is `tanh(brut / 10)`. Only events whose signature
//! verifies count. A score is an association: it never says that an injection caused an outcome.
//!
//! - [`outcome`]: what a story is worth, from its gate-8 records (pure);
//! - [`part`]: counting from the events of a part of the trail, and [`tally`]: adding parts up (pure);
//! - [`figures`]: what is known of one lesson, and its score line (pure);
//! - [`lessons`]: which lines of `learnings.jsonl` count;
//! - [`lines`]: the lines of the score file, unchanged ones byte for byte;
//! - [`job`]: the run under its locks.

pub mod figures;
mod interned;
pub mod job;
pub mod lessons;
pub mod lines;
pub mod outcome;
pub mod part;
mod received;
pub mod tally;

pub use figures::Figures;
pub use job::{Report, score};
pub use lessons::{Lesson, Lessons};
pub use outcome::Outcomes;
pub use part::Part;
pub use tally::{Measured, Tally};
