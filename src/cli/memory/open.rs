//! From flags, environment and configuration to a [`Memory`].

use std::path::PathBuf;
use std::time::Duration;

use super::settings::{self, KeyringSettings};
use crate::audit::Keyring;
use crate::base::error::IoContext;
use crate::base::lang;
use crate::base::{Error, Result};
use crate::cli::Context;
use crate::cli::context::explicit_language;
use crate::embed::{self, Embedder};
use crate::memory::Memory;
use crate::store::Workspace;
use crate::tr;

/// The longest wait of a report for the embedder.
const PROBE: Duration = Duration::from_secs(2);

/// Opens the workspace of `--workspace` or of the nearest parent directory.
pub fn memory<'c>(ctx: &'c Context, command: &str) -> Result<Memory<'c>> {
    let workspace = match &ctx.common.workspace {
        Some(dir) => Workspace::open(&ctx.cwd.join(dir))?,
        None => Workspace::find(&ctx.cwd)?,
    };
    at(ctx, workspace, command)
}

/// Opens `workspace`.
pub fn at<'c>(ctx: &'c Context, workspace: Workspace, command: &str) -> Result<Memory<'c>> {
    let config = workspace.load_config(&ctx.env)?;
    if let Some(chosen) = config.lang.filter(|_| !explicit_language(&ctx.env)) {
        lang::set(chosen);
    }
    let embedder = settings::embedder(ctx, &workspace, &config)?;
    let probed = embedder.clone();
    let keyring = KeyringSettings::of(ctx, &config)?;
    Ok(Memory {
        workspace,
        config,
        clock: ctx.clock.as_ref(),
        command: command.to_owned(),
        open_embedder: Box::new(move || -> Result<Box<dyn Embedder>> { embed::open(&embedder) }),
        probe_embedder: Box::new(move || embed::probe(&probed, PROBE)),
        open_keyring: Box::new(move || -> Result<Box<dyn Keyring>> { keyring.open() }),
    })
}

/// A path of the user, relative to the current directory.
pub fn user_path(ctx: &Context, path: &std::path::Path) -> PathBuf {
    ctx.cwd.join(path)
}

/// The text of a file, or of standard input for `-`.
pub fn read_input(ctx: &Context, path: &std::path::Path) -> Result<String> {
    use std::io::Read;
    const MOST: u64 = 16 << 20;
    let mut bytes = Vec::new();
    if path == std::path::Path::new("-") {
        std::io::stdin().lock().take(MOST + 1).read_to_end(&mut bytes).at("stdin")?;
    } else {
        let path = user_path(ctx, path);
        std::fs::File::open(&path).at(&path)?.take(MOST + 1).read_to_end(&mut bytes).at(&path)?;
    }
    if bytes.len() as u64 > MOST {
        return Err(Error::usage(tr!("{} : plus de 16 Mio", "{}: above 16 MiB", path.display()))
            .hint(tr!("donnez un fichier plus court", "give a shorter file")));
    }
    String::from_utf8(bytes).map_err(|e| {
        let (shown, at) = (path.display(), e.utf8_error().valid_up_to());
        Error::usage(tr!("{shown} : UTF-8 invalide à l'octet {at}", "{shown}: invalid UTF-8 at byte {at}"))
            .hint(tr!("enregistrez le fichier en UTF-8", "save the file as UTF-8"))
    })
}
