//! Reads the Clarifications section of other people's `spec.md` files.
//!
//! The forms accepted are `- Q: … → A: …`, `->` for the arrow, `**Q1:** …`, answers on lines of
//! their own, and answers that run over several lines. A question without an answer is counted and
//! skipped; every other line of the section is ignored. Code fences are copied into the answer that
//! holds them and never parsed.

use crate::base::Date;
use crate::base::id::StoryId;

/// One answered question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The question, one line.
    pub question: String,
    /// The answer, lines joined by `\n`.
    pub answer: String,
}

/// What a Clarifications section holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Answered questions, in file order.
    pub answered: Vec<Answered>,
    /// Questions without an answer.
    pub unanswered: usize,
    /// The latest day named by a `Session` heading.
    pub date: Option<Date>,
}

/// Reads the Clarifications sections of a Markdown text, `None` when it has none.
pub fn parse(text: &str) -> Option<Section> {
    let mut section = None::<Section>;
    let mut level = 0;
    let mut fence = None::<(char, usize)>;
    let mut open = None::<Open>;
    for line in text.lines() {
        let trimmed = line.trim();
        if fence_mark(trimmed).is_some() {
            fence = after(fence, trimmed);
            extend(&mut open, line, true);
            continue;
        }
        if fence.is_some() {
            extend(&mut open, line, true);
            continue;
        }
        if let Some((depth, title)) = heading(line) {
            close(&mut open, section.as_mut().filter(|_| level > 0));
            if is_clarifications(title) {
                level = depth;
                section.get_or_insert_default();
            } else if level > 0 && depth <= level {
                level = 0;
            } else if let Some(section) = section.as_mut().filter(|_| level > 0)
                && title.to_lowercase().starts_with("session")
            {
                section.date = section.date.max(Date::find(title));
            }
            continue;
        }
        if level == 0 {
            continue;
        }
        if let Some((question, answer)) = question(trimmed) {
            close(&mut open, section.as_mut());
            open = Some(Open { question, answer, indent: indent(line) });
        } else if let Some(answer) = answer_line(trimmed) {
            if let Some(open) = open.as_mut() {
                open.answer.get_or_insert_default().push_str(answer);
            }
        } else if is_bullet(trimmed) && open.as_ref().is_none_or(|o| indent(line) <= o.indent) {
            close(&mut open, section.as_mut());
        } else {
            extend(&mut open, line, false);
        }
    }
    close(&mut open, section.as_mut().filter(|_| level > 0));
    section
}

/// Writes questions and answers as [`parse`] reads them, below a Clarifications heading.
pub fn render(list: &[Answered]) -> String {
    let mut out = String::new();
    for Answered { question, answer } in list {
        out.push_str(&format!("- Q: {question}\n"));
        let mut fence = None::<(char, usize)>;
        for (i, line) in answer.split('\n').enumerate() {
            let verbatim = fence.is_some() || fence_mark(line.trim()).is_some();
            fence = after(fence, line.trim());
            match (i, line) {
                (0, _) => out.push_str(&format!("  - A: {line}\n")),
                (_, "") => out.push('\n'),
                // Code keeps its own indentation.
                _ if verbatim => out.push_str(&format!("{line}\n")),
                _ => out.push_str(&format!("    {line}\n")),
            }
        }
    }
    out
}

/// The story of a specification by its folder: `SPEC-<number>`, without leading zeros.
pub fn story_of(folder: &str) -> Option<StoryId> {
    let number = folder.split('-').find_map(|p| p.parse::<u32>().ok()).filter(|n| *n > 0)?;
    StoryId::parse(&format!("SPEC-{number}"))
}

/// The code fence that is open after a line.
fn after(fence: Option<(char, usize)>, trimmed: &str) -> Option<(char, usize)> {
    let Some(mark) = fence_mark(trimmed) else { return fence };
    match fence {
        None => Some(mark),
        Some((c, n)) if mark.0 == c && mark.1 >= n && trimmed.trim_start_matches(c).is_empty() => None,
        open => open,
    }
}

struct Open {
    question: String,
    answer: Option<String>,
    indent: usize,
}

/// Adds a line to the answer that is open; before an answer began, to the question.
fn extend(open: &mut Option<Open>, line: &str, verbatim: bool) {
    let Some(open) = open else { return };
    let text = if verbatim { line.trim_end() } else { line.trim() };
    match open.answer.as_mut() {
        Some(answer) => {
            if !answer.is_empty() {
                answer.push('\n');
            }
            answer.push_str(text);
        }
        None if text.is_empty() => {}
        None => {
            // The arrow may stand on a continuation line of the question.
            if let Some((rest, answer)) = split_answer(text) {
                open.question = format!("{} {rest}", open.question).trim().to_owned();
                open.answer = Some(answer);
            } else {
                open.question = format!("{} {text}", open.question).trim().to_owned();
            }
        }
    }
}

fn close(open: &mut Option<Open>, section: Option<&mut Section>) {
    let (Some(open), Some(section)) = (open.take(), section) else { return };
    let answer = open.answer.map(|a| a.trim().to_owned()).filter(|a| !a.is_empty());
    match answer {
        Some(answer) if !is_placeholder(&answer) => {
            section.answered.push(Answered { question: open.question, answer });
        }
        _ => section.unanswered += 1,
    }
}

