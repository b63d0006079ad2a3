//! The block's YAML as fields with spans.
//!
//! Scalars keep the text they have in the source; what YAML would make of `1.10`, `yes` or
//! `2026-07-01` is the reader's business. Budgets refuse bombs before they cost anything.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Error, Location, Spanned};

use super::{Block, Fault, explain};
use crate::tr;

/// The largest block that is parsed, in bytes.
const MAX_BLOCK: usize = 256 * 1024;

/// One `key: value` of a mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Bytes of the key in the document.
    pub key_span: Range<usize>,
    /// The value.
    pub value: Node,
}

/// A value and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Bytes in the document; for a list or mapping its first character at least.
    pub span: Range<usize>,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// `~`, `null` or nothing.
    Null,
    /// A scalar.
    Scalar {
        /// Its text: as written when plain, unescaped when quoted.
        text: String,
        /// Written without quotes.
        plain: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// A mapping.
    Map(Vec<Entry>),
}

impl Node {
    /// The text of a scalar.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }
}

/// Parses a whole YAML file, such as `.rag`, with the same spans and budgets.
///
/// # Errors
/// The fault, in bytes of `source`.
pub fn parse_file(source: &str) -> Result<Vec<Entry>, Box<Fault>> {
    let len = source.len();
    let skip = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    parse(source, &Block { yaml: skip..len, open: skip..skip, close: len..len, dots: false })
}

/// Parses the block of `source`.
pub(super) fn parse(source: &str, block: &Block) -> Result<Vec<Entry>, Box<Fault>> {
    let yaml = &source[block.yaml.clone()];
    let base = block.yaml.start;
    if yaml.len() > MAX_BLOCK {
        return Err(Box::new(explain::plain(
            block.open.clone(),
            tr!(
                "front matter de {} octets, limite {MAX_BLOCK}",
                "{} bytes of front matter, the limit is {MAX_BLOCK}",
                yaml.len()
            ),
            tr!(
                "gardez le front matter court et mettez le reste dans le corps",
                "keep the front matter short and put the rest in the body"
            ),
        )));
    }
    if let Some((at, c)) = yaml.char_indices().find(|(_, c)| is_forbidden(*c)) {
        let at = base + at;
        return Err(Box::new(explain::plain(
            at..at + c.len_utf8(),
            tr!(
                "caractère de contrôle U+{:04X} dans le front matter",
                "control character U+{:04X} in the front matter",
                u32::from(c)
            ),
            tr!("supprimez-le", "remove it"),
        )));
    }
    // A lone CR ends a line in YAML too, but the parser counts it as a character: one width for one.
    let unified;
    let text = if has_lone_cr(yaml) {
        unified = yaml.replace("\r\n", " \n").replace('\r', "\n");
        unified.as_str()
    } else {
        yaml
    };
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 32, flow_nesting_limit: 32, max_events: 20_000, max_nodes: 10_000,
            max_aliases: 100, max_anchors: 100, max_recorded_anchor_events: 2_000,
            max_total_scalar_bytes: MAX_BLOCK, max_merge_keys: 50,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 2_000, max_replay_stack_depth: 8,
        },
        non_finite_float_policy: serde_saphyr::options::NonFiniteFloatPolicy::AsString,
        with_snippet: false,
    };
    let root = match serde_saphyr::from_str_with_options::<Option<Spanned<Raw>>>(text, options) {
        Ok(root) => root,
        Err(e) => {
            return Err(Box::new(explain::parse_error(source, block, &e, error_offset(text, &e))));
        }
    };
    let Some(root) = root else { return Ok(Vec::new()) };
    let build = Build { yaml, base };
    match root.value {
        Raw::Null => Ok(Vec::new()),
        Raw::Map(entries) => Ok(build.entries(entries)),
        _ => Err(Box::new(explain::plain(
            build.span(&root.defined),
            tr!("le front matter n'est pas une suite de champs", "the front matter is not a list of fields"),
            tr!("écrivez un champ par ligne : clé: valeur", "write one field a line: key: value"),
        ))),
    }
}

