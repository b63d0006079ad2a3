//! The handed documents, when they are there.

use std::path::{Path, PathBuf};

/// `../shared/data/<part>`, or `None` after saying that it is absent.
pub fn shared(part: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(part);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: ../shared/data absent ({part})");
    None
}

/// Every Markdown page under `dir`, sorted, with its text.
pub fn pages(dir: &Path) -> Vec<(PathBuf, String)> {
    let mut out = Vec::new();
    let mut stack = vec![dir.to_owned()];
    while let Some(dir) = stack.pop() {
        for entry in std::fs::read_dir(&dir).expect("folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                stack.push(path);
            } else if path.extension().is_some_and(|e| e == "md" || e == "mdx") {
                out.push((path.clone(), std::fs::read_to_string(&path).expect("text")));
            }
        }
    }
    out.sort();
    out
}
