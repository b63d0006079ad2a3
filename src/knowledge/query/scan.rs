//! One pass over a page: its sections, and how often the question's words stand in each of them.
//!
//! The pass reads lines, not a syntax tree, because it runs over every page of the base at every
//! question. Headings inside fences and comments are text, as in CommonMark. Nothing is kept of a
//! section that holds no word of the question but its place and its length.

use std::ops::Range;

use super::words::{Recogniser, Terms, is_function_token};

/// How often each word of the question stands in a field; the index is the word's number. Empty when
/// none does.
pub type Counts = Vec<u16>;

/// A section: from its heading line to the next heading line of any level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Bytes of the heading's text in the page, empty for what stands before the first heading.
    pub heading: Range<usize>,
    /// 1–6; 0 for what stands before the first heading.
    pub level: u8,
    /// Bytes of the page, heading line included.
    pub bytes: Range<usize>,
    /// First and last line, from 1.
    pub lines: (usize, usize),
    /// Words in the body.
    pub words: u32,
    /// Question's words in the heading.
    pub in_heading: Counts,
    /// Question's words in the headings above this one.
    pub in_parents: Counts,
    /// Question's words in the body.
    pub in_body: Counts,
    /// Neighbouring words of the question that are neighbours here too.
    pub pairs: Counts,
    /// Words in the heading, function words left out.
    pub heading_words: u16,
    /// The longest stretch of the question that stands here in its order, in places of
    /// [`Terms::sequence`]; empty below two words.
    pub run: Range<u8>,
}

/// What one page holds of the question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// The sections in order; at least one.
    pub sections: Vec<Section>,
    /// Question's words in the title.
    pub in_title: Counts,
    /// Question's words in the summary (or description).
    pub in_summary: Counts,
    /// Question's words in the tags.
    pub in_tags: Counts,
    /// Question's words in the path.
    pub in_path: Counts,
    /// Words in the title, function words left out.
    pub title_words: u16,
    /// Whether the status is archived.
    pub archived: bool,
    /// Bytes of the front matter block, fences included; empty when there is none.
    pub front: Range<usize>,
}

impl Scan {
    /// Whether any field of the page holds a word of the question.
    pub fn is_hit(&self) -> bool {
        let any = |counts: &Counts| counts.iter().any(|&n| n > 0);
        any(&self.in_title)
            || any(&self.in_summary)
            || any(&self.in_tags)
            || any(&self.in_path)
            || self.sections.iter().any(|s| any(&s.in_heading) || any(&s.in_body))
    }
}

/// Scans `text`, the page at `path` (relative to the root).
pub fn scan(path: &str, text: &str, terms: &Terms, seen: &mut Recogniser<'_>) -> Scan {
    let mut pass = Pass { terms, seen, last: None, longest: 0..0, content: 0, titles: false };
    let mut out = Scan { front: front_matter(text), ..Scan::default() };
    pass.count(path.rsplit_once('.').map_or(path, |(stem, _)| stem), &mut out.in_path, None);
    pass.front(&text[out.front.clone()], &mut out);
    pass.body(text, out.front.end, &mut out.sections);
    out
}

/// The front matter block of `text`, both fence lines included; empty when there is none or it does
/// not end.
pub fn front_matter(text: &str) -> Range<usize> {
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut at = start;
    for (number, line) in text[start..].split_inclusive('\n').enumerate() {
        let fence = line.trim_end();
        at += line.len();
        match (number, fence) {
            (0, "---") => {}
            (0, _) => return 0..0,
            (_, "---" | "...") => return start..at,
            _ => {}
        }
    }
    0..0
}

struct Pass<'a, 'b> {
    terms: &'a Terms,
    seen: &'a mut Recogniser<'b>,
    /// The stretch of the question's sequence that ends at the word before.
    last: Option<Range<u8>>,
    /// The longest stretch since it was last taken.
    longest: Range<u8>,
    /// Words that are no function words, since it was last taken.
    content: u16,
    /// Whether those words are wanted (in titles and headings).
    titles: bool,
}

impl Pass<'_, '_> {
    /// Counts into `into` and, for neighbours, into `pairs`; returns the number of words.
    fn count(&mut self, text: &str, into: &mut Counts, mut pairs: Option<&mut Counts>) -> u32 {
        let mut words = 0;
        let sequence = self.terms.sequence();
        let Pass { terms, seen, last, longest, content, titles } = self;
        seen.read(text, |token, term| {
            words += 1;
            let Some(term) = term else {
                // A function word between two words of the question does not part them.
                if (last.is_some() || *titles) && !is_function_token(token) {
                    *last = None;
                    *content = content.saturating_add(1);
                }
                return;
            };
            *content = content.saturating_add(1);
            if into.is_empty() {
                into.resize(terms.len(), 0);
            }
            let slot = &mut into[usize::from(term)];
            *slot = slot.saturating_add(1);
            let run = match last.take() {
                Some(run) if sequence.get(usize::from(run.end)) == Some(&term) => run.start..run.end + 1,
                before => {
                    let at = place(sequence, before.map(|run| sequence[usize::from(run.end - 1)]), term);
                    match at {
                        Some((at, true)) => at - 1..at + 1,
                        Some((at, false)) => at..at + 1,
                        None => return,
                    }
                }
            };
            if run.len() > 1
                && let Some(pairs) = pairs.as_deref_mut()
            {
                if pairs.is_empty() {
                    pairs.resize(terms.len(), 0);
                }
                let slot = &mut pairs[usize::from(term)];
                *slot = slot.saturating_add(1);
                if run.len() > longest.len() {
                    *longest = run.clone();
                }
            }
            *last = Some(run);
        });
        words
    }

