//! Cutting documents into chunks of about 900 tokens that overlap by 15 %.
//!
//! Chunks are byte ranges of the original text at line boundaries (inside a line only when it alone
//! is longer than a chunk), cut at the best boundary near the target and never inside a closed fence.
//! Together they cover the text. The same chunks serve indexing, ranking and display.

mod blocks;
mod syntax;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::tokens::Count;

/// Tokens a chunk aims at and never exceeds, fences apart.
pub const TARGET: usize = 900;
/// Tokens that neighbours share, 15 %.
pub const OVERLAP: usize = 135;

/// How documents are cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// By headings, fences, blank lines and list items, for every file.
    #[default]
    Regex,
    /// By syntax tree for Rust, Python, JavaScript, TypeScript and Go; as `regex` for other files.
    Auto,
}

impl Strategy {
    /// `regex` or `auto`.
    pub fn tag(self) -> &'static str {
        match self {
            Strategy::Regex => "regex",
            Strategy::Auto => "auto",
        }
    }

    /// Reads a tag.
    pub fn from_tag(tag: &str) -> Option<Strategy> {
        [Strategy::Regex, Strategy::Auto].into_iter().find(|s| s.tag() == tag)
    }
}

/// A piece of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// First byte.
    pub start: u32,
    /// Byte after the last.
    pub end: u32,
    /// First line, from 1.
    pub line_start: u32,
    /// Last line.
    pub line_end: u32,
    /// Tokens, by the method of the index.
    pub tokens: u32,
    /// First half of the SHA-256 of the text.
    pub hash: [u8; 16],
}

