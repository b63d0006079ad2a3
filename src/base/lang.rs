//! The two languages of every message, and the macro that holds both texts side by side.
//!
//! The command line chooses once, at start; the library only asks. Fixed strings of the contracts
//! ("aucun résultat" …) never pass through here.

use std::sync::atomic::{AtomicU8, Ordering};

/// A language of the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    /// English.
    En,
    /// French.
    Fr,
}

static CURRENT: AtomicU8 = AtomicU8::new(0);

impl Lang {
    /// Reads `fr`, `fr_FR.UTF-8`, `en`, `en-GB` …; other locales are `None`.
    pub fn from_locale(tag: &str) -> Option<Lang> {
        let head = tag.split(['_', '-', '.', '@']).next().unwrap_or("");
        match head.to_ascii_lowercase().as_str() {
            "fr" => Some(Lang::Fr),
            "en" | "c" | "posix" => Some(Lang::En),
            _ => None,
        }
    }

    /// `fr` or `en`.
    pub fn tag(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::Fr => "fr",
        }
    }
}

/// The language chosen for this process; English until [`set`] is called.
pub fn current() -> Lang {
    if CURRENT.load(Ordering::Relaxed) == 1 { Lang::Fr } else { Lang::En }
}

/// Chooses the language of this process's messages.
pub fn set(lang: Lang) {
    CURRENT.store(u8::from(lang == Lang::Fr), Ordering::Relaxed);
}

/// `tr!("texte {x}", "text {x}")`: formats the French or the English text, as [`current`] says.
#[macro_export]
macro_rules! tr {
    ($fr:literal, $en:literal $(, $($arg:tt)*)?) => {
        match $crate::base::lang::current() {
            $crate::base::lang::Lang::Fr => format!($fr $(, $($arg)*)?),
            $crate::base::lang::Lang::En => format!($en $(, $($arg)*)?),
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales() {
        assert_eq!(Lang::from_locale("fr_CA.UTF-8"), Some(Lang::Fr));
        assert_eq!(Lang::from_locale("en-GB"), Some(Lang::En));
        assert_eq!(Lang::from_locale("C.UTF-8"), Some(Lang::En));
        assert_eq!(Lang::from_locale("de_DE"), None);
    }
}
