//! From configuration to the settings of the embedder and of the keyring, and what may be sent where.

use std::path::PathBuf;

use crate::audit::{FileKeyring, Keyring, Token, Trust, VaultAuth, VaultKeyring, VaultSettings};
use crate::base::config::{Config, KeyringKind, Origin, Setting};
use crate::base::{Error, Result};
use crate::cli::Context;
use crate::embed::{Address, EmbedderSettings};
use crate::store::Workspace;
use crate::tr;

/// The embedder of the configuration, not yet opened. An address that only the workspace's own file
/// names gets texts when the user approved it.
///
/// # Errors
/// Usage when the record of approvals cannot be read.
pub fn embedder(ctx: &Context, workspace: &Workspace, config: &Config) -> Result<EmbedderSettings> {
    let url = &config.embedder.url;
    // `gpu-box` and `http://gpu-box:11434` are one address: what is approved is where texts go.
    let approved = url.origin == Origin::Workspace
        && Trust::load(&ctx.env)?.allows(Address::parse(&url.value)?.as_str());
    let digests = workspace.state_dir().join("model-digests.json");
    Ok(EmbedderSettings::from_config(&config.embedder, approved, Some(digests)))
}

/// A keyring not yet opened.
#[derive(Debug)]
pub enum KeyringSettings {
    /// A file; none without a home directory.
    File(Option<PathBuf>),
    /// A server; `untrusted` is the address when nobody approved it.
    Vault {
        /// The client's own settings; none without an address.
        settings: Option<Box<VaultSettings>>,
        /// The address that needs `govmem trust` first.
        untrusted: Option<String>,
    },
}

impl KeyringSettings {
    /// Those of the configuration. The token of the environment travels nowhere yet.
    ///
    /// # Errors
    /// Usage when the record of approvals cannot be read.
    pub fn of(ctx: &Context, config: &Config) -> Result<Self> {
        let audit = &config.audit;
        if audit.keyring == KeyringKind::File {
            return Ok(KeyringSettings::File(audit.keyring_path.clone()));
        }
        let Some(address) = &audit.vault_addr else {
            return Ok(KeyringSettings::Vault { settings: None, untrusted: None });
        };
        let auth = match (&audit.role_id_file, &audit.secret_id_file) {
            (Some(role), Some(secret)) => {
                VaultAuth::AppRole { role_id_file: role.clone(), secret_id_file: secret.clone() }
            }
            _ => VaultAuth::Token(Token::find(&ctx.env)),
        };
        let mut settings = VaultSettings::new(&address.value, auth);
        settings.mount.clone_from(&audit.mount);
        settings.path.clone_from(&audit.path);
        settings.namespace.clone_from(&audit.namespace);
        settings.ca_cert.clone_from(&audit.ca_cert);
        let untrusted = untrusted(ctx, address, Trust::is_loopback(&address.value), &address.value)?;
        Ok(KeyringSettings::Vault { settings: Some(Box::new(settings)), untrusted })
    }

    /// Opens it.
    ///
    /// # Errors
    /// ERR-295-16.
    pub fn open(&self) -> Result<Box<dyn Keyring>> {
        let unavailable = crate::audit::unavailable;
        match self {
            KeyringSettings::File(Some(path)) => Ok(Box::new(FileKeyring::new(path))),
            KeyringSettings::File(None) => Err(unavailable(tr!(
                "[audit] keyring_path n'est pas configuré et HOME est absent",
                "[audit] keyring_path is not configured and HOME is not set"
            ))),
            KeyringSettings::Vault { untrusted: Some(address), .. } => {
                let refusal = refuse_untrusted(address);
                let hint = refusal.hint_text().unwrap_or_default().to_owned();
                Err(unavailable(refusal.message().to_owned()).hint(hint))
            }
            KeyringSettings::Vault { settings: None, .. } => Err(unavailable(tr!(
                "aucune adresse de Vault : [audit] vault_addr ou VAULT_ADDR",
                "no Vault address: [audit] vault_addr or VAULT_ADDR"
            ))
            .hint(tr!(
                "pour un seul utilisateur : [audit] keyring = \"file\"",
                "for a single user: [audit] keyring = \"file\""
            ))),
            KeyringSettings::Vault { settings: Some(settings), .. } => {
                Ok(Box::new(VaultKeyring::new(settings.as_ref().clone())?))
            }
        }
    }
}

/// The address that needs an approval: one that comes from the workspace's own file, is not on this
/// machine, and is not in the user's record.
fn untrusted(ctx: &Context, from: &Setting<String>, loopback: bool, shown: &str) -> Result<Option<String>> {
    if from.origin != Origin::Workspace || loopback || Trust::load(&ctx.env)?.allows(shown) {
        return Ok(None);
    }
    Ok(Some(shown.to_owned()))
}

fn refuse_untrusted(address: &str) -> Error {
    Error::usage(tr!(
        "l'adresse {address} vient de govmem.toml et n'est pas approuvée",
        "the address {address} comes from govmem.toml and is not approved"
    ))
    .hint(format!("govmem trust {address}"))
}
