//! Every key of `govmem.toml`: its section, name and what it may hold.

/// What a key holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// A text.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// An integer within bounds.
    Int(i64, i64),
    /// A number within bounds.
    Float(f64, f64),
    /// `true` or `false`.
    Bool,
    /// A list of texts.
    List,
    /// A table of texts.
    Map,
    /// A day or an instant.
    Time,
}

/// One key.
#[derive(Debug)]
pub(super) struct Key {
    /// Its section; empty at the top level.
    pub section: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
}

const fn key(section: &'static str, name: &'static str, kind: Kind) -> Key {
    Key { section, name, kind }
}

/// The keys, by section.
pub(super) const KEYS: &[Key] = &[
    key("", "lang", Kind::Word(&["fr", "en"])),
    key("embedder", "provider", Kind::Word(&["ollama", "local"])),
    key("embedder", "model", Kind::Text),
    key("embedder", "url", Kind::Text),
    key("embedder", "dir", Kind::Text),
    key("embedder", "query_prefix", Kind::Text),
    key("embedder", "document_prefix", Kind::Text),
    key("embedder", "timeout_s", Kind::Int(1, 3600)),
    key("embedder", "allow_remote_models", Kind::Bool),
    key("index", "factory", Kind::Text),
    key("audit", "keyring", Kind::Word(&["vault", "file"])),
    key("audit", "keyring_path", Kind::Text),
    key("audit", "vault_addr", Kind::Text),
    key("audit", "mount", Kind::Text),
    key("audit", "path", Kind::Text),
    key("audit", "namespace", Kind::Text),
    key("audit", "ca_cert", Kind::Text),
    key("audit", "role_id_file", Kind::Text),
    key("audit", "secret_id_file", Kind::Text),
    key("limits", "lock_timeout_s", Kind::Int(1, 3600)),
    key("limits", "story_per_300s", Kind::Int(1, 1_000_000)),
    key("limits", "workspace_per_300s", Kind::Int(1, 1_000_000)),
    key("limits", "item_chars", Kind::Int(1, 1_000_000)),
    key("limits", "block_chars", Kind::Int(1, 10_000_000)),
    key("limits", "max_per_story", Kind::Int(0, 1000)),
    key("search", "min_score_default", Kind::Float(0.0, 0.99)),
    key("veille", "roots", Kind::List),
    key("veille", "glob", Kind::Text),
    key("veille", "fields", Kind::Map),
    key("veille", "verdicts", Kind::Map),
    key("veille", "default_impact", Kind::Text),
    key("veille", "key", Kind::Word(&["path", "title"])),
    key("clarifications", "roots", Kind::List),
    key("clarifications", "domain", Kind::Text),
    key("clarifications", "project", Kind::Text),
    key("kpi", "b5_merge", Kind::Time),
    key("network_fs", "allow", Kind::Bool),
];

/// The key `name` of `section`.
pub(super) fn find(section: &str, name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|k| k.section == section && k.name == name)
}

/// The names that may stand in `section` (at the top level: sections too).
pub(super) fn names(section: &str) -> Vec<&'static str> {
    let mut names: Vec<&str> = KEYS.iter().filter(|k| k.section == section).map(|k| k.name).collect();
    if section.is_empty() {
        names.extend(KEYS.iter().map(|k| k.section).filter(|s| !s.is_empty()));
        names.dedup();
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::near::nearest;

    #[test]
    fn slips_of_the_pen() {
        assert_eq!(nearest("min_scor_default", &names("search")), Some("min_score_default"));
        assert_eq!(nearest("limit", &names("")), Some("limits"));
        assert_eq!(nearest("colour", &names("search")), None);
        assert_eq!(names("").len(), 1 + 9);
    }
}