impl Chunk {
    /// Its bytes.
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A line, or a part of a very long one: what chunks are made of.
pub(super) struct Unit {
    pub start: usize,
    pub end: usize,
    pub line: usize,
    pub tokens: usize,
    /// How good it is to start a chunk here, 0 = never.
    pub score: u32,
}

/// Cuts `text`; `path` decides on the language under [`Strategy::Auto`], `count` measures.
pub fn cut(text: &str, path: &str, strategy: Strategy, count: Count) -> Vec<Chunk> {
    let mut units = units(text, count);
    let aligned = strategy == Strategy::Auto && syntax::score(text, path, &mut units);
    if !aligned {
        blocks::score(text, &mut units);
    }
    let mut chunks = Vec::new();
    let (mut from, mut to) = (0, 0);
    while from < units.len() {
        to = end_of(&units, from, to, aligned);
        chunks.push(chunk(text, &units[from..to]));
        if to == units.len() {
            break;
        }
        from = overlap(&units, from, to, aligned);
    }
    // Nothing but white space holds nothing to find.
    chunks.retain(|c| !text[c.range()].trim().is_empty());
    chunks
}

fn chunk(text: &str, units: &[Unit]) -> Chunk {
    let (first, last) = (&units[0], &units[units.len() - 1]);
    let digest = Sha256::digest(&text.as_bytes()[first.start..last.end]);
    let mut hash = [0; 16];
    hash.copy_from_slice(&digest[..16]);
    let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Chunk {
        start: narrow(first.start),
        end: narrow(last.end),
        line_start: narrow(first.line),
        line_end: narrow(last.line),
        tokens: narrow(units.iter().map(|u| u.tokens).sum()),
        hash,
    }
}

/// Where the chunk that starts at `from` ends (exclusive), after the end of the one before it.
fn end_of(units: &[Unit], from: usize, before: usize, aligned: bool) -> usize {
    let mut tokens = 0;
    let mut best: Option<(f64, usize)> = None;
    // Syntax nodes are worth a shorter chunk; prose is cut in the last two fifths.
    let earliest = if aligned { TARGET / 4 } else { TARGET * 3 / 5 };
    for (i, unit) in units.iter().enumerate().skip(from) {
        if i > from.max(before) && unit.score > 0 && (tokens >= earliest || tokens + unit.tokens > TARGET) {
            let distance = TARGET.saturating_sub(tokens) as f64 / TARGET as f64;
            let value = f64::from(unit.score) * (1.0 - 0.7 * distance * distance);
            // A later place wins a tie.
            if best.is_none_or(|(b, _)| value >= b) && (tokens <= TARGET || best.is_none()) {
                best = Some((value, i));
            }
        }
        tokens += unit.tokens;
        if tokens > TARGET && best.is_some() {
            break;
        }
    }
    match best {
        Some((_, end)) if tokens > TARGET => end,
        _ => units.len(),
    }
}

/// Where the chunk after `from..to` starts.
fn overlap(units: &[Unit], from: usize, to: usize, aligned: bool) -> usize {
    if aligned && units[to].score >= syntax::MEMBER {
        return to;
    }
    let mut tokens = 0;
    let mut start = to;
    for i in (from + 1..to).rev() {
        tokens += units[i].tokens;
        if tokens > OVERLAP {
            break;
        }
        if units[i].score > 0 {
            start = i;
        }
    }
    start
}

/// The lines of `text`, very long ones in parts.
fn units(text: &str, count: Count) -> Vec<Unit> {
    let mut units = Vec::with_capacity(text.len() / 40 + 1);
    let mut start = 0;
    for (line, content) in text.split_inclusive('\n').enumerate() {
        let end = start + content.len();
        let mut from = start;
        while from < end {
            let to = if end - from > 1200 { part_end(text, from, end) } else { end };
            units.push(Unit {
                start: from,
                end: to,
                line: line + 1,
                tokens: count(&text[from..to]),
                score: 1,
            });
            from = to;
        }
        start = end;
    }
    units
}

/// The end of a part of a long line: after white space or a sentence, at 600 bytes at most.
fn part_end(text: &str, from: usize, end: usize) -> usize {
    let limit = text.floor_char_boundary((from + 600).min(end));
    text[from..limit].rfind([' ', '\t', '。', ',', ';']).map_or(limit, |i| {
        let at = from + i;
        if i > 200 { at + text[at..].chars().next().map_or(1, char::len_utf8) } else { limit }
    })
}

/// The chunks in a compact form.
pub fn encode(chunks: &[Chunk]) -> Vec<u8> {
    let mut out = Vec::with_capacity(chunks.len() * 36);
    for c in chunks {
        for n in [c.start, c.end, c.line_start, c.line_end, c.tokens] {
            out.extend(n.to_le_bytes());
        }
        out.extend(c.hash);
    }
    out
}

/// Reads [`encode`]'s form; `None` when it is damaged.
pub fn decode(bytes: &[u8]) -> Option<Vec<Chunk>> {
    if !bytes.len().is_multiple_of(36) {
        return None;
    }
    bytes
        .chunks_exact(36)
        .map(|b| {
            let n = |i: usize| Some(u32::from_le_bytes(b.get(i * 4..i * 4 + 4)?.try_into().ok()?));
            let hash = b.get(20..36)?.try_into().ok()?;
            let c =
                Chunk { start: n(0)?, end: n(1)?, line_start: n(2)?, line_end: n(3)?, tokens: n(4)?, hash };
            (c.start <= c.end && c.line_start <= c.line_end).then_some(c)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tokens::estimate;
    use super::*;

    fn covers(text: &str, chunks: &[Chunk]) {
        let mut at = 0;
        for c in chunks {
            assert!(text[at.min(c.start as usize)..c.start as usize].trim().is_empty(), "gap before {c:?}");
            assert!(c.start as usize <= at || text[at..c.start as usize].trim().is_empty());
            assert!(c.end as usize > at || at == 0);
            let line = text[..c.start as usize].matches('\n').count() + 1;
            assert_eq!(c.line_start as usize, line);
            at = c.end as usize;
        }
        assert!(text[at..].trim().is_empty());
    }

    #[test]
    fn long_prose_is_cut_at_headings_with_overlap() {
        let mut text = String::new();
        for section in 0..12 {
            text.push_str(&format!("## Section {section}\n\n"));
            for i in 0..10 {
                text.push_str(&format!(
                    "Sentence number {i} says that the key of the vault is read once more.\n"
                ));
            }
            text.push('\n');
        }
        let chunks = cut(&text, "a.md", Strategy::Regex, &estimate);
        assert!(chunks.len() > 1);
        covers(&text, &chunks);
        for pair in chunks.windows(2) {
            assert!(pair[0].tokens as usize <= TARGET);
            let shared = pair[0].end.saturating_sub(pair[1].start) as usize;
            assert!(shared > 0, "neighbours overlap");
            assert!(estimate(&text[pair[1].start as usize..pair[0].end as usize]) <= OVERLAP);
            // The cut itself lies before a heading.
            assert!(
                text[pair[0].end as usize..].starts_with("## "),
                "{:?}",
                &text[pair[0].end as usize..][..20]
            );
        }
        assert_eq!(decode(&encode(&chunks)).unwrap(), chunks);
        assert!(decode(&encode(&chunks)[1..]).is_none());
    }

    #[test]
    fn a_closed_fence_is_never_cut() {
        let code: String = (0..400).map(|i| format!("let value_{i} = {i};\n\n# not a heading\n")).collect();
        let text = format!("# Title\n\ntext\n\n```rust\n{code}```\n\nafter\n");
        let chunks = cut(&text, "a.md", Strategy::Regex, &estimate);
        covers(&text, &chunks);
        let (open, close) = (text.find("```rust").unwrap(), text.rfind("```").unwrap());
        for c in &chunks {
            for edge in [c.start as usize, c.end as usize] {
                assert!(edge <= open || edge > close, "{edge} lies inside {open}..{close}");
            }
        }
        // An unclosed fence is no fence: the text is still cut.
        let open = format!("```\n{code}");
        assert!(cut(&open, "a.md", Strategy::Regex, &estimate).len() > 3);
    }

    #[test]
    fn one_endless_line_is_cut_too() {
        for text in ["word ".repeat(20_000), "x".repeat(100_000), "日本語".repeat(5_000)] {
            let chunks = cut(&text, "a.txt", Strategy::Regex, &estimate);
            assert!(chunks.len() > 5);
            covers(&text, &chunks);
            assert!(
                chunks.iter().all(|c| c.line_start == 1 && c.line_end == 1 && c.tokens as usize <= TARGET)
            );
        }
    }

    #[test]
    fn small_and_empty_texts() {
        assert!(cut("", "a.md", Strategy::Regex, &estimate).is_empty());
        assert!(cut(" \n\n ", "a.md", Strategy::Regex, &estimate).is_empty());
        let one = cut("# A\r\n\r\ntext", "a.md", Strategy::Regex, &estimate);
        assert_eq!((one.len(), one[0].line_start, one[0].line_end), (1, 1, 3));
    }
}
