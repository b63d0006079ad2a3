//! Texts as token ids: the directory's own tokenizer, and our own windows.
//!
//! Published tokenizers cut and pad by themselves (at 128 for MiniLM); both are switched off here,
//! and a long text becomes windows that overlap by 15 % and together cover every byte.

use std::ops::Range;

use tokenizers::{Encoding, Tokenizer};

use super::spec::{Spec, number};
use crate::base::{Error, Kind, Result};
use crate::tr;

/// One model input.
#[derive(Debug)]
pub(super) struct Piece {
    /// Token ids, special ones included.
    pub ids: Vec<u32>,
    /// Segment of each token.
    pub types: Vec<u32>,
    /// The bytes of the text it covers.
    pub bytes: Range<usize>,
}

/// A tokenizer with the special tokens its model expects.
pub(super) struct Tokens {
    tokenizer: Tokenizer,
    /// Special tokens around one text.
    single: [Vec<u32>; 2],
    /// Special tokens before, between and after two texts.
    pair: [Vec<u32>; 3],
    /// Segment of the second text.
    second: u32,
}

impl Tokens {
    /// Reads `tokenizer.json`.
    pub fn load(spec: &Spec) -> Result<Tokens> {
        let bad = |e: &dyn std::fmt::Display| spec.unusable(format!("tokenizer.json: {e}"));
        let mut tokenizer = Tokenizer::from_file(spec.dir.join("tokenizer.json")).map_err(|e| bad(&e))?;
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(|e| bad(&e))?;
        let one = tokenizer.encode("a", true).map_err(|e| bad(&e))?;
        let two = tokenizer.encode(("a", "a"), true).map_err(|e| bad(&e))?;
        let template = || bad(&tr!("jetons spéciaux inattendus", "unexpected special tokens"));
        let single: [Vec<u32>; 2] = gaps(&one).try_into().map_err(|_| template())?;
        let pair: [Vec<u32>; 3] = gaps(&two).try_into().map_err(|_| template())?;
        let second = two.get_sequence_ids().iter().position(|s| *s == Some(1));
        // Tokenizers of models without segments mark the second text all the same.
        let segments = number(&spec.config, "type_vocab_size").unwrap_or(1);
        let second = second.map_or(0, |i| two.get_type_ids()[i]).min(segments.saturating_sub(1) as u32);
        Ok(Tokens { tokenizer, single, pair, second })
    }

    /// Tokens of `text`, special ones excluded.
    pub fn count(&self, text: &str) -> Option<usize> {
        self.plain(text).ok().map(|e| e.len())
    }

    /// The model inputs of `prefix` + `text`, each at most `window` tokens long; the prefix stands
    /// before each. None for a text of white space.
    pub fn windows(&self, prefix: &str, text: &str, window: usize) -> Result<Vec<Piece>> {
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let encoding = self.plain(&format!("{prefix}{text}"))?;
        let (ids, offsets) = (encoding.get_ids(), encoding.get_offsets());
        // Joined and split apart again, because a token may start with the space between them.
        let lead = offsets.iter().take_while(|(_, end)| *end <= prefix.len() && !prefix.is_empty()).count();
        let [head, tail] = &self.single;
        let room = room(window, head.len() + tail.len() + lead)?;
        let starts: Vec<usize> =
            offsets[lead..].iter().map(|(start, _)| start.saturating_sub(prefix.len())).collect();
        Ok(spans(ids.len() - lead, room)
            .into_iter()
            .map(|span| {
                let bytes = covered(text, &starts, &span);
                let body = &ids[lead + span.start..lead + span.end];
                let ids = [head, &ids[..lead], body, tail].concat();
                Piece { types: vec![0; ids.len()], ids, bytes }
            })
            .collect())
    }

    /// The model inputs of `query` beside each window of `passage`. A query longer than half the
    /// window counts by its beginning.
    pub fn pairs(&self, query: &str, passage: &str, window: usize) -> Result<Vec<Piece>> {
        let (query, passage_tokens) = (self.plain(query)?, self.plain(passage)?);
        let [head, middle, tail] = &self.pair;
        let query = &query.get_ids()[..query.len().min(window / 2)];
        let room = room(window, head.len() + middle.len() + tail.len() + query.len())?;
        let ids = passage_tokens.get_ids();
        let starts: Vec<usize> = passage_tokens.get_offsets().iter().map(|o| o.0).collect();
        Ok(spans(ids.len(), room)
            .into_iter()
            .map(|span| {
                let bytes = covered(passage, &starts, &span);
                let first = [head, query, middle].concat();
                let second = [&ids[span], tail].concat();
                let types = [vec![0; first.len()], vec![self.second; second.len()]].concat();
                Piece { ids: [first, second].concat(), types, bytes }
            })
            .collect())
    }

    fn plain(&self, text: &str) -> Result<Encoding> {
        self.tokenizer.encode(text, false).map_err(|e| {
            Error::new(Kind::Corrupt, tr!("découpage en jetons impossible : {e}", "cannot tokenize: {e}"))
        })
    }
}

/// The special tokens before, between and after the texts of an encoding.
fn gaps(encoding: &Encoding) -> Vec<Vec<u32>> {
    let mut gaps = vec![Vec::new()];
    let mut inside = None;
    let tokens = encoding.get_ids().iter().zip(encoding.get_special_tokens_mask());
    for ((id, special), sequence) in tokens.zip(encoding.get_sequence_ids()) {
        if *special == 1 || sequence.is_none() {
            if let Some(gap) = gaps.last_mut() {
                gap.push(*id);
            }
        } else if inside != sequence {
            inside = sequence;
            gaps.push(Vec::new());
        }
    }
    gaps
}

fn room(window: usize, taken: usize) -> Result<usize> {
    match window.checked_sub(taken) {
        Some(room) if room >= 4 => Ok(room),
        _ => Err(Error::usage(tr!(
            "le préfixe remplit la fenêtre de {window} jetons",
            "the prefix fills the window of {window} tokens"
        ))),
    }
}

/// Spans of at most `room` of `count` tokens, neighbours sharing 15 % of `room`; at least one.
fn spans(count: usize, room: usize) -> Vec<Range<usize>> {
    let stride = room - room * 15 / 100;
    let mut spans = Vec::new();
    let mut start = 0;
    loop {
        let end = (start + room).min(count);
        spans.push(start..end);
        if end == count {
            return spans;
        }
        start += stride;
    }
}

/// The bytes of `text` that the tokens of `span` stand for, white space after them included.
fn covered(text: &str, starts: &[usize], span: &Range<usize>) -> Range<usize> {
    let at = |i: usize| text.floor_char_boundary(starts.get(i).copied().unwrap_or(text.len()));
    let start = if span.start == 0 { 0 } else { at(span.start) };
    start..at(span.end).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_cover_everything_and_overlap_by_fifteen_percent() {
        assert_eq!(spans(0, 20), vec![Range { start: 0, end: 0 }]);
        assert_eq!(spans(20, 20), vec![Range { start: 0, end: 20 }]);
        assert_eq!(spans(21, 20), [0..20, 17..21]);
        for count in [1, 19, 100, 1001] {
            let spans = spans(count, 20);
            assert_eq!((spans[0].start, spans[spans.len() - 1].end), (0, count));
            assert!(spans.windows(2).all(|w| w[0].end - w[1].start == 3));
        }
    }

    #[test]
    fn covered_bytes_start_and_end_with_the_text() {
        let text = " ab cd é";
        let starts = [1, 4, 7];
        assert_eq!(covered(text, &starts, &(0..2)), 0..7);
        assert_eq!(covered(text, &starts, &(1..3)), 4..9);
    }
}
