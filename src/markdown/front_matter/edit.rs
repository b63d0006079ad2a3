//! Fields changed in place: comments, order, quoting and line endings of everything else survive.
//!
//! Every edit is parsed again before it is handed out: the field must read as asked and every other
//! field as before, or nothing is changed.

use std::ops::Range;

use super::{FrontMatter, Node, NodeKind, quoted};
use crate::tr;

/// A new value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A scalar.
    Text(&'a str),
    /// A list of scalars.
    List(&'a [String]),
}

/// Why a field was not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditFault {
    /// There is no block, or it does not parse.
    Unreadable,
    /// The result would not read as asked; the text is left alone.
    WouldBreak,
}

impl std::fmt::Display for EditFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&match self {
            EditFault::Unreadable => tr!(
                "le front matter ne se lit pas : il n'est jamais réécrit",
                "the front matter does not parse: it is never rewritten"
            ),
            EditFault::WouldBreak => {
                tr!("le champ ne peut pas être changé sans risque", "the field cannot be changed safely")
            }
        })
    }
}

/// The page with `key` set to `value`; appended as the last field when it is absent.
///
/// # Errors
/// [`EditFault`]; the page is then unchanged.
pub fn set_field(source: &str, key: &str, value: Value<'_>) -> Result<String, EditFault> {
    let front = readable(source)?;
    let block = front.split.block.as_ref().ok_or(EditFault::Unreadable)?;
    let result = match front.get(key) {
        Some(entry) => {
            let old = value_range(source, &front, key).ok_or(EditFault::WouldBreak)?;
            let text = render(source, &entry.value, value, &old);
            // `key:` alone, or a list below the key: the value needs its blank.
            let glue =
                if source[..old.start].ends_with(':') && !text.starts_with(['\n', '\r']) { " " } else { "" };
            splice(source, &old, &format!("{glue}{text}"))
        }
        None => {
            let eol = line_ending(source, block.open.end);
            let text = match value {
                Value::Text(t) => scalar(t),
                Value::List(items) => flow(items),
            };
            splice(source, &(block.close.start..block.close.start), &format!("{key}: {text}{eol}"))
        }
    };
    verify(&front, &result, key, Some(value))?;
    Ok(result)
}

/// The page without `key` and its value; unchanged when it is absent.
///
/// # Errors
/// [`EditFault`]; the page is then unchanged.
pub fn remove_field(source: &str, key: &str) -> Result<String, EditFault> {
    let front = readable(source)?;
    let Some(entry) = front.get(key) else { return Ok(source.to_owned()) };
    let end = value_range(source, &front, key).ok_or(EditFault::WouldBreak)?.end;
    let rest = &source[end..];
    let stop = rest.find(['\n', '\r']).unwrap_or(rest.len());
    let eol = if rest[stop..].starts_with("\r\n") { 2 } else { usize::from(stop < rest.len()) };
    let result = splice(source, &(entry.key_span.start..end + stop + eol), "");
    verify(&front, &result, key, None)?;
    Ok(result)
}

/// The page with the scalar at `span` (as given by the parser) replaced, in the same style of quotes.
///
/// # Errors
/// [`EditFault`] when the page would no longer parse.
pub fn replace_scalar(source: &str, span: &Range<usize>, text: &str) -> Result<String, EditFault> {
    readable(source)?;
    let old = source.get(span.clone()).ok_or(EditFault::WouldBreak)?;
    let result = splice(source, span, &styled(old, text));
    if FrontMatter::read(&result).is_readable() { Ok(result) } else { Err(EditFault::WouldBreak) }
}

fn readable(source: &str) -> Result<FrontMatter, EditFault> {
    let front = FrontMatter::read(source);
    if front.is_readable() { Ok(front) } else { Err(EditFault::Unreadable) }
}

fn splice(source: &str, range: &Range<usize>, text: &str) -> String {
    format!("{}{text}{}", &source[..range.start], &source[range.end..])
}

fn line_ending(source: &str, at: usize) -> &'static str {
    match source.as_bytes().get(at..) {
        Some([b'\r', b'\n', ..]) => "\r\n",
        Some([b'\r', ..]) => "\r",
        _ => "\n",
    }
}

