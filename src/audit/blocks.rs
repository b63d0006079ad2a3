//! A file of lines, read front to back in blocks of whole lines, so that a trail of any size needs
//! little memory.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::base::Result;
use crate::base::error::IoContext;

/// Bytes read at a time. A longer line makes its block longer.
const BLOCK: usize = 1 << 20;

/// Whole lines of a file, newlines included; the last block may end without one.
#[derive(Debug)]
pub(super) struct Block {
    /// Byte offset of the block in the file.
    pub offset: u64,
    /// Number of its first line, from 1.
    pub first_line: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A line of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Number, from 1.
    pub number: u64,
    /// Byte offset in the file.
    pub offset: u64,
    /// Without newline.
    pub bytes: &'a [u8],
    /// Whether a newline ended it.
    pub whole: bool,
}

impl Block {
    /// The lines, in order.
    pub fn lines(&self) -> Vec<Line<'_>> {
        let mut lines = Vec::with_capacity(self.bytes.len() / 400 + 1);
        let (mut start, mut number) = (0, self.first_line);
        let ends = memchr::memchr_iter(b'\n', &self.bytes).map(|i| (i, true));
        let rest = self.bytes.last().is_some_and(|b| *b != b'\n').then_some((self.bytes.len(), false));
        for (end, whole) in ends.chain(rest) {
            let bytes = &self.bytes[start..end];
            lines.push(Line { number, offset: self.offset + start as u64, bytes, whole });
            start = end + 1;
            number += 1;
        }
        lines
    }
}

/// Reads the first `limit` bytes of a file, from where it stands, block by block.
pub(super) struct Blocks<'a> {
    file: std::io::Take<&'a File>,
    path: &'a Path,
    offset: u64,
    line: u64,
    carried: Vec<u8>,
}

impl<'a> Blocks<'a> {
    /// Blocks of `file`, whose present position is byte `offset` and line `line`.
    pub fn new(file: &'a File, path: &'a Path, offset: u64, line: u64, limit: u64) -> Self {
        Blocks { file: file.take(limit), path, offset, line, carried: Vec::new() }
    }

    /// The next block, `None` at the end.
    pub fn next(&mut self) -> Result<Option<Block>> {
        let mut bytes = std::mem::take(&mut self.carried);
        bytes.reserve(BLOCK);
        loop {
            let searched = bytes.len();
            let got = (&mut self.file).take(BLOCK as u64).read_to_end(&mut bytes).at(self.path)?;
            if got == 0 {
                break;
            }
            if let Some(end) = memchr::memrchr(b'\n', &bytes[searched..]) {
                self.carried = bytes.split_off(searched + end + 1);
                break;
            }
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let block = Block { offset: self.offset, first_line: self.line, bytes };
        self.offset += block.bytes.len() as u64;
        self.line += memchr::memchr_iter(b'\n', &block.bytes).count() as u64;
        Ok(Some(block))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, Write};

    use super::*;

    #[test]
    fn every_byte_comes_once_in_whole_lines() {
        let mut file = tempfile::tempfile().expect("file");
        let mut text = Vec::new();
        for i in 0..400_000 {
            text.extend_from_slice(format!("line {i}\n").as_bytes());
        }
        text.extend(std::iter::repeat_n(b'x', BLOCK * 2 + 17));
        text.extend_from_slice(b"\n\nlast");
        file.write_all(&text).expect("write");
        file.rewind().expect("rewind");
        let mut blocks = Blocks::new(&file, Path::new("x"), 0, 1, u64::MAX);
        let (mut seen, mut number) = (Vec::new(), 0);
        while let Some(block) = blocks.next().expect("read") {
            for line in block.lines() {
                number += 1;
                assert_eq!((line.number, line.offset), (number, seen.len() as u64));
                seen.extend_from_slice(line.bytes);
                if line.whole {
                    seen.push(b'\n');
                }
            }
        }
        assert!(seen == text);
        assert_eq!(number, 400_003);
    }
}
