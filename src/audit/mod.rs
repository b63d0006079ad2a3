//! The signed trail: events, keyrings, chain, verification, rotation.
//!
//! [`Event`]s are signed with HMAC-SHA256 over canonical JSON by the current key of a [`Keyring`] and
//! appended to a [`Trail`], whose sidecar chain makes edits visible. HMAC is symmetric: whoever can
//! verify a line could also have written it.

mod blocks;
mod canonical;
mod chain;
mod envelope;
mod event;
mod events;
mod fast;
mod files;
mod findings;
mod key;
mod keyring;
mod keyring_file;
mod keyring_vault;
mod ledger;
mod operator;
mod reseal;
mod rotate;
mod signed;
mod signer;
mod tail;
mod text;
mod trail;
mod trust;
mod vault_client;
mod vault_settings;
mod vault_trouble;
mod verify;
mod vocabulary;

pub use envelope::{Details, Envelope, Stamp};
pub use event::{Event, Place};
pub use events::{Tally, verified_events, verified_parts};
pub use files::TrailPaths;
pub use findings::{Finding, Reason};
pub use key::Key;
pub use keyring::{CurrentKey, Keyring, Replaced, Verifier, unavailable};
pub use keyring_file::FileKeyring;
pub use keyring_vault::VaultKeyring;
pub use operator::{Bootstrapped, accept_clock, bootstrap};
pub use reseal::{Resealed, reseal};
pub use rotate::{Rotated, RotationStep, rotate};
pub use signed::Signed;
pub use signer::Signer;
pub use text::Text;
pub use trail::{CLOCK_TOLERANCE_S, Receipt, Repair, Trail, TrailLock};
pub use trust::{Grant, Trust};
pub use vault_settings::{Token, VaultAuth, VaultSettings};
pub use verify::{AnchorState, ChainState, VerifyReport, verify, verify_and_gather};
pub use vocabulary::{EventName, Operation, Source};
