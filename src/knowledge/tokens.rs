//! How many tokens a text costs, without a tokenizer.
//!
//! Text is cut as the o200k vocabulary cuts it (words with the character before them, numbers by
//! three, runs of punctuation, white space) and each piece is charged by its kind and length. The
//! charges were fitted on real documentation so that no page comes out below its o200k count and a
//! base stays within 15 % above; a test keeps that true. The method is named [`METHOD`] in every
//! output that shows a figure.

/// The name of the method, printed beside every figure.
pub const METHOD: &str = "estimate-o200k-v1";

/// Charges in hundredths of a token.
const LOWER: [u32; 16] = [92, 92, 92, 92, 127, 127, 127, 155, 155, 155, 155, 155, 155, 155, 155, 155];
const ACCENTED: [u32; 16] = [103, 103, 103, 103, 103, 103, 153, 203, 203, 253, 303, 303, 303, 303, 303, 303];
const UPPER: [u32; 16] = [92, 80, 80, 80, 150, 150, 150, 150, 150, 150, 150, 150, 150, 150, 150, 150];
const MIXED: [u32; 6] = [121, 100, 100, 100, 179, 179];
/// For the whole text, so that a short one is not below.
const START: u32 = 200;

/// An upper estimate of the tokens of `text`; 0 for empty text.
pub fn estimate(text: &str) -> usize {
    if text.is_empty() {
        return 0;
    }
    let mut cost = u64::from(START);
    let mut rest = text;
    while let Some((len, piece)) = next_piece(rest) {
        cost += u64::from(piece);
        rest = &rest[len..];
    }
    usize::try_from(cost.div_ceil(100)).unwrap_or(usize::MAX)
}

/// The length in bytes and the charge of the piece at the start of `text`.
fn next_piece(text: &str) -> Option<(usize, u32)> {
    let mut chars = text.char_indices();
    let (_, first) = chars.next()?;
    let second = chars.next();
    if is_letter(first) {
        return Some(word(text, 0, 30));
    }
    if first.is_numeric() {
        return Some((span(text, 3, char::is_numeric), 112));
    }
    if let Some((at, c)) = second
        && is_letter(c)
        && !matches!(first, '\n' | '\r')
    {
        return Some(word(text, at, if first == ' ' { 0 } else { 72 }));
    }
    if first.is_whitespace() {
        if first == ' ' && second.is_some_and(|(_, c)| is_mark(c)) {
            let (len, cost) = punctuation(&text[1..]);
            return Some((len + 1, cost));
        }
        return Some(space(text));
    }
    Some(punctuation(text))
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic()
        || !c.is_ascii() && (c.is_alphabetic() || unicode_normalization::char::is_combining_mark(c))
}

fn is_mark(c: char) -> bool {
    !c.is_whitespace() && !c.is_numeric() && !is_letter(c)
}

/// Bytes of the run of at most `most` characters that satisfy `test`.
fn span(text: &str, most: usize, test: impl Fn(char) -> bool) -> usize {
    text.char_indices().take(most).take_while(|(_, c)| test(*c)).last().map_or(0, |(i, c)| i + c.len_utf8())
}

/// A word: capitals, then small letters, then an English contraction.
fn word(text: &str, from: usize, lead: u32) -> (usize, u32) {
    let body = &text[from..];
    let capitals = span(body, usize::MAX, |c| is_letter(c) && c.is_uppercase());
    let small = span(&body[capitals..], usize::MAX, |c| is_letter(c) && !c.is_uppercase());
    let word = &body[..capitals + small];
    let count = word.chars().count();
    let at = count.clamp(1, 16) - 1;
    let over = u32::try_from(count.saturating_sub(16)).unwrap_or(u32::MAX / 200) * 25;
    let latin = |c: char| u32::from(c) < 0x250 || (0x1e00..0x1f00).contains(&u32::from(c));
    let cost = if word.is_ascii() {
        if small == 0 && count > 1 { UPPER[at] } else { LOWER[at] }
    } else if word.chars().all(latin) {
        ACCENTED[at]
    } else {
        return (from + word.len(), 60 + u32::try_from(count).unwrap_or(u32::MAX / 200).saturating_mul(110));
    };
    let len = from + word.len();
    (len + contraction(&text[len..]), (cost + lead).saturating_add(over))
}

