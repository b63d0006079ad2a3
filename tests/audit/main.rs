//! The signed trail, through the library: appends, crashes, tampering, keyrings, rotation.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed step of a test, or of a helper it calls, is the failure of the test"
)]

#[path = "../support/hostile_http.rs"]
mod hostile_http;
#[path = "../support/openbao.rs"]
mod openbao;

mod appends;
mod independent;
mod operators;
mod processes;
mod readings;
mod tampering;
mod vault_faults;
mod vault_rotation;
mod world;
