//! Contexts: notes written by hand about a scope, kept apart from the documents.
//!
//! Scopes are `/` (everything) and `gf://collection/path`. The most specific context of a path
//! applies, and the global one stays.

use serde::Serialize;

use super::Catalog;
use crate::base::{Error, Result};
use crate::tr;

/// A note and the scope it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Context {
    /// `/` or `gf://collection/path`.
    pub scope: String,
    /// What it says.
    pub text: String,
}

impl Context {
    /// Whether it is about the file `path` of `collection`.
    pub fn covers(&self, collection: &str, path: &str) -> bool {
        if self.scope == "/" {
            return true;
        }
        let Some((name, prefix)) = split(&self.scope) else { return false };
        let prefix = prefix.trim_end_matches('/');
        name == collection
            && (prefix.is_empty()
                || path == prefix
                || path.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/')))
    }
}

/// Collection and path of `gf://collection/path`.
pub fn split(uri: &str) -> Option<(&str, &str)> {
    let rest = uri.strip_prefix("gf://")?;
    let (collection, path) = rest.split_once('/').unwrap_or((rest, ""));
    (!collection.is_empty()).then_some((collection, path))
}

/// The contexts of a file: the global ones, then the most specific other.
pub fn applying<'a>(contexts: &'a [Context], collection: &str, path: &str) -> Vec<&'a Context> {
    let mut out: Vec<&Context> = contexts.iter().filter(|c| c.scope == "/").collect();
    out.extend(
        contexts
            .iter()
            .filter(|c| c.scope != "/" && c.covers(collection, path))
            .max_by_key(|c| c.scope.trim_end_matches('/').len()),
    );
    out
}

impl Catalog {
    /// All contexts, by scope.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn contexts(&self) -> Result<Vec<Context>> {
        self.sql(|| {
            self.db
                .prepare_cached("SELECT scope, text FROM context ORDER BY scope")?
                .query_map([], |r| Ok(Context { scope: r.get(0)?, text: r.get(1)? }))?
                .collect()
        })
    }

    /// Sets the text of a scope.
    ///
    /// # Errors
    /// Usage when the scope names no collection or the text is empty.
    pub fn set_context(&self, scope: &str, text: &str) -> Result<()> {
        if text.trim().is_empty() {
            return Err(Error::usage(tr!("contexte vide", "the context is empty")));
        }
        match (scope, split(scope)) {
            ("/", _) => {}
            (_, Some((collection, _))) => drop(self.collection(collection)?),
            _ => {
                return Err(Error::usage(tr!(
                    "portée inconnue : {scope:?} (/ ou gf://collection/chemin)",
                    "not a scope: {scope:?} (/ or gf://collection/path)"
                )));
            }
        }
        self.db
            .execute(
                "INSERT INTO context (scope, text) VALUES (?1, ?2)
                 ON CONFLICT (scope) DO UPDATE SET text = excluded.text",
                (scope, text),
            )
            .map(drop)
            .map_err(|e| self.fail(&e))
    }

    /// Removes the context of a scope.
    ///
    /// # Errors
    /// Negative (exit 1) when there is none.
    pub fn remove_context(&self, scope: &str) -> Result<()> {
        let removed =
            self.db.execute("DELETE FROM context WHERE scope = ?1", [scope]).map_err(|e| self.fail(&e))?;
        if removed == 0 {
            return Err(Error::new(
                crate::base::Kind::Negative,
                tr!("aucun contexte pour {scope}", "there is no context for {scope}"),
            )
            .hint(self.command("context list")));
        }
        Ok(())
    }

    /// Directories of collections that no context but the global one is about: the highest ones.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn without_context(&self) -> Result<Vec<String>> {
        let contexts = self.contexts()?;
        let mut gaps = std::collections::BTreeSet::new();
        for collection in self.collections()? {
            let local: Vec<&Context> = contexts
                .iter()
                .filter(|c| split(&c.scope).is_some_and(|(n, _)| n == collection.name))
                .collect();
            if local.is_empty() {
                gaps.insert(format!("gf://{}/", collection.name));
                continue;
            }
            for file in self.files(collection.id)? {
                if !local.iter().any(|c| c.covers(&collection.name, &file.path)) {
                    let dir = file.path.split_once('/').map_or(file.path.as_str(), |(dir, _)| dir);
                    gaps.insert(format!("gf://{}/{dir}", collection.name));
                }
            }
        }
        Ok(gaps.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(scope: &str) -> Context {
        Context { scope: scope.into(), text: "t".into() }
    }

    #[test]
    fn the_most_specific_applies_and_the_global_stays() {
        let all = [context("/"), context("gf://docs/"), context("gf://docs/api"), context("gf://other/")];
        let scopes = |collection, path| -> Vec<String> {
            applying(&all, collection, path).into_iter().map(|c| c.scope.clone()).collect()
        };
        assert_eq!(scopes("docs", "api/x.md"), ["/", "gf://docs/api"]);
        assert_eq!(scopes("docs", "apis/x.md"), ["/", "gf://docs/"]);
        assert_eq!(scopes("third", "x.md"), ["/"]);
    }

    #[test]
    fn addresses() {
        assert_eq!(split("gf://docs/a/b.md"), Some(("docs", "a/b.md")));
        assert_eq!(split("gf://docs"), Some(("docs", "")));
        assert_eq!(split("gf:///x"), None);
        assert_eq!(split("docs/x"), None);
    }
}
