//! Where prose may be cut: headings best, then fences, rules, blank lines, list items.

use super::Unit;

/// Gives every unit its score; units inside a closed fence get none.
pub fn score(text: &str, units: &mut [Unit]) {
    let fences = closed_fences(text, units);
    let mut after_blank = false;
    let mut fence = fences.iter().peekable();
    for i in 0..units.len() {
        while fence.peek().is_some_and(|(_, close)| *close < i) {
            fence.next();
        }
        let inside = fence.peek().is_some_and(|(open, close)| *open < i && i <= *close);
        let opens = fence.peek().is_some_and(|(open, _)| *open == i);
        let line = &text[units[i].start..units[i].end];
        let whole_line = i == 0 || units[i - 1].line != units[i].line;
        let blank = line.trim().is_empty();
        units[i].score = match () {
            () if inside => 0,
            () if opens => 70,
            () if !whole_line => 1,
            () if blank => 2,
            () => line_score(line, after_blank),
        };
        after_blank = blank;
    }
}

fn line_score(line: &str, after_blank: bool) -> u32 {
    let content = line.trim_start_matches(' ');
    let indent = line.len() - content.len();
    if indent <= 3 && content.starts_with('#') {
        let level = content.bytes().take_while(|b| *b == b'#').count();
        let spaced = content[level..].starts_with([' ', '\t', '\n', '\r']) || content.len() == level;
        if level <= 6 && spaced {
            return [100, 90, 80, 70, 60, 50][level - 1];
        }
    }
    let rule = content.trim_end();
    if rule.len() >= 3 && ['-', '*', '_'].iter().any(|sign| rule.chars().all(|c| c == *sign || c == ' ')) {
        return 60;
    }
    let item = content.starts_with("- ") || content.starts_with("* ") || {
        let digits = content.bytes().take_while(u8::is_ascii_digit).count();
        (1..=9).contains(&digits) && content[digits..].starts_with(". ")
    };
    match (after_blank, item, indent) {
        (true, _, 0) => 20,
        (true, ..) => 10,
        (false, true, _) => 5,
        _ => 1,
    }
}

/// Indices of the opening and closing units of every fence that is closed.
fn closed_fences(text: &str, units: &[Unit]) -> Vec<(usize, usize)> {
    let mut fences = Vec::new();
    let mut open: Option<(usize, u8, usize)> = None;
    for (i, unit) in units.iter().enumerate() {
        let line = text[unit.start..unit.end].trim();
        let sign = match line.as_bytes().first() {
            Some(b @ (b'`' | b'~')) => *b,
            _ => continue,
        };
        let length = line.bytes().take_while(|b| *b == sign).count();
        match open {
            None if length >= 3 && !(sign == b'`' && line[length..].contains('`')) => {
                open = Some((i, sign, length));
            }
            Some((start, s, l)) if s == sign && length >= l && line.len() == length => {
                fences.push((start, i));
                open = None;
            }
            _ => {}
        }
    }
    fences
}
