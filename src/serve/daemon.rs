//! The one daemon of a user: a lock that it holds as long as it lives, and a record of its process.
//!
//! ```text
//! <state>/daemon.lock   held by the daemon
//! <state>/daemon.json   process, start time, endpoint, index — 0600
//! <state>/daemon.token  bearer token — 0600
//! <state>/daemon.log    what it says on stderr
//! ```
//!
//! A process is stopped only when the lock is held and the process started when the record says: a
//! number that was given to another process since is left alone.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::base::error::IoContext;
use crate::base::{Code, Error, Kind, Result};
use crate::store::lock::{LockSettings, Single};
use crate::store::{atomic, open};
use crate::tr;

/// Longest wait for a daemon to end.
const END_TIME: Duration = Duration::from_secs(10);

/// Where a user's daemon leaves its files.
#[derive(Clone, Debug)]
pub struct State(PathBuf);

/// A running daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Version of the record, 1.
    pub schema: u32,
    /// Its process.
    pub pid: u32,
    /// When that process started: clock ticks since the machine did.
    pub start_ticks: u64,
    /// `http://address:port`.
    pub endpoint: String,
    /// The index.
    pub index: PathBuf,
}

impl State {
    /// The files under `dir`.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        State(dir.into())
    }

    /// The file of the token.
    pub fn token(&self) -> PathBuf {
        self.0.join("daemon.token")
    }

    /// The file the daemon's complaints go to.
    pub fn log(&self) -> PathBuf {
        self.0.join("daemon.log")
    }

    fn record(&self) -> PathBuf {
        self.0.join("daemon.json")
    }

    fn lock(&self, command: &str) -> Result<Single> {
        let settings =
            LockSettings { timeout: Duration::ZERO, allow_network: false, command: command.to_owned() };
        Single::take(&self.0.join("daemon.lock"), &settings)
    }

    /// Becomes the daemon: the lock is held until the returned guard goes.
    ///
    /// # Errors
    /// Exit 75 when there is one already; I/O.
    pub fn become_daemon(&self) -> Result<Single> {
        self.lock("govfind serve --daemon").map_err(|e| {
            if e.code() != Some(Code::LockTimeout) {
                return e;
            }
            let place = self.read().ok().flatten().map(|r| r.endpoint).unwrap_or_default();
            Error::new(
                Kind::TryLater,
                tr!("un démon sert déjà {place}", "a daemon is already serving {place}"),
            )
            .hint("govfind stop")
        })
    }

    /// Records this process as the daemon, under its lock.
    ///
    /// # Errors
    /// I/O.
    pub fn announce(&self, _lock: &Single, endpoint: &str, index: &Path) -> Result<Record> {
        let pid = std::process::id();
        let Some(start_ticks) = start_of(pid) else {
            return Err(Error::new(Kind::Unavailable, tr!("/proc est absent", "/proc is absent")));
        };
        let record =
            Record { schema: 1, pid, start_ticks, endpoint: endpoint.to_owned(), index: index.to_owned() };
        let text = serde_json::to_vec(&record).map_err(|e| Error::new(Kind::Bug, e.to_string()))?;
        atomic::replace_private(&self.record(), &text)?;
        Ok(record)
    }

    /// The record, if there is one.
    ///
    /// # Errors
    /// Exit 65 when it is damaged; I/O.
    pub fn read(&self) -> Result<Option<Record>> {
        let path = self.record();
        let file = match open::regular(&path, OpenOptions::new().read(true)) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(e).at(&path),
        };
        let mut bytes = Vec::new();
        file.take(64 * 1024).read_to_end(&mut bytes).at(&path)?;
        serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|e| Error::new(Kind::Corrupt, format!("{}: {e}", path.display())))
    }

    /// Ends the daemon and returns its record.
    ///
    /// # Errors
    /// Exit 1 when none runs; exit 2 when the recorded process is another one; exit 75 when it does
    /// not end in time; I/O.
    pub fn stop(&self) -> Result<Record> {
        let none = || Error::new(Kind::Negative, tr!("aucun démon ne sert", "no daemon is serving"));
        if !self.0.is_dir() {
            return Err(none());
        }
        match self.lock("govfind stop") {
            // Nobody holds the lock: what the record says is over.
            Ok(_lock) => {
                self.forget();
                return Err(none());
            }
            Err(e) if e.code() == Some(Code::LockTimeout) => {}
            Err(e) => return Err(e),
        }
        let Some(record) = self.read()? else { return Err(none()) };
        // The handle names this very process, even when its number is given away meanwhile.
        let handle = handle_of(record.pid);
        if start_of(record.pid) != Some(record.start_ticks) {
            let pid = record.pid;
            return Err(Error::usage(tr!(
                "le processus {pid} n'est pas le démon enregistré : il n'est pas arrêté",
                "process {pid} is not the recorded daemon: it is left alone"
            )));
        }
        let handle = handle.at(self.record())?;
        signal(&handle, libc::SIGTERM).at(self.record())?;
        if !ended(&handle, END_TIME) {
            return Err(Error::new(
                Kind::TryLater,
                tr!("le démon {} ne s'arrête pas", "daemon {} does not end", record.pid),
            ));
        }
        self.forget();
        Ok(record)
    }

    /// Removes the record and the token of a daemon that is gone.
    fn forget(&self) {
        for path in [self.record(), self.token()] {
            if let Err(e) = std::fs::remove_file(&path)
                && e.kind() != std::io::ErrorKind::NotFound
            {
                tracing::warn!("{}: {e}", path.display());
            }
        }
    }
}

