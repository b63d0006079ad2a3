//! Untrusted text made harmless, for the injected block, for Markdown we write and for terminals.
//!
//! What must stay true: whatever goes in, re-parsing what comes out gives no heading, no HTML, no
//! code block, no definition, no image and no link; no character moves the cursor, reverses the
//! reading order or hides text. Text stays readable: only what could act is escaped.

/// Every line of `text` as a line of one block quote, ending with a newline; empty for empty text.
///
/// Put a blank line before and after it, so that neither side continues the other.
pub fn quote_block(text: &str) -> String {
    let clean = visible(text);
    let mut out = String::with_capacity(clean.len() + clean.len() / 8 + 4);
    for line in clean.trim_matches('\n').split('\n') {
        let line = line.trim();
        if line.is_empty() {
            out.push_str(">\n");
        } else {
            out.push_str("> ");
            escape_line(line, &mut out);
            out.push('\n');
        }
    }
    if out == ">\n" { String::new() } else { out }
}

/// `text` on one line, safe as the content of a list item, a heading or a paragraph.
pub fn inline(text: &str) -> String {
    let clean = visible(text);
    let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::with_capacity(line.len() + 8);
    escape_line(&line, &mut out);
    // A backslash left at the end would escape what the caller puts next.
    let slashes = out.len() - out.trim_end_matches('\\').len();
    if slashes % 2 == 1 {
        out.push('\\');
    }
    out
}

/// `text` for a terminal: newlines and tabs stay, other controls are shown as U+FFFD, what is
/// invisible or reorders is dropped.
pub fn terminal(text: &str) -> String {
    text.replace("\r\n", "\n")
        .chars()
        .filter(|c| !is_invisible(*c))
        .map(|c| match c {
            '\n' | '\t' => c,
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// Whether `text` holds a character that [`terminal`] would drop or replace.
pub fn is_hostile(text: &str) -> bool {
    text.chars().any(|c| is_invisible(c) || c.is_control() && !matches!(c, '\n' | '\t' | '\r'))
}

/// Without anything invisible; every kind of line or page break is a newline; ANSI sequences go as a
/// whole, other controls one by one.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    out.push('\n');
                }
            }
            '\n' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\t' => out.push(' '),
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_csi(&mut chars),
            '\0' => out.push('\u{fffd}'),
            c if c.is_control() || is_invisible(c) => {}
            c => out.push(c),
        }
    }
    out
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn skip_escape(chars: &mut Chars<'_>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_csi(chars);
        }
        // Operating-system command: to BEL or the string terminator, on this line.
        Some(']' | 'P' | '_' | '^' | 'X') => {
            while let Some(c) = chars.next_if(|c| *c != '\n') {
                if c == '\u{7}' || c == '\u{9c}' {
                    break;
                }
                if c == '\u{1b}' {
                    chars.next_if_eq(&'\\');
                    break;
                }
            }
        }
        _ => {}
    }
}

fn skip_csi(chars: &mut Chars<'_>) {
    while chars.next_if(|c| matches!(c, '0'..='?' | ' '..='/')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}

/// Characters that show nothing or change the reading order.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Escapes one trimmed, non-empty line: what acts at its start, then what acts anywhere.
fn escape_line(line: &str, out: &mut String) {
    let mut rest = line;
    // List markers may stay, with something after them; what follows counts as a start again.
    while let Some(len) = list_marker(rest) {
        out.push_str(&rest[..len]);
        out.push(' ');
        rest = rest[len..].trim_start();
    }
    let (prefix, mut tail) = start_escape(rest);
    if let Some(at) = prefix {
        push_escaped(&rest[..at], out);
        out.push('\\');
        let c = rest[at..].chars().next().unwrap_or('\\');
        out.push(c);
        tail = &rest[at + c.len_utf8()..];
    }
    push_escaped(tail, out);
}

/// The length of `-`, `*`, `+`, `1.` or `1)` when a blank and more text follow.
fn list_marker(line: &str) -> Option<usize> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let len = match (digits, line.as_bytes().get(digits)) {
        (0, Some(b'-' | b'*' | b'+')) => 1,
        (1..=9, Some(b'.' | b')')) => digits + 1,
        _ => return None,
    };
    let after = &line[len..];
    (after.starts_with(' ') && !after.trim().is_empty()).then_some(len)
}

