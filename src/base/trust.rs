//! Which network addresses a workspace may make us talk to.
//!
//! A token or a text goes only to an address from the environment, from the user's own
//! configuration, or one that the user approved for this workspace; loopback needs none. Approvals
//! are kept outside the workspace, so that a cloned repository cannot approve itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Write;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use super::env::Env;
use super::error::IoContext;
use super::{Error, Kind, Result};

/// Where an address was configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An environment variable.
    Environment,
    /// A file in the user's own configuration directory.
    UserConfig,
    /// The workspace's `govmem.toml`.
    Workspace,
}

/// Scheme, host and port of an address, in one spelling.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Address(String);

impl Address {
    /// Reads `http://` or `https://` with a host and an optional port; a path is dropped. Credentials
    /// and characters that parsers read differently are refused.
    pub fn parse(text: &str) -> Option<Self> {
        let lower = text.trim().to_ascii_lowercase();
        let (scheme, rest) = lower.split_once("://")?;
        let default = match scheme {
            "http" => 80,
            "https" => 443,
            _ => return None,
        };
        let authority = rest.split(['/', '?', '#']).next()?;
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (host, port) = rest.split_once(']')?;
                host.parse::<std::net::Ipv6Addr>().ok()?;
                (format!("[{host}]"), port.strip_prefix(':').or(port.is_empty().then_some("")))
            }
            None => match authority.split_once(':') {
                Some((host, port)) => (host.to_owned(), Some(port)),
                None => (authority.to_owned(), Some("")),
            },
        };
        let port: u16 = match port? {
            "" => default,
            digits if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().ok()?,
            _ => return None,
        };
        let named = host.starts_with('[')
            || (!host.is_empty()
                && host.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.'));
        named.then(|| Address(format!("{scheme}://{host}:{port}")))
    }

    /// Whether it never leaves this machine: `localhost`, 127.0.0.0/8 or `::1`, spelled plainly.
    pub fn is_loopback(&self) -> bool {
        let authority = self.0.split_once("://").map_or("", |(_, rest)| rest);
        let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The user's approvals, by workspace.
#[derive(Clone, Debug)]
pub struct Trust {
    path: PathBuf,
}

#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Document {
    #[serde(default)]
    workspaces: BTreeMap<PathBuf, BTreeSet<Address>>,
}

impl Trust {
    /// The approvals at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Trust { path: path.into() }
    }

    /// `$XDG_CONFIG_HOME/govmem/trust.json`; wrong usage without a home.
    pub fn of(env: &Env) -> Result<Self> {
        let config = env
            .xdg("CONFIG", ".config")
            .ok_or_else(|| Error::usage(crate::tr!("HOME n'est pas défini", "HOME is not set")))?;
        Ok(Trust::new(config.join("govmem/trust.json")))
    }

    /// Whether `workspace` may make us talk to `address`; refused (exit 2) with the command that
    /// approves it.
    pub fn check(&self, workspace: &Path, address: &str, origin: Origin) -> Result<()> {
        let parsed = Address::parse(address).ok_or_else(|| malformed(address))?;
        if origin != Origin::Workspace || parsed.is_loopback() {
            return Ok(());
        }
        if self.approved(workspace)?.contains(&parsed) {
            return Ok(());
        }
        Err(Error::usage(crate::tr!(
            "govmem.toml envoie vers {parsed}, que vous n'avez pas approuvé",
            "govmem.toml sends to {parsed}, which you have not approved"
        ))
        .hint(crate::tr!(
            "si vous lui faites confiance : govmem trust {parsed}",
            "if you trust it: govmem trust {parsed}"
        )))
    }

    /// The addresses approved for a workspace.
    pub fn approved(&self, workspace: &Path) -> Result<BTreeSet<Address>> {
        let workspace = workspace.canonicalize().at(workspace)?;
        Ok(self.load()?.workspaces.remove(&workspace).unwrap_or_default())
    }

    /// Approves an address for a workspace; `false` if it was approved already.
    pub fn approve(&self, workspace: &Path, address: &str) -> Result<bool> {
        self.change(workspace, address, |set, address| set.insert(address))
    }

    /// Takes an approval back; `false` if there was none.
    pub fn revoke(&self, workspace: &Path, address: &str) -> Result<bool> {
        self.change(workspace, address, |set, address| set.remove(&address))
    }

    fn change(
        &self,
        workspace: &Path,
        address: &str,
        change: impl FnOnce(&mut BTreeSet<Address>, Address) -> bool,
    ) -> Result<bool> {
        let address = Address::parse(address).ok_or_else(|| malformed(address))?;
        let workspace = workspace.canonicalize().at(workspace)?;
        let mut document = self.load()?;
        let changed = change(document.workspaces.entry(workspace).or_default(), address);
        document.workspaces.retain(|_, set| !set.is_empty());
        if changed {
            self.store(&document)?;
        }
        Ok(changed)
    }

    fn load(&self) -> Result<Document> {
        match std::fs::read(&self.path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| {
                Error::new(Kind::Corrupt, format!("{}: {e}", self.path.display())).hint(crate::tr!(
                    "corrigez ou supprimez ce fichier, puis approuvez à nouveau",
                    "correct or delete this file, then approve again"
                ))
            }),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Document::default()),
            Err(e) => Err(Error::io(&self.path, &e)),
        }
    }

    fn store(&self, document: &Document) -> Result<()> {
        let dir = self.path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(dir).at(dir)?;
        let mut text = serde_json::to_vec_pretty(document)
            .map_err(|e| Error::new(Kind::Bug, format!("{}: {e}", self.path.display())))?;
        text.push(b'\n');
        let mut temp = tempfile::NamedTempFile::new_in(dir).at(dir)?;
        temp.write_all(&text).at(temp.path())?;
        temp.as_file().sync_all().at(temp.path())?;
        temp.persist(&self.path).map_err(|e| Error::io(&self.path, &e.error))?;
        Ok(())
    }
}

