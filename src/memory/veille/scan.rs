//! Finds the watch notes of a workspace and turns them into records.
//!
//! Files of the glob that hold no note are counted; notes that cannot be used are excluded with
//! their reason; with `key = "title"` only the latest edition of a note remains. Nothing is lost
//! unseen: read = kept + excluded + superseded + not notes.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::mapping::{self, Fields, Mapping};
use crate::base::id::sha256_hex;
use crate::base::{Error, Result};
use crate::memory::document;
use crate::memory::excluded::Excluded;
use crate::memory::ids::unique_slugs;
use crate::memory::tree_walk;
use crate::tr;

/// Where and how to look.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Directories, absolute.
    pub roots: Vec<PathBuf>,
    /// The workspace, which paths inside it are relative to.
    pub workspace: PathBuf,
    /// Which files below a root.
    pub glob: String,
    /// Of notes with the same folded title only the latest is kept.
    pub by_title: bool,
    /// Fields.
    pub mapping: Mapping,
}

/// A note found.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Slug of the path, `-2` … when another note has it.
    pub id: String,
    /// Path relative to the workspace, or to the root's parent when the root lies outside.
    pub path: String,
    /// SHA-256 hex of the file.
    pub content_hash: String,
    /// The fields.
    pub fields: Fields,
}

/// What a scan found.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// Notes in path order.
    pub notes: Vec<Note>,
    /// Notes that cannot be used.
    pub excluded: Vec<Excluded>,
    /// Files of the glob.
    pub files: usize,
    /// Files without a note.
    pub not_notes: usize,
    /// Older editions left out.
    pub superseded: usize,
    /// Roots that do not exist.
    pub missing_roots: Vec<PathBuf>,
}

/// Scans the roots.
///
/// # Errors
/// Usage when the glob is malformed; I/O when a directory cannot be listed.
pub fn scan(settings: &Settings) -> Result<Scan> {
    let mut out = Scan::default();
    let found = files(settings, &mut out)?;
    // Names that no record may hold were read too.
    out.files = out.excluded.len();
    for (shown, path) in found {
        out.files += 1;
        match read(&path, &shown, &settings.mapping) {
            Ok(Some((fields, content_hash))) => {
                out.notes.push(Note { id: String::new(), path: shown, content_hash, fields });
            }
            Ok(None) => out.not_notes += 1,
            Err(reason) => out.excluded.push(Excluded { origin: shown, line: None, reason }),
        }
    }
    if settings.by_title {
        out.superseded = keep_latest(&mut out.notes, |note| &note.fields);
    }
    let ids = unique_slugs(out.notes.iter().map(|n| n.path.as_str()));
    out.notes.iter_mut().zip(ids).for_each(|(note, id)| note.id = id);
    Ok(out)
}

/// The files of the glob below the roots, by shown path, sorted, each once.
fn files(settings: &Settings, out: &mut Scan) -> Result<BTreeMap<String, PathBuf>> {
    let glob = globset::GlobBuilder::new(&settings.glob)
        .literal_separator(true)
        .build()
        .map_err(|e| Error::usage(tr!("[veille] glob : {e}", "[veille] glob: {e}")))?
        .compile_matcher();
    let mut found = BTreeMap::new();
    for root in &settings.roots {
        if !root.is_dir() {
            out.missing_roots.push(root.clone());
            continue;
        }
        let wanted = |path: &Path| glob.is_match(path.strip_prefix(root).unwrap_or(path));
        tree_walk::collect(root, &settings.workspace, wanted, &mut found, &mut out.excluded);
    }
    Ok(found)
}

/// The fields and hash of a note, `None` when the file holds none.
fn read(path: &Path, shown: &str, mapping: &Mapping) -> Result<Option<(Fields, String)>, String> {
    let text = document::read_text(path).map_err(|e| e.message().to_owned())?;
    let yaml =
        path.extension().is_some_and(|e| e.eq_ignore_ascii_case("yaml") || e.eq_ignore_ascii_case("yml"));
    let (document, body) = if yaml {
        (document::yaml(&text)?, "")
    } else {
        match document::markdown(&text)? {
            Some(found) => found,
            None => return Ok(None),
        }
    };
    if !matches!(document, Value::Object(_)) {
        return Ok(None);
    }
    mapping.apply(&document, body, shown).map(|fields| Some((fields, sha256_hex(&text))))
}

/// Keeps, of notes with one folded title, the one of the latest day, then the last. Returns how many
/// went.
pub fn keep_latest<N>(notes: &mut Vec<N>, fields: impl Fn(&N) -> &Fields) -> usize {
    let mut latest: HashMap<String, usize> = HashMap::new();
    for (i, note) in notes.iter().enumerate() {
        let slot = latest.entry(mapping::fold(&fields(note).title)).or_insert(i);
        if fields(&notes[*slot]).date <= fields(note).date {
            *slot = i;
        }
    }
    let kept: std::collections::HashSet<usize> = latest.into_values().collect();
    let before = notes.len();
    let mut at = 0;
    notes.retain(|_| {
        at += 1;
        kept.contains(&(at - 1))
    });
    before - notes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn settings(root: &Path) -> Settings {
        let fields = BTreeMap::from([("verdict".to_owned(), "ring".to_owned())]);
        let verdicts = BTreeMap::from([("adopt".to_owned(), "adopter".to_owned())]);
        Settings {
            roots: vec![root.join("veille"), root.join("absent")],
            workspace: root.to_path_buf(),
            glob: "**/*.{md,yaml}".into(),
            by_title: true,
            mapping: Mapping::new(&fields, &verdicts, Some("faible")).unwrap(),
        }
    }

    fn write(root: &Path, path: &str, text: &[u8]) {
        let path = root.join("veille").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn everything_is_counted() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let note =
            |title: &str| format!("---\ntitle: {title}\nring: adopt\n---\nText of {title}\n").into_bytes();
        write(root, "2023-01-31/vite.md", &note("Vite"));
        write(root, "2024-02-29/vite.md", &note("VITE"));
        write(root, "2024-02-29/a b.md", &note("A"));
        write(root, "2024-02-29/a-b.md", &note("B"));
        write(root, "2024-02-29/README.md", b"# No note\n");
        write(root, "list.yaml", b"- a\n- b\n");
        write(root, "2024-02-29/bad.md", b"---\ntitle: X\nring: maybe\n---\nx\n");
        write(root, "2024-02-29/latin.md", b"---\ntitle: \xe9\n---\n");
        write(root, "2024-02-29/skipped.txt", b"x");
        write(root, "2024-02-29/tab\tname.md", &note("T"));
        let scan = scan(&settings(root)).unwrap();
        assert_eq!((scan.files, scan.not_notes, scan.superseded, scan.excluded.len()), (9, 2, 1, 3));
        let ids: Vec<&str> = scan.notes.iter().map(|n| n.id.as_str()).collect();
        assert_eq!(
            ids,
            ["veille-2024-02-29-a-b-md", "veille-2024-02-29-a-b-md-2", "veille-2024-02-29-vite-md"]
        );
        assert_eq!(scan.files, scan.notes.len() + scan.excluded.len() + scan.superseded + scan.not_notes);
        assert!(scan.excluded.iter().any(|e| e.reason.contains("maybe")));
        assert_eq!(scan.missing_roots, [root.join("absent")]);
    }
}