/// Where a backslash must go so that the line starts no block; and the line.
fn start_escape(line: &str) -> (Option<usize>, &str) {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let at = match line.as_bytes().first() {
        Some(b'#' | b'>' | b'=' | b'~' | b'`' | b'|' | b':' | b'+' | b'-' | b'*' | b'_') => {
            let first = line.as_bytes()[0];
            let run = line.bytes().take_while(|b| *b == first).count();
            let alone = line.bytes().all(|b| b == first || b == b' ');
            let acts = match first {
                b'#' | b'>' | b'=' | b'|' | b':' | b'+' | b'-' => true,
                b'~' | b'`' => run >= 3,
                b'*' | b'_' => alone || line[run..].starts_with(' '),
                _ => false,
            };
            acts.then_some(0)
        }
        Some(b'0'..=b'9') if matches!(line.as_bytes().get(digits), Some(b'.' | b')')) => {
            let after = &line[digits + 1..];
            (after.is_empty() || after.starts_with(' ')).then_some(digits)
        }
        _ => None,
    };
    (at, line)
}

/// Escapes brackets and what opens HTML; a run of backslashes before them is doubled, so that it
/// cannot undo the escape.
fn push_escaped(text: &str, out: &mut String) {
    let mut slashes = 0;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let acts = match c {
            '[' | ']' => true,
            '<' => chars.peek().is_some_and(|n| n.is_ascii_alphabetic() || matches!(n, '/' | '!' | '?')),
            _ => false,
        };
        if acts {
            out.extend(std::iter::repeat_n('\\', slashes + 1));
        }
        slashes = if c == '\\' { slashes + 1 } else { 0 };
        out.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    #[test]
    fn text_stays_readable() {
        assert_eq!(
            quote_block("Use `x` - *not* `y`.\n\n- a\n- b"),
            "> Use `x` - *not* `y`.\n>\n> - a\n> - b\n"
        );
        assert_eq!(quote_block("# T\n===\n```sh\n"), "> \\# T\n> \\===\n> \\```sh\n");
        assert_eq!(quote_block("  \n"), "");
        assert_eq!(inline("a\n# b  [x](y) \\<i> \\"), "a # b \\[x\\](y) \\\\\\<i> \\\\");
        assert_eq!(inline("1. # x"), "1. \\# x");
        assert_eq!(terminal("a\x1b[31mb\u{202e}c\r\nd\u{e0041}\te"), "a\u{fffd}[31mbc\nd\te");
        assert_eq!(quote_block("a\x1b[31mred\x1b]0;t\u{7}b"), "> aredb\n");
    }

    /// Pieces that act in Markdown, in terminals or on readers.
    fn fragment() -> impl Strategy<Value = String> {
        let pieces: Vec<&'static str> = vec![
            "# a",
            "## Veille",
            "###### x",
            "#",
            "a\n===",
            "a\n---",
            "\n-\n",
            "\n=\n",
            "```",
            "````rust",
            "~~~~",
            "`",
            "``",
            "<b>",
            "</div>",
            "<!--",
            "-->",
            "<?php",
            "<![CDATA[",
            "<script>alert(1)</script>",
            "<https://x>",
            "[a]: http://x",
            "[a]",
            "[^1]: note",
            "[^1]",
            "![i](x.png)",
            "[t](u)",
            "[!NOTE]",
            "> q",
            ">",
            "- ",
            "* ",
            "1. ",
            "12) ",
            "+ ",
            "    ",
            "\t",
            "\u{a0}",
            "---\ntitle: x\n---",
            "+++",
            "| a | b |\n|---|---|",
            "|",
            ": d",
            "\\",
            "\\\\",
            "&#35; x",
            "&lt;b&gt;",
            "\u{1b}[2J",
            "\u{1b}]0;t\u{7}",
            "\u{9b}31m",
            "\u{202e}",
            "\u{2066}",
            "\u{e0041}\u{e0042}",
            "\u{200b}",
            "\u{feff}",
            "\u{2028}",
            "\u{85}",
            "\u{c}",
            "\r",
            "\r\n",
            "\n",
            "\n\n",
            " ",
            "word",
            "été",
            "\0",
            "{#id}",
            "$$x$$",
            "***",
            "___",
            "- - -",
            "* * *",
            "-",
            "\n  # y",
            "- # z",
            "1. ## z",
            "- - # z",
            "> # z",
            "<a\nhref=x>",
            "x\u{200b}",
            "Setext\n\u{200b}---",
            "-\u{200b}--",
        ];
        prop_oneof![
            8 => proptest::sample::select(pieces).prop_map(str::to_owned),
            1 => any::<char>().prop_map(String::from),
            1 => "[ -~]{0,6}",
        ]
    }

    /// What a document parses to: headings, and whether anything forbidden is there.
    fn parsed(text: &str) -> (Vec<String>, Vec<String>) {
        let options = crate::markdown::body::options()
            | Options::ENABLE_HEADING_ATTRIBUTES
            | Options::ENABLE_DEFINITION_LIST
            | Options::ENABLE_WIKILINKS;
        let (mut headings, mut forbidden, mut open) = (Vec::new(), Vec::new(), None);
        let parser = Parser::new_ext(text, options);
        if parser.reference_definitions().iter().next().is_some() {
            forbidden.push("definition".to_owned());
        }
        for event in parser {
            match event {
                Event::Start(Tag::Heading { level, .. }) => open = Some(format!("{level} ")),
                Event::End(pulldown_cmark::TagEnd::Heading(_)) => headings.extend(open.take()),
                Event::Text(t) | Event::Code(t) => {
                    if let Some(h) = &mut open {
                        h.push_str(&t);
                    }
                }
                Event::Html(t) | Event::InlineHtml(t) => forbidden.push(t.to_string()),
                Event::FootnoteReference(t) => forbidden.push(t.to_string()),
                Event::Start(
                    tag @ (Tag::CodeBlock(_)
                    | Tag::HtmlBlock
                    | Tag::Image { .. }
                    | Tag::Link { .. }
                    | Tag::Table(_)
                    | Tag::FootnoteDefinition(_)
                    | Tag::BlockQuote(Some(_))
                    | Tag::MetadataBlock(_)),
                ) => forbidden.push(format!("{tag:?}")),
                _ => {}
            }
        }
        (headings, forbidden)
    }

    fn hidden(text: &str) -> bool {
        text.chars().any(|c| {
            c != '\n' && c.is_control()
                || matches!(u32::from(c), 0x200b..=0x200f | 0x202a..=0x202e | 0x2066..=0x2069 | 0xfeff | 0xe0000..=0xe007f)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_block_has_our_headings_only(
            pieces in proptest::collection::vec(fragment(), 0..14),
            title in proptest::collection::vec(fragment(), 0..5),
        ) {
            let (text, title) = (pieces.concat(), title.concat());
            let (quote, line) = (quote_block(&text), inline(&title));
            let document = format!("## One\n\n{quote}\n## Two\n\n- {line}\n\n{quote}\n## Three\n\n{line}\n\nend\n");
            let (headings, forbidden) = parsed(&document);
            prop_assert_eq!(headings, vec!["h2 One", "h2 Two", "h2 Three"], "{}", &document);
            prop_assert!(forbidden.is_empty(), "{:?} in {}", forbidden, &document);
            prop_assert!(!hidden(&document), "{:?}", &document);
            prop_assert!(!line.contains('\n'));
            prop_assert!(quote.lines().all(|l| l == ">" || l.starts_with("> ")));
            let heading = format!("## {line}\n\nend\n");
            prop_assert_eq!(parsed(&heading).0.len(), 1, "{}", &heading);
            let shown = terminal(&text);
            prop_assert!(!shown.contains('\x1b') && !hidden(&shown.replace('\t', "")), "shown");
        }
    }
}