fn contraction(text: &str) -> usize {
    let Some(rest) = text.strip_prefix('\'') else { return 0 };
    let b = rest.as_bytes();
    let two = b.get(..2).map(<[u8]>::to_ascii_lowercase);
    match (b.first().map(u8::to_ascii_lowercase), two.as_deref()) {
        (_, Some(b"re" | b"ve" | b"ll")) => 3,
        (Some(b's' | b't' | b'm' | b'd'), _) => 2,
        _ => 0,
    }
}

fn space(text: &str) -> (usize, u32) {
    let run = span(text, usize::MAX, char::is_whitespace);
    if let Some(end) = text[..run].rfind(['\n', '\r']) {
        let piece = &text[..=end];
        let cost = match piece {
            "\n" | "\r" => 130,
            "\n\n" => 20,
            _ => 100 + 10 * u32::try_from(piece.len() / 8).unwrap_or(u32::MAX / 100),
        };
        return (end + 1, cost);
    }
    // The last blank goes with the word or mark that follows.
    let last = text[..run].char_indices().next_back().map_or(0, |(i, _)| i);
    let len = if run == text.len() || last == 0 { run } else { last };
    let count = u32::try_from(text[..len].chars().count()).unwrap_or(u32::MAX / 200);
    (len, if count <= 16 { 40 } else { 100 + count * 4 })
}

/// A run of marks and the line ends and slashes after it.
fn punctuation(text: &str) -> (usize, u32) {
    let run = span(text, usize::MAX, is_mark);
    let core = &text[..run];
    let tail = span(&text[run..], usize::MAX, |c| matches!(c, '\n' | '\r' | '/'));
    let mut cost = if core.is_ascii() { ascii_marks(core.as_bytes()) } else { other_marks(core) };
    if tail > 0 {
        cost += 16;
    }
    (run + tail, cost)
}

fn ascii_marks(core: &[u8]) -> u32 {
    let count = u32::try_from(core.len()).unwrap_or(u32::MAX / 200);
    if core.windows(2).all(|w| w[0] == w[1]) {
        return 121 + count.saturating_sub(1) / 16 * 150;
    }
    MIXED[core.len().clamp(1, 6) - 1] + count.saturating_sub(6) * 80
}

fn other_marks(core: &str) -> u32 {
    let mut cost = 50;
    let mut chars = core.chars().peekable();
    while let Some(c) = chars.next() {
        let mut again = 0;
        while chars.next_if_eq(&c).is_some() {
            again += 1;
        }
        cost += match c {
            c if c.is_ascii() => 50,
            c if u32::from(c) > 0xffff => 150,
            _ => 100,
        } + again / 4 * 79;
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_texts() {
        assert_eq!(estimate(""), 0);
        let o200k = tiktoken_rs::o200k_base().expect("vocabulary");
        for text in [
            "a",
            "Connexion d'un utilisateur par identifiant et mot de passe.",
            "HTMLElement fooBarBaz `snake_case_name`",
            "| chemin | type |\n|---|---|\n| a/b.md | feature |\n",
            "日本語のテキスト и русский текст",
            "🚀🚀 ── ✓ → ok",
            "\n\n\n    \n",
            "2026-07-01 12345678901234567890",
            "https://example.org/a/b?c=d&e=f#g",
            "================================================",
        ] {
            let real = o200k.encode_ordinary(text).len();
            assert!(estimate(text) >= real, "{text:?}: {} < {real}", estimate(text));
        }
    }
}
