//! The files below a directory, by the path that records show. What cannot be looked into is
//! reported, never a reason to stop.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::memory::excluded::Excluded;
use crate::store::inside;
use crate::tr;

/// Collects the regular files below `root` for which `wanted` holds, by shown path: relative to the
/// workspace, or to the root's parent when the root lies outside. Hidden files and symbolic links
/// are not followed. Unreadable folders and names that no record may hold become exclusions.
pub fn collect(
    root: &Path,
    workspace: &Path,
    wanted: impl Fn(&Path) -> bool,
    found: &mut BTreeMap<String, PathBuf>,
    excluded: &mut Vec<Excluded>,
) {
    let walk =
        ignore::WalkBuilder::new(root).standard_filters(false).hidden(true).follow_links(false).build();
    for entry in walk {
        let entry = match entry {
            Ok(entry) => entry,
            Err(e) => {
                excluded.push(Excluded {
                    origin: root.display().to_string(),
                    line: None,
                    reason: tr!("illisible : {e}", "cannot be read: {e}"),
                });
                continue;
            }
        };
        let path = entry.path();
        if !entry.file_type().is_some_and(|t| t.is_file()) || !wanted(path) {
            continue;
        }
        let shown = shown(path, root, workspace);
        if inside::is_plain(&shown) {
            found.insert(shown, path.to_path_buf());
        } else {
            excluded.push(Excluded {
                origin: shown,
                line: None,
                reason: tr!("nom de fichier refusé", "refused file name"),
            });
        }
    }
}

fn shown(path: &Path, root: &Path, workspace: &Path) -> String {
    let relative = match path.strip_prefix(workspace) {
        Ok(inside) => inside,
        Err(_) => root.parent().and_then(|p| path.strip_prefix(p).ok()).unwrap_or(path),
    };
    relative.to_string_lossy().replace('\\', "/")
}
