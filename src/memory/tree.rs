//! Paths into YAML and JSON documents: `ring`, `blip[-1].date`, `lessons`.
//!
//! Other people's files are read through these paths; a path that leads nowhere is absent, never an
//! error.

use serde_json::Value;

use crate::base::{Error, Result};
use crate::tr;

/// A parsed path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path(Vec<Step>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    /// From the end when negative.
    Index(i64),
}

impl Path {
    /// Reads `a.b[0].c`, `blip[-1]`, or the empty path (the document itself).
    pub fn parse(text: &str) -> Result<Self> {
        let refuse = || {
            Error::usage(tr!("chemin de champ invalide : {text:?}", "invalid field path: {text:?}"))
                .hint(tr!("exemples : title, blip[-1].ring", "examples: title, blip[-1].ring"))
        };
        let mut steps = Vec::new();
        for part in text.split('.').filter(|_| !text.is_empty()) {
            let (key, indexes) = part.find('[').map_or((part, ""), |i| part.split_at(i));
            if !key.is_empty() {
                steps.push(Step::Key(key.to_owned()));
            } else if indexes.is_empty() {
                return Err(refuse());
            }
            let mut rest = indexes;
            while !rest.is_empty() {
                let (index, after) =
                    rest.strip_prefix('[').and_then(|r| r.split_once(']')).ok_or_else(refuse)?;
                steps.push(Step::Index(index.parse().map_err(|_| refuse())?));
                rest = after;
            }
        }
        Ok(Path(steps))
    }

    /// The key of the document that the path begins with.
    pub fn head(&self) -> Option<&str> {
        match self.0.first()? {
            Step::Key(key) => Some(key),
            Step::Index(_) => None,
        }
    }

    /// The value the path leads to.
    pub fn get<'v>(&self, document: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(document, |value, step| match step {
            Step::Key(key) => value.get(key),
            Step::Index(i) => {
                let list = value.as_array()?;
                let at = if *i < 0 { i64::try_from(list.len()).ok()?.checked_add(*i)? } else { *i };
                list.get(usize::try_from(at).ok()?)
            }
        })
    }
}

/// A scalar as text; lists of scalars joined by `, `; null, maps and empty text are absent.
pub fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(s) => s.clone(),
        Value::Number(n) => n.to_string(),
        Value::Bool(b) => b.to_string(),
        Value::Array(list) => list.iter().filter_map(text).collect::<Vec<_>>().join(", "),
        Value::Null | Value::Object(_) => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

/// A list of texts: the scalars of a list, or a single text split at commas.
pub fn list(value: &Value) -> Vec<String> {
    match value {
        Value::Array(list) => list.iter().filter_map(text).map(|t| t.trim().to_owned()).collect(),
        other => text(other)
            .map(|t| t.split(',').map(|t| t.trim().to_owned()).filter(|t| !t.is_empty()).collect())
            .unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths() {
        let doc = json!({"blip": [{"ring": "TRIAL"}, {"ring": "HOLD", "n": 3}], "tags": ["a", 2, null]});
        let get = |p: &str| Path::parse(p).unwrap().get(&doc).cloned();
        assert_eq!(get("blip[-1].ring"), Some(json!("HOLD")));
        assert_eq!(get("blip[0].ring"), Some(json!("TRIAL")));
        assert_eq!(get("blip[-3].ring"), None);
        assert_eq!(get("blip.ring"), None);
        assert_eq!(get(""), Some(doc.clone()));
        assert_eq!(list(&get("tags").unwrap()), ["a", "2"]);
        assert_eq!(list(&json!("x, y,")), ["x", "y"]);
        for bad in ["a..b", "a[", "a[x]", "a]b[0", "."] {
            let parsed = Path::parse(bad);
            assert!(parsed.is_err() || parsed.unwrap().get(&doc).is_none(), "{bad}");
        }
    }
}
