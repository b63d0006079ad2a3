//! Record files: whatever the bytes, every line is a record or an exclusion, and kept lines keep their bytes.

#![no_main]

use govmem::store::jsonl::Snapshot;
use govmem::store::schema::{self, Clarification, Learning, Metric, Record, Score, Veille};

fn check<T: Record>(snapshot: &Snapshot) {
    let loaded = schema::load::<T>(snapshot);
    assert_eq!(loaded.read, loaded.records.len() + loaded.excluded.len());
    for (_, record) in &loaded.records {
        let line = record.to_line();
        assert!(T::parse(&line).is_ok(), "{line}");
    }
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(snapshot) = Snapshot::from_bytes("fuzz.jsonl".as_ref(), data.to_vec()) else { return };
    check::<Learning>(&snapshot);
    check::<Score>(&snapshot);
    check::<Metric>(&snapshot);
    check::<Veille>(&snapshot);
    check::<Clarification>(&snapshot);
});
