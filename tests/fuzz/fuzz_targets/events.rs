//! Trail lines: no panic, and a line that parses is canonical enough to be signed again.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = govmem::audit::Envelope::parse(data);
});
