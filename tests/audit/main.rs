//! The signed trail, through the library: appends, crashes, tampering, keyrings, rotation.

#[path = "../support/hostile_http.rs"]
mod hostile_http;
#[path = "../support/openbao.rs"]
mod openbao;

mod appends;
mod independent;
mod operators;
mod processes;
mod tampering;
mod vault_faults;
mod vault_rotation;
mod world;