    fn front(&mut self, block: &str, out: &mut Scan) {
        let mut field = 0;
        for line in block.lines() {
            let mut value = line;
            if line.starts_with(|c: char| c.is_ascii_alphabetic())
                && let Some((key, rest)) = line.split_once(':')
            {
                value = rest;
                field = match key.trim_end() {
                    "title" => 1,
                    "summary" | "description" => 2,
                    "tags" | "theme" => 3,
                    "status" => {
                        out.archived = rest.trim().trim_matches(['"', '\'']).starts_with("archived");
                        0
                    }
                    _ => 0,
                };
            }
            let into = match field {
                1 => &mut out.in_title,
                2 => &mut out.in_summary,
                3 => &mut out.in_tags,
                _ => continue,
            };
            (self.last, self.content, self.titles) = (None, 0, field == 1);
            self.count(value, into, None);
            if field == 1 {
                out.title_words = out.title_words.saturating_add(self.content);
            }
        }
    }

    fn body(&mut self, text: &str, from: usize, out: &mut Vec<Section>) {
        let mut lines = Lines::new(text, from);
        let mut section = Section { bytes: from..from, ..Section::default() };
        section.lines.0 = lines.number + 1;
        let mut parents: Vec<(u8, Counts)> = Vec::new();
        let mut previous: Option<Range<usize>> = None;
        let (mut fence, mut comment) = (None::<(u8, usize)>, false);
        (self.last, self.longest, self.titles) = (None, 0..0, false);
        while let Some(range) = lines.next() {
            let line = &text[range.clone()];
            let plain = fence.is_none() && !comment;
            if plain && let Some(marker) = fence_of(line) {
                fence = Some(marker);
            } else if let Some((mark, length)) = fence {
                if fence_of(line).is_some_and(|(m, n)| m == mark && n >= length)
                    && line.trim().bytes().all(|b| b == mark)
                {
                    fence = None;
                }
            } else if comment || line.trim_start().starts_with("<!--") {
                comment = !line.contains("-->");
            }
            let heading = if plain && fence.is_none() && !comment { heading_of(line) } else { None };
            let setext = match (&previous, plain && fence.is_none()) {
                (Some(before), true) => setext_of(line).map(|level| (level, before.clone())),
                _ => None,
            };
            if let Some((level, title, start)) = heading
                .map(|(level, title)| (level, title, range.start))
                .or_else(|| setext.map(|(level, r)| (level, text[r.clone()].trim(), r.start)))
            {
                let first = if start < range.start { lines.number - 1 } else { lines.number };
                section.bytes.end = start;
                section.lines.1 = first - 1;
                section.run = std::mem::take(&mut self.longest);
                if section.level > 0 || !text[section.bytes.clone()].trim().is_empty() {
                    out.push(std::mem::take(&mut section));
                }
                while parents.last().is_some_and(|(above, _)| *above >= level) {
                    parents.pop();
                }
                // The title is a slice of the text.
                let at = title.as_ptr() as usize - text.as_ptr() as usize;
                section = Section { heading: at..at + title.len(), level, ..Section::default() };
                section.bytes = start..range.end;
                section.lines.0 = first;
                (self.last, self.content, self.titles) = (None, 0, true);
                self.count(title, &mut section.in_heading, Some(&mut section.pairs));
                section.heading_words = self.content;
                (self.last, self.titles) = (None, false);
                for (_, above) in parents.iter().filter(|(_, above)| !above.is_empty()) {
                    section.in_parents.resize(self.terms.len(), 0);
                    section.in_parents.iter_mut().zip(above).for_each(|(sum, n)| *sum += n);
                }
                parents.push((level, section.in_heading.clone()));
                previous = None;
                continue;
            }
            let blank = line.trim().is_empty();
            if blank {
                self.last = None;
            } else {
                section.words += self.count(line, &mut section.in_body, Some(&mut section.pairs));
            }
            section.bytes.end = range.end;
            previous = (plain && !blank && is_paragraph(line)).then_some(range);
        }
        section.bytes.end = text.len();
        section.run = std::mem::take(&mut self.longest);
        section.lines.1 = lines.number.max(section.lines.0);
        out.push(section);
    }
}

