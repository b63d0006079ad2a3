//! The YAML block at the head of a page: split by hand, parsed with spans, edited line by line.
//!
//! What must stay true: the body never disappears, whatever is wrong with the block; a value keeps
//! its source text (`1.10` stays `1.10`); a block that does not parse is never rewritten.

mod edit;
mod explain;
mod split;
mod yaml;

use std::ops::Range;

pub use edit::{EditFault, Value, remove_field, replace_scalar, set_field};
pub use explain::{Fix, quoted};
pub use split::{Block, Problem, Split, split};
pub use yaml::{Entry, Node, NodeKind, parse_file};

/// What is wrong with a block, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Bytes of the document.
    pub span: Range<usize>,
    /// A second place: the first of two duplicate keys.
    pub also: Option<Range<usize>>,
    /// What is wrong, one sentence.
    pub message: String,
    /// What to do.
    pub hint: String,
    /// The one replacement that repairs it, where it is certain.
    pub fix: Option<Fix>,
}

/// A page's front matter.
#[derive(Clone, Debug)]
pub struct FrontMatter {
    /// Where block and body lie.
    pub split: Split,
    /// The fields in their order; empty when the block is absent or does not parse.
    pub fields: Vec<Entry>,
    /// Why there are no fields, when the block is broken.
    pub fault: Option<Fault>,
    /// What parses but is probably not meant: a value cut by `#`, a byte order mark.
    pub warnings: Vec<Fault>,
}

impl FrontMatter {
    /// Splits and parses the head of `source`.
    pub fn read(source: &str) -> Self {
        let split = split(source);
        let mut out = FrontMatter { fields: Vec::new(), fault: None, warnings: Vec::new(), split };
        if out.split.bom {
            out.warnings.push(explain::byte_order_mark());
        }
        if let Some(problem) = &out.split.problem {
            out.fault = Some(explain::problem(source, problem));
            if !matches!(problem, Problem::Doubled(_)) {
                return out;
            }
        }
        let Some(block) = &out.split.block else { return out };
        match yaml::parse(source, block) {
            Ok(fields) => {
                out.fields = fields;
                out.fields.shrink_to_fit();
                out.warnings.extend(explain::suspicious(source, &out.fields));
                if let Some(leading) = explain::leading_indicator(source, &out.fields) {
                    out.fault.get_or_insert(leading);
                }
            }
            Err(fault) => out.fault = Some(*fault),
        }
        out
    }

    /// The field of this name.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.fields.iter().find(|e| e.key == key)
    }

    /// The scalar text of a field; `None` when absent, null or not a scalar.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(|e| e.value.text())
    }

    /// The scalar items of a list field, with their spans; a scalar field counts as absent.
    pub fn list(&self, key: &str) -> Vec<(&str, Range<usize>)> {
        match self.get(key).map(|e| &e.value.kind) {
            Some(NodeKind::List(items)) => {
                items.iter().filter_map(|n| Some((n.text()?, n.span.clone()))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the page has a block that parsed.
    pub fn is_readable(&self) -> bool {
        self.split.block.is_some() && self.fault.is_none()
    }
}
