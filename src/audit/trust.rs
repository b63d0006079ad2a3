//! Which addresses named by workspaces may get tokens and texts.
//!
//! Approvals are the user's and lie outside every workspace, in
//! `$XDG_CONFIG_HOME/govmem/trust.json`, 0600. Loopback needs none.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::base::env::Env;
use crate::base::error::IoContext;
use crate::base::{Error, Instant, Result};
use crate::store::atomic;
use crate::tr;

/// The user's approvals.
#[derive(Debug)]
pub struct Trust {
    path: Option<PathBuf>,
    approved: BTreeMap<String, Instant>,
}

impl Trust {
    /// Reads the approvals; without a home directory there are none.
    ///
    /// # Errors
    /// Usage when the file is not ours to read as approvals; I/O.
    pub fn load(env: &Env) -> Result<Self> {
        let path = env.xdg("CONFIG", ".config").map(|dir| dir.join("govmem/trust.json"));
        let Some(file) = &path else { return Ok(Trust { path, approved: BTreeMap::new() }) };
        let approved = match std::fs::read(file) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| {
                Error::usage(format!("{}: {e}", file.display())).hint(tr!(
                    "supprimez ce fichier et approuvez de nouveau",
                    "remove that file and approve again"
                ))
            })?,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
            Err(e) => return Err(Error::io(file, &e)),
        };
        Ok(Trust { path, approved })
    }

    /// Whether `address` was approved. Scheme, host and port must be the same.
    pub fn allows(&self, address: &str) -> bool {
        origin(address).is_some_and(|o| self.approved.contains_key(&o))
    }

    /// Approves `address` for every workspace of this user.
    ///
    /// # Errors
    /// Usage when it is not `http(s)://host[:port]`; I/O.
    pub fn approve(&mut self, address: &str, now: Instant) -> Result<()> {
        let origin = origin(address).ok_or_else(|| refuse(address))?;
        self.approved.insert(origin, now);
        self.save()
    }

    /// Withdraws an approval.
    ///
    /// # Errors
    /// Usage when it was not approved; I/O.
    pub fn withdraw(&mut self, address: &str) -> Result<()> {
        let origin = origin(address).ok_or_else(|| refuse(address))?;
        if self.approved.remove(&origin).is_none() {
            return Err(Error::usage(tr!("{address} n'est pas approuvée", "{address} is not approved")));
        }
        self.save()
    }

    /// The approved addresses, sorted.
    pub fn addresses(&self) -> Vec<String> {
        self.approved.keys().cloned().collect()
    }

    /// Whether `address` is on this machine.
    pub fn is_loopback(address: &str) -> bool {
        let Some(origin) = origin(address) else { return false };
        let host = origin.split_once("://").map_or("", |(_, h)| h);
        let host = host.rsplit_once(':').map_or(host, |(h, _)| h).trim_matches(['[', ']']);
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    fn save(&self) -> Result<()> {
        let Some(path) = &self.path else {
            return Err(Error::usage(tr!("HOME est absent", "HOME is not set")));
        };
        if let Some(dir) = path.parent() {
            std::fs::create_dir_all(dir).at(dir)?;
        }
        let text = serde_json::to_vec_pretty(&self.approved)
            .map_err(|e| Error::new(crate::base::Kind::Bug, e.to_string()))?;
        atomic::replace_private(path, &text)
    }
}

/// `scheme://host:port` in lower case, the port always written; none for anything else, credentials
/// included.
fn origin(address: &str) -> Option<String> {
    let lower = address.trim().to_ascii_lowercase();
    let (scheme, rest) = lower.split_once("://")?;
    let default = match scheme {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    let host = rest.split(['/', '?', '#']).next()?;
    if host.is_empty() || host.contains(['@', ' ', '\\']) || host.chars().any(char::is_control) {
        return None;
    }
    let bare = host.rsplit_once(':').filter(|(_, port)| !port.is_empty() && !port.contains(']'));
    match bare {
        Some((name, port)) => Some(format!("{scheme}://{name}:{}", port.parse::<u16>().ok()?)),
        None => Some(format!("{scheme}://{}:{default}", host.trim_end_matches(':'))),
    }
}

fn refuse(address: &str) -> Error {
    Error::usage(tr!("adresse refusée {address:?}", "refused address {address:?}"))
        .hint("https://vault.example:8200")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approvals_hold_for_the_same_origin_only() {
        let home = tempfile::tempdir().unwrap();
        let env = Env::from_pairs([("HOME", home.path().to_str().unwrap())]);
        let mut trust = Trust::load(&env).unwrap();
        trust.approve("https://Vault.example:8200/", Instant::from_unix(0)).unwrap();
        let trust = Trust::load(&env).unwrap();
        assert!(trust.allows("https://vault.example:8200"));
        for other in [
            "http://vault.example:8200",
            "https://vault.example",
            "https://vault.example:8200@evil.example",
            "x",
        ] {
            assert!(!trust.allows(other), "{other}");
        }
        use std::os::unix::fs::PermissionsExt;
        let mode =
            std::fs::metadata(home.path().join(".config/govmem/trust.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn loopback() {
        for here in ["http://127.0.0.1:8200", "http://localhost", "https://[::1]:8200", "http://127.9.9.9"] {
            assert!(Trust::is_loopback(here), "{here}");
        }
        for away in
            ["http://127.0.0.1.evil.example", "http://localhost.evil", "ftp://127.0.0.1", "http://10.0.0.1"]
        {
            assert!(!Trust::is_loopback(away), "{away}");
        }
    }
}
