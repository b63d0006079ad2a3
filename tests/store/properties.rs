//! Properties over generated input: nothing is lost in a round trip, nothing panics.

use std::path::Path;

use govmem::base::config::Config;
use govmem::base::env::Env;
use govmem::base::{Instant, secret};
use govmem::store::jsonl::{self, Out, Snapshot};
use govmem::store::lock::{LockSettings, Single};
use govmem::store::schema::{Learning, Record, Scope, load};
use govmem::store::strict::{self, Object};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(295),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_filter("finite", |f| f.is_finite()).prop_map(Into::into),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            prop::collection::btree_map(any::<String>(), inner, 0..5)
                .prop_map(|m| serde_json::Value::Object(m.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn objects_come_back(fields in prop::collection::btree_map(any::<String>(), json(), 0..6)) {
        let value = serde_json::Value::Object(fields.into_iter().collect());
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let line = Object::parse(&text).unwrap().to_line();
            prop_assert!(!line.contains('\n'));
            prop_assert_eq!(&strict::parse::<serde_json::Value>(&line).unwrap(), &value);
            prop_assert_eq!(Object::parse(&line).unwrap().to_line(), line);
        }
    }

    #[test]
    fn learnings_come_back(
        lesson in "\\PC*[a-z]\\PC*", title in proptest::option::of(any::<String>()),
        tags in prop::collection::vec("\\PC*", 0..4), gate in 0i64..10_000, at in 0i64..4_000_000_000,
        more in json(),
    ) {
        let learning = Learning {
            story: "PD-7".parse().unwrap(), gate, tags, lesson, title,
            domain: "d".parse().unwrap(), project: "p".parse().unwrap(),
            created_at: Instant::from_unix(at), tag_hash: None, learning_id: None,
            scope: None, status: None, imported_at: None, archived_at: None, restored_at: None,
            refs: Vec::new(), source: Object::default(),
        };
        let line = learning.to_line();
        let mut back = Learning::parse(&line).unwrap();
        prop_assert_eq!(back.fields(), learning.fields());
        prop_assert_eq!(back.to_line(), line.clone());
        // A field of others survives a change of ours, byte for byte.
        let other = format!("{},\"their field\":{more}}}", line.strip_suffix('}').unwrap());
        back = Learning::parse(&other).unwrap();
        back.scope = Some(Scope::Domain);
        prop_assert_eq!(back.to_line(), format!("{},\"scope\":\"domain\"}}", other.strip_suffix('}').unwrap()));
    }

    #[test]
    fn any_bytes_are_lines_and_a_tail(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let Ok(snapshot) = Snapshot::from_bytes(Path::new("f"), bytes.clone()) else { return Ok(()) };
        let mut joined = Vec::new();
        for line in snapshot.lines() {
            prop_assert_eq!(line.offset, joined.len() as u64);
            joined.extend_from_slice(line.bytes);
            joined.push(b'\n');
        }
        joined.extend_from_slice(snapshot.torn_bytes());
        prop_assert_eq!(&joined, &bytes);
        let loaded = load::<Learning>(&snapshot);
        prop_assert_eq!(loaded.read, loaded.records.len() + loaded.excluded.len());
    }

    #[test]
    fn masking_is_done_once(text in "(\\PC|\n|password = \"|ghp_|://u:|@h|[A-Za-z0-9]{36}){0,30}") {
        let masked = secret::mask(&text).into_owned();
        prop_assert_eq!(secret::mask(&masked).into_owned(), masked);
        for finding in secret::scan(&text) {
            prop_assert!(text.get(finding.range.clone()).is_some());
            prop_assert_eq!(finding.line, 1 + text[..finding.range.start].matches('\n').count());
        }
    }

    #[test]
    fn configuration_never_panics(text in "([a-z_]{0,12}|\\[|\\]|=|\"|\n| |[0-9.-]{1,4}|limits|item_chars|veille|fields|\\{|\\}|,){0,40}") {
        if let Err(error) = Config::load(Path::new("/w"), &text, &Env::default()) {
            prop_assert_eq!(error.exit(), 2);
            prop_assert!(error.message().starts_with("govmem.toml:") || error.message().contains('.'));
        }
    }
}

proptest! {
    // Each case is fsynced.
    #![proptest_config(config(24))]

    #[test]
    fn a_rewrite_keeps_the_bytes_it_is_given(
        lines in prop::collection::vec(prop::collection::vec(any::<u8>().prop_filter("no break", |b| *b != b'\n'), 0..60), 0..8),
        changed in 0usize..8,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let guard = Single::take(&dir.path().join("lock"), &LockSettings::default()).unwrap();
        let path = dir.path().join("f.jsonl");
        let bytes: Vec<u8> = lines.iter().flat_map(|l| [l.as_slice(), b"\n"].concat()).collect();
        std::fs::write(&path, &bytes).unwrap();
        let Ok(snapshot) = Snapshot::read(&path) else { return Ok(()) };
        let out = |i: usize, bytes| if i == changed { Out::New("{}".into()) } else { Out::Kept(bytes) };
        jsonl::rewrite(&path, snapshot.lines().enumerate().map(|(i, l)| out(i, l.bytes)), &guard).unwrap();
        let mut expected = lines.clone();
        if let Some(line) = expected.get_mut(changed) {
            *line = b"{}".to_vec();
        }
        let expected: Vec<u8> = expected.iter().flat_map(|l| [l.as_slice(), b"\n"].concat()).collect();
        prop_assert_eq!(std::fs::read(&path).unwrap(), expected);
    }
}
