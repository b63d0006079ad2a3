//! Key material: 32 bytes, wiped when dropped, never printable.

use std::fmt;

use zeroize::{Zeroize, Zeroizing};

/// An HMAC key of 32 bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(Box<[u8; 32]>);

impl Key {
    /// From raw bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Key(Box::new(bytes))
    }

    /// From exactly 64 hex digits. The all-zero key, which is nobody's random choice, is refused.
    pub fn from_hex(text: &str) -> Option<Self> {
        let mut key = Key(Box::new([0; 32]));
        hex::decode_to_slice(text, &mut key.0[..]).ok()?;
        key.0.iter().any(|b| *b != 0).then_some(key)
    }

    /// 32 bytes from the operating system.
    pub fn generate() -> crate::base::Result<Self> {
        let mut key = Key(Box::new([0; 32]));
        getrandom::fill(&mut key.0[..]).map_err(|e| {
            super::keyring::unavailable(crate::tr!(
                "le système ne donne pas d'octets aléatoires : {e}",
                "the operating system gives no random bytes: {e}"
            ))
        })?;
        Ok(key)
    }

    /// The raw bytes, for the signer alone.
    pub(super) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// 64 lower-case hex digits, wiped when dropped. For writing into a keyring alone.
    pub fn to_hex(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(64));
        for b in self.0.iter() {
            for digit in [b >> 4, b & 15] {
                text.push(char::from(b"0123456789abcdef"[usize::from(digit)]));
            }
        }
        text
    }

    /// SHA-256 of the key, hex: recognises a key of 256 random bits without revealing it.
    pub fn fingerprint(&self) -> String {
        crate::base::id::sha256_hex(self.0.as_slice())
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_forms() {
        let hex = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
        let key = Key::from_hex(hex).expect("key");
        assert_eq!(key.to_hex().as_str(), hex);
        assert_eq!(Key::from_hex(&hex.to_uppercase()), Some(key.clone()));
        for bad in ["", &hex[1..], &format!("{hex}0"), &format!("{hex}\n"), &"0".repeat(64), &"g".repeat(64)]
        {
            assert!(Key::from_hex(bad).is_none(), "{bad}");
        }
        assert_eq!(format!("{key:?} {:?}", Some(&key)), "Key(redacted) Some(Key(redacted))");
        assert_ne!(Key::generate().expect("random"), Key::generate().expect("random"));
    }
}
