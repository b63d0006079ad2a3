//! Finds the block: fences are whole lines, three hyphens and trailing blanks, nothing else.
//!
//! Pairs of `---` further down are body. A block that never closes ends where its lines stop looking
//! like YAML, so that the body stays and feeds no false heading.

use std::ops::Range;

use crate::markdown::position::LineIndex;

/// The bytes of a closed block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The YAML between the fences, line endings included.
    pub yaml: Range<usize>,
    /// The opening fence line without its ending.
    pub open: Range<usize>,
    /// The closing fence line without its ending.
    pub close: Range<usize>,
    /// Closed by `...`.
    pub dots: bool,
}

/// What is wrong with the head of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// No block and nothing like one.
    Absent,
    /// The opening fence, at these bytes, is never closed.
    Unclosed(Range<usize>),
    /// A second block follows the first; the bytes of its fence.
    Doubled(Range<usize>),
    /// The block starts after a blank line or comment; the bytes of its fence.
    NotFirst(Range<usize>),
    /// TOML between `+++`.
    Toml(Range<usize>),
    /// JSON, bare or between `;;;`.
    Json(Range<usize>),
}

/// Where block and body of a page lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The page starts with a byte order mark.
    pub bom: bool,
    /// The block, when there is a closed one.
    pub block: Option<Block>,
    /// Where the body starts, in bytes.
    pub body: usize,
    /// What is wrong.
    pub problem: Option<Problem>,
}

/// Whether a line (without ending) is a fence.
fn is_fence(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| rest.chars().all(|c| c == ' ' || c == '\t'))
}

fn is_dots(line: &str) -> bool {
    line.strip_prefix("...").is_some_and(|rest| rest.chars().all(|c| c == ' ' || c == '\t'))
}

/// `key: …`, the first sign of YAML.
fn is_key_line(line: &str) -> bool {
    let Some((key, rest)) = line.split_once(':') else { return false };
    !key.is_empty()
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\''))
        && (rest.is_empty() || rest.starts_with([' ', '\t']))
}

fn looks_like_yaml(line: &str) -> bool {
    is_key_line(line)
        || line.starts_with([' ', '\t', '#']) && !line.starts_with("# ")
        || line.starts_with("- ")
}

/// Splits the head of `source` from its body.
pub fn split(source: &str) -> Split {
    let bom = source.starts_with('\u{feff}');
    let skip = if bom { '\u{feff}'.len_utf8() } else { 0 };
    let head = Head { source, skip };
    let mut out = Split { bom, block: None, body: skip, problem: None };
    let Some(first) = head.line_at(skip) else {
        out.problem = Some(Problem::Absent);
        return out;
    };
    if is_fence(&source[first.text.clone()]) {
        match head.close(first.next) {
            Some(block_end) => {
                out.body = block_end.close.next;
                out.problem = head.second_block(out.body).map(Problem::Doubled);
                out.block = Some(Block {
                    yaml: first.next..block_end.close.start,
                    open: first.text,
                    close: block_end.close.text,
                    dots: block_end.dots,
                });
            }
            None => {
                out.body = head.end_of_yaml(first.next);
                out.problem = Some(Problem::Unclosed(first.text));
            }
        }
        return out;
    }
    out.problem = Some(head.foreign(&first).unwrap_or(Problem::Absent));
    out
}

struct Line {
    start: usize,
    text: Range<usize>,
    next: usize,
}

struct End {
    close: Line,
    dots: bool,
}

struct Head<'a> {
    source: &'a str,
    skip: usize,
}

