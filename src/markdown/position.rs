//! Lines and columns of a document.
//!
//! A line ends at LF, CRLF or a lone CR, as in CommonMark. Lines and columns count from 1; a column
//! counts Unicode scalar values.

use std::ops::Range;

/// A place in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in Unicode scalar values.
    pub column: usize,
}

/// Where each line of a document starts.
#[derive(Clone, Debug)]
pub struct LineIndex<'a> {
    source: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// The lines of `source`.
    pub fn new(source: &'a str) -> Self {
        let bytes = source.as_bytes();
        let mut starts = vec![0];
        for i in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            if bytes[i] == b'\n' || bytes.get(i + 1) != Some(&b'\n') {
                starts.push(i + 1);
            }
        }
        LineIndex { source, starts }
    }

    /// The line that holds `byte`, from 1.
    pub fn line(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte)
    }

    /// Line and column of `byte`; a byte inside a character counts as its start.
    pub fn position(&self, byte: usize) -> Position {
        let byte = byte.min(self.source.len());
        let line = self.line(byte);
        let start = self.starts[line - 1];
        let mut end = byte;
        while !self.source.is_char_boundary(end) {
            end -= 1;
        }
        Position { line, column: self.source[start..end].chars().count() + 1 }
    }

    /// The number of lines; a final line ending opens no further line.
    pub fn count(&self) -> usize {
        let last_is_empty = self.starts.last().is_some_and(|s| *s == self.source.len());
        if last_is_empty { self.starts.len() - 1 } else { self.starts.len() }
    }

    /// The bytes of line `line` (from 1) without its ending; empty past the end.
    pub fn range(&self, line: usize) -> Range<usize> {
        let len = self.source.len();
        let Some(start) = line.checked_sub(1).and_then(|i| self.starts.get(i)).copied() else {
            return len..len;
        };
        let end = self.starts.get(line).copied().unwrap_or(len);
        let text = self.source[start..end].trim_end_matches(['\r', '\n']);
        start..start + text.len()
    }

    /// The text of line `line` (from 1) without its ending.
    pub fn text(&self, line: usize) -> &'a str {
        &self.source[self.range(line)]
    }

    /// The byte where line `line` (from 1) starts; the length of the document past the end.
    pub fn start(&self, line: usize) -> usize {
        line.checked_sub(1).and_then(|i| self.starts.get(i)).copied().unwrap_or(self.source.len())
    }

    /// The document.
    pub fn source(&self) -> &'a str {
        self.source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_ending_counts_once() {
        let index = LineIndex::new("a\r\nbé\rc\n\nd");
        assert_eq!(index.count(), 5);
        assert_eq!(index.text(2), "bé");
        assert_eq!(index.position(5), Position { line: 2, column: 3 - 1 });
        assert_eq!(index.position(6), Position { line: 2, column: 3 });
        assert_eq!(index.text(4), "");
        assert_eq!(index.text(5), "d");
        assert_eq!(index.text(6), "");
        assert_eq!(LineIndex::new("").count(), 0);
        assert_eq!(LineIndex::new("x\n").count(), 1);
    }
}
