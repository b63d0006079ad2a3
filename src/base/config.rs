//! Configuration: `govmem.toml`.