/// The bytes of a field's value, without a trailing comment; empty when there is no value.
fn value_range(source: &str, front: &FrontMatter, key: &str) -> Option<Range<usize>> {
    let index = front.fields.iter().position(|e| e.key == key)?;
    let entry = &front.fields[index];
    let block = front.split.block.as_ref()?;
    let limit = front.fields[index + 1..]
        .iter()
        .map(|e| e.key_span.start)
        .filter(|s| *s > entry.key_span.end)
        .min()
        .unwrap_or(block.close.start);
    let colon = entry.key_span.end + source[entry.key_span.end..limit].find(':')? + 1;
    match &entry.value.kind {
        NodeKind::Null if entry.value.span.is_empty() => Some(colon..colon),
        NodeKind::Null => Some(entry.value.span.clone()),
        NodeKind::Scalar { .. } => Some(scalar_range(source, &entry.value, colon, limit)),
        NodeKind::List(_) | NodeKind::Map(_) => {
            let open = colon + source[colon..limit].find(['[', '{', '-', '\n', '\r'])?;
            match source.as_bytes()[open] {
                b'[' | b'{' => Some(open..flow_end(source, open, limit)?),
                // A block list: from the colon to the end of its last line that is not blank.
                _ => Some(colon..last_content(source, colon, limit)),
            }
        }
    }
}

fn scalar_range(source: &str, node: &Node, colon: usize, limit: usize) -> Range<usize> {
    if source[node.span.clone()].starts_with(['|', '>']) || node.span.start < colon {
        return colon..last_content(source, colon, limit);
    }
    node.span.clone()
}

/// The end of the last line in `from..limit` that is neither blank nor a comment.
fn last_content(source: &str, from: usize, limit: usize) -> usize {
    let mut end = from;
    let mut at = from;
    for piece in source[from..limit].split_inclusive(['\n', '\r']) {
        let text = piece.trim();
        if !text.is_empty() && !text.starts_with('#') {
            end = at + piece.trim_end().len();
        }
        at += piece.len();
    }
    end
}

/// The end of the flow collection that opens at `open`.
fn flow_end(source: &str, open: usize, limit: usize) -> Option<usize> {
    let bytes = source.as_bytes();
    let (mut depth, mut i) = (0usize, open);
    while i < limit {
        match bytes[i] {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(i + 1);
                }
            }
            b'#' if bytes[i - 1].is_ascii_whitespace() => {
                i = memchr::memchr2(b'\n', b'\r', &bytes[i..limit]).map_or(limit, |n| i + n);
            }
            quote @ (b'"' | b'\'')
                if matches!(bytes[i - 1], b'[' | b',' | b'{' | b':')
                    || bytes[i - 1].is_ascii_whitespace() =>
            {
                i += 1;
                while i < limit && bytes[i] != quote {
                    i += if quote == b'"' && bytes[i] == b'\\' { 2 } else { 1 };
                }
            }
            _ => {}
        }
        i += 1;
    }
    None
}

fn render(source: &str, old: &Node, value: Value<'_>, range: &Range<usize>) -> String {
    match (value, &old.kind) {
        (Value::Text(text), NodeKind::Scalar { .. }) => styled(&source[range.clone()], text),
        (Value::Text(text), _) => scalar(text),
        (Value::List(items), NodeKind::List(_))
            if !source[range.clone()].starts_with('[') && !items.is_empty() =>
        {
            let eol = line_ending(source, range.start);
            let old = &source[range.clone()];
            let dash = old.find('-').unwrap_or(0);
            let indent = old[..dash].len() - old[..dash].trim_end_matches([' ', '\t']).len();
            items.iter().map(|i| format!("{eol}{}- {}", " ".repeat(indent), scalar(i))).collect()
        }
        (Value::List(items), _) => flow(items),
    }
}

fn flow(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|i| scalar(i)).collect();
    format!("[{}]", items.join(", "))
}

/// `text` in the quotes that `old` has.
fn styled(old: &str, text: &str) -> String {
    let one_line = !text.contains(['\n', '\r']);
    match old.as_bytes().first() {
        Some(b'"') => quoted(text),
        Some(b'\'') if one_line => format!("'{}'", text.replace('\'', "''")),
        _ => scalar(text),
    }
}

/// `text` plain where every YAML reader agrees on it, else double-quoted.
fn scalar(text: &str) -> String {
    let first_ok =
        text.chars().next().is_some_and(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '('));
    let rest_ok = !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with([':', ' '])
        && !text.contains(|c: char| {
            c.is_control() || matches!(c, '[' | ']' | '{' | '}' | ',' | '"' | '\\' | '\u{a0}')
        });
    let reserved = matches!(
        text.to_ascii_lowercase().as_str(),
        "null" | "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    let is_day = crate::base::Date::parse(text).is_some();
    let numeric = text.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && text.bytes().all(|b| {
            b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'x' | b'_' | b':' | b'-' | b'+')
        });
    if first_ok && rest_ok && !reserved && (!numeric || is_day) { text.to_owned() } else { quoted(text) }
}

