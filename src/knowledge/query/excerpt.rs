//! The part of a section to show when the whole does not fit: the blocks around the densest one.
//! Pure.

use std::ops::Range;

/// Bytes of `text` cut at blank lines and before the items of a list, outside fences: no block of code
/// and no item is torn.
pub fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let (mut start, mut at, mut fence) = (None, 0, None::<&str>);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|m| trimmed.starts_with(m));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        if trimmed.is_empty() && fence.is_none() {
            if let Some(from) = start.take() {
                out.push(from..at);
            }
        } else {
            if fence.is_none()
                && is_item(line)
                && let Some(from) = start.replace(at)
            {
                out.push(from..at);
            }
            start.get_or_insert(at);
        }
        at += line.len();
    }
    if let Some(from) = start {
        out.push(from..at);
    }
    out
}

/// Whether a line begins an item of an outermost list.
fn is_item(line: &str) -> bool {
    let text = line.trim_start_matches(' ');
    if line.len() - text.len() > 3 {
        return false;
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let marks: &[char] = if digits == 0 { &['-', '*', '+'] } else { &['.', ')'] };
    text[digits..].strip_prefix(marks).is_some_and(|rest| rest.starts_with(' '))
}

/// The longest stretch of blocks around the heaviest one for which `fits` says yes; `weights` gives
/// the weight of each block. Nothing when not even the heaviest fits.
pub fn around(
    blocks: &[Range<usize>],
    weights: &[f32],
    mut fits: impl FnMut(Range<usize>) -> bool,
) -> Option<Range<usize>> {
    let heaviest = (0..blocks.len().min(weights.len())).max_by(|&a, &b| {
        // The first of equals.
        weights[a].total_cmp(&weights[b]).then(b.cmp(&a))
    })?;
    let (mut from, mut to) = (heaviest, heaviest);
    if !fits(blocks[from].start..blocks[to].end) {
        return None;
    }
    loop {
        let down = to + 1 < blocks.len() && fits(blocks[from].start..blocks[to + 1].end);
        if down {
            to += 1;
        }
        let up = from > 0 && fits(blocks[from - 1].start..blocks[to].end);
        if up {
            from -= 1;
        }
        if !down && !up {
            return Some(blocks[from].start..blocks[to].end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_not_torn() {
        let text = "# a\n\nb\nc\n\n```\nd\n\ne\n```\n\nf";
        let got: Vec<&str> = blocks(text).into_iter().map(|r| &text[r]).collect();
        assert_eq!(got, ["# a\n", "b\nc\n", "```\nd\n\ne\n```\n", "f"]);
        assert!(blocks("").is_empty());
        assert_eq!(blocks("```\nopen\n\n").len(), 1);
    }

    #[test]
    fn items_of_a_list_are_blocks_with_what_is_below_them() {
        let text = "Lead:\n- a\n  more\n    - deep\n- *b*\n\n1. one\n2) two\n2024 was\n-no\n*no*\n---\n";
        let got: Vec<&str> = blocks(text).into_iter().map(|r| &text[r]).collect();
        let expected = [
            "Lead:\n",
            "- a\n  more\n    - deep\n",
            "- *b*\n",
            "1. one\n",
            "2) two\n2024 was\n-no\n*no*\n---\n",
        ];
        assert_eq!(got, expected);
        assert_eq!(blocks("```\n- a\n- b\n```\n").len(), 1);
    }

    #[test]
    fn grows_around_the_heaviest() {
        let blocks = [0..4, 5..9, 10..14, 15..30];
        let at_most = |n: usize| move |r: Range<usize>| r.len() <= n;
        assert_eq!(around(&blocks, &[0.0, 0.0, 2.0, 0.0], at_most(10)), Some(5..14));
        assert_eq!(around(&blocks, &[0.0, 0.0, 2.0, 0.0], at_most(14)), Some(0..14));
        assert_eq!(around(&blocks, &[0.0, 0.0, 0.0, 1.0], at_most(10)), None);
        assert_eq!(around(&[], &[], at_most(10)), None);
    }
}
