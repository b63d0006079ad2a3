//! One lock file: opened safely, polled with back-off until the limit, released on drop.
//!
//! The lock is the kernel's `flock`: a dead holder's lock is free at once. Lock files are never
//! deleted; if one was, by hand, the lock is taken again on the file that stands there now.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fs4::{FileExt, TryLockError};

use super::{LockSettings, Mode, holder, network};
use crate::base::error::IoContext;
use crate::base::{Code, Error, Kind, Result};
use crate::store::open;
use crate::tr;

/// Longest pause between two attempts. Short enough that a freed lock is taken in well under 100 ms.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_millis(16);

/// A held lock.
#[derive(Debug)]
pub struct Held {
    file: File,
    path: PathBuf,
    mode: Mode,
}

impl Held {
    /// Takes the lock at `path`, waiting at most `settings.timeout` (then ERR-295-09, exit 75).
    ///
    /// Other errors: the path is no regular file or cannot be opened (74); a refused network file
    /// system (2).
    pub fn take(path: &Path, mode: Mode, settings: &LockSettings) -> Result<Held> {
        let start = Instant::now();
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).at(parent)?;
        }
        loop {
            let file = open_lock(path).at(path)?;
            if !settings.allow_network
                && let Some(name) = network::network_file_system(&file).at(path)?
            {
                return Err(refused_network(path, name));
            }
            wait(&file, path, mode, settings, start)?;
            if open::same_file(&file, path).at(path)? {
                if mode == Mode::Exclusive {
                    holder::leave_note(&file, &settings.command);
                }
                return Ok(Held { file, path: path.to_owned(), mode });
            }
        }
    }

    /// The lock file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.mode == Mode::Exclusive {
            holder::remove_note(&self.file);
        }
        // Closing would do, but a child in the middle of a fork may still hold a copy of the file.
        if FileExt::unlock(&self.file).is_err() {
            tracing::debug!(path = %self.path.display(), "unlock failed; closing releases it");
        }
    }
}

fn wait(file: &File, path: &Path, mode: Mode, settings: &LockSettings, start: Instant) -> Result<()> {
    let mut pause = Duration::from_millis(1);
    loop {
        let attempt = match mode {
            Mode::Shared => FileExt::try_lock_shared(file),
            Mode::Exclusive => FileExt::try_lock(file),
        };
        match attempt {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Interrupted => {}
            Err(TryLockError::Error(e)) => return Err(e).at(path),
        }
        let left = settings.timeout.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Err(timed_out(file, path, settings.timeout));
        }
        std::thread::sleep(pause.min(left));
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

fn open_lock(path: &Path) -> io::Result<File> {
    let file = match open::regular(path, OpenOptions::new().read(true).write(true).create(true)) {
        // An existing lock can be taken without the right to write, exclusively too: the turnstile of
        // a workspace that is only read. Whoever then writes meets the refusal at the file itself.
        Err(e) if matches!(e.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => {
            open::regular(path, OpenOptions::new().read(true)).map_err(|_| e)?
        }
        other => other?,
    };
    // The superuser passes every mode: a file that nobody may read is refused for everyone alike.
    if file.metadata()?.permissions().mode() & 0o444 == 0 {
        return Err(io::Error::new(
            ErrorKind::PermissionDenied,
            tr!("personne n'a le droit de lire ce fichier", "nobody may read this file"),
        ));
    }
    Ok(file)
}

fn timed_out(file: &File, path: &Path, limit: Duration) -> Error {
    let (name, seconds, holder) = (path.display(), limit.as_secs_f64(), holder::describe(file, path));
    Error::memory(
        Code::LockTimeout,
        tr!(
            "{name} : verrou non obtenu en {seconds} s, tenu par {holder}",
            "{name}: lock not granted within {seconds} s, held by {holder}"
        ),
    )
    .hint(tr!(
        "attendez la fin de ce processus ou arrêtez-le, puis relancez ; ne supprimez pas le fichier",
        "wait for that process or stop it, then run again; do not delete the file"
    ))
}

fn refused_network(path: &Path, name: &str) -> Error {
    let path = path.display();
    Error::new(
        Kind::Usage,
        tr!(
            "{path} est sur {name}, dont les verrous ne sont pas sûrs",
            "{path} is on {name}, whose locks cannot be trusted"
        ),
    )
    .hint(tr!(
        "déplacez l'espace de travail, ou acceptez avec `[network_fs] allow = true`",
        "move the workspace, or accept it with `[network_fs] allow = true`"
    ))
}