fn verify(before: &FrontMatter, after: &str, key: &str, value: Option<Value<'_>>) -> Result<(), EditFault> {
    let after = FrontMatter::read(after);
    let same = |a: &Node, b: &Node| shape(a) == shape(b);
    let others_before = before.fields.iter().filter(|e| e.key != key);
    let others_after = after.fields.iter().filter(|e| e.key != key);
    let untouched = before.fields.iter().filter(|e| e.key != key).count()
        == after.fields.iter().filter(|e| e.key != key).count()
        && others_before.zip(others_after).all(|(a, b)| a.key == b.key && same(&a.value, &b.value));
    let as_asked = match value {
        None => after.get(key).is_none(),
        Some(Value::Text(text)) => after.text(key).unwrap_or("") == text,
        Some(Value::List(items)) => {
            after.get(key).is_some_and(|e| matches!(e.value.kind, NodeKind::List(_)))
                && after.list(key).iter().map(|(t, _)| *t).eq(items.iter().map(String::as_str))
        }
    };
    if after.is_readable() && untouched && as_asked { Ok(()) } else { Err(EditFault::WouldBreak) }
}

/// A value without its place.
fn shape(node: &Node) -> String {
    match &node.kind {
        NodeKind::Null => "~".to_owned(),
        NodeKind::Scalar { text, .. } => format!("{text:?}"),
        NodeKind::List(items) => format!("{:?}", items.iter().map(shape).collect::<Vec<_>>()),
        NodeKind::Map(entries) => {
            format!("{:?}", entries.iter().map(|e| (&e.key, shape(&e.value))).collect::<Vec<_>>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "---\r\n# head\r\ntitle: 'L''accès'  # keep\r\ntags: [auth, \"a, b\"] # t\r\nrelated:\r\n  - a.md # first\r\n  - b.md\r\n\r\n# middle\r\nstatus: draft\r\nversion: 1.10\r\nempty:\r\n---\r\n\r\nbody\r\n";

    #[test]
    fn everything_else_survives() {
        let page = set_field(PAGE, "status", Value::Text("needs-review")).expect("edit");
        assert_eq!(page, PAGE.replace("status: draft", "status: needs-review"));
        let page = set_field(PAGE, "title", Value::Text("L'été")).expect("edit");
        assert_eq!(page, PAGE.replace("'L''accès'", "'L''été'"));
        let page = set_field(PAGE, "tags", Value::List(&["x".into(), "y: z".into()])).expect("edit");
        assert_eq!(page, PAGE.replace("[auth, \"a, b\"]", "[x, \"y: z\"]"));
        let page = set_field(PAGE, "related", Value::List(&["c.md".into()])).expect("edit");
        assert_eq!(page, PAGE.replace("  - a.md # first\r\n  - b.md", "  - c.md"));
        let page = set_field(PAGE, "empty", Value::Text("full")).expect("edit");
        assert_eq!(page, PAGE.replace("empty:", "empty: full"));
        let page = set_field(PAGE, "new", Value::Text("a : b")).expect("edit");
        assert_eq!(page, PAGE.replace("empty:\r\n", "empty:\r\nnew: \"a : b\"\r\n"));
    }

    #[test]
    fn a_field_is_removed_with_its_value_only() {
        let page = remove_field(PAGE, "related").expect("edit");
        assert_eq!(page, PAGE.replace("related:\r\n  - a.md # first\r\n  - b.md\r\n", ""));
        let page = remove_field(PAGE, "title").expect("edit");
        assert_eq!(page, PAGE.replace("title: 'L''accès'  # keep\r\n", ""));
        assert_eq!(remove_field(PAGE, "absent").as_deref(), Ok(PAGE));
    }

    #[test]
    fn a_scalar_keeps_its_quotes() {
        let front = FrontMatter::read(PAGE);
        let (text, span) = front.list("tags")[1].clone();
        assert_eq!(text, "a, b");
        let page = replace_scalar(PAGE, &span, "c, d").expect("edit");
        assert_eq!(page, PAGE.replace("\"a, b\"", "\"c, d\""));
    }

    #[test]
    fn a_broken_block_is_never_rewritten() {
        for broken in ["---\na: b: c\n---\n", "no block\n", "---\na: 1\n", "---\na: 1\na: 2\n---\n"] {
            assert_eq!(set_field(broken, "a", Value::Text("x")), Err(EditFault::Unreadable), "{broken}");
            assert_eq!(remove_field(broken, "a"), Err(EditFault::Unreadable), "{broken}");
        }
    }
}
