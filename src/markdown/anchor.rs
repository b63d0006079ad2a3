//! Heading anchors as GitHub makes them.
//!
//! A letter, mark, decimal digit, connector or hyphen stays, a space becomes a hyphen, everything
//! else goes; nothing is collapsed, accents stay, case is folded. A repeated anchor gets `-1`, `-2`.
//! Short codes such as `:zap:` keep their letters, as they do on GitHub.

use std::sync::LazyLock;

use regex::Regex;
use rustc_hash::FxHashMap;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

static DROPPED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\- ]").ok());

/// The anchor of a heading's plain text, before numbering.
pub fn slug(text: &str) -> String {
    if text.is_ascii() {
        return text
            .bytes()
            .filter_map(|b| match b {
                b' ' => Some('-'),
                b'-' | b'_' => Some(char::from(b)),
                b if b.is_ascii_alphanumeric() => Some(char::from(b.to_ascii_lowercase())),
                _ => None,
            })
            .collect();
    }
    let lower = text.to_lowercase();
    match DROPPED.as_ref() {
        Some(dropped) => dropped.replace_all(&lower, "").replace(' ', "-"),
        None => lower.replace(' ', "-"),
    }
}

/// The form in which anchors are compared: NFC, so that a decomposed heading and a composed link
/// meet.
pub fn key(anchor: &str) -> String {
    if is_nfc_quick(anchor.chars()) == IsNormalized::Yes { anchor.to_owned() } else { anchor.nfc().collect() }
}

/// Numbers the anchors of one document.
#[derive(Clone, Debug, Default)]
pub struct Slugger {
    seen: FxHashMap<String, usize>,
}

impl Slugger {
    /// The anchor of the next heading.
    pub fn anchor(&mut self, text: &str) -> String {
        let base = slug(text);
        let mut anchor = base.clone();
        while self.seen.contains_key(&anchor) {
            let count = self.seen.entry(base.clone()).or_insert(0);
            *count += 1;
            anchor = format!("{base}-{count}");
        }
        self.seen.insert(anchor.clone(), 0);
        anchor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn github_rules() {
        for (text, anchor) in [
            ("Le prétérit", "le-prétérit"),
            ("L'aoriste", "laoriste"),
            ("foo-----bar", "foo-----bar"),
            ("Émoji ⚡\u{fe0f} x", "émoji-\u{fe0f}-x"),
            (":zap: vite", "zap-vite"),
            ("a_b (c) §2.1", "a_b-c-21"),
            ("x²", "x"),
        ] {
            assert_eq!(slug(text), anchor, "{text}");
        }
    }

    #[test]
    fn repeats_are_numbered_and_never_meet_a_real_one() {
        let mut s = Slugger::default();
        let all: Vec<_> = ["a", "a", "a-1", "a", "A"].iter().map(|t| s.anchor(t)).collect();
        assert_eq!(all, ["a", "a-1", "a-1-1", "a-2", "a-3"]);
    }
}
