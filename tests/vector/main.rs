//! Index sets: FAISS against an exact oracle, commits killed between any two steps, corruption.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop with the line")]

#[path = "../support/seeded.rs"]
mod seeded;

mod commit;
mod corruption;
mod oracle;
mod support;
