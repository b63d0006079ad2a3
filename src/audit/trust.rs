//! What workspaces may do with tokens and texts: which addresses get them, whether a model may run
//! elsewhere, which authority vouches for the key server, which files hold credentials.
//!
//! Approvals are the user's and lie outside every workspace, in
//! `$XDG_CONFIG_HOME/govmem/trust.json`, 0600. An address on this machine needs none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::base::env::Env;
use crate::base::error::IoContext;
use crate::base::{Error, Instant, Result};
use crate::store::atomic;
use crate::tr;

/// One thing that a workspace's file asks for and only the user can give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grant {
    /// `https://host:port` gets tokens or texts.
    Address(String),
    /// `remote-model:NAME`: the Ollama server may run this model on another machine.
    RemoteModel(String),
    /// `ca-cert:PATH`: the certificates in this file vouch for the key server. The content is what
    /// counts: a file that changes needs a new approval.
    CaCert(PathBuf),
    /// `ca-cert:sha256:HEX`: the same by the content's hash, as listed.
    CaCertHash(String),
    /// `credential-file:PATH`: this file's content goes to the key server as a credential.
    CredentialFile(PathBuf),
}

impl Grant {
    /// Reads what `govmem trust` is given; relative paths start at `cwd`. What has no known prefix is
    /// an address.
    pub fn parse(text: &str, cwd: &Path) -> Grant {
        if let Some(name) = text.strip_prefix("remote-model:") {
            return Grant::RemoteModel(name.trim().to_owned());
        }
        if let Some(rest) = text.strip_prefix("ca-cert:") {
            return match rest.strip_prefix("sha256:").map(str::to_ascii_lowercase) {
                Some(hex) if hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit()) => {
                    Grant::CaCertHash(hex)
                }
                _ => Grant::CaCert(cwd.join(rest)),
            };
        }
        match text.strip_prefix("credential-file:") {
            Some(path) => Grant::CredentialFile(cwd.join(path)),
            None => Grant::Address(text.to_owned()),
        }
    }

    /// How it stands in the record of approvals.
    fn key(&self) -> Result<String> {
        Ok(match self {
            Grant::Address(address) => origin(address).ok_or_else(|| refuse(address))?,
            Grant::RemoteModel(name) => format!("remote-model:{name}"),
            Grant::CaCert(path) => {
                format!("ca-cert:sha256:{}", crate::base::id::sha256_hex(std::fs::read(path).at(path)?))
            }
            Grant::CaCertHash(hex) => format!("ca-cert:sha256:{hex}"),
            Grant::CredentialFile(path) => format!("credential-file:{}", path.display()),
        })
    }
}

impl std::fmt::Display for Grant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Grant::Address(address) => f.write_str(address),
            Grant::RemoteModel(name) => write!(f, "remote-model:{name}"),
            Grant::CaCert(path) => write!(f, "ca-cert:{}", path.display()),
            Grant::CaCertHash(hex) => write!(f, "ca-cert:sha256:{hex}"),
            Grant::CredentialFile(path) => write!(f, "credential-file:{}", path.display()),
        }
    }
}

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

    /// Whether `grant` was approved.
    ///
    /// # Errors
    /// I/O when the file of an authority cannot be read.
    pub fn grants(&self, grant: &Grant) -> Result<bool> {
        Ok(self.approved.contains_key(&grant.key()?))
    }

    /// Approves `grant` for every workspace of this user.
    ///
    /// # Errors
    /// Usage when it is an address that is not `http(s)://host[:port]`; I/O.
    pub fn approve(&mut self, grant: &Grant, now: Instant) -> Result<()> {
        self.approved.insert(grant.key()?, now);
        self.save()
    }

    /// Withdraws an approval.
    ///
    /// # Errors
    /// Usage when it was not approved; I/O.
    pub fn withdraw(&mut self, grant: &Grant) -> Result<()> {
        let key = grant.key()?;
        if self.approved.remove(&key).is_none() {
            return Err(Error::usage(tr!("{key} n'est pas approuvé", "{key} is not approved"))
                .hint(tr!("govmem trust les énumère", "govmem trust lists what is")));
        }
        self.save()
    }

    /// What is approved, sorted.
    pub fn list(&self) -> Vec<String> {
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
        .hint("https://vault.example:8200, remote-model:NAME, ca-cert:FILE, credential-file:FILE")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approvals_hold_for_the_same_origin_only() {
        let home = tempfile::tempdir().unwrap();
        let env = Env::from_pairs([("HOME", home.path().to_str().unwrap())]);
        let mut trust = Trust::load(&env).unwrap();
        let vault = Grant::Address("https://Vault.example:8200/".into());
        trust.approve(&vault, Instant::from_unix(0)).unwrap();
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
    fn other_grants_hold_for_one_name_file_or_content() {
        let home = tempfile::tempdir().unwrap();
        let env = Env::from_pairs([("HOME", home.path().to_str().unwrap())]);
        let grant = |text: &str| Grant::parse(text, home.path());
        let pem = home.path().join("ca.pem");
        std::fs::write(&pem, "abc").unwrap();
        let mut trust = Trust::load(&env).unwrap();
        for text in ["remote-model:far:cloud", "ca-cert:ca.pem", "credential-file:role-id"] {
            assert!(!trust.grants(&grant(text)).unwrap(), "{text}");
            trust.approve(&grant(text), Instant::from_unix(0)).unwrap();
            assert!(Trust::load(&env).unwrap().grants(&grant(text)).unwrap(), "{text}");
        }
        for text in ["remote-model:far", "credential-file:/role-id", "https://far:1"] {
            assert!(!trust.grants(&grant(text)).unwrap(), "{text}");
        }
        // SHA-256 of "abc", from FIPS 180-2.
        let hash = "ca-cert:sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert!(trust.list().contains(&hash.to_owned()));
        std::fs::write(&pem, "another authority").unwrap();
        assert!(!trust.grants(&grant("ca-cert:ca.pem")).unwrap());
        trust.withdraw(&grant(hash)).unwrap();
        assert_eq!(trust.withdraw(&grant(hash)).unwrap_err().exit(), 2);
        assert_eq!(trust.grants(&grant("ca-cert:absent.pem")).unwrap_err().exit(), 74);
        assert_eq!(trust.approve(&grant("remote:x"), Instant::from_unix(0)).unwrap_err().exit(), 2);
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
