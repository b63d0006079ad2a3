//! A snapshot of the process environment, taken once at start.
//!
//! The library reads settings from an [`Env`] it is handed, never from the process: tests hand in
//! their own.

use std::collections::BTreeMap;

/// Environment variables by name. Empty values count as absent.
#[derive(Clone, Default)]
pub struct Env(BTreeMap<String, String>);

impl Env {
    /// The process environment. Values that are not UTF-8 are left out.
    pub fn from_process() -> Self {
        #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
        let vars = std::env::vars_os();
        Env(vars.filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))).collect())
    }

    /// An environment of exactly these pairs.
    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Env(pairs.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect())
    }

    /// The value of `name`, absent when unset or empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|v| !v.is_empty())
    }

    /// All pairs whose name starts with `prefix`.
    pub fn with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0
            .range(prefix.to_owned()..)
            .take_while(move |(k, _)| k.starts_with(prefix))
            .map(|(k, v)| (k.as_str(), v.as_str()))
            .filter(|(_, v)| !v.is_empty())
    }

    /// The user's home directory.
    pub fn home(&self) -> Option<std::path::PathBuf> {
        self.get("HOME").map(Into::into)
    }

    /// `$XDG_<KIND>_HOME`, else `fallback` under the home directory. `kind` is `CONFIG`, `DATA` …
    pub fn xdg(&self, kind: &str, fallback: &str) -> Option<std::path::PathBuf> {
        match self.get(&format!("XDG_{kind}_HOME")) {
            Some(dir) if dir.starts_with('/') => Some(dir.into()),
            _ => self.home().map(|h| h.join(fallback)),
        }
    }
}

impl std::fmt::Debug for Env {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Values may be tokens.
        f.debug_list().entries(self.0.keys()).finish()
    }
}
