//! Cutting text into words, identifiers and CJK runs, with their places.
//!
//! One pass, no allocation for ASCII. Works on any text; never fails.

use unicode_normalization::char::is_combining_mark;

use super::fold::{fold_into, is_cjk};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A word, or a part of an identifier.
    Word,
    /// A whole identifier of several parts, after its parts.
    Whole,
    /// Two neighbouring CJK characters, or one that stands alone.
    Cjk,
    /// One CJK character, before the pair it starts.
    CjkChar,
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub struct Token<'t> {
    /// What it is.
    pub kind: Kind,
    /// Folded text.
    pub text: &'t str,
    /// First byte in the original text.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Letter or digit.
    Alnum,
    /// Joins the parts of an identifier: `_ . @ / + # :`.
    Join,
    /// Joins words without making one of them: `'`, `-`.
    Soft,
    Cjk,
    Break,
}

fn class(c: char) -> Class {
    if c.is_ascii() {
        return match c as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => Class::Alnum,
            b'_' | b'.' | b'@' | b'/' | b'+' | b'#' | b':' => Class::Join,
            b'\'' | b'-' => Class::Soft,
            _ => Class::Break,
        };
    }
    match c {
        '’' | '‐' | '‑' => Class::Soft,
        c if is_cjk(c) => Class::Cjk,
        // Format characters inside a word fold to nothing.
        '\u{ad}' | '\u{200b}'..='\u{200d}' => Class::Alnum,
        c if c.is_alphanumeric() || is_combining_mark(c) => Class::Alnum,
        _ => Class::Break,
    }
}

fn char_at(text: &str, at: usize) -> Option<char> {
    let byte = *text.as_bytes().get(at)?;
    if byte < 0x80 { Some(char::from(byte)) } else { text[at..].chars().next() }
}

/// Hands every token of `text` to `emit`, in order.
pub fn scan(text: &str, mut emit: impl FnMut(Token)) {
    let mut buffer = String::with_capacity(64);
    let mut at = 0;
    while let Some(c) = char_at(text, at) {
        match class(c) {
            Class::Alnum => {
                let end = run_end(text, at);
                identifier(text, at, end, &mut buffer, &mut emit);
                at = end;
            }
            Class::Cjk => at = cjk(text, at, &mut buffer, &mut emit),
            _ => at += c.len_utf8(),
        }
    }
}

/// Where the run of letters, digits and joints from `start` ends, joints at its end left out unless
/// they are `+` or `#` (`C++`, `C#`).
fn run_end(text: &str, start: usize) -> usize {
    let (mut at, mut end) = (start, start);
    while let Some(c) = char_at(text, at) {
        match class(c) {
            Class::Alnum => end = at + c.len_utf8(),
            Class::Join | Class::Soft => {
                if matches!(c, '+' | '#') && end == at && at - start <= 8 {
                    end = at + 1;
                }
            }
            _ => break,
        }
        at += c.len_utf8();
    }
    end
}

/// Emits the words of a run, then the identifiers they make.
fn identifier(text: &str, start: usize, end: usize, buffer: &mut String, emit: &mut impl FnMut(Token)) {
    // Segments between soft joints are words of a sentence; each may be an identifier.
    let mut from = start;
    while from < end {
        let to = find(text, from, end, |c| class(c) == Class::Soft);
        if from < to {
            segment(text, from, to, true, buffer, emit);
        }
        from = to + char_at(text, to).map_or(1, char::len_utf8);
    }
}

/// Emits the words of `text[start..end]`, which has no soft joint, then the whole if it is one.
fn segment(
    text: &str,
    start: usize,
    end: usize,
    path: bool,
    buffer: &mut String,
    emit: &mut impl FnMut(Token),
) {
    let (start, end) = trim(text, start, end);
    let slash = path && find(text, start, end, |c| c == '/') < end;
    let mut parts = 0;
    let mut from = start;
    while from < end {
        let to = find(text, from, end, |c| if slash { c == '/' } else { class(c) == Class::Join });
        if from < to {
            parts += 1;
            if slash {
                segment(text, from, to, false, buffer, emit);
            } else {
                parts += camel(text, from, to, buffer, emit) - 1;
            }
        }
        from = to + 1;
    }
    let suffixed = text[start..end].ends_with(['+', '#']);
    if parts > 1 || (parts == 1 && suffixed) {
        buffer.clear();
        fold_into(&text[start..end], buffer);
        // Links and data blobs are not names anyone types.
        if buffer.len() <= super::LONGEST_TERM && !buffer.is_empty() {
            emit(Token { kind: Kind::Whole, text: buffer, start, end });
        }
    }
}

