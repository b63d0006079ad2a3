//! How the fields of other people's records map to ours: `lesson=problem+solution`, `date=ts|day`.
//!
//! A path that leads nowhere is absent, never an error; of several alternatives the first that leads
//! somewhere counts.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::base::{Error, Result};
use crate::memory::tree::{self, Path};
use crate::tr;

/// A field of ours and where it is looked for when nothing is mapped.
pub type Known = (&'static str, &'static [&'static str]);

/// Per field of ours: alternatives, each of paths that are joined.
#[derive(Clone, Debug)]
pub struct FieldMap(BTreeMap<&'static str, Vec<Vec<Path>>>);

impl FieldMap {
    /// The mapping of `pairs` (`field=a.b+c|d`) over the usual places of `known`.
    ///
    /// # Errors
    /// Usage: an unknown field of ours, a missing `=`, a malformed path.
    pub fn parse(known: &[Known], pairs: &[String]) -> Result<Self> {
        let mut map = BTreeMap::new();
        for (name, places) in known {
            let paths = places.iter().map(|p| Ok(vec![Path::parse(p)?])).collect::<Result<_>>()?;
            map.insert(*name, paths);
        }
        let refuse = |pair: &str| {
            Error::usage(tr!("--map : {pair:?} n'est pas champ=chemin", "--map: {pair:?} is not field=path"))
                .hint(known.iter().map(|(n, _)| *n).collect::<Vec<_>>().join(", "))
        };
        for pair in pairs {
            let (name, spec) = pair.split_once('=').ok_or_else(|| refuse(pair))?;
            let known = known.iter().find(|(n, _)| *n == name.trim());
            let (name, _) = known.ok_or_else(|| refuse(pair))?;
            let alternatives = spec
                .split('|')
                .map(|alt| alt.split('+').map(|p| Path::parse(p.trim())).collect())
                .collect::<Result<_>>()?;
            map.insert(*name, alternatives);
        }
        Ok(FieldMap(map))
    }

    /// The text of a field; joined paths are separated by a blank line.
    pub fn text(&self, name: &str, item: &Value) -> Option<String> {
        self.0.get(name)?.iter().find_map(|paths| {
            let parts: Vec<String> =
                paths.iter().filter_map(|p| p.get(item)).filter_map(tree::text).collect();
            (!parts.is_empty()).then(|| parts.join("\n\n"))
        })
    }

    /// The texts of a field that is a list.
    pub fn list(&self, name: &str, item: &Value) -> Vec<String> {
        let lists =
            self.0.get(name).into_iter().flatten().map(|paths| {
                paths.iter().filter_map(|p| p.get(item)).flat_map(tree::list).collect::<Vec<_>>()
            });
        lists.into_iter().find(|l| !l.is_empty()).unwrap_or_default()
    }

    /// The value of a field as it is.
    pub fn value<'v>(&self, name: &str, item: &'v Value) -> Option<&'v Value> {
        self.0.get(name)?.iter().flatten().find_map(|p| p.get(item)).filter(|v| !v.is_null())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn usual_places_mapped_ones_and_refusals() {
        let known: [Known; 2] = [("date", &["date", "day"]), ("tags", &["tags"])];
        let item = json!({"day": "2026-01-02", "a": "x", "b": {"c": "y"}, "tags": ["t", null, 1], "n": null});
        let usual = FieldMap::parse(&known, &[]).unwrap();
        assert_eq!(usual.text("date", &item).unwrap(), "2026-01-02");
        assert_eq!(usual.list("tags", &item), ["t", "1"]);
        let mapped = FieldMap::parse(&known, &["date=none|a+b.c".into(), "tags=n|b".into()]).unwrap();
        assert_eq!(mapped.text("date", &item).unwrap(), "x\n\ny");
        assert_eq!(mapped.value("tags", &item), None);
        for bad in ["dat=x", "date", "date=a..b"] {
            assert_eq!(FieldMap::parse(&known, &[bad.into()]).unwrap_err().exit(), 2, "{bad}");
        }
    }
}
