//! The step-0 query: one string for the three sources.

use unicode_normalization::UnicodeNormalization;

use crate::base::{Code, Error, Result};
use crate::tr;

/// Longest query, in Unicode scalar values of the built string.
pub const MAX_QUERY: usize = 500;

/// The query of a story: the explicit one, else `{title} {domain} {project}`; NFC, white space
/// collapsed. Empty is wrong usage; above [`MAX_QUERY`] is ERR-295-17.
pub fn build(explicit: Option<&str>, title: &str, domain: &str, project: &str) -> Result<String> {
    normalise(&match explicit {
        Some(query) => query.to_owned(),
        None => format!("{title} {domain} {project}"),
    })
}

/// NFC, control characters and white space collapsed to single spaces, length checked.
pub fn normalise(text: &str) -> Result<String> {
    let nfc: String = text.nfc().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let query = nfc.split_whitespace().collect::<Vec<_>>().join(" ");
    if query.is_empty() {
        return Err(Error::usage(tr!("la requête est vide", "the query is empty"))
            .hint(tr!("donnez un titre ou --query", "give a title or --query")));
    }
    let length = query.chars().count();
    if length > MAX_QUERY {
        return Err(Error::memory(
            Code::QueryTooLong,
            tr!(
                "la requête compte {length} caractères, le maximum est {MAX_QUERY}",
                "the query has {length} characters, the most is {MAX_QUERY}"
            ),
        )
        .hint(tr!("raccourcissez le titre ou --query", "shorten the title or --query")));
    }
    Ok(query)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_from_the_story() {
        assert_eq!(build(None, "  MFA\n\tb2b ", "auth", "backend").unwrap(), "MFA b2b auth backend");
        assert_eq!(build(Some("De\u{301}ploiement"), "x", "y", "z").unwrap(), "D\u{e9}ploiement");
        assert_eq!(build(Some(" \u{7}\n"), "x", "y", "z").unwrap_err().exit(), 2);
    }

    #[test]
    fn limit_counts_scalars_in_any_width() {
        for c in ["a", "é", "日", "🔑"] {
            assert!(normalise(&c.repeat(500)).is_ok());
            let error = normalise(&c.repeat(501)).unwrap_err();
            assert_eq!(error.code(), Some(Code::QueryTooLong));
            assert_eq!(error.exit(), 2);
        }
        // The limit holds for the built string: NFD of 300 letters is 300 after NFC.
        assert!(normalise(&"e\u{301}".repeat(300)).is_ok());
    }
}
