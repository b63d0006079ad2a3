//! Rewriting a file line by line: what does not change keeps its exact bytes.

use std::io::Write;
use std::path::Path;

use crate::base::error::IoContext;
use crate::base::{Error, Kind, Result};
use crate::store::atomic::Staged;
use crate::store::lock::Writing;

/// One line of a rewritten file, without its `\n`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Out<'a> {
    /// A line of the old file, byte for byte, valid or not.
    Kept(&'a [u8]),
    /// A new or changed line.
    New(String),
}

/// Replaces `path` by `lines`: temporary file, fsync, rename, fsync of the directory. The mode is kept.
pub fn rewrite<'a>(
    path: &Path,
    lines: impl IntoIterator<Item = Out<'a>>,
    guard: &impl Writing,
) -> Result<()> {
    stage(path, lines, guard)?.commit()
}

/// Does all of [`rewrite`] but the rename, which [`Staged::commit`] does.
///
/// Errors: I/O (74); a line that holds a line break (70); then nothing was written.
pub fn stage<'a>(
    path: &Path,
    lines: impl IntoIterator<Item = Out<'a>>,
    guard: &impl Writing,
) -> Result<Staged> {
    Staged::fill(path, guard, |out| {
        for line in lines {
            let line = match &line {
                Out::Kept(bytes) => bytes,
                Out::New(text) => text.as_bytes(),
            };
            if line.contains(&b'\n') {
                return Err(Error::new(Kind::Bug, format!("{}: a line holds a line break", path.display())));
            }
            out.write_all(line).and_then(|()| out.write_all(b"\n")).at(path)?;
        }
        Ok(())
    })
}
