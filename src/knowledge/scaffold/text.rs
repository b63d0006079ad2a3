//! Sentences and words taken over from sources: first sentence, cut, escape, readable names. Pure.

/// The first sentence of `text`, on one line.
pub fn sentence(text: &str) -> String {
    let line = flat(text);
    let bytes = line.as_bytes();
    for (at, c) in line.char_indices() {
        if !matches!(c, '.' | '!' | '?') || at < 12 {
            continue;
        }
        let next = bytes.get(at + 1);
        let abbreviation = ["e.g", "i.e", "etc", "cf", "ex", "vs", "p. ex", "No"];
        let before = line[..at].rsplit([' ', '(']).next().unwrap_or("");
        if next.is_none_or(|b| *b == b' ') && !abbreviation.contains(&before) && before.len() > 1 {
            return line[..=at].to_owned();
        }
    }
    line
}

/// `text` on one line, runs of white space and control characters as one blank.
pub fn flat(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// `text` of at most `most` characters, cut at a word with `…`.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most.saturating_sub(1)).collect();
    let whole = head.rfind(' ').filter(|at| *at > head.len() / 2).map_or(head.as_str(), |at| &head[..at]);
    format!("{}…", whole.trim_end_matches([' ', ',', ';', ':', '(', '-', '—']))
}

/// `text` so that Markdown shows it as it is: brackets and angles escaped outside code spans, no
/// marker at its start.
pub fn escape(text: &str) -> String {
    let text = flat(text);
    let mut out = String::with_capacity(text.len() + 8);
    let mut parts = text.split('`').peekable();
    let (mut code, ticks) = (false, text.matches('`').count());
    let mut seen = 0;
    while let Some(part) = parts.next() {
        if code {
            out.push_str(part);
        } else {
            for c in part.chars() {
                if matches!(c, '[' | ']' | '<' | '>' | '*' | '\\' | '|') {
                    out.push('\\');
                }
                out.push(c);
            }
        }
        if parts.peek().is_some() {
            seen += 1;
            // The last tick of an odd number opens nothing.
            if seen == ticks && ticks % 2 == 1 {
                out.push('\\');
            } else {
                code = !code;
            }
            out.push('`');
        }
    }
    let digits = out.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && out[digits..].starts_with(['.', ')']) {
        out.insert(digits, '\\');
    } else if out.starts_with(['#', '-', '+', '=', '~']) {
        out.insert(0, '\\');
    }
    out
}

/// A code span that holds `text` whatever backticks it has.
pub fn code(text: &str) -> String {
    let text = flat(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// A name as people write it: `login_service` and `LoginService` → `Login service`; a date before it
/// goes.
pub fn readable(name: &str) -> String {
    let dated = name.get(..10).is_some_and(|day| crate::base::Date::parse(day).is_some());
    let name = name.get(11..).filter(|rest| dated && !rest.is_empty()).unwrap_or(name);
    let mut out = String::new();
    let mut before = ' ';
    for c in name.chars() {
        let c = if matches!(c, '_' | '-' | '.' | ' ') { ' ' } else { c };
        let hump = c.is_uppercase() && before.is_lowercase();
        if (c == ' ' || hump) && !out.ends_with(' ') && !out.is_empty() {
            out.push(' ');
        }
        if c != ' ' {
            out.push(if hump { c.to_lowercase().next().unwrap_or(c) } else { c });
        }
        before = c;
    }
    let out = out.trim().to_owned();
    let mut chars = out.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_sentences() {
        assert_eq!(sentence("Locks an account. Then waits."), "Locks an account.");
        assert_eq!(sentence("Reads files (e.g. YAML) v1.2 too.\nMore"), "Reads files (e.g. YAML) v1.2 too.");
        assert_eq!(sentence("no end"), "no end");
        assert_eq!(sentence(""), "");
    }

    #[test]
    fn cut_counts_characters() {
        assert_eq!(cut("été à la mer", 7), "été à…");
        assert_eq!(cut("court", 5), "court");
        assert_eq!(cut("insécable", 4), "ins…");
    }

    #[test]
    fn names() {
        assert_eq!(readable("login_service"), "Login service");
        assert_eq!(readable("LoginService"), "Login service");
        assert_eq!(readable("HTTPServer"), "HTTPServer");
        assert_eq!(readable("2025-08-13-add-archive"), "Add archive");
        assert_eq!((readable("--").as_str(), readable("2025-08-13").as_str()), ("", "2025 08 13"));
    }

    #[test]
    fn escaped_text_holds_no_markup() {
        for text in ["[a](b.md) <b> *c* `x[y]` | d", "# a", "- b", "a ` b", "[a][b]", "~~~"] {
            let body = crate::markdown::scan(&escape(text), 0);
            assert!(body.links.is_empty() && body.not_links.is_empty() && body.headings.is_empty(), "{text}");
        }
        assert_eq!(code("a`b"), "``a`b``");
    }
}
