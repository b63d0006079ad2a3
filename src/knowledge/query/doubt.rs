//! Which references of an answer's pages drifted; judged for these pages alone, for judging the whole
//! base would cost more than the answer.

use crate::base::Result;
use crate::knowledge::drift::{Ledger, State, judge};
use crate::knowledge::{Base, Marker, Page};

/// The references of `pages` (sorted by path) that changed in more than white space or are gone: page
/// and reference.
///
/// # Errors
/// An input error of the ledger.
pub fn drifted(marker: &Marker, pages: &[Page]) -> Result<Vec<(String, String)>> {
    let doubtful: Vec<Page> = pages.iter().filter(|p| !p.meta.impl_refs.is_empty()).cloned().collect();
    if doubtful.is_empty() {
        return Ok(Vec::new());
    }
    let ledger = Ledger::read(&marker.home)?;
    let base = Base { pages: doubtful, ..Base::empty(marker.clone()) };
    let drift = judge(&base, &ledger, |_| true);
    let told = drift.verdicts.into_iter().filter(|v| match &v.state {
        State::Changed(changed) => !changed.whitespace_only,
        State::Missing(_) => true,
        State::Fresh | State::Unknown(_) => false,
    });
    Ok(told.map(|v| (v.page, v.text)).collect())
}
