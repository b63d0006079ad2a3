//! The manifest: one row a page.

use crate::knowledge::document::Page;
use crate::markdown::sanitize;

/// The table's head.
pub(super) const HEAD: &str =
    "| chemin | type | statut | prio | tags | résumé |\n|---|---|---|---|---|---|\n";

/// The row of a page, with its newline. A page that does not parse keeps its path and the mark `?`.
pub fn row(page: &Page, summary_max: usize) -> String {
    let path = cell(&page.path);
    if !page.is_readable() {
        return format!("| {path} | ? | ? | ? | ? | ? |\n");
    }
    let meta = &page.meta;
    let known = |value: &Option<String>| value.as_deref().map_or_else(|| "?".to_owned(), cell);
    let tags = if meta.tags.is_empty() { "?".to_owned() } else { cell(&meta.tags.join(",")) };
    let priority = meta.priority.as_deref().map(cell).unwrap_or_default();
    let summary = meta.summary.as_deref().map_or_else(|| "?".to_owned(), |s| cell(&cut(s, summary_max)));
    let columns = [path, known(&meta.kind), known(&meta.status), priority, tags, summary];
    let mut out = String::from("|");
    for column in columns {
        out.push(' ');
        out.push_str(&column);
        if !column.is_empty() {
            out.push(' ');
        }
        out.push('|');
    }
    out.push('\n');
    out
}

/// Text that stays in its cell: on one line, pipes, brackets and what opens HTML escaped.
pub(super) fn cell(text: &str) -> String {
    let clean = sanitize::terminal(text);
    let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::with_capacity(line.len());
    let mut slashes = 0;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let acts = match c {
            '|' | '[' | ']' => true,
            '<' => chars.peek().is_some_and(|n| n.is_ascii_alphabetic() || matches!(n, '/' | '!' | '?')),
            _ => false,
        };
        if acts {
            // Backslashes already there would undo the escape.
            out.extend(std::iter::repeat_n('\\', slashes + 1));
        }
        slashes = if c == '\\' { slashes + 1 } else { 0 };
        out.push(c);
    }
    // A backslash at the end would escape the cell's border.
    if slashes % 2 == 1 {
        out.push('\\');
    }
    out
}

/// `text` of at most `most` characters, cut at a word with `…`.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most.saturating_sub(1)).collect();
    let next = text.chars().nth(most.saturating_sub(1));
    let whole = match head.rfind(char::is_whitespace) {
        Some(at) if next.is_some_and(|c| !c.is_whitespace()) => &head[..at],
        _ => &head,
    };
    let kept = if whole.trim().is_empty() { &head } else { whole };
    format!("{}…", kept.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay_in_their_cell() {
        assert_eq!(cell("a | b\n[c](d.md) <b>"), "a \\| b \\[c\\](d.md) \\<b>");
        assert_eq!(cell("x \\| y \\"), "x \\\\\\| y \\\\");
        assert_eq!(cell("a < b"), "a < b");
    }

    #[test]
    fn summaries_are_cut_at_a_word() {
        assert_eq!(cut("un deux trois", 13), "un deux trois");
        assert_eq!(cut("un deux trois", 12), "un deux…");
        assert_eq!(cut("un deux trois", 8), "un deux…");
        assert_eq!(cut("un, deux", 5), "un…");
        assert_eq!(cut("éééééé", 4), "ééé…");
        for most in 1..20 {
            assert!(cut("des mots de plusieurs longueurs", most).chars().count() <= most);
        }
    }

    #[test]
    fn missing_values_are_marked() {
        let page = Page::parse("a.md", "---\ntitle: t\n---\n".to_owned(), 240);
        assert_eq!(row(&page, 240), "| a.md | ? | ? | | ? | ? |\n");
        let broken = Page::parse("a.md", "---\ntitle: a : b\n---\n".to_owned(), 240);
        assert_eq!(row(&broken, 240), "| a.md | ? | ? | ? | ? | ? |\n");
    }
}
