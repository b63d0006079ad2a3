//! The block of step 0: whatever an item holds, exactly three level-2 headings start a line.

#![no_main]

use govmem::base::Instant;
use govmem::memory::block::{Caps, Header, Item, Section, render};

libfuzzer_sys::fuzz_target!(|texts: (String, String, String)| {
    let (id, title, text) = texts;
    let item = Item {
        id: id.clone(), origin: id, date: None, label: title.clone(), reuse_score: None, distance: 0.0, title, text,
    };
    let header =
        Header { story: "PD-1", instant: Instant::from_unix(0), complete: true, replayed: false, first_query: None };
    let sections = [Section::Items(vec![item]), Section::Items(vec![]), Section::Items(vec![])];
    let block = render(&header, &sections, Caps { item: 1_200, block: 16_000 });
    let headings: Vec<&str> = block.lines().filter(|l| l.trim_start().starts_with('#')).collect();
    assert_eq!(headings, ["## Learnings", "## Veille", "## Clarifications"]);
});
