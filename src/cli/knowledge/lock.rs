//! One writer of a base at a time.
//!
//! Every file is replaced whole, so a reader never waits. Two commands that plan from the same state
//! and write one after the other could lose an acknowledgement; they take turns instead. The lock
//! lies in the user's runtime or temporary folder: a base gets no file that is not its own.

use std::path::PathBuf;

use super::marker;
use crate::base::id::sha256_hex;
use crate::base::{Code, Result};
use crate::cli::Context;
use crate::knowledge::{Base, Marker};
use crate::store::LockSettings;
use crate::store::lock::Single;
use crate::tr;

/// The active base, read after its lock was taken; keep the lock until everything is written.
pub fn base_to_write(ctx: &Context, command: &str) -> Result<(Base, Option<Single>)> {
    let marker = marker(ctx)?;
    let lock = take(ctx, &marker, command)?;
    Ok((Base::load(marker)?, lock))
}

/// Takes the lock of a base, waiting as long as the locks of a workspace do. Where no lock file can
/// be made, it says so and goes on: the commands are still right one at a time.
fn take(ctx: &Context, marker: &Marker, command: &str) -> Result<Option<Single>> {
    let settings = LockSettings { command: command.to_owned(), ..LockSettings::default() };
    match Single::take(&path(ctx, marker), &settings) {
        Ok(lock) => Ok(Some(lock)),
        Err(e) if e.code() == Some(Code::LockTimeout) => Err(e),
        Err(e) => {
            let why = e.message();
            ctx.out.note(tr!("sans verrou : {why}", "without a lock: {why}"));
            Ok(None)
        }
    }
}

/// One name a base and a user.
fn path(ctx: &Context, marker: &Marker) -> PathBuf {
    let dir = ctx.env.get("XDG_RUNTIME_DIR").or_else(|| ctx.env.get("TMPDIR")).unwrap_or("/tmp");
    let home = std::fs::canonicalize(&marker.home).unwrap_or_else(|_| marker.home.clone());
    let owner = ctx.env.get("HOME").or_else(|| ctx.env.get("USER")).unwrap_or_default();
    let name = sha256_hex(format!("{}\0{owner}", home.display()));
    PathBuf::from(dir).join(format!("govrag-{}.lock", &name[..16]))
}
