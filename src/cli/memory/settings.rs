//! From configuration to the settings of the embedder and of the keyring, and what may be sent where.

use std::path::PathBuf;

use crate::audit::{FileKeyring, Grant, Keyring, Token, Trust, VaultAuth, VaultKeyring, VaultSettings};
use crate::base::Result;
use crate::base::config::{Audit, Config, KeyringKind, Origin, Setting};
use crate::cli::Context;
use crate::embed::{Address, Approved, EmbedderSettings};
use crate::store::Workspace;
use crate::tr;

/// The embedder of the configuration, not yet opened. An address, or leave to run a model elsewhere,
/// that only the workspace's own file gives counts when the user approved it.
///
/// # Errors
/// Usage when the record of approvals cannot be read.
pub fn embedder(ctx: &Context, workspace: &Workspace, config: &Config) -> Result<EmbedderSettings> {
    let (url, remote) = (&config.embedder.url, &config.embedder.allow_remote_models);
    let mut approved = Approved::default();
    if url.origin == Origin::Workspace || (remote.value && remote.origin == Origin::Workspace) {
        let trust = Trust::load(&ctx.env)?;
        // `gpu-box` and `http://gpu-box:11434` are one address: what is approved is where texts go.
        approved.url = trust.allows(Address::parse(&url.value)?.as_str());
        approved.remote_model = trust.grants(&Grant::RemoteModel(config.embedder.model.trim().to_owned()))?;
    }
    let digests = workspace.state_dir().join("model-digests.json");
    Ok(EmbedderSettings::from_config(&config.embedder, approved, Some(digests)))
}

/// A keyring not yet opened.
#[derive(Debug)]
pub enum KeyringSettings {
    /// A file; none without a home directory.
    File(Option<PathBuf>),
    /// A server.
    Vault {
        /// The client's own settings; none without an address.
        settings: Option<Box<VaultSettings>>,
        /// What the workspace's file asks for and nobody approved.
        untrusted: Vec<Grant>,
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
            return Ok(KeyringSettings::Vault { settings: None, untrusted: Vec::new() });
        };
        let auth = match (&audit.role_id_file, &audit.secret_id_file) {
            (Some(role), Some(secret)) => {
                VaultAuth::AppRole { role_id_file: role.value.clone(), secret_id_file: secret.value.clone() }
            }
            _ => VaultAuth::Token(Token::find(&ctx.env)),
        };
        let mut settings = VaultSettings::new(&address.value, auth);
        settings.mount.clone_from(&audit.mount);
        settings.path.clone_from(&audit.path);
        settings.namespace.clone_from(&audit.namespace);
        settings.ca_cert = audit.ca_cert.as_ref().map(|s| s.value.clone());
        let untrusted = untrusted(ctx, audit)?;
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
            KeyringSettings::Vault { untrusted, .. } if !untrusted.is_empty() => {
                let list = |sep: &str, each: &dyn Fn(&Grant) -> String| {
                    untrusted.iter().map(each).collect::<Vec<_>>().join(sep)
                };
                let what = list(", ", &Grant::to_string);
                Err(unavailable(tr!(
                    "govmem.toml demande ce que personne n'a approuvé : {what}",
                    "govmem.toml asks for what nobody approved: {what}"
                ))
                .hint(list("\n", &|grant| format!("govmem trust {}", shell_word(&grant.to_string())))))
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

/// What needs an approval: what the workspace's own file names and the user's record does not hold —
/// an address that is not on this machine, an authority, files that hold credentials.
fn untrusted(ctx: &Context, audit: &Audit) -> Result<Vec<Grant>> {
    let mut asked = Vec::new();
    if let Some(address) = audit.vault_addr.as_ref().filter(|a| a.origin == Origin::Workspace)
        && !Trust::is_loopback(&address.value)
    {
        asked.push(Grant::Address(address.value.clone()));
    }
    let named = |place: &Option<Setting<PathBuf>>| {
        place.as_ref().filter(|p| p.origin == Origin::Workspace).map(|p| p.value.clone())
    };
    asked.extend(named(&audit.ca_cert).map(Grant::CaCert));
    // One of the two alone is not used.
    if audit.role_id_file.is_some() && audit.secret_id_file.is_some() {
        let files = [named(&audit.role_id_file), named(&audit.secret_id_file)];
        asked.extend(files.into_iter().flatten().map(Grant::CredentialFile));
    }
    if asked.is_empty() {
        return Ok(asked);
    }
    let trust = Trust::load(&ctx.env)?;
    // An address that is none, and an authority that cannot be read, are approved by nobody.
    asked.retain(|grant| !trust.grants(grant).unwrap_or(false));
    Ok(asked)
}

/// `text` as one word of a shell command.
fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@%+=,".contains(c);
    if text.chars().all(plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
