//! Files that this tool writes into a team's folders and may later replace: the norm, skills,
//! commands. The last line of each says who wrote it, in which version, and the hash of what stands
//! above it. A file whose hash no longer agrees was changed by the team and is never written over.

use sha2::{Digest, Sha256};

/// The version of the written texts.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

pub use crate::assistants::forms::Comment;

/// What stands at the place of a managed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Nothing.
    Missing,
    /// Exactly what would be written.
    Current,
    /// Ours, unchanged, of another version or language.
    Behind,
    /// Changed by the team, or not ours.
    Changed,
}

/// `body` with the line that makes it ours.
pub fn stamp(body: &str, comment: Comment) -> String {
    let body = body.trim_end();
    let mark = format!("govrag {VERSION} sha256:{}", digest(body));
    match comment {
        Comment::Markdown => format!("{body}\n\n<!-- {mark} -->\n"),
        Comment::Hash => format!("{body}\n\n# {mark}\n"),
    }
}

/// How `found`, the text at the place of `wanted` (stamped), stands.
pub fn state(found: Option<&str>, wanted: &str) -> State {
    let Some(found) = found else { return State::Missing };
    // A checkout may have turned the line ends.
    let found = found.replace("\r\n", "\n");
    if found == wanted {
        State::Current
    } else if is_ours(&found) {
        State::Behind
    } else {
        State::Changed
    }
}

/// Whether a text bears our line and is as we wrote it.
pub fn is_ours(text: &str) -> bool {
    let text = text.replace("\r\n", "\n");
    let text = text.trim_end();
    let Some((body, last)) = text.rsplit_once('\n') else { return false };
    let mark = last.trim_start_matches("<!--").trim_end_matches("-->").trim().trim_start_matches('#').trim();
    let Some((_, hash)) = mark.strip_prefix("govrag ").and_then(|m| m.split_once(" sha256:")) else {
        return false;
    };
    hash == digest(body.trim_end())
}

fn digest(body: &str) -> String {
    hex::encode(Sha256::digest(body.as_bytes()))[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_is_the_team_s() {
        for comment in [Comment::Markdown, Comment::Hash] {
            let text = stamp("# A\n\nb\n", comment);
            assert!(is_ours(&text) && is_ours(&text.replace('\n', "\r\n")));
            assert_eq!(state(Some(&text), &text), State::Current);
            assert_eq!(state(Some(&text), &stamp("# other", comment)), State::Behind);
            assert_eq!(state(Some(&text.replace('b', "c")), &text), State::Changed);
            assert_eq!(state(Some(&format!("{text}more\n")), &text), State::Changed);
        }
        assert_eq!(state(None, "x"), State::Missing);
        assert_eq!(state(Some(""), "x"), State::Changed);
        assert_eq!(state(Some("# A\n"), "x"), State::Changed);
    }
}
