//! Pages changed in place: moved, acknowledged, brought up to date with the code.
//!
//! Every operation is planned in memory first and written afterwards, each file whole or not at all.

pub mod ack;
pub mod moves;
pub mod update;

use std::ops::Range;

/// `source` with these replacements; overlapping ones after the first are left out.
pub(crate) fn splice(source: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    edits.dedup();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    for (span, text) in edits {
        let Some(kept) = source.get(at..span.start) else { continue };
        out.push_str(kept);
        out.push_str(&text);
        at = span.end;
    }
    out.push_str(source.get(at..).unwrap_or_default());
    out
}
