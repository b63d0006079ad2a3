//! The end of the sidecar: the last checkpoint and what was begun after it.
//!
//! Read backwards in growing windows, so that opening a trail of a million lines costs what the last
//! append wrote.

use std::fs::File;
use std::path::Path;

use super::chain::{Checkpoint, Entry, GENESIS, Link, Record};
use super::files;
use crate::base::Result;

/// First window; a step-0 append writes about 700 bytes.
const WINDOW: u64 = 8 << 10;

/// What the end of the sidecar says.
#[derive(Debug, Default)]
pub(super) struct Tail {
    /// The last checkpoint, absent in a sidecar that has none yet.
    pub checkpoint: Option<Checkpoint>,
    /// Bytes of the last acknowledged line, without newline.
    pub last_len: u64,
    /// The link before the last acknowledged line.
    pub before_last: Link,
    /// Entries after the checkpoint, voided ones left out, numbers consecutive.
    pub begun: Vec<Entry>,
    /// Bytes from here on are the torn rest of a write.
    pub torn_at: Option<u64>,
    /// A whole record after the checkpoint that cannot stand there: not the work of a crash.
    pub malformed_at: Option<u64>,
}

impl Tail {
    /// Acknowledged lines.
    pub fn count(&self) -> u64 {
        self.checkpoint.as_ref().map_or(0, |c| c.count)
    }

    /// Acknowledged bytes.
    pub fn bytes(&self) -> u64 {
        self.checkpoint.as_ref().map_or(0, |c| c.bytes)
    }

    /// Link of the last acknowledged line.
    pub fn head(&self) -> Link {
        self.checkpoint.as_ref().map_or(GENESIS, |c| c.head)
    }
}

/// Reads the end of the sidecar.
pub(super) fn read(file: &File, path: &Path) -> Result<Tail> {
    let size = files::size(file, path)?;
    let mut window = WINDOW;
    loop {
        let start = size.saturating_sub(window);
        let bytes = files::read_range(file, path, start, size)?;
        if let Some(tail) = scan(&bytes, start) {
            return Ok(tail);
        }
        window = window.saturating_mul(8);
    }
}

/// Reads a window that starts at byte `start`; `None` when it does not reach back far enough.
fn scan(bytes: &[u8], start: u64) -> Option<Tail> {
    // A window that begins inside the file begins inside a line.
    let skip = if start == 0 { 0 } else { memchr::memchr(b'\n', bytes)? + 1 };
    let whole = memchr::memrchr(b'\n', bytes).map_or(0, |i| i + 1).max(skip);
    let mut tail = Tail::default();
    if whole < bytes.len() {
        tail.torn_at = Some(start + whole as u64);
    }
    let mut records: Vec<(u64, &[u8], Option<Record>)> = Vec::new();
    let mut at = skip;
    for line in bytes[skip..whole].split_inclusive(|b| *b == b'\n') {
        let line_at = start + at as u64;
        at += line.len();
        let line = &line[..line.len() - 1];
        records.push((line_at, line, Record::parse(line)));
    }
    let last = records.iter().rposition(|(_, _, r)| matches!(r, Some(Record::Checkpoint(_))));
    let after = match last {
        Some(i) => {
            let Some(Record::Checkpoint(c)) = records[i].2.clone() else { return None };
            if c.count > 0 {
                let mut wanted = [c.count, c.count - 1];
                for (_, _, record) in records[..i].iter().rev() {
                    let Some(Record::Entry(e)) = record else { continue };
                    if e.n == wanted[0] {
                        tail.last_len = e.len;
                        wanted[0] = 0;
                    } else if e.n == wanted[1] && wanted[0] == 0 {
                        tail.before_last = e.h;
                        wanted[1] = 0;
                    }
                }
                if wanted != [0, 0] && start > 0 {
                    return None;
                }
            }
            tail.checkpoint = Some(c);
            i + 1
        }
        None if start > 0 => return None,
        None => 0,
    };
    let count = tail.count();
    for (at, line, record) in &records[after..] {
        match record {
            Some(Record::Entry(e)) if e.n == count + tail.begun.len() as u64 + 1 => tail.begun.push(*e),
            Some(Record::Void(n)) if *n > count => {
                tail.begun.truncate(usize::try_from(n - count - 1).unwrap_or(usize::MAX));
            }
            // Blocks that a power failure never wrote read as zeros.
            None if line.contains(&0) => {
                tail.torn_at = Some(*at);
                break;
            }
            _ => {
                tail.malformed_at = Some(*at);
                break;
            }
        }
    }
    Some(tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::chain::link;
    use crate::audit::{key::Key, signer::Signer};
    use crate::base::Instant;

    #[test]
    fn small_windows_find_what_the_whole_file_says() {
        let signer = Signer::new(&Key::from_bytes([7; 32]));
        let at = Instant::from_unix(1_800_000_000);
        let (mut bytes, mut head, mut links) = (Vec::new(), GENESIS, vec![GENESIS]);
        for n in 1..=40u64 {
            head = link(&head, b"line");
            links.push(head);
            Record::Entry(Entry { n, len: 4, h: head }).write(&mut bytes);
            if n % 10 == 0 && n < 40 {
                Record::Checkpoint(Checkpoint::sign(n, n * 5, head, at, 1, &signer)).write(&mut bytes);
            }
        }
        Record::Void(39).write(&mut bytes);
        bytes.extend_from_slice(b"{\"n\":39,\"le");
        let whole = scan(&bytes, 0).expect("whole");
        assert_eq!((whole.count(), whole.last_len, whole.before_last), (30, 4, links[29]));
        assert_eq!(whole.begun.len(), 8);
        assert_eq!(whole.torn_at, Some(bytes.len() as u64 - 11));
        let mut found = 0;
        for start in 1..bytes.len() {
            if let Some(t) = scan(&bytes[start..], start as u64) {
                found += 1;
                assert_eq!((t.count(), t.last_len, t.before_last), (30, 4, links[29]), "{start}");
                assert_eq!((t.begun.len(), t.torn_at, t.malformed_at), (8, whole.torn_at, None));
            }
        }
        assert!(found > 1000);
    }
}