/// Without the joints at either end, `+` and `#` at the end excepted.
fn trim(text: &str, start: usize, end: usize) -> (usize, usize) {
    let inner = &text[start..end];
    let left = inner.len() - inner.trim_start_matches(|c| class(c) == Class::Join).len();
    let right = inner.trim_end_matches(|c| class(c) == Class::Join && !matches!(c, '+' | '#')).len();
    (start + left.min(right), start + right)
}

/// Emits the words of a run of letters and digits, split at `aB` and `ABc`; returns their number.
fn camel(text: &str, start: usize, end: usize, buffer: &mut String, emit: &mut impl FnMut(Token)) -> usize {
    let mut words = 0;
    let mut word = |from: usize, to: usize, emit: &mut dyn FnMut(Token)| {
        buffer.clear();
        fold_into(&text[from..to], buffer);
        if !buffer.is_empty() {
            emit(Token { kind: Kind::Word, text: buffer, start: from, end: to });
        }
    };
    let run = &text[start..end];
    let mut from = 0;
    // The common case: no capital after the first letter.
    if run.bytes().skip(1).any(|b| b.is_ascii_uppercase()) {
        let bytes = run.as_bytes();
        for i in 1..bytes.len() {
            let (a, b, c) = (bytes[i - 1], bytes[i], bytes.get(i + 1).copied().unwrap_or(0));
            let lower_upper = a.is_ascii_lowercase() && b.is_ascii_uppercase();
            let acronym = a.is_ascii_uppercase() && b.is_ascii_uppercase() && c.is_ascii_lowercase();
            if lower_upper || acronym {
                word(start + from, start + i, emit);
                words += 1;
                from = i;
            }
        }
    }
    word(start + from, end, emit);
    words + 1
}

fn find(text: &str, from: usize, end: usize, stop: impl Fn(char) -> bool) -> usize {
    text[from..end].find(stop).map_or(end, |i| from + i)
}

/// Emits the characters and bigrams of the CJK run at `start`; returns where it ends.
fn cjk(text: &str, start: usize, buffer: &mut String, emit: &mut impl FnMut(Token)) -> usize {
    let mut at = start;
    let mut previous: Option<usize> = None;
    while let Some(c) = char_at(text, at).filter(|c| is_cjk(*c)) {
        let next = at + c.len_utf8();
        buffer.clear();
        fold_into(&text[at..next], buffer);
        emit(Token { kind: Kind::CjkChar, text: buffer, start: at, end: next });
        if let Some(from) = previous {
            buffer.clear();
            fold_into(&text[from..next], buffer);
            emit(Token { kind: Kind::Cjk, text: buffer, start: from, end: next });
        }
        previous = Some(at);
        at = next;
    }
    if previous == Some(start) {
        buffer.clear();
        fold_into(&text[start..at], buffer);
        emit(Token { kind: Kind::Cjk, text: buffer, start, end: at });
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_original() {
        let text = "«Élan» getName 日本 x";
        let mut found = Vec::new();
        scan(text, |t| found.push((t.kind, t.text.to_owned(), text[t.start..t.end].to_owned())));
        let plain: Vec<_> = found.iter().map(|(k, t, o)| (*k, t.as_str(), o.as_str())).collect();
        assert_eq!(
            plain,
            [
                (Kind::Word, "elan", "Élan"),
                (Kind::Word, "get", "get"),
                (Kind::Word, "name", "Name"),
                (Kind::Whole, "getname", "getName"),
                (Kind::CjkChar, "日", "日"),
                (Kind::CjkChar, "本", "本"),
                (Kind::Cjk, "日本", "日本"),
                (Kind::Word, "x", "x"),
            ]
        );
    }

    #[test]
    fn odd_text_gives_sane_places() {
        for text in [
            "",
            "...",
            "___",
            "/",
            "a'",
            "'a'",
            "-",
            "a..b",
            "++",
            "a/b/",
            "\0\0",
            "é\u{301}",
            "🔑a",
            "a//b",
            "::a::",
        ] {
            scan(text, |t| {
                assert!(t.start < t.end && t.end <= text.len(), "{text:?}");
                assert!(text.is_char_boundary(t.start) && text.is_char_boundary(t.end));
                assert!(!t.text.is_empty() && !t.text.contains(char::is_whitespace), "{text:?} {:?}", t.text);
            });
        }
    }
}
