//! Clarification forms and `spec.md` sections: no panic, and an accepted form reads back.

#![no_main]

use govmem::memory::clarifications::{form, spec};

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Some(section) = spec::parse(text) {
        assert!(section.answered.iter().all(|a| !a.answer.trim().is_empty()));
    }
    if let Ok(answers) = form::answers(text) {
        assert!(answers.iter().all(|a| !a.trim().is_empty()));
    }
});
