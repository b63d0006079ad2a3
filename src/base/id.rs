//! Identifiers: stories, domains, projects, learnings, content hashes.
//!
//! Each is a newtype that can only hold a valid value. `tag_hash` and `learning_id` follow PD-295
//! (memory contract, records).

use std::fmt;

use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;

/// SHA-256 of `bytes`, 64 lower-case hex digits.
pub fn sha256_hex(bytes: impl AsRef<[u8]>) -> String {
    hex::encode(Sha256::digest(bytes.as_ref()))
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $valid:path, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// The identifier, if `text` has its form.
            pub fn parse(text: &str) -> Option<Self> {
                $valid(text).then(|| $name(text.to_owned()))
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                $name::parse(text).ok_or_else(|| format!(concat!("{:?} ", $what), text))
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<str>::deserialize(d)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

text_id!(
    /// A story, `^[A-Z][A-Z0-9]*-[1-9][0-9]*$`, such as `PD-295`.
    StoryId,
    is_story,
    "is not a story identifier such as PD-42"
);
text_id!(
    /// A domain or project name, `^[a-z0-9][a-z0-9-]*$`.
    Slug,
    is_slug,
    "is not a name of lower-case letters, digits and hyphens"
);

fn is_story(text: &str) -> bool {
    let Some((head, number)) = text.split_once('-') else { return false };
    let mut head = head.bytes();
    head.next().is_some_and(|c| c.is_ascii_uppercase())
        && head.all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
        && number.bytes().next().is_some_and(|c| matches!(c, b'1'..=b'9'))
        && number.bytes().all(|c| c.is_ascii_digit())
        && text.len() <= 64
}

fn is_slug(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        && bytes.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-')
        && text.len() <= 128
}

/// SHA-256 hex of the tags: NFC, trim, lowercase, empty ones dropped, deduplicated, sorted by
/// bytes, joined by `\n`.
pub fn tag_hash<S: AsRef<str>>(tags: &[S]) -> String {
    let mut folded: Vec<String> = tags
        .iter()
        .map(|t| t.as_ref().nfc().collect::<String>().trim().to_lowercase())
        .filter(|t| !t.is_empty())
        .collect();
    folded.sort_unstable();
    folded.dedup();
    sha256_hex(folded.join("\n"))
}

/// `{story}-{gate}-{tag_hash[0..12]}`.
pub fn learning_id(story: &StoryId, gate: i64, tag_hash: &str) -> String {
    format!("{story}-{gate}-{}", tag_hash.get(..12).unwrap_or(tag_hash))
}

/// A short identifier of lower-case ASCII letters, digits and hyphens for a path or title: accents
/// dropped, everything else one hyphen. Empty when nothing remains.
pub fn ascii_slug(text: &str) -> String {
    let mut out = String::new();
    for c in text.nfkd().filter(|c| !unicode_normalization::char::is_combining_mark(*c)) {
        match c {
            'œ' | 'Œ' => out.push_str("oe"),
            'æ' | 'Æ' => out.push_str("ae"),
            'ß' => out.push_str("ss"),
            _ if c.is_ascii_alphanumeric() => out.push(c.to_ascii_lowercase()),
            // An apostrophe joins: `l'accès` and `l’accès` both give `l-acces`.
            _ if !out.is_empty() && !out.ends_with('-') => out.push('-'),
            _ => {}
        }
    }
    out.truncate(out.trim_end_matches('-').len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_tag_hashes() {
        assert!(tag_hash(&["MFA", "timing", "mfa "]).starts_with("5fb17410e191"));
        assert!(tag_hash(&["Sécurité", "b2b"]).starts_with("5d92b9f5b150"));
        assert!(tag_hash(&["Se\u{301}curite\u{301}", "b2b"]).starts_with("5d92b9f5b150"));
    }

    #[test]
    fn forms() {
        for good in ["PD-295", "A1-7", "SPEC-12"] {
            assert!(StoryId::parse(good).is_some(), "{good}");
        }
        for bad in ["pd-1", "PD-0", "PD-01", "PD", "-1", "PD-1x", "PD-1\n", "1P-1", "PD-１", ""] {
            assert!(StoryId::parse(bad).is_none(), "{bad}");
        }
        assert!(Slug::parse("auth-identity").is_some());
        for bad in ["", "-a", "A", "é", "a b", "a/b", ".."] {
            assert!(Slug::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn slugs() {
        assert_eq!(ascii_slug("docs/veille/Œuvre d’été.md"), "docs-veille-oeuvre-d-ete-md");
        assert_eq!(ascii_slug("日本"), "");
    }
}
