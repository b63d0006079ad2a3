//! Front matter and the trees of other people's documents: no panic, and the body is never lost.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    let front = govmem::markdown::front_matter::FrontMatter::read(text);
    assert!(front.split.body <= text.len());
    let _ = govmem::memory::document::markdown(text);
    let _ = govmem::memory::document::yaml(text);
});
