//! From what a parser says to what a writer can do: causes, hints and certain repairs.

use std::ops::Range;

use serde_saphyr::Error;

use super::{Block, Entry, Fault, NodeKind, Problem};
use crate::tr;

/// A replacement that repairs a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Bytes of the document to replace.
    pub span: Range<usize>,
    /// Their replacement.
    pub text: String,
}

pub(super) fn plain(span: Range<usize>, message: String, hint: String) -> Fault {
    Fault { span, also: None, message, hint, fix: None }
}

/// `text` as a double-quoted YAML scalar.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

pub(super) fn byte_order_mark() -> Fault {
    let span = 0..'\u{feff}'.len_utf8();
    Fault {
        fix: Some(Fix { span: span.clone(), text: String::new() }),
        ..plain(
            span,
            tr!(
                "la page commence par une marque d'ordre des octets (BOM)",
                "the page starts with a byte order mark"
            ),
            tr!("enregistrez-la en UTF-8 sans BOM", "save it as UTF-8 without the mark"),
        )
    }
}

pub(super) fn problem(source: &str, problem: &Problem) -> Fault {
    let start = usize::from(source.starts_with('\u{feff}')) * '\u{feff}'.len_utf8();
    match problem {
        Problem::Absent => plain(
            start..start,
            tr!("pas de front matter", "no front matter"),
            tr!(
                "commencez la page par un bloc YAML entre deux lignes --- (title, summary, type, status, tags, updated)",
                "start the page with a YAML block between two --- lines (title, summary, type, status, tags, updated)"
            ),
        ),
        Problem::Unclosed(at) => plain(
            at.clone(),
            tr!("front matter jamais fermé", "the front matter is never closed"),
            tr!("ajoutez une ligne --- après le dernier champ", "add a line --- after the last field"),
        ),
        Problem::Doubled(at) => plain(
            at.clone(),
            tr!("un second front matter suit le premier", "a second front matter follows the first"),
            tr!("réunissez les deux blocs en un seul", "merge the two blocks into one"),
        ),
        Problem::NotFirst(at) => plain(
            at.clone(),
            tr!(
                "le front matter n'est pas au tout début de la page",
                "the front matter is not at the very start"
            ),
            tr!("supprimez les lignes qui le précèdent", "remove the lines before it"),
        ),
        Problem::Toml(at) => plain(
            at.clone(),
            tr!("front matter TOML (+++)", "TOML front matter (+++)"),
            tr!("réécrivez-le en YAML entre deux lignes ---", "rewrite it as YAML between two --- lines"),
        ),
        Problem::Json(at) => plain(
            at.clone(),
            tr!("front matter JSON", "JSON front matter"),
            tr!("réécrivez-le en YAML entre deux lignes ---", "rewrite it as YAML between two --- lines"),
        ),
    }
}

/// Turns a parser's error at byte `offset` of the block into a fault.
pub(super) fn parse_error(source: &str, block: &Block, error: &Error, offset: Option<usize>) -> Fault {
    let at = block.yaml.start + offset.unwrap_or(0);
    let line = line_around(source, block, at);
    let text = &source[line.clone()];
    if let Error::DuplicateMappingKey { key, .. } = error.without_snippet() {
        return duplicate(source, block, line, key.as_deref().unwrap_or(""));
    }
    // The parser may notice one line late: the culprit is the nearest line that has a known cause.
    let before = (line.start > block.yaml.start).then(|| line_around(source, block, line.start - 1));
    for candidate in [Some(line.clone()), before].into_iter().flatten() {
        if let Some(mut fault) = cause(source, &candidate) {
            fault.message = format!("{} ({})", fault.message, short(error));
            return fault;
        }
    }
    let end = if text.is_empty() { at } else { line.end.max(at) };
    plain(
        at.min(end)..end,
        short(error),
        tr!("corrigez le YAML de cette ligne", "correct the YAML of this line"),
    )
}

/// The parser's words without the place, which the fault already has.
fn short(error: &Error) -> String {
    let text = match error.without_snippet() {
        Error::Budget { .. } | Error::AliasReplayLimitExceeded { .. } => {
            tr!("YAML trop profond ou trop d'alias : refusé", "YAML too deep or too many aliases: refused")
        }
        Error::NullIntoString { .. } => tr!("clé vide", "an empty key"),
        other => other.to_string(),
    };
    let line = text.lines().next().unwrap_or_default();
    line.split(" at line ").next().unwrap_or(line).trim().to_owned()
}

fn duplicate(source: &str, block: &Block, second: Range<usize>, key: &str) -> Fault {
    let text = &source[second.clone()];
    let indent = text.len() - text.trim_start().len();
    let first = lines_of(source, block).find(|l| {
        let t = &source[l.clone()];
        l.start < second.start
            && t.len() - t.trim_start().len() == indent
            && t.trim_start().trim_start_matches(['"', '\'']).starts_with(key)
    });
    let line_number = |at: usize| source[..at].lines().count() + 1;
    let (one, two) = (first.as_ref().map_or(0, |f| line_number(f.start)), line_number(second.start));
    Fault {
        span: second,
        also: first,
        message: tr!(
            "la clé « {key} » est écrite deux fois, lignes {one} et {two}",
            "the key '{key}' is written twice, on lines {one} and {two}"
        ),
        hint: tr!("gardez une seule des deux lignes", "keep one of the two lines"),
        fix: None,
    }
}

