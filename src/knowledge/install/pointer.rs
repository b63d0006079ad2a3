//! The pointer: a marked block in AGENTS.md (and in the file an assistant reads instead), put in,
//! replaced and taken out without touching a line around it. Pure.

use sha2::{Digest, Sha256};

use super::source;
use crate::base::lang::Lang;
use crate::knowledge::managed::State;

const BEGIN: &str = "<!-- govrag:begin ";
const END: &str = "<!-- govrag:end -->";

/// The block in a language, its last line ended.
pub fn block(lang: Lang) -> String {
    let body = source::pointer(lang).trim();
    format!("{BEGIN}{} -->\n{body}\n{END}\n", digest(body))
}

fn digest(body: &str) -> String {
    hex::encode(Sha256::digest(body.as_bytes()))[..8].to_owned()
}

/// The bytes of the block in `text`, and whether it is as we wrote it.
fn find(text: &str) -> Option<(std::ops::Range<usize>, bool)> {
    let start = text.find(BEGIN)?;
    let end = start + text[start..].find(END)? + END.len();
    let (head, rest) = text[start..end].split_once('\n')?;
    let body = rest.strip_suffix(END)?.trim().replace("\r\n", "\n");
    let hash = head.trim_start_matches(BEGIN).trim_end_matches('\r').trim_end_matches("-->").trim();
    let end = end + text[end..].find(|c| c != '\r' && c != '\n').unwrap_or(text.len() - end).min(1);
    Some((start..end, hash == digest(&body)))
}

/// How the block stands in `text`.
pub fn state(text: &str, lang: Lang) -> State {
    match find(text) {
        None => State::Missing,
        Some((_, false)) => State::Changed,
        Some((range, true)) if text[range.clone()].trim_end() == block(lang).trim_end() => State::Current,
        Some(_) => State::Behind,
    }
}

/// `text` with the block put in or brought up to date; unchanged when the team changed it.
pub fn put(text: &str, lang: Lang) -> String {
    match (state(text, lang), find(text)) {
        (State::Missing, _) if text.trim().is_empty() => block(lang),
        (State::Missing, _) => format!("{}\n\n{}", text.trim_end_matches(['\n', '\r']), block(lang)),
        (State::Behind, Some((range, _))) => {
            format!("{}{}{}", &text[..range.start], block(lang), &text[range.end..])
        }
        _ => text.to_owned(),
    }
}

/// `text` without the block; unchanged when the team changed it.
pub fn take_out(text: &str) -> String {
    match find(text) {
        Some((range, true)) => {
            let (before, after) = (&text[..range.start], &text[range.end..]);
            if after.trim().is_empty() {
                let kept = before.trim_end_matches(['\n', '\r']);
                return if kept.is_empty() { String::new() } else { format!("{kept}\n") };
            }
            format!("{before}{}", after.trim_start_matches(['\n', '\r']))
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_and_out_leaves_the_rest() {
        for text in ["", "# Rules\n", "# Rules\n\n- one\n"] {
            let with = put(text, Lang::Fr);
            assert_eq!(state(&with, Lang::Fr), State::Current);
            assert_eq!(put(&with, Lang::Fr), with);
            assert_eq!(take_out(&with), text);
            let english = put(&with, Lang::En);
            assert_eq!((state(&with, Lang::En), state(&english, Lang::En)), (State::Behind, State::Current));
            assert_eq!(take_out(&english), text);
        }
        let between = format!("# A\n\n{}\n# B\n", block(Lang::En));
        assert_eq!(take_out(&between), "# A\n\n# B\n");
    }

    #[test]
    fn a_changed_block_stays() {
        let text = put("# A\n", Lang::En).replace("Before acting", "Before anything");
        assert_eq!(state(&text, Lang::En), State::Changed);
        assert_eq!((put(&text, Lang::En), take_out(&text)), (text.clone(), text.clone()));
        let torn = "<!-- govrag:begin x -->\nno end";
        assert_eq!(state(torn, Lang::En), State::Missing);
    }
}
