//! `rag.md`, the norm in the project's own words, beside `.rag`.

use std::path::Path;

use crate::base::Result;
use crate::base::error::IoContext;
use crate::base::lang::Lang;
use crate::knowledge::managed::{Comment, State, stamp, state};
use crate::knowledge::read;
use crate::store::atomic;

/// The name of the file.
pub const NAME: &str = "rag.md";

/// The norm in a language, as written to disk.
pub fn text(lang: Lang) -> String {
    let body = match lang {
        Lang::Fr => include_str!("templates/rag.fr.md"),
        Lang::En => include_str!("templates/rag.en.md"),
    };
    stamp(body, Comment::Markdown)
}

/// Puts the norm into `home` unless a team changed it; says how the file stood before.
///
/// # Errors
/// An input or output error.
pub fn write(home: &Path, lang: Lang) -> Result<State> {
    let path = home.join(NAME);
    let found = match read::bytes(&path) {
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
        Err(e) => return Err(e).at(&path),
    };
    // Either language is the norm: an unchanged file of this version stays.
    let other = text(if lang == Lang::Fr { Lang::En } else { Lang::Fr });
    if found.as_deref().is_some_and(|f| f == other) {
        return Ok(State::Current);
    }
    let wanted = text(lang);
    let before = state(found.as_deref(), &wanted);
    if matches!(before, State::Missing | State::Behind) {
        atomic::replace_unlocked(&path, wanted.as_bytes())?;
    }
    Ok(before)
}
