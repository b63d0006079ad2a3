//! The configuration of a workspace, read from its file and the user's.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::layout::Workspace;
use super::lock::LockSettings;
use super::open;
use crate::base::config::Config;
use crate::base::env::Env;
use crate::base::error::IoContext;
use crate::base::{Error, Result};
use crate::tr;

/// Longest configuration file, in bytes.
const LIMIT: u64 = 1 << 20;

impl Workspace {
    /// The configuration: environment, then `govmem.toml` (absent: defaults), then the user's own file.
    ///
    /// Errors (exit 2): a mistake in a file, or a file that belongs to another user, whose settings
    /// could send texts and tokens elsewhere.
    pub fn load_config(&self, env: &Env) -> Result<Config> {
        let workspace = read(&self.config())?;
        let user_file = Config::user_file(env);
        let user = match &user_file {
            Some(path) => read(path)?.map(|text| (path.display().to_string(), text)),
            None => None,
        };
        let user = user.as_ref().map(|(name, text)| (name.as_str(), text.as_str()));
        Config::load_layers(self.root(), workspace.as_deref(), user, env)
    }
}

impl LockSettings {
    /// The settings of `config`; `command` is what waiting processes are told.
    pub fn of(config: &Config, command: &str) -> Self {
        LockSettings {
            timeout: config.limits.lock_timeout,
            allow_network: config.network_fs.allow,
            command: command.to_owned(),
        }
    }
}

fn read(path: &Path) -> Result<Option<String>> {
    let file = match open::regular(path, OpenOptions::new().read(true)) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::io(path, &e)),
    };
    refuse_other_owner(path, &file)?;
    let mut bytes = Vec::new();
    file.take(LIMIT + 1).read_to_end(&mut bytes).at(path)?;
    if bytes.len() as u64 > LIMIT {
        let path = path.display();
        return Err(Error::usage(tr!(
            "{path} dépasse {LIMIT} octets",
            "{path} is longer than {LIMIT} bytes"
        )));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(_) => {
            let path = path.display();
            Err(Error::usage(tr!("{path} n'est pas de l'UTF-8", "{path} is not UTF-8")))
        }
    }
}

fn refuse_other_owner(path: &Path, file: &File) -> Result<()> {
    let owner = file.metadata().at(path)?.uid();
    // SAFETY: the call has no precondition and cannot fail.
    let me = unsafe { libc::geteuid() };
    if owner == me {
        return Ok(());
    }
    let path = path.display();
    Err(Error::usage(tr!(
        "{path} appartient à un autre utilisateur (uid {owner})",
        "{path} belongs to another user (uid {owner})"
    ))
    .hint(tr!("lisez-le, puis prenez-en une copie à vous", "read it, then make a copy of your own")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_files() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().to_str().unwrap().to_owned();
        let env = Env::from_pairs([("XDG_CONFIG_HOME", home.as_str())]);
        let ws = Workspace::new(dir.path().join("w"));
        assert_eq!(ws.load_config(&env).unwrap().limits.item_chars, 1200);
        std::fs::create_dir_all(dir.path().join("govmem")).unwrap();
        std::fs::create_dir_all(ws.root()).unwrap();
        std::fs::write(
            dir.path().join("govmem/config.toml"),
            "[limits]\nitem_chars = 5\nlock_timeout_s = 2\n",
        )
        .unwrap();
        std::fs::write(ws.config(), "[limits]\nitem_chars = 6\n[network_fs]\nallow = true\n").unwrap();
        let config = ws.load_config(&env).unwrap();
        assert_eq!(config.limits.item_chars, 6);
        let settings = LockSettings::of(&config, "govmem x");
        assert_eq!((settings.timeout.as_secs(), settings.allow_network), (2, true));
        std::fs::write(ws.config(), b"\xff").unwrap();
        assert_eq!(ws.load_config(&env).unwrap_err().exit(), 2);
        std::fs::write(dir.path().join("govmem/config.toml"), "x = 1").unwrap();
        std::fs::write(ws.config(), "").unwrap();
        assert!(ws.load_config(&env).unwrap_err().message().contains("config.toml:1"));
    }
}
