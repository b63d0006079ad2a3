//! Who holds a lock: for the message of ERR-295-09 only, never for a decision.
//!
//! The kernel's table names every holder's process; an exclusive holder also leaves its command in
//! the lock file, whose modification time then says since when.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::base::Instant;
use crate::tr;

/// What an exclusive holder writes into its lock file.
#[derive(serde::Serialize, serde::Deserialize)]
struct Note {
    pid: u32,
    command: String,
}

/// Leaves this process's name in the lock file it holds exclusively. Failing to do so costs a message
/// later on, so it is not an error.
pub fn leave_note(file: &File, command: &str) {
    let note = Note { pid: std::process::id(), command: command.to_owned() };
    if let Ok(text) = serde_json::to_string(&note)
        && file.set_len(0).is_ok()
        && file.write_all_at(format!("{text}\n").as_bytes(), 0).is_err()
    {
        tracing::debug!("the lock file holds no name");
    }
}

/// Takes the name back before the lock is released.
pub fn remove_note(file: &File) {
    if file.set_len(0).is_err() {
        tracing::debug!("the lock file keeps an old name");
    }
}

/// A phrase that names the holders of the lock at `path`, such as `pid 42 (govmem score) since …`.
pub fn describe(file: &File, path: &Path) -> String {
    let note = read_note(path);
    let pids = std::fs::read_to_string("/proc/locks")
        .ok()
        .zip(file.metadata().ok())
        .map(|(table, meta)| {
            let (major, minor) = (libc::major(meta.dev()), libc::minor(meta.dev()));
            holders(&table, &format!("{major:02x}:{minor:02x}"), meta.ino())
        })
        .unwrap_or_default();
    let mut names: Vec<String> = pids
        .iter()
        .take(5)
        .map(|pid| match &note {
            Some((n, since)) if n.pid == *pid => named(n, *since),
            _ => format!("pid {pid} ({})", program(*pid)),
        })
        .collect();
    if names.is_empty() {
        names.extend(note.as_ref().map(|(n, since)| named(n, *since)));
    }
    if names.is_empty() {
        return tr!("un processus inconnu", "an unknown process");
    }
    names.join(", ")
}

fn named(note: &Note, since: Option<Instant>) -> String {
    let (pid, command) = (note.pid, clean(&note.command));
    match since {
        Some(since) => tr!("pid {pid} ({command}) depuis {since}", "pid {pid} ({command}) since {since}"),
        None => format!("pid {pid} ({command})"),
    }
}

fn read_note(path: &Path) -> Option<(Note, Option<Instant>)> {
    let file = super::super::open::regular(path, std::fs::OpenOptions::new().read(true)).ok()?;
    let since = file.metadata().ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok();
    let mut text = String::new();
    file.take(4096).read_to_string(&mut text).ok()?;
    let since = since.and_then(|d| i64::try_from(d.as_secs()).ok()).map(Instant::from_unix);
    Some((serde_json::from_str(text.trim()).ok()?, since))
}

/// The processes that hold a flock on `inode` of `device` in a text of `/proc/locks`, first come first.
/// Some file systems show another device there than `stat` does: then the inode alone decides.
fn holders(table: &str, device: &str, inode: u64) -> Vec<u32> {
    let rows: Vec<(&str, u32)> = table
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace().skip(1);
            // A waiting process shows as `->` here; only holders count.
            if words.next()? != "FLOCK" {
                return None;
            }
            let pid = words.nth(2)?.parse().ok()?;
            let (dev, ino) = words.next()?.rsplit_once(':')?;
            (ino.parse() == Ok(inode)).then_some((dev, pid))
        })
        .collect();
    let exact = rows.iter().any(|(dev, _)| *dev == device);
    let mut pids: Vec<u32> =
        rows.into_iter().filter(|(dev, _)| !exact || *dev == device).map(|(_, pid)| pid).collect();
    pids.dedup();
    pids
}

fn program(pid: u32) -> String {
    // `comm` and not the command line, which may hold texts and secrets.
    match std::fs::read_to_string(format!("/proc/{pid}/comm")) {
        Ok(name) => clean(name.trim()),
        Err(_) => "?".to_owned(),
    }
}

fn clean(text: &str) -> String {
    text.chars().take(80).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_kernel_table() {
        let table = "1: FLOCK  ADVISORY  WRITE 812 fe:00:131090 0 EOF\n\
                     1: -> FLOCK  ADVISORY  WRITE 900 fe:00:131090 0 EOF\n\
                     2: POSIX  ADVISORY  WRITE 813 fe:00:131090 0 EOF\n\
                     3: FLOCK  ADVISORY  READ 814 fe:00:7 0 EOF\n\
                     4: FLOCK  ADVISORY  READ 815 fe:01:7 0 EOF\n";
        assert_eq!(holders(table, "fe:00", 131_090), [812]);
        assert_eq!(holders(table, "fe:01", 7), [815]);
        assert_eq!(holders(table, "00:2a", 7), [814, 815]);
        assert_eq!(holders(table, "fe:00", 8), [0u32; 0]);
        assert_eq!(holders("rubbish\n1:\n", "fe:00", 8), [0u32; 0]);
    }
}
