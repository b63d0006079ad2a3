//! The tamper-evidence sidecar of the trail: one record a line.
//!
//! - an entry `{"n":1,"len":612,"h":"…"}` for line `n` of the trail, `len` bytes without newline, with
//!   `h = SHA256(domain ‖ h of entry n − 1 ‖ len as u64 big-endian ‖ line)`, the first after 32 zeros;
//! - a checkpoint, signed: everything up to `count` lines and `bytes` bytes is acknowledged;
//! - a void `{"void":n}`: entries from `n` on, none of them acknowledged, never got their lines.
//!
//! Only the exact bytes written here are read back; anything else is a malformed record. Pure.

use sha2::{Digest, Sha256};

use super::canonical::write_string;
use super::keyring::Verifier;
use super::signer::Signer;
use crate::base::{Instant, Result};

const DOMAIN: &[u8] = b"govmem audit chain v1\0";
const CHECKPOINT_DOMAIN: &[u8] = b"govmem audit checkpoint v1\0";

/// A link of the chain; the head is the last one.
pub type Link = [u8; 32];

/// The link before the first line.
pub const GENESIS: Link = [0; 32];

/// The link of `line` (without newline) after `previous`.
pub fn link(previous: &Link, line: &[u8]) -> Link {
    let mut hash = Sha256::new();
    hash.update(DOMAIN);
    hash.update(previous);
    hash.update((line.len() as u64).to_be_bytes());
    hash.update(line);
    hash.finalize().into()
}

/// A claim about one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Line number, from 1.
    pub n: u64,
    /// Bytes without newline.
    pub len: u64,
    /// Its link.
    pub h: Link,
}

/// A signed statement of what is acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Lines.
    pub count: u64,
    /// Bytes, newlines included.
    pub bytes: u64,
    /// Link of the last line.
    pub head: Link,
    /// The key version that signed it.
    pub key_version: u64,
    /// Instant of the last event.
    pub instant: Instant,
    /// HMAC-SHA256.
    pub signature: [u8; 32],
}

/// A record of the sidecar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// A claim about one line.
    Entry(Entry),
    /// What is acknowledged.
    Checkpoint(Checkpoint),
    /// Entries from this number on are void.
    Void(u64),
}

impl Record {
    /// Reads one line without newline; `None` unless it is byte for byte what [`Record::write`] gives.
    pub fn parse(line: &[u8]) -> Option<Record> {
        let mut r = Reader(line);
        if r.literal("{\"n\":") {
            let n = r.integer()?;
            let len = r.literal(",\"len\":").then(|| r.integer())??;
            let h = r.literal(",\"h\":").then(|| r.link())??;
            return r.ends().then_some(Record::Entry(Entry { n, len, h }));
        }
        if r.literal("{\"void\":") {
            let n = r.integer()?;
            return r.ends().then_some(Record::Void(n));
        }
        let bytes = r.literal("{\"bytes\":").then(|| r.integer())??;
        let count = r.literal(",\"count\":").then(|| r.integer())??;
        let head = r.literal(",\"head\":").then(|| r.link())??;
        let stamp = r.literal(",\"instant\":\"").then(|| r.take(20))??;
        let instant = super::envelope::Stamp::parse(std::str::from_utf8(stamp).ok()?.into())?.at;
        let key_version = r.literal("\",\"key_version\":").then(|| r.integer())??;
        let signature = r.literal(",\"signature_hmac_sha256\":").then(|| r.link())??;
        let checkpoint = Checkpoint { count, bytes, head, key_version, instant, signature };
        r.ends().then_some(Record::Checkpoint(checkpoint))
    }

    /// Appends the record and its newline.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Record::Entry(e) => {
                let text = format!("{{\"n\":{},\"len\":{},\"h\":\"{}\"}}\n", e.n, e.len, hex::encode(e.h));
                out.extend_from_slice(text.as_bytes());
            }
            Record::Void(n) => out.extend_from_slice(format!("{{\"void\":{n}}}\n").as_bytes()),
            Record::Checkpoint(c) => {
                c.write_signed_part(out);
                // Reopen the object for the signature, which sorts last.
                out.pop();
                out.extend_from_slice(b",\"signature_hmac_sha256\":");
                write_string(out, &hex::encode(c.signature));
                out.extend_from_slice(b"}\n");
            }
        }
    }
}

impl Checkpoint {
    /// A checkpoint signed with the key of `key_version`.
    pub fn sign(
        count: u64,
        bytes: u64,
        head: Link,
        instant: Instant,
        key_version: u64,
        signer: &Signer,
    ) -> Self {
        let mut c = Checkpoint { count, bytes, head, key_version, instant, signature: [0; 32] };
        c.signature = signer.sign(&c.message());
        c
    }

    /// Whether a key of the version it names signed it.
    pub fn verify(&self, verifier: &Verifier<'_>) -> Result<bool> {
        let signers = verifier.signers(self.key_version)?;
        let message = self.message();
        Ok(signers.iter().any(|s| s.verify_raw(&message, &self.signature)))
    }

