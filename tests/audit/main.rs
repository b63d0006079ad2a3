//! The signed trail, through the library: appends, crashes, tampering, keyrings, rotation.

mod appends;
mod tampering;
mod world;
