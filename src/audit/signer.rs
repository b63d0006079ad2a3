//! HMAC-SHA256 over canonical bytes: sign, and verify in constant time on decoded bytes.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use super::key::Key;

/// A key made ready to sign: the two padded blocks are hashed once.
#[derive(Clone)]
pub struct Signer(Hmac<Sha256>);

impl Signer {
    /// A signer for `key`.
    pub fn new(key: &Key) -> Self {
        Signer(Self::mac(key.bytes()))
    }

    #[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
    fn mac(key: &[u8]) -> Hmac<Sha256> {
        Hmac::new_from_slice(key).expect("HMAC takes keys of every length")
    }

    /// The 32 bytes of the MAC.
    pub fn sign(&self, message: &[u8]) -> [u8; 32] {
        let mut mac = self.0.clone();
        mac.update(message);
        mac.finalize().into_bytes().into()
    }

    /// Whether `signature`, 64 lower-case hex digits, is the MAC of `message`.
    pub fn verify(&self, message: &[u8], signature: &str) -> bool {
        match super::chain::decode_link(signature.as_bytes()) {
            Some(given) => self.verify_raw(message, &given),
            None => false,
        }
    }

    /// Whether `signature` is the MAC of `message`.
    pub(super) fn verify_raw(&self, message: &[u8], signature: &[u8; 32]) -> bool {
        self.sign(message).ct_eq(signature).into()
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Signer(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::canonical::write_signed_part;
    use crate::audit::envelope::Envelope;

    const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

    fn example(query: &str, count: u64) -> Vec<u8> {
        let line = serde_json::json!({
            "event": "learning_injected", "timestamp_iso8601": "2026-04-11T09:42:17Z", "story_id": "PD-295",
            "step": 0, "source": "learning", "domain": "auth-identity", "project": "backend",
            "operation": "step0_injection", "timestamp_bucket": "2026-04-11T09:40:00Z", "query": query,
            "query_hash": format!("sha256:{}", crate::base::id::sha256_hex(query)), "count": count,
            "result_ids": ["PD-19-3-a1b2c3d4e5f6"], "key_version": 12, "signature_hmac_sha256": "",
            "schema_version": 3,
        })
        .to_string();
        let mut out = Vec::new();
        write_signed_part(&mut out, &Envelope::parse(line.as_bytes()).expect("line"));
        out
    }

    #[test]
    fn known_answers() {
        let signer = Signer::new(&Key::from_hex(KEY).expect("key"));
        let one = example("mfa b2b priorites", 1);
        assert_eq!(
            std::str::from_utf8(&one).expect("utf-8"),
            r#"{"count":1,"domain":"auth-identity","event":"learning_injected","key_version":12,"operation":"step0_injection","project":"backend","query":"mfa b2b priorites","query_hash":"sha256:bb621096c573c422bcdc6e23a1fe48d087f33375d5b2ce19e60837c6e0cf24a9","result_ids":["PD-19-3-a1b2c3d4e5f6"],"schema_version":3,"source":"learning","step":0,"story_id":"PD-295","timestamp_bucket":"2026-04-11T09:40:00Z","timestamp_iso8601":"2026-04-11T09:42:17Z"}"#
        );
        for (message, answer) in [
            (one, "34fd604513394ccfb27cf5820049ea81e1ca914bd1836ea60b2b6ade9bbddbee"),
            (
                example("mfa b2b priorites", 5),
                "39336d5b09248617eb8e4b5beff15a5eb04e55c4afb267ae735265f3e545a127",
            ),
            (
                example("d\u{e9}ploiement \"rapide\" \u{1f511}\tnuit", 1),
                "1733c8734921eb0ac50b00f5a8245c44e73c5307a1d8bfaede6dc8afdfe64df7",
            ),
        ] {
            assert_eq!(hex::encode(signer.sign(&message)), answer);
            assert!(signer.verify(&message, answer));
            assert!(!signer.verify(&message, &answer.to_uppercase()));
            assert!(!signer.verify(&message, &answer[2..]));
            assert!(!signer.verify(&message, ""));
        }
    }

    #[test]
    fn the_hex_text_is_not_the_key() {
        let wrong = Signer(Signer::mac(KEY.as_bytes()));
        let message = example("d\u{e9}ploiement \"rapide\" \u{1f511}\tnuit", 1);
        assert!(hex::encode(wrong.sign(&message)).starts_with("8667a5f0"));
    }
}