fn malformed(address: &str) -> Error {
    Error::usage(crate::tr!(
        "{address:?} n'est pas une adresse http(s)://hôte:port",
        "{address:?} is not an address http(s)://host:port"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_one_spelling() {
        let one = |t: &str| Address::parse(t).map(|a| a.to_string());
        assert_eq!(one("HTTPS://Vault.Example/v1/x?y").as_deref(), Some("https://vault.example:443"));
        assert_eq!(one("http://[::1]:8200").as_deref(), Some("http://[::1]:8200"));
        for bad in [
            "",
            "vault:8200",
            "ftp://a",
            "http://",
            "http://a@b",
            "http://127.0.0.1:80@evil",
            "http://127.0.0.1\\@evil",
            "http://127.0.0.1%2eevil",
            "http://a:b",
            "http://a:99999",
            "http://[evil]",
            "http://[::1]x",
            "http://é",
        ] {
            assert_eq!(one(bad), None, "{bad}");
        }
    }

    #[test]
    fn loopback_is_loopback_and_nothing_like_it() {
        for yes in ["http://localhost", "http://127.0.0.1:1", "https://127.9.9.9", "http://[::1]:8200"] {
            assert!(Address::parse(yes).expect(yes).is_loopback(), "{yes}");
        }
        for no in [
            "http://localhost.evil",
            "http://127.0.0.1.evil",
            "http://127.1",
            "http://0.0.0.0",
            "http://[::2]",
        ] {
            assert!(!Address::parse(no).expect(no).is_loopback(), "{no}");
        }
    }

    #[test]
    fn a_workspace_cannot_approve_itself() {
        let dir = tempfile::tempdir().expect("dir");
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        std::fs::create_dir_all(&a).expect("a");
        std::fs::create_dir_all(&b).expect("b");
        let trust = Trust::new(dir.path().join("config/trust.json"));
        let address = "https://vault.example:8200/";
        let e = trust.check(&a, address, Origin::Workspace).expect_err("refused");
        assert_eq!(e.exit(), 2);
        assert!(e.hint_text().expect("hint").contains("govmem trust https://vault.example:8200"));
        trust.check(&a, address, Origin::Environment).expect("environment");
        trust.check(&a, "http://127.0.0.1:8200", Origin::Workspace).expect("loopback");
        assert!(trust.approve(&a, address).expect("approve"));
        assert!(!trust.approve(&a, address).expect("again"));
        trust.check(&a, "https://VAULT.example:8200", Origin::Workspace).expect("approved");
        assert!(trust.check(&b, address, Origin::Workspace).is_err());
        assert!(trust.check(&a, "https://vault.example:8201", Origin::Workspace).is_err());
        assert!(trust.revoke(&a, address).expect("revoke"));
        assert!(trust.check(&a, address, Origin::Workspace).is_err());
        std::fs::write(dir.path().join("config/trust.json"), "{").expect("write");
        assert_eq!(trust.check(&a, address, Origin::Workspace).expect_err("corrupt").exit(), 65);
    }
}
