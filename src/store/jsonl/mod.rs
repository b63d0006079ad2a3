//! JSON lines on disk: snapshots, appends, rewrites.
//!
//! A file is UTF-8, one object a line, each line ended by `\n`. What lies after the last `\n` was
//! never acknowledged: readers report it as torn, the next writer moves it aside. A line that a
//! rewrite does not change keeps its bytes.

mod append;
mod rewrite;
mod scan;
mod snapshot;

pub use append::{Appended, append};
pub use rewrite::{Out, rewrite, stage};
pub use scan::{Place, Scanned, scan};
pub use snapshot::{Fault, Line, MAX_LINE, Snapshot, Torn};
