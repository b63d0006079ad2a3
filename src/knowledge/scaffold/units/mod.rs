//! From the files of a repository to units of knowledge, one page each.

mod code;
mod documents;
mod rest;

pub(super) use code::imported;

use super::survey::Survey;
use super::unit::Unit;
use crate::base::lang::Lang;

/// Facts shown of one kind in a page.
const MOST: usize = 14;

/// The units of a repository, sorted by the first file they describe; `lang` is that of the few titles
/// that no source gives.
pub fn collect(survey: &Survey, lang: Lang) -> Vec<Unit> {
    let mut out = documents::units(survey);
    out.extend(code::units(survey));
    out.extend(rest::units(survey, lang));
    out.retain(|unit| !unit.refs.is_empty());
    super::narrow::narrow(&mut out, survey);
    out.sort_by(|a, b| a.refs.cmp(&b.refs).then(a.nature.cmp(&b.nature)));
    out
}
