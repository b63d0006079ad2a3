//! Every case of the collection has a test that bears its number.

use std::collections::BTreeSet;
use std::path::Path;

/// How many cases the collection of public reports holds.
const CASES: u32 = 112;

#[test]
fn every_case_has_a_test_of_its_number() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut found = BTreeSet::new();
    for folder in ["markdown", "knowledge", "govrag"] {
        for file in std::fs::read_dir(tests.join(folder)).expect(folder).flatten() {
            let text = std::fs::read_to_string(file.path()).unwrap_or_default();
            for line in text.lines() {
                let Some(numbers) = line.strip_prefix("fn case_") else { continue };
                found.extend(numbers.split('_').map_while(|part| part.parse::<u32>().ok()));
            }
        }
    }
    let missing: Vec<u32> = (1..=CASES).filter(|n| !found.contains(n)).collect();
    assert!(missing.is_empty(), "no test for the cases {missing:?}");
}
