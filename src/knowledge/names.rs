//! Names of derived files, and how they are told from pages.

use crate::knowledge::marker::Marker;

/// What every derived file says in its head; only such a file is ever overwritten or removed.
pub const HEADER: &str = "Auto-généré — NE PAS ÉDITER";

/// Whether `text` is a derived file of ours, merge conflicts in it or not.
pub fn is_derived(text: &str) -> bool {
    text.lines().take(24).any(|line| line.contains(HEADER))
}

/// Whether a file of this name (without folder) is kept for an index, at any level.
///
/// A name is compared without case, because some file systems do.
pub fn is_reserved(marker: &Marker, name: &str) -> bool {
    let is = |other: &str| name.eq_ignore_ascii_case(other);
    is(&marker.manifest)
        || is(&marker.relations)
        || is(&marker.overview)
        || shard_number(marker, name).is_some()
}

/// Whether `path` is exactly where a derived file of the root belongs.
pub fn is_taken_at_root(marker: &Marker, path: &str) -> bool {
    [&marker.manifest, &marker.relations, &marker.overview].iter().any(|name| *name == path)
        || shard_number(marker, path).is_some_and(|n| part(marker, n) == path)
}

/// The number of `INDEX-2.md` ….
pub fn shard_number(marker: &Marker, name: &str) -> Option<usize> {
    let (stem, extension) = marker.manifest.rsplit_once('.').unwrap_or((&marker.manifest, ""));
    let (head, number) = name.strip_suffix(extension)?.strip_suffix('.')?.rsplit_once('-')?;
    let number: usize = number.parse().ok()?;
    (head.eq_ignore_ascii_case(stem) && number >= 2).then_some(number)
}

/// The name of the `n`-th part of a manifest: `INDEX.md`, `INDEX-2.md` ….
pub fn part(marker: &Marker, n: usize) -> String {
    let (stem, extension) = marker.manifest.rsplit_once('.').unwrap_or((&marker.manifest, "md"));
    if n <= 1 { marker.manifest.clone() } else { format!("{stem}-{n}.{extension}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::marker;
    use std::path::Path;

    #[test]
    fn reserved_names() {
        let m = marker::parse(Path::new(".rag"), "version: 1\nroot: kb\n").expect("marker");
        for name in ["INDEX.md", "index.md", "OVERVIEW.md", "RELATIONS.yaml", "INDEX-2.md", "Index-12.md"] {
            assert!(is_reserved(&m, name), "{name}");
        }
        for name in ["INDEX-1.md", "index-x.md", "a.md", "INDEX.mdx"] {
            assert!(!is_reserved(&m, name), "{name}");
        }
        assert_eq!((part(&m, 1), part(&m, 3)), ("INDEX.md".to_owned(), "INDEX-3.md".to_owned()));
    }
}
