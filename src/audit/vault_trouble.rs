//! What can go wrong with a Vault server, each with its own hint. All of it is ERR-295-16.
//!
//! Nothing the server says is repeated: an answer may hold the key, or echo our token.

use super::keyring::unavailable;
use crate::base::Error;
use crate::tr;

/// Why the server gave no key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// No connection: refused, no route, no such host.
    Unreachable,
    /// A connection, then silence past the time-out.
    Hanging,
    /// No trusted TLS connection.
    Tls,
    /// 503.
    Sealed,
    /// 501.
    NotInitialised,
    /// 401 or 403.
    Denied,
    /// No token, or one that cannot be sent.
    NoToken,
    /// A credential file that cannot be read.
    CredentialFile(String),
    /// 404 with a reason: no KV version 2 engine at this mount.
    NoMount,
    /// The latest version was deleted or destroyed.
    Deleted,
    /// 429, 472, 473: a standby, or too many requests.
    Busy,
    /// 3xx, which is never followed.
    Redirect,
    /// Any other status.
    Status(u16),
    /// An answer that is too long, cut off or not of the expected form.
    Malformed(&'static str),
    /// Settings that no request can be built from.
    Settings(&'static str),
}

impl Trouble {
    /// The error, naming the server and the path.
    pub fn at(&self, place: &str) -> Error {
        let (what, hint) = self.texts();
        unavailable(format!("{place}: {what}")).hint(hint)
    }

    fn texts(&self) -> (String, String) {
        match self {
            Trouble::Unreachable => (
                tr!("injoignable", "unreachable"),
                tr!(
                    "vérifiez l'adresse et le réseau, ou démarrez Vault",
                    "check the address and the network, or start Vault"
                ),
            ),
            Trouble::Hanging => (
                tr!("ne répond pas dans le délai", "does not answer in time"),
                tr!(
                    "le serveur est bloqué ou surchargé : `vault status`",
                    "the server hangs or is overloaded: `vault status`"
                ),
            ),
            Trouble::Tls => (
                tr!("connexion TLS refusée", "TLS connection refused"),
                tr!(
                    "vérifiez `[audit] ca_cert`, le nom du certificat et http/https dans l'adresse",
                    "check `[audit] ca_cert`, the certificate's name, and http/https in the address"
                ),
            ),
            Trouble::Sealed => (
                tr!("le coffre est scellé", "the vault is sealed"),
                tr!(
                    "un opérateur le descelle : `vault operator unseal`",
                    "an operator unseals it: `vault operator unseal`"
                ),
            ),
            Trouble::NotInitialised => (
                tr!("le coffre n'est pas initialisé", "the vault is not initialised"),
                tr!(
                    "un opérateur l'initialise : `vault operator init`",
                    "an operator initialises it: `vault operator init`"
                ),
            ),
            Trouble::Denied => (
                tr!("accès refusé", "access denied"),
                tr!(
                    "jeton expiré ou politique insuffisante : `vault login`, puis deploy/vault/*.hcl",
                    "expired token or insufficient policy: `vault login`, then deploy/vault/*.hcl"
                ),
            ),
            Trouble::NoToken => (
                tr!("aucun jeton utilisable", "no usable token"),
                tr!(
                    "définissez VAULT_TOKEN, lancez `vault login`, ou configurez role_id_file et secret_id_file",
                    "set VAULT_TOKEN, run `vault login`, or configure role_id_file and secret_id_file"
                ),
            ),
            Trouble::CredentialFile(path) => (
                tr!("{path} est illisible ou malformé", "{path} is unreadable or malformed"),
                tr!("vérifiez le fichier et ses droits", "check the file and its permissions"),
            ),
            Trouble::NoMount => (
                tr!("aucun moteur KV version 2 à ce montage", "no KV version 2 engine at this mount"),
                tr!(
                    "vérifiez `[audit] mount` et namespace ; un opérateur le crée : `vault secrets enable -version=2 -path=kv kv`",
                    "check `[audit] mount` and namespace; an operator creates it: `vault secrets enable -version=2 -path=kv kv`"
                ),
            ),
            Trouble::Deleted => (
                tr!("la dernière version de la clé est supprimée", "the key's latest version is deleted"),
                tr!(
                    "un opérateur la rétablit : `vault kv undelete`, ou suit specs/key-runbook.md (clé perdue)",
                    "an operator brings it back: `vault kv undelete`, or follows specs/key-runbook.md (lost key)"
                ),
            ),
            Trouble::Busy => (
                tr!("serveur en attente ou saturé", "standby or saturated server"),
                tr!("réessayez, ou visez le nœud actif", "try again, or point at the active node"),
            ),
            Trouble::Redirect => (
                tr!(
                    "redirige ailleurs ; le jeton ne suit pas",
                    "redirects elsewhere; the token does not follow"
                ),
                tr!("donnez l'adresse du nœud actif", "give the active node's address"),
            ),
            Trouble::Status(status) => (
                tr!("réponse HTTP {status}", "HTTP answer {status}"),
                tr!("`vault status` et le journal du serveur", "`vault status` and the server's log"),
            ),
            Trouble::Malformed(what) => (
                tr!("réponse malformée ({what})", "malformed answer ({what})"),
                tr!(
                    "vérifiez que l'adresse est celle de Vault et que la clé est `openssl rand -hex 32`",
                    "check that the address is Vault's and that the key is `openssl rand -hex 32`"
                ),
            ),
            Trouble::Settings(what) => (
                tr!("réglage invalide : {what}", "invalid setting: {what}"),
                tr!("corrigez `[audit]` dans govmem.toml", "correct `[audit]` in govmem.toml"),
            ),
        }
    }
}
