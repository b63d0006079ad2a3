//! How to reach a Vault or OpenBao server: plain values, every one set explicitly.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use zeroize::Zeroizing;

use crate::base::env::Env;

/// A Vault token or another credential: wiped when dropped, never printable.
#[derive(Clone)]
pub struct Token(Zeroizing<String>);

impl Token {
    /// Takes a credential; white space around it is dropped. An empty one is `None`.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Token(Zeroizing::new(text.to_owned())))
    }

    /// The token of this user: `VAULT_TOKEN`, else `BAO_TOKEN`, else the file `~/.vault-token`.
    pub fn find(env: &Env) -> Option<Self> {
        let named = env.get("VAULT_TOKEN").or_else(|| env.get("BAO_TOKEN"));
        named.and_then(Token::new).or_else(|| {
            let text = std::fs::read_to_string(env.home()?.join(".vault-token")).ok().map(Zeroizing::new)?;
            Token::new(&text)
        })
    }

    /// The text, for a request header or body alone.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(redacted)")
    }
}

/// How to log in.
#[derive(Clone, Debug)]
pub enum VaultAuth {
    /// A token in hand; none means that nobody logged in.
    Token(Option<Token>),
    /// AppRole: files that hold the role id and the secret id.
    AppRole {
        /// The role id.
        role_id_file: PathBuf,
        /// The secret id.
        secret_id_file: PathBuf,
    },
}

/// Where the server is, where the key lies, how to log in, how long to wait.
#[derive(Clone, Debug)]
pub struct VaultSettings {
    /// `http://` or `https://`, host and port.
    pub address: String,
    /// Mount of the KV version 2 engine; `kv` by contract.
    pub mount: String,
    /// Path of the key; `pd-295/memory-audit-hmac` by contract.
    pub path: String,
    /// Namespace, if any.
    pub namespace: Option<String>,
    /// A PEM file whose certificates alone are trusted; otherwise the system's.
    pub ca_cert: Option<PathBuf>,
    /// How to log in.
    pub auth: VaultAuth,
    /// Longest wait for a connection.
    pub connect_timeout: Duration,
    /// Longest wait for one answer.
    pub timeout: Duration,
}

impl VaultSettings {
    /// The contract's mount, path and waits (2 s and 5 s) at `address`.
    pub fn new(address: impl Into<String>, auth: VaultAuth) -> Self {
        VaultSettings {
            address: address.into(),
            mount: "kv".into(),
            path: "pd-295/memory-audit-hmac".into(),
            namespace: None,
            ca_cert: None,
            auth,
            connect_timeout: Duration::from_secs(2),
            timeout: Duration::from_secs(5),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_found_and_hidden() {
        let env = Env::from_pairs([("VAULT_TOKEN", " s.abc\n"), ("BAO_TOKEN", "s.other")]);
        let token = Token::find(&env).expect("token");
        assert_eq!(token.expose(), "s.abc");
        assert!(Token::new(" \n").is_none());
        let settings = VaultSettings::new("http://127.0.0.1:8200", VaultAuth::Token(Some(token)));
        assert!(!format!("{settings:?}").contains("s.abc"));
        let home = tempfile::tempdir().expect("home");
        std::fs::write(home.path().join(".vault-token"), "s.file\n").expect("file");
        let env = Env::from_pairs([("HOME", home.path().to_str().expect("utf-8"))]);
        assert_eq!(Token::find(&env).expect("token").expose(), "s.file");
        assert!(Token::find(&Env::default()).is_none());
    }
}