/// Whether an answer only stands for one.
pub fn is_placeholder(answer: &str) -> bool {
    let folded = answer.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    matches!(folded.as_str(), "" | "tbd" | "todo" | "pending" | "needs clarification")
}

fn is_clarifications(title: &str) -> bool {
    title
        .trim_end_matches(['#', ' '])
        .split(['(', '*'])
        .next()
        .is_some_and(|t| matches!(t.trim().to_lowercase().as_str(), "clarifications" | "clarification"))
}

fn heading(line: &str) -> Option<(usize, &str)> {
    if indent(line) > 3 {
        return None;
    }
    let line = line.trim();
    let depth = line.bytes().take_while(|b| *b == b'#').count();
    let rest = line.get(depth..)?;
    ((1..=6).contains(&depth) && (rest.is_empty() || rest.starts_with([' ', '\t'])))
        .then(|| (depth, rest.trim()))
}

fn fence_mark(trimmed: &str) -> Option<(char, usize)> {
    let c = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let n = trimmed.chars().take_while(|x| *x == c).count();
    (n >= 3 && !(c == '`' && trimmed[n..].contains('`'))).then_some((c, n))
}

fn indent(line: &str) -> usize {
    line.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

fn is_bullet(trimmed: &str) -> bool {
    trimmed.starts_with("- ") || trimmed.starts_with("* ") || trimmed.starts_with("+ ")
}

/// `- **Q1**: text → A: answer` without its bullet, label and bold marks.
fn question(trimmed: &str) -> Option<(String, Option<String>)> {
    let rest = label(trimmed, 'Q')?;
    Some(match split_answer(rest) {
        Some((question, answer)) => (question.to_owned(), Some(answer)),
        None => (rest.trim_end_matches("**").trim().to_owned(), None),
    })
}

fn answer_line(trimmed: &str) -> Option<&str> {
    let body = trimmed.strip_prefix('→').or_else(|| trimmed.strip_prefix("->")).unwrap_or(trimmed);
    label(body.trim_start(), 'A')
}

/// What follows `Q:`, `Q1:`, `**Q:**`, `**Q1**:`, with or without a bullet.
fn label(text: &str, letter: char) -> Option<&str> {
    let text = text.strip_prefix(['-', '*', '+']).filter(|t| t.starts_with(' ')).unwrap_or(text).trim_start();
    let text = text.trim_start_matches("**").trim_start_matches('_').strip_prefix(letter)?;
    let text = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = text.trim_start_matches("**").trim_start();
    let text = text.strip_prefix(':')?;
    Some(text.trim_start_matches("**").trim())
}

/// Splits `question → A: answer`; without the arrow nothing is split.
fn split_answer(text: &str) -> Option<(&str, String)> {
    for arrow in ["→", "->"] {
        let mut from = 0;
        while let Some(at) = text[from..].find(arrow).map(|i| from + i) {
            let after = text[at + arrow.len()..].trim_start();
            if let Some(answer) = label(after, 'A') {
                return Some((text[..at].trim().trim_end_matches("**").trim(), answer.to_owned()));
            }
            from = at + arrow.len();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(q: &str, a: &str) -> Answered {
        Answered { question: q.into(), answer: a.into() }
    }

    #[test]
    fn arrow_forms_and_sessions() {
        let text = "# Spec\n\n## Clarifications\n\n### Session 2025-11-02\n- Q: One? → A: Yes, `a -> b`.\n \
                    - Q: Two -> three? -> A: No\n### Session 2025-12-15 (post)\n- **Q3**: Bold? → **A**: Indeed\n\
                    - Scan result: nothing\n## Next\n- Q: not here → A: no\n";
        let section = parse(text).expect("section");
        assert_eq!(
            section.answered,
            [pair("One?", "Yes, `a -> b`."), pair("Two -> three?", "No"), pair("Bold?", "Indeed")]
        );
        assert_eq!(section.date, Date::parse("2025-12-15"));
        assert_eq!(section.unanswered, 0);
    }

    #[test]
    fn answers_on_their_own_and_over_lines() {
        let text = "## Clarifications\n- **Q1:** First\n  part?\n  - **A:** line one\n    line two\n    ```\n    ## no heading\n    \
                    ```\n- Q: open?\n- Q: later? → A: TBD\n";
        let section = parse(text).expect("section");
        assert_eq!(section.answered.len(), 1);
        assert_eq!(section.answered[0].question, "First part?");
        assert_eq!(section.answered[0].answer, "line one\nline two\n    ```\n    ## no heading\n    ```");
        assert_eq!(section.unanswered, 2);
    }

    #[test]
    fn what_is_rendered_reads_back() {
        let list = [
            pair("One -> two?", "Yes"),
            pair("Three?", "first\n\n- a bullet\nlast"),
            pair("Code?", "see\n  ```sh\n  ## no heading\n- Q: not one\n  ```\nend"),
        ];
        let text = format!("## Clarifications\n\n{}", render(&list));
        assert_eq!(parse(&text).expect("section").answered, list);
        assert_eq!(story_of("007-x").map(|s| s.to_string()), Some("SPEC-7".into()));
        assert_eq!(story_of("x"), None);
    }

    #[test]
    fn absent_or_empty_sections() {
        assert_eq!(parse("# Title\n- Q: x → A: y\n"), None);
        assert_eq!(parse("```\n## Clarifications\n```\n"), None);
        assert_eq!(parse("## Clarifications\n"), Some(Section::default()));
    }
}