impl Head<'_> {
    fn line_at(&self, start: usize) -> Option<Line> {
        let rest = self.source.get(start..)?;
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len());
        let eol = match rest.as_bytes().get(end..) {
            Some([b'\r', b'\n', ..]) => 2,
            Some([_, ..]) => 1,
            _ => 0,
        };
        Some(Line { start, text: start..start + end, next: start + end + eol })
    }

    fn lines(&self, from: usize) -> impl Iterator<Item = Line> {
        let mut at = from;
        std::iter::from_fn(move || {
            let line = self.line_at(at)?;
            at = line.next;
            Some(line)
        })
    }

    fn close(&self, from: usize) -> Option<End> {
        self.lines(from).find_map(|line| {
            let text = &self.source[line.text.clone()];
            let dots = is_dots(text);
            (dots || is_fence(text)).then_some(End { close: line, dots })
        })
    }

    /// The fence of a block that starts at the first line of text after `from` and closes.
    fn second_block(&self, from: usize) -> Option<Range<usize>> {
        let fence = self.lines(from).find(|l| !self.source[l.text.clone()].trim().is_empty())?;
        (is_fence(&self.source[fence.text.clone()]) && self.is_block(fence.next)).then_some(fence.text)
    }

    /// Whether a key line opens here and a fence closes it.
    fn is_block(&self, from: usize) -> bool {
        self.line_at(from).is_some_and(|l| is_key_line(&self.source[l.text])) && self.close(from).is_some()
    }

    /// Past the last line that looks like YAML, and past an underline that would make a heading of it.
    fn end_of_yaml(&self, from: usize) -> usize {
        let mut end = from;
        for line in self.lines(from) {
            let text = &self.source[line.text.clone()];
            let underline = !text.is_empty() && text.trim_end().bytes().all(|b| b == b'-' || b == b'=');
            if !underline && !looks_like_yaml(text) {
                break;
            }
            end = line.next;
            if underline {
                break;
            }
        }
        end
    }

    fn foreign(&self, first: &Line) -> Option<Problem> {
        let text = self.source[first.text.clone()].trim_end();
        if text == "+++" && self.lines(first.next).any(|l| self.source[l.text].trim_end() == "+++") {
            return Some(Problem::Toml(first.text.clone()));
        }
        if text == ";;;" || text == "{" || text.starts_with("{\"") || text == "---json" {
            return Some(Problem::Json(first.text.clone()));
        }
        let fence = self.lines(self.skip).find(|l| {
            let t = self.source[l.text.clone()].trim();
            !(t.is_empty() || t.starts_with('#') && !t.starts_with("# ") || t.starts_with("<!--"))
        })?;
        (fence.start > self.skip && is_fence(&self.source[fence.text.clone()]) && self.is_block(fence.next))
            .then_some(Problem::NotFirst(fence.text))
    }
}

impl Split {
    /// The line on which the body starts, from 1.
    pub fn body_line(&self, lines: &LineIndex<'_>) -> usize {
        lines.line(self.body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yaml(source: &str) -> Option<&str> {
        split(source).block.map(|b| &source[b.yaml])
    }

    #[test]
    fn fences_are_whole_lines() {
        assert_eq!(yaml("---\na: 1\n---\nx"), Some("a: 1\n"));
        assert_eq!(yaml("--- \t\r\na: 1\r\n---  \r\nx"), Some("a: 1\r\n"));
        assert_eq!(yaml("---\ra: 1\r---\rx"), Some("a: 1\r"));
        assert_eq!(yaml("---\na: 1\n...\nx"), Some("a: 1\n"));
        assert_eq!(yaml("---\n---\n"), Some(""));
        assert_eq!(yaml("\u{feff}---\na: 1\n---"), Some("a: 1\n"));
        assert_eq!(yaml("----\na: 1\n---\n"), None);
        assert_eq!(yaml("---x\na: 1\n---\n"), None);
        assert_eq!(yaml("---\na: 1\n----\nb: 2\n---\n"), Some("a: 1\n----\nb: 2\n"));
    }

    #[test]
    fn the_body_never_disappears() {
        let unclosed = "---\ntitle: x\ntags:\n  - a\n\n# Body\n\ntext\n";
        let s = split(unclosed);
        assert_eq!(&unclosed[s.body..], "\n# Body\n\ntext\n");
        assert!(matches!(s.problem, Some(Problem::Unclosed(_))));
        let underlined = "---\ntitle: x\n-----\nbody\n";
        let s = split(underlined);
        assert_eq!(&underlined[s.body..], "body\n");
        let pairs = "# A\n\n---\n[x](y.md)\n\n---\n";
        assert_eq!(split(pairs), Split { bom: false, block: None, body: 0, problem: Some(Problem::Absent) });
    }

    #[test]
    fn other_heads_are_named() {
        let of = |s: &str| split(s).problem;
        assert!(matches!(of("+++\na = 1\n+++\n"), Some(Problem::Toml(_))));
        assert!(matches!(of("{\n\"a\": 1\n}\n"), Some(Problem::Json(_))));
        assert!(matches!(of(";;;\n{}\n;;;\n"), Some(Problem::Json(_))));
        assert!(matches!(of("\n---\na: 1\n---\n"), Some(Problem::NotFirst(_))));
        assert!(matches!(of("<!-- c -->\n---\na: 1\n---\n"), Some(Problem::NotFirst(_))));
        assert!(matches!(of("---\na: 1\n---\n\n---\nb: 1\n---\n"), Some(Problem::Doubled(_))));
        assert_eq!(of("---\na: 1\n---\n\n---\n\ntext\n\n---\n"), None);
        assert_eq!(of(""), Some(Problem::Absent));
    }
}
