//! Small file helpers of this room: open files as paths, directory fsync.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use crate::base::Result;
use crate::base::error::IoContext;

/// A path FAISS can open that names exactly the file behind `file`, whatever happened to its name
/// since, and whatever bytes that name holds.
pub fn fd_path(file: &File) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// Makes renames in `dir` durable.
pub fn sync_dir(dir: &Path) -> Result<()> {
    File::open(dir).at(dir)?.sync_all().at(dir)
}

/// `path` with `suffix` after its file name.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