/// Where `term` stands in the question, and whether `before` stands just before it there.
fn place(sequence: &[u8], before: Option<u8>, term: u8) -> Option<(u8, bool)> {
    let pair = before.and_then(|b| sequence.windows(2).position(|w| w == [b, term]));
    match pair {
        Some(at) => Some((at as u8 + 1, true)),
        None => sequence.iter().position(|&t| t == term).map(|at| (at as u8, false)),
    }
}

struct Lines<'a> {
    text: &'a str,
    at: usize,
    number: usize,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str, at: usize) -> Self {
        let number = memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count();
        Lines { text, at, number }
    }

    fn next(&mut self) -> Option<Range<usize>> {
        if self.at >= self.text.len() {
            return None;
        }
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        self.at = memchr::memchr(b'\n', rest).map_or(self.text.len(), |n| start + n + 1);
        self.number += 1;
        Some(start..self.at)
    }
}

/// The fence a line opens or closes: its character and how often it stands there.
fn fence_of(line: &str) -> Option<(u8, usize)> {
    let line = line.trim_start();
    let mark = *line.as_bytes().first()?;
    if mark != b'`' && mark != b'~' {
        return None;
    }
    let length = line.bytes().take_while(|&b| b == mark).count();
    let inline = mark == b'`' && line[length..].contains('`');
    (length >= 3 && !inline).then_some((mark, length))
}

/// The level and text of an ATX heading.
fn heading_of(line: &str) -> Option<(u8, &str)> {
    let indent = line.bytes().take_while(|&b| b == b' ').count();
    let rest = &line[indent..];
    if indent > 3 || !rest.starts_with('#') {
        return None;
    }
    let level = rest.bytes().take_while(|&b| b == b'#').count();
    let text = &rest[level..];
    if level > 6 || !(text.trim().is_empty() || text.starts_with([' ', '\t'])) {
        return None;
    }
    let text = text.trim();
    let closed = text.trim_end_matches('#');
    let text = if closed.is_empty() || closed.ends_with([' ', '\t']) { closed.trim_end() } else { text };
    Some((level as u8, text))
}

fn setext_of(line: &str) -> Option<u8> {
    let rule = line.trim();
    if line.starts_with("    ") || rule.is_empty() {
        return None;
    }
    match rule.as_bytes()[0] {
        b'=' if rule.bytes().all(|b| b == b'=') => Some(1),
        b'-' if rule.bytes().all(|b| b == b'-') => Some(2),
        _ => None,
    }
}

/// Whether a line can be the text of a setext heading.
fn is_paragraph(line: &str) -> bool {
    let text = line.trim();
    !line.starts_with("    ")
        && !text.starts_with(['>', '|', '<', '`', '~', '#', '='])
        && !["- ", "* ", "+ "].iter().any(|bullet| text.starts_with(bullet))
        && !text.starts_with("---")
        && !text
            .split_once(['.', ')'])
            .is_some_and(|(n, _)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::lang::Lang;

    fn scanned(text: &str, question: &str) -> Scan {
        let langs = [Lang::En];
        let terms = Terms::new(question, &langs, false);
        scan("a/login-page.md", text, &terms, &mut Recogniser::new(&terms, &langs))
    }

    #[test]
    fn sections_have_their_lines() {
        let text = "---\ntitle: \"Login\"\ntags: [lock]\n---\n\nIntro.\n\n# One\n\ntext\n\nTwo\n---\n```\n# no\n```\n### Three ##\nlock lock\n";
        let out = scanned(text, "lock login");
        let got: Vec<_> = out.sections.iter().map(|s| (&text[s.heading.clone()], s.level, s.lines)).collect();
        assert_eq!(got, [("", 0, (5, 7)), ("One", 1, (8, 11)), ("Two", 2, (12, 16)), ("Three", 3, (17, 18))]);
        assert_eq!(out.sections[3].in_body, [2, 0]);
        assert_eq!((out.in_title, out.in_tags, out.in_path), (vec![0, 1], vec![1, 0], vec![0, 1]));
        assert_eq!(&text[out.sections[1].bytes.clone()], "# One\n\ntext\n\n");
    }

    #[test]
    fn neighbours_in_the_question_are_neighbours_in_the_text() {
        let out = scanned("the account lock of the user\n\nuser\n\nlock\n", "account lock user");
        assert_eq!(out.sections[0].pairs, [0, 1, 1]);
    }

    #[test]
    fn odd_pages_have_one_section_and_no_panic() {
        for text in [
            "",
            "\n",
            "---\n",
            "---\ntitle: x",
            "```\n# a\n",
            "<!-- # a\n# b\n",
            "\u{feff}---\na: 1\n---\n",
            "---\n---",
        ] {
            assert_eq!(scanned(text, "x").sections.len(), 1, "{text:?}");
        }
    }
}
