//! `govmem.toml`: no panic, and an error names what is wrong.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    let env = govmem::base::env::Env::default();
    if let Err(error) = govmem::base::config::Config::load("/w".as_ref(), text, &env) {
        assert!(!error.message().is_empty());
    }
});
