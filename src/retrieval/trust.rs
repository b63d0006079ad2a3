//! Hooks and who approved them.
//!
//! A hook is a shell command stored with a collection. It runs only when an update is told to, and
//! only when the user approved exactly this command for exactly this collection of this index:
//! approvals live outside the index, in the user's own configuration, so that an index that came with
//! a project, or a YAML file, brings no code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::catalog::Catalog;
use super::catalog::collections::Collection;
use crate::base::env::Env;
use crate::base::error::IoContext;
use crate::base::id::sha256_hex;
use crate::base::{Error, Kind, Result};
use crate::tr;

/// The user's approvals.
#[derive(Debug)]
pub struct Trust {
    path: PathBuf,
    approved: BTreeSet<String>,
}

impl Trust {
    /// Reads the approvals of this user.
    ///
    /// # Errors
    /// Usage without a home directory; exit 65 when the file is none of ours; I/O.
    pub fn load(env: &Env) -> Result<Self> {
        let dir = env.xdg("CONFIG", ".config").ok_or_else(|| {
            Error::usage(tr!("ni XDG_CONFIG_HOME ni HOME", "neither XDG_CONFIG_HOME nor HOME is set"))
        })?;
        let path = dir.join("govfind/trusted-hooks.json");
        let approved = match std::fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|e| Error::new(Kind::Corrupt, format!("{}: {e}", path.display())))?,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => BTreeSet::new(),
            Err(e) => return Err(Error::io(&path, &e)),
        };
        Ok(Trust { path, approved })
    }

    /// Whether the hook of `collection` was approved. A collection without hook is.
    pub fn approves(&self, catalog: &Catalog, collection: &Collection) -> bool {
        collection
            .update_cmd
            .as_ref()
            .is_none_or(|cmd| self.approved.contains(&key(catalog, collection, cmd)))
    }

    /// Approves the hook of `collection`.
    ///
    /// # Errors
    /// I/O.
    pub fn approve(&mut self, catalog: &Catalog, collection: &Collection) -> Result<()> {
        let Some(cmd) = &collection.update_cmd else { return Ok(()) };
        if !self.approved.insert(key(catalog, collection, cmd)) {
            return Ok(());
        }
        if let Some(dir) = self.path.parent() {
            std::fs::create_dir_all(dir).at(dir)?;
        }
        let text = serde_json::to_string_pretty(&self.approved).unwrap_or_default();
        crate::store::atomic::replace_private(&self.path, text.as_bytes())
    }
}

fn key(catalog: &Catalog, collection: &Collection, cmd: &str) -> String {
    let index = catalog.path().canonicalize().unwrap_or_else(|_| catalog.path().to_owned());
    sha256_hex([index.to_string_lossy().as_ref(), &collection.name, &collection.root, cmd].join("\0"))
}

/// Runs the hook of a collection in its root; what it prints goes to `output`.
///
/// # Errors
/// Exit 2 when it was not approved; exit 3 when it fails.
pub fn run_hook(catalog: &Catalog, collection: &Collection, trust: &Trust, output: Stdio) -> Result<()> {
    let Some(cmd) = &collection.update_cmd else { return Ok(()) };
    if !trust.approves(catalog, collection) {
        return Err(Error::usage(tr!(
            "le hook de {} n'a pas été approuvé : {cmd}",
            "the hook of {} was not approved: {cmd}",
            collection.name
        ))
        .hint(catalog.command(&format!("trust {}", collection.name))));
    }
    let status = Command::new("sh")
        .arg("-c")
        .arg(cmd)
        .current_dir(Path::new(&collection.root))
        .stdin(Stdio::null())
        .stdout(output)
        .status()
        .at(&collection.root)?;
    if status.success() {
        return Ok(());
    }
    Err(Error::new(
        Kind::Partial,
        tr!("le hook de {} a échoué ({status})", "the hook of {} failed ({status})", collection.name),
    ))
}