fn has_lone_cr(text: &str) -> bool {
    let b = text.as_bytes();
    memchr::memchr_iter(b'\r', b).any(|i| b.get(i + 1) != Some(&b'\n'))
}

fn is_forbidden(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{85}')
}

fn error_offset(text: &str, error: &Error) -> Option<usize> {
    let location = error.location()?;
    offset(text, &location)
}

/// The byte offset of a location in `text`.
fn offset(text: &str, location: &Location) -> Option<usize> {
    if let Some(byte) = location.span().byte_offset() {
        let byte = usize::try_from(byte).ok()?;
        return (byte <= text.len() && text.is_char_boundary(byte)).then_some(byte);
    }
    let line = usize::try_from(location.line()).ok()?.checked_sub(1)?;
    let column = usize::try_from(location.column()).ok()?.checked_sub(1)?;
    let start = if line == 0 { 0 } else { text.match_indices('\n').nth(line - 1)?.0 + 1 };
    let rest = &text[start..];
    Some(start + rest.char_indices().nth(column).map_or(rest.len(), |(i, _)| i))
}

struct Build<'a> {
    yaml: &'a str,
    base: usize,
}

impl Build<'_> {
    fn span(&self, location: &Location) -> Range<usize> {
        let start = offset(self.yaml, location).unwrap_or(0);
        let len = location.span().byte_len().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        let mut end = (start + len).min(self.yaml.len());
        while !self.yaml.is_char_boundary(end) {
            end -= 1;
        }
        self.base + start..self.base + end.max(start)
    }

    fn entries(&self, entries: Vec<(Spanned<String>, Spanned<Raw>)>) -> Vec<Entry> {
        entries
            .into_iter()
            .map(|(key, value)| Entry {
                key_span: self.span(&key.defined),
                key: key.value,
                value: self.node(value),
            })
            .collect()
    }

    fn node(&self, node: Spanned<Raw>) -> Node {
        let span = self.span(&node.defined);
        let raw = self.yaml[span.start - self.base..span.end - self.base].trim_end();
        let plain = !raw.starts_with(['"', '\'', '|', '>']);
        let kind = match node.value {
            Raw::Null => NodeKind::Null,
            // Not text to YAML: a number, a boolean. The source has what was written.
            Raw::Other => NodeKind::Scalar { text: strip_tag(raw).to_owned(), plain },
            Raw::Text(text) => NodeKind::Scalar { text, plain },
            Raw::List(items) => NodeKind::List(items.into_iter().map(|i| self.node(i)).collect()),
            Raw::Map(entries) => NodeKind::Map(self.entries(entries)),
        };
        let span = match &kind {
            NodeKind::Scalar { .. } => span.start..span.start + raw.len(),
            _ => span,
        };
        Node { kind, span }
    }
}

/// `!!int 12` → `12`.
fn strip_tag(raw: &str) -> &str {
    match raw.strip_prefix('!').and_then(|r| r.split_once([' ', '\t'])) {
        Some((_, value)) => value.trim_start(),
        None => raw,
    }
}

enum Raw {
    Null,
    Other,
    Text(String),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<String>, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

macro_rules! other {
    ($($name:ident: $type:ty),*) => {
        $(fn $name<E>(self, _: $type) -> Result<Raw, E> { Ok(Raw::Other) })*
    };
}

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    other!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_i128: i128, visit_u128: u128,
           visit_f64: f64);

    fn visit_bytes<E>(self, _: &[u8]) -> Result<Raw, E> {
        Ok(Raw::Other)
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, d: D) -> Result<Raw, D::Error> {
        Raw::deserialize(d)
    }

    fn visit_str<E>(self, text: &str) -> Result<Raw, E> {
        Ok(Raw::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Raw, E> {
        Ok(Raw::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}
