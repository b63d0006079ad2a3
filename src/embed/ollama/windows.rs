//! Windows for a server that counts tokens but does not tell: an estimate, and halves.
//!
//! The estimate leans towards too many tokens, so that most windows pass at once; one the server
//! still refuses is halved until it passes. Windows overlap by 15 % and cover every byte.

use std::ops::Range;

/// A word or sign, with the white space after it.
struct Atom {
    start: usize,
    /// Estimated tokens.
    cost: usize,
}

/// An estimate of the tokens of `text`, rather too high.
pub(super) fn estimate(text: &str) -> usize {
    atoms(text).iter().map(|a| a.cost).sum()
}

/// The windows of `text` of at most `budget` estimated tokens; none for white space alone.
pub(super) fn windows(text: &str, budget: usize) -> Vec<Range<usize>> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let atoms = atoms(text);
    let start_of = |i: usize| if i == 0 { 0 } else { atoms.get(i).map_or(text.len(), |a| a.start) };
    let overlap = budget * 15 / 100;
    let mut windows = Vec::new();
    let mut first = 0;
    loop {
        let mut last = first;
        let mut cost = 0;
        while last < atoms.len() && (last == first || cost + atoms[last].cost <= budget) {
            cost += atoms[last].cost;
            last += 1;
        }
        windows.push(start_of(first)..start_of(last));
        if last == atoms.len() {
            return windows;
        }
        let mut next = last;
        let mut shared = 0;
        while next > first + 1 && shared + atoms[next - 1].cost <= overlap {
            next -= 1;
            shared += atoms[next].cost;
        }
        first = next;
    }
}

/// Two halves of `range` that share 15 % of their length, or none when it is too short to cut.
pub(super) fn halves(text: &str, range: &Range<usize>) -> Option<[Range<usize>; 2]> {
    let length = range.len();
    let half = (length as f64 / 1.85).ceil() as usize;
    let middle_end = text.floor_char_boundary(range.start + half);
    let middle_start = text.floor_char_boundary(range.end.saturating_sub(half));
    let cuts = length >= 8 && middle_end < range.end && middle_start > range.start;
    cuts.then_some([range.start..middle_end, middle_start..range.end])
}

fn atoms(text: &str) -> Vec<Atom> {
    /// Longest word taken as one atom, in letters: encoded data has no white space.
    const LONGEST: usize = 24;
    let mut atoms: Vec<Atom> = Vec::new();
    let mut letters = 0;
    for (start, c) in text.char_indices() {
        if c.is_ascii_alphabetic() {
            letters += 1;
            if letters == 1 || letters > LONGEST {
                letters = 1;
                atoms.push(Atom { start, cost: 1 });
            } else if let Some(word) = atoms.last_mut() {
                word.cost = letters.div_ceil(3);
            }
            continue;
        }
        letters = 0;
        let cost = match c {
            '\n' => 1,
            _ if c.is_whitespace() => 0,
            _ if c.is_alphanumeric() || c.is_ascii() => 1,
            // A sign outside the vocabulary may cost a token a byte.
            _ => c.len_utf8() - 1,
        };
        match atoms.last_mut() {
            Some(word) if cost == 0 => word.cost += 0,
            _ => atoms.push(Atom { start, cost }),
        }
    }
    atoms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_lean_high() {
        // Counts of the uncased BERT tokenizer, special tokens excluded.
        for (text, real) in [
            ("The quick brown fox jumps over the lazy dog.", 10),
            ("Le déploiement échoue dès que la clé est révoquée.", 18),
            ("会議は月曜日に", 7),
            ("fn main() { println!(\"{}\", 42); }", 16),
        ] {
            assert!(estimate(text) >= real, "{text}: {} < {real}", estimate(text));
        }
    }

    #[test]
    fn windows_cover_every_byte_and_overlap() {
        let texts =
            ["mot ".repeat(500), "あ".repeat(700), "x".repeat(3000), " a\n\n".repeat(300), "é".into()];
        for text in texts {
            let windows = windows(&text, 100);
            assert_eq!((windows[0].start, windows[windows.len() - 1].end), (0, text.len()));
            for w in windows.windows(2) {
                assert!(w[1].start < w[0].end && w[1].start > w[0].start && w[1].end > w[0].end);
            }
            assert!(windows.iter().all(|w| estimate(&text[w.clone()]) <= 100));
        }
        assert!(windows(" \n ", 100).is_empty());
    }

    #[test]
    fn halves_share_fifteen_percent_and_end_at_characters() {
        let text = "é".repeat(100);
        let [a, b] = halves(&text, &(0..200)).unwrap();
        assert_eq!((a.start, b.end), (0, 200));
        let shared = (a.end - b.start) as f64 / a.len() as f64;
        assert!((0.12..0.18).contains(&shared), "{shared}");
        assert!(text.is_char_boundary(a.end) && text.is_char_boundary(b.start));
        assert!(halves("abc", &(0..3)).is_none());
    }
}