/// A line whose form explains the error: an unquoted value YAML reads otherwise, a bad quote, a tab.
fn cause(source: &str, line: &Range<usize>) -> Option<Fault> {
    let text = &source[line.clone()];
    let indent = text.len() - text.trim_start_matches([' ', '\t']).len();
    if text[..indent].contains('\t') && !text.trim().is_empty() {
        return Some(Fault {
            span: line.start..line.start + indent,
            also: None,
            message: tr!("tabulation en tête de ligne", "a tab indents this line"),
            hint: tr!("YAML veut des espaces", "YAML wants spaces"),
            fix: Some(Fix {
                span: line.start..line.start + indent,
                text: text[..indent].replace('\t', "  "),
            }),
        });
    }
    let value = value_of(text)?;
    let span = line.start + value.start..line.start + value.end;
    let v = &text[value];
    let fix = |inner: &str| Some(Fix { span: span.clone(), text: quoted(inner) });
    let fault = |message: String, hint: String, fix: Option<Fix>| {
        Some(Fault { span: span.clone(), also: None, message, hint, fix })
    };
    let quote = tr!("mettez la valeur entre guillemets doubles", "put the value in double quotes");
    if v.starts_with('\'') {
        let inner = v.strip_prefix('\'').map(|r| r.strip_suffix('\'').unwrap_or(r)).unwrap_or_default();
        return inner.replace("''", "").contains('\'').then(|| {
            fault(
                tr!(
                    "apostrophe dans une valeur entre apostrophes",
                    "an apostrophe inside a single-quoted value"
                ),
                quote,
                fix(inner),
            )
        })?;
    }
    if v.starts_with('"') {
        return None;
    }
    if v.starts_with(['@', '`', '%', '*', '&', '!', '{', '[', '|', '>'])
        || v.starts_with("- ")
        || v.starts_with("? ")
    {
        let first = v.chars().next().unwrap_or(' ');
        let bracket = matches!(first, '[' | '{') && !v.starts_with("[[");
        return fault(
            tr!(
                "une valeur ne peut pas commencer par « {first} » sans guillemets",
                "a value cannot start with '{first}' unquoted"
            ),
            quote,
            if bracket { None } else { fix(v) },
        );
    }
    if v.contains(": ") || v.ends_with(':') {
        return fault(
            tr!("« : » dans une valeur sans guillemets", "': ' inside an unquoted value"),
            quote,
            fix(v),
        );
    }
    None
}

/// The value of `key: value` or `- value`, in bytes of the line.
fn value_of(line: &str) -> Option<Range<usize>> {
    let trimmed = line.trim_end();
    let start = if let Some(rest) = trimmed.trim_start().strip_prefix("- ") {
        trimmed.len() - rest.trim_start().len()
    } else {
        let colon = trimmed.find(':')?;
        let key = trimmed[..colon].trim();
        if key.is_empty() || key.contains([' ', '\u{a0}']) {
            return None;
        }
        let rest = &trimmed[colon + 1..];
        trimmed.len() - rest.trim_start().len()
    };
    (start < trimmed.len()).then_some(start..trimmed.len())
}

fn lines_of<'a>(source: &'a str, block: &Block) -> impl Iterator<Item = Range<usize>> + 'a {
    let end = block.yaml.end;
    let mut at = block.yaml.start;
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let stop = memchr::memchr2(b'\n', b'\r', &source.as_bytes()[at..end]).map_or(end, |i| at + i);
        let line = at..stop;
        at = stop + if source[stop..].starts_with("\r\n") { 2 } else { 1 };
        Some(line)
    })
}

fn line_around(source: &str, block: &Block, at: usize) -> Range<usize> {
    lines_of(source, block).take_while(|l| l.start <= at).last().unwrap_or(block.open.clone())
}

/// Values that parse into something else than what is written, without an error.
pub(super) fn suspicious(source: &str, fields: &[Entry]) -> Vec<Fault> {
    let mut out = Vec::new();
    for entry in fields {
        if let NodeKind::Scalar { plain: true, .. } = &entry.value.kind {
            let rest = &source[entry.value.span.end..];
            let rest = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
            let comment = rest.trim_start_matches([' ', '\t']);
            let glued =
                comment.strip_prefix('#').is_some_and(|r| r.starts_with(|c: char| c.is_alphanumeric()));
            if glued && comment.len() < rest.len() {
                let start = entry.value.span.end + (rest.len() - comment.len());
                out.push(Fault {
                    span: start..start + comment.len(),
                    also: None,
                    message: tr!(
                        "« {} » est lu comme un commentaire : la valeur de {} est coupée",
                        "'{}' is read as a comment: the value of {} is cut",
                        comment.trim_end(),
                        entry.key
                    ),
                    hint: tr!("mettez la valeur entre guillemets", "quote the value"),
                    fix: Some(Fix {
                        span: entry.value.span.start..start + comment.trim_end().len(),
                        text: quoted(&source[entry.value.span.start..start + comment.trim_end().len()]),
                    }),
                });
            }
        }
    }
    out
}

/// A top-level scalar that starts with an indicator YAML swallows (`&a`, `*b`, `!t`, `%`).
pub(super) fn leading_indicator(source: &str, fields: &[Entry]) -> Option<Fault> {
    fields.iter().find_map(|entry| {
        let rest = source.get(entry.key_span.end..)?;
        let line = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
        let value = line.split_once(':')?.1.trim();
        let known = value.starts_with(['&', '*', '!', '%', '@', '`'])
            && !matches!(entry.value.kind, NodeKind::List(_) | NodeKind::Map(_));
        let start = entry.key_span.end + line.rfind(value)?;
        known.then(|| Fault {
            span: start..start + value.len(),
            also: None,
            message: tr!(
                "{} : YAML ne lit pas « {} » comme du texte",
                "{}: YAML does not read '{}' as text",
                entry.key,
                value.chars().next().unwrap_or(' ')
            ),
            hint: tr!("mettez la valeur entre guillemets doubles", "put the value in double quotes"),
            fix: Some(Fix { span: start..start + value.len(), text: quoted(value) }),
        })
    })
}
