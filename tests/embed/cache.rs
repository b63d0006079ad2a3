//! The query-vector cache: exact, bounded, safe under concurrent processes, indifferent to damage.

use std::sync::atomic::{AtomicUsize, Ordering};

use govmem::base::{ModelIdentity, Result};
use govmem::embed::{CACHED_QUERIES, Cached, Embedder, QueryCache, QueryKey, Window};

fn identity() -> ModelIdentity {
    ModelIdentity {
        provider: "local".into(),
        name: "m".into(),
        digest: "d".into(),
        width: 4,
        query_prefix: "q".into(),
        document_prefix: String::new(),
        window: 256,
    }
}

fn key(i: usize) -> QueryKey {
    QueryKey::new(&identity(), &format!("text {i}"))
}

fn vector(i: usize) -> Vec<f32> {
    vec![i as f32 + 0.1, -1.0, f32::MIN_POSITIVE, 1.0 / 3.0]
}

#[test]
fn vectors_come_back_bit_for_bit_and_the_oldest_go_first() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state/queries.bin");
    let cache = QueryCache::with_capacity(&path, 4, 10);
    assert_eq!(cache.get(&key(0)), None);
    for i in 0..13 {
        assert!(cache.put(&key(i), &vector(i)));
        assert!(cache.put(&key(i), &vector(i)), "putting twice keeps one entry");
    }
    for i in 0..13 {
        assert_eq!(cache.get(&key(i)), (i >= 3).then(|| vector(i)), "{i}");
    }
    assert_eq!(CACHED_QUERIES, 10_000);
    let bytes = std::fs::read(&path).unwrap();
    assert!(!bytes.windows(4).any(|w| w == b"text"), "the file holds no text");
}

#[test]
fn every_part_of_the_identity_counts() {
    let base = QueryKey::new(&identity(), "text");
    let others = [
        ModelIdentity { digest: "e".into(), ..identity() },
        ModelIdentity { provider: "ollama".into(), ..identity() },
        ModelIdentity { name: "n".into(), ..identity() },
        ModelIdentity { width: 5, ..identity() },
        ModelIdentity { window: 512, ..identity() },
        ModelIdentity { query_prefix: String::new(), document_prefix: "q".into(), ..identity() },
    ];
    for other in others {
        assert_ne!(QueryKey::new(&other, "text"), base, "{other:?}");
    }
    assert_ne!(QueryKey::new(&identity(), "text "), base);
}

#[test]
fn damage_is_a_miss_and_the_file_is_rebuilt() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("queries.bin");
    let cache = QueryCache::with_capacity(&path, 4, 10);
    cache.put(&key(1), &vector(1));
    let good = std::fs::read(&path).unwrap();
    // Any flipped byte of the file: the right vector or none, never another one.
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x40;
        std::fs::write(&path, &bad).unwrap();
        let got = cache.get(&key(1));
        assert!(got.is_none() || got == Some(vector(1)), "byte {at}: {got:?}");
    }
    for bad in [&b""[..], b"not a cache", &good[..100]] {
        std::fs::write(&path, bad).unwrap();
        assert_eq!(cache.get(&key(1)), None);
        assert!(cache.put(&key(2), &vector(2)), "rebuilt");
        assert_eq!(cache.get(&key(2)), Some(vector(2)));
    }
    // A cache of another width is another cache.
    let wider = QueryCache::with_capacity(&path, 8, 10);
    assert_eq!(wider.get(&key(2)), None);
    assert!(wider.put(&key(2), &[1.0; 8]));
    assert_eq!(cache.get(&key(2)), None);
}

#[test]
fn unusable_vectors_and_unwritable_places_are_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let cache = QueryCache::with_capacity(dir.path().join("q.bin"), 4, 10);
    assert!(!cache.put(&key(1), &[1.0; 3]));
    assert!(!cache.put(&key(1), &[f32::NAN; 4]));
    assert!(!cache.put(&key(1), &[0.0; 4]));
    std::fs::write(dir.path().join("file"), "x").unwrap();
    assert!(!QueryCache::with_capacity(dir.path().join("file/q.bin"), 4, 10).put(&key(1), &vector(1)));
}

#[test]
fn concurrent_writers_and_readers_never_see_a_wrong_vector() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("queries.bin");
    let kept = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let (path, kept) = (&path, &kept);
            scope.spawn(move || {
                // A cache of its own, as another process would have.
                let cache = QueryCache::with_capacity(path, 4, 5);
                for round in 0..300 {
                    let i = (round * 7 + writer * 3) % 12;
                    if cache.put(&key(i), &vector(i)) {
                        kept.fetch_add(1, Ordering::SeqCst);
                    }
                    for j in 0..12 {
                        let got = cache.get(&key(j));
                        assert!(got.is_none() || got == Some(vector(j)));
                    }
                }
            });
        }
    });
    assert!(kept.load(Ordering::SeqCst) > 0);
    let left = (0..12).filter(|i| QueryCache::with_capacity(&path, 4, 5).get(&key(*i)).is_some()).count();
    assert!((1..=5).contains(&left), "{left}");
}

/// Counts its calls where the test can read them.
struct Counting<'a>(ModelIdentity, &'a AtomicUsize);

impl Embedder for Counting<'_> {
    fn identity(&self) -> &ModelIdentity {
        &self.0
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>> {
        self.1.fetch_add(1, Ordering::SeqCst);
        Ok(vector(text.len()))
    }

    fn embed_windows(&self, _: &[&str], _: &mut dyn FnMut(usize)) -> Result<Vec<Vec<Window>>> {
        Ok(Vec::new())
    }
}

#[test]
fn a_cached_embedder_asks_its_model_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("queries.bin");
    let calls = AtomicUsize::new(0);
    let open = || Cached::new(Counting(identity(), &calls), &path);
    for (text, asked) in [("abc", 1), ("abc", 1), ("abcd", 2), ("abc", 2)] {
        assert_eq!(open().embed_query(text).unwrap(), vector(text.len()));
        assert_eq!(calls.load(Ordering::SeqCst), asked, "{text}");
    }
}
