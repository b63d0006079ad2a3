//! The signed trail: events, keyrings, chain, verification, rotation.
