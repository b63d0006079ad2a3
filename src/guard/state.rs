//! A small JSON state file: absent means empty, unreadable means ERR-295-10.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Read};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::base::{Code, Error, Kind, Result};
use crate::store::lock::{Exclusive, Guard, State};
use crate::store::{atomic, open};
use crate::tr;

/// Proof that the state lock is held.
pub(super) type StateGuard<'l> = Guard<'l, State, Exclusive>;

/// Largest state that is read: far above what ten minutes of injections leave.
const LIMIT: u64 = 64 << 20;

/// Reads the state at `path`; an absent file gives the default.
pub(super) fn load<T: DeserializeOwned + Default>(path: &Path) -> Result<T> {
    let file = match open::regular(path, OpenOptions::new().read(true)) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(T::default()),
        Err(e) => return Err(unreadable(path, &e)),
    };
    let mut text = String::new();
    file.take(LIMIT).read_to_string(&mut text).map_err(|e| unreadable(path, &e))?;
    serde_json::from_str(&text).map_err(|e| unreadable(path, &e))
}

/// Writes the state at `path`, durable when this returns.
pub(super) fn save<T: Serialize>(path: &Path, state: &T, guard: &StateGuard<'_>) -> Result<()> {
    let text = serde_json::to_vec(state).map_err(|e| Error::new(Kind::Bug, e.to_string()))?;
    atomic::replace(path, &text, guard)
}

fn unreadable(path: &Path, cause: &dyn std::fmt::Display) -> Error {
    let path = path.display();
    Error::memory(
        Code::IdempotencyState,
        tr!("{path} : état illisible : {cause}", "{path}: the state cannot be read: {cause}"),
    )
    .hint(tr!(
        "remettez l'état à zéro avec `govmem doctor --fix`",
        "reset the state with `govmem doctor --fix`"
    ))
}
