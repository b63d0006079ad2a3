//! Index sets: FAISS against an exact oracle, commits killed between any two steps, corruption.

mod commit;
mod corruption;
mod oracle;
mod support;