/// When a process started, in clock ticks since boot; `None` when there is no such process.
pub fn start_of(pid: u32) -> Option<u64> {
    start_ticks(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Field 22 of a line of `/proc/PID/stat`; the name before it may hold spaces and parentheses.
fn start_ticks(stat: &str) -> Option<u64> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

fn handle_of(pid: u32) -> std::io::Result<OwnedFd> {
    // SAFETY: takes two integers and returns a new descriptor or -1.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid as libc::pid_t, 0) };
    let fd = i32::try_from(fd).ok().filter(|fd| *fd >= 0).ok_or_else(std::io::Error::last_os_error)?;
    // SAFETY: the descriptor was just made and belongs to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn signal(handle: &OwnedFd, signal: i32) -> std::io::Result<()> {
    // SAFETY: a live descriptor, a signal number, no information, no flags.
    let done = unsafe {
        libc::syscall(
            libc::SYS_pidfd_send_signal,
            handle.as_raw_fd(),
            signal,
            std::ptr::null::<libc::siginfo_t>(),
            0,
        )
    };
    let error = std::io::Error::last_os_error();
    // A process that has just ended is what was wanted.
    if done == 0 || error.raw_os_error() == Some(libc::ESRCH) { Ok(()) } else { Err(error) }
}

fn ended(handle: &OwnedFd, limit: Duration) -> bool {
    let mut poll = libc::pollfd { fd: handle.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let limit = i32::try_from(limit.as_millis()).unwrap_or(i32::MAX);
    // SAFETY: one valid pollfd that outlives the call.
    unsafe { libc::poll(&raw mut poll, 1, limit) == 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_time_is_the_22nd_field() {
        let fields: Vec<String> = (3..=52).map(|n| n.to_string()).collect();
        let stat = format!("7 (a) b (c)) {}", fields.join(" "));
        assert_eq!(start_ticks(&stat), Some(22));
        assert_eq!(start_ticks("7 (x"), None);
        assert!(start_of(std::process::id()).is_some());
        assert_eq!(start_of(u32::MAX), None);
    }

    #[test]
    fn without_a_daemon_nothing_is_stopped() {
        let dir = tempfile::tempdir().unwrap();
        let state = State::new(dir.path().join("govfind"));
        assert_eq!(state.stop().unwrap_err().exit(), 1);
        let lock = state.become_daemon().unwrap();
        let record = state.announce(&lock, "http://127.0.0.1:1", Path::new("/i.db")).unwrap();
        assert_eq!(state.read().unwrap(), Some(record));
        drop(lock);
        // The record survived its daemon: it is over.
        assert_eq!(state.stop().unwrap_err().exit(), 1);
        assert_eq!(state.read().unwrap(), None);
    }
}