    /// Whether one of `signers`, those of the version it names, signed the checkpoint on `line`. A line
    /// has one spelling, so that what was signed is the line without its end.
    pub(super) fn verify_line(&self, line: &[u8], signers: &[Signer]) -> bool {
        const END: usize = ",\"signature_hmac_sha256\":\"\"}".len() + 64;
        let Some(kept) = line.len().checked_sub(END) else { return false };
        let message = [CHECKPOINT_DOMAIN, &line[..kept], b"}"].concat();
        signers.iter().any(|s| s.verify_raw(&message, &self.signature))
    }

    /// The signed bytes. Their prefix keeps a checkpoint from ever passing for an event.
    fn message(&self) -> Vec<u8> {
        let mut out = CHECKPOINT_DOMAIN.to_vec();
        self.write_signed_part(&mut out);
        out
    }

    /// Canonical JSON without the signature.
    fn write_signed_part(&self, out: &mut Vec<u8>) {
        let text = format!(
            "{{\"bytes\":{},\"count\":{},\"head\":\"{}\",\"instant\":\"{}\",\"key_version\":{}}}",
            self.bytes,
            self.count,
            hex::encode(self.head),
            self.instant,
            self.key_version
        );
        out.extend_from_slice(text.as_bytes());
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn literal(&mut self, text: &str) -> bool {
        match self.0.strip_prefix(text.as_bytes()) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(head)
    }

    /// A decimal integer without sign or leading zero.
    fn integer(&mut self) -> Option<u64> {
        let digits = self.0.iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 || digits > 16 || (digits > 1 && self.0[0] == b'0') {
            return None;
        }
        Some(self.take(digits)?.iter().fold(0, |n, b| n * 10 + u64::from(b - b'0')))
    }

    fn link(&mut self) -> Option<Link> {
        let link = self.literal("\"").then(|| self.take(64))?.and_then(decode_link)?;
        self.literal("\"").then_some(link)
    }

    fn ends(&self) -> bool {
        self.0 == b"}"
    }
}

/// 32 bytes from exactly 64 lower-case hex digits.
pub(super) fn decode_link(text: &[u8]) -> Option<Link> {
    let mut link = GENESIS;
    if text.len() != 64 {
        return None;
    }
    // No branch in the loop: every line of a trail brings two of these.
    let mut seen = 0;
    for (byte, pair) in link.iter_mut().zip(text.chunks_exact(2)) {
        let (high, low) = (DIGITS[usize::from(pair[0])], DIGITS[usize::from(pair[1])]);
        *byte = high << 4 | low & 15;
        seen |= high | low;
    }
    (seen < 16).then_some(link)
}

/// The value of each lower-case hex digit; of other bytes one above 15.
const DIGITS: [u8; 256] = {
    let mut values = [255; 256];
    let (mut digit, digits) = (0, b"0123456789abcdef");
    while digit < 16 {
        values[digits[digit] as usize] = digit as u8;
        digit += 1;
    }
    values
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::key::Key;

    #[test]
    fn records_round_trip_and_no_flipped_byte_passes() {
        let signer = Signer::new(&Key::from_bytes([7; 32]));
        let at = Instant::parse("2026-04-11T09:42:17Z").expect("instant");
        let records = [
            Record::Entry(Entry { n: 1, len: 3, h: link(&GENESIS, b"abc") }),
            Record::Void(12),
            Record::Checkpoint(Checkpoint::sign(3, 12, link(&GENESIS, b"x"), at, 9, &signer)),
        ];
        for record in records {
            let mut bytes = Vec::new();
            record.write(&mut bytes);
            bytes.pop();
            if let Record::Checkpoint(c) = &record {
                assert!(c.verify_line(&bytes, std::slice::from_ref(&signer)));
                assert!(signer.verify_raw(&c.message(), &c.signature));
                let other = Checkpoint { bytes: 13, ..c.clone() };
                assert!(!signer.verify_raw(&other.message(), &c.signature));
            }
            assert_eq!(Record::parse(&bytes), Some(record.clone()));
            for i in 0..bytes.len() {
                for flip in [1u8, 2, 4, 0x20, 0x80] {
                    let mut bad = bytes.clone();
                    bad[i] ^= flip;
                    // A changed digit is another well-formed record; never the same one.
                    assert_ne!(Record::parse(&bad), Some(record.clone()));
                }
            }
        }
    }

    #[test]
    fn the_link_follows_the_documented_formula() {
        // Computed with Python's hashlib.
        assert_eq!(
            hex::encode(link(&GENESIS, b"abc")),
            "13b9a0076fc2a9d4999b8d802fbf6c7068ae125de295274432418966543575b8"
        );
    }

    #[test]
    fn links_are_lower_case_hex_digits() {
        for byte in 0..=255u8 {
            for at in [0, 1, 62, 63] {
                let mut text = [b'a'; 64];
                text[at] = byte;
                let expected = matches!(byte, b'0'..=b'9' | b'a'..=b'f')
                    .then(|| hex::decode(text).expect("hex").try_into().expect("32 bytes"));
                assert_eq!(decode_link(&text), expected);
            }
        }
        assert_eq!(decode_link(&[b'a'; 63]), None);
        assert_eq!(decode_link(&[b'a'; 66]), None);
    }
}
