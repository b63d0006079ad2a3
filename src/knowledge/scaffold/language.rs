//! The language of a repository: French or English, by its prose. Pure.

use whatlang::{Detector, Lang as Found};

use crate::base::lang::Lang;

/// The language in which most of these texts are written; English when nothing can be told.
pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Lang {
    let detector = Detector::with_allowlist(vec![Found::Eng, Found::Fra]);
    let (mut french, mut english) = (0usize, 0usize);
    for text in texts {
        let prose = prose(text);
        if prose.len() < 40 {
            continue;
        }
        match detector.detect_lang(&prose) {
            Some(Found::Fra) => french += prose.len(),
            Some(_) => english += prose.len(),
            None => {}
        }
    }
    if french > english { Lang::Fr } else { Lang::En }
}

/// A text without its code, at most 4,000 characters.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let mut out = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && !line.starts_with("    ") {
            out.push_str(line);
            out.push(' ');
        }
        if out.len() > 4_000 {
            break;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn french_and_english() {
        let fr = "Ce dépôt contient le service de connexion des utilisateurs et ses tests.";
        let en = "This repository holds the login service of the shop and its tests.";
        assert_eq!(of([fr]), Lang::Fr);
        assert_eq!(of([en]), Lang::En);
        assert_eq!(of([fr, en, en]), Lang::En);
        assert_eq!(of([]), Lang::En);
    }
}
