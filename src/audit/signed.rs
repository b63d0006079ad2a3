//! Events made into signed lines, before it is known where in the trail they will stand.

use std::fs::File;
use std::io::Write;

use rayon::prelude::*;

use super::event::Event;
use super::keyring::Keyring;
use super::signer::Signer;
use crate::base::Result;

/// Events that are signed one after the other on one core, and written at once.
const TOGETHER: usize = 4096;

/// Signed lines, in the order of their events.
#[derive(Debug)]
pub struct Signed {
    /// The key version that signed.
    pub(super) version: u64,
    parts: Vec<Part>,
}

#[derive(Debug, Default)]
struct Part {
    /// The lines, each with its newline.
    text: Vec<u8>,
    /// Where each line ends in the text, before its newline.
    ends: Vec<usize>,
}

impl Signed {
    /// Signs `events` with the current key of `keyring`, on all cores.
    ///
    /// Errors: ERR-295-16.
    pub fn by_current(events: &[Event], keyring: &dyn Keyring) -> Result<Signed> {
        let current = keyring.current()?;
        Ok(Signed::new(events, current.version, &Signer::new(&current.key)))
    }

    pub(super) fn new(events: &[Event], version: u64, signer: &Signer) -> Signed {
        let sign = |events: &[Event]| {
            let mut part = Part::default();
            for event in events {
                part.text.extend_from_slice(&event.to_line(version, signer));
                part.ends.push(part.text.len());
                part.text.push(b'\n');
            }
            part
        };
        Signed { version, parts: events.par_chunks(TOGETHER).map(sign).collect() }
    }

    pub(super) fn count(&self) -> usize {
        self.parts.iter().map(|part| part.ends.len()).sum()
    }

    /// The lines without their newlines.
    pub(super) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.parts.iter().flat_map(|part| {
            let starts = std::iter::once(0).chain(part.ends.iter().map(|end| end + 1));
            starts.zip(&part.ends).map(|(start, end)| &part.text[start..*end])
        })
    }

    /// Writes the lines, some thousands at once.
    pub(super) fn write(&self, file: &mut File) -> std::io::Result<()> {
        self.parts.iter().try_for_each(|part| file.write_all(&part.text))
    }
}
