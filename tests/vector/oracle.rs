//! FAISS gives what a plain loop gives.

use govmem::vector::index::Factory;
use govmem::vector::set::search;
use govmem::vector::{FaissIndex, Rows, SetFiles, VectorIndex};

use crate::support::{Exact, Seeded, commit, draft};

fn close(a: f32, b: f32) -> bool {
    (a - b).abs() < 2e-6
}

#[test]
fn flat_equals_the_exact_loop_with_and_without_filter() {
    let mut random = Seeded(7);
    // From 4096 rows on the two halves are searched by two threads.
    for (n, width) in [(1, 1), (5, 3), (300, 17), (2000, 64), (4096, 8), (9001, 4)] {
        let values: Vec<f32> = (0..n).flat_map(|_| random.unit(width)).collect();
        let index = FaissIndex::build(&Factory::flat(), width, &values).unwrap();
        let exact = Exact { width, values };
        for round in 0..20 {
            let query = random.unit(width);
            let k = 1 + random.below(2 * n);
            let rows = Rows::from_fn(n, |_| random.below(4) >= round % 5);
            for allowed in [None, Some(&rows)] {
                let (a, b) =
                    (index.search(&query, k, allowed).unwrap(), exact.search(&query, k, allowed).unwrap());
                assert_eq!(a.len(), b.len());
                for (x, y) in a.iter().zip(&b) {
                    assert!(close(x.distance, y.distance), "{x:?} {y:?}");
                    assert!(allowed.is_none_or(|r| r.contains(x.row)));
                }
            }
        }
    }
}

#[test]
fn other_factories_find_most_and_filter_exactly() {
    let mut random = Seeded(11);
    let (n, width) = (2000, 32);
    let values: Vec<f32> = (0..n).flat_map(|_| random.unit(width)).collect();
    let exact = Exact { width, values: values.clone() };
    for factory in ["SQ8", "IVF16,Flat", "IVF16,SQ8", "HNSW32"] {
        let factory = Factory::parse(factory).unwrap();
        let built = FaissIndex::build(&factory, width, &values).unwrap();
        assert_eq!(built.factory(), &factory);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.faiss");
        built.write(&path).unwrap();
        let file = std::fs::File::open(&path).unwrap();
        let index = FaissIndex::open(&file, &path, &factory, width, n).unwrap();
        let rows = Rows::from_fn(n, |row| row % 7 == 0);
        let (mut found, mut wanted) = (0, 0);
        for _ in 0..50 {
            let query = random.unit(width);
            for allowed in [None, Some(&rows)] {
                let got = index.search(&query, 10, allowed).unwrap();
                assert!(got.iter().all(|h| allowed.is_none_or(|a| a.contains(h.row))));
                let truth = exact.search(&query, 10, allowed).unwrap();
                wanted += truth.len();
                found += truth.iter().filter(|t| got.iter().any(|g| g.row == t.row)).count();
            }
        }
        // Uniform random vectors are the hardest case; half the lists are probed.
        assert!(found * 10 >= wanted * 6, "{}: {found} of {wanted}", factory.as_str());
        assert!(FaissIndex::open(&file, &path, &factory, width, n + 1).is_err(), "another count");
        assert!(FaissIndex::open(&file, &path, &factory, width + 1, n).is_err(), "another width");
    }
}

#[test]
fn records_count_once_and_ties_are_complete() {
    let dir = tempfile::tempdir().unwrap();
    let files = SetFiles::new(dir.path(), "learnings");
    let mut draft = draft(3, 40, 8, 12);
    // Thirty records at exactly one distance, across any cut.
    let mut same = vec![0.0; 8];
    same[0] = 1.0;
    for i in 0..30 {
        draft.push(&format!("T-{i:02}"), &format!("{i:064x}"), &[same.clone(), same.clone()]).unwrap();
    }
    commit(&files, draft);
    let set = files.open().unwrap();
    let all = set.rows(|_| true);
    let found = set.search(&same, 5, &all).unwrap();
    assert_eq!(found.len(), 30, "every tied record");
    assert!(found.iter().all(|r| r.id.starts_with("T-") && r.thousandths() == 0));

    let some = set.rows(|row| !row.id.starts_with("T-") || row.id == "T-07");
    let found = set.search(&same, 3, &some).unwrap();
    assert_eq!(found[0].id, "T-07");
    assert!(found.len() >= 3);
    let mut ids: Vec<&str> = found.iter().map(|r| r.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), found.len());
    assert!(set.search(&same, 3, &set.rows(|_| false)).unwrap().is_empty());

    // The same search over the exact index gives the same records.
    let exact = Exact { width: 12, values: set.matrix().unwrap().values().to_vec() };
    let mut random = Seeded(5);
    for _ in 0..50 {
        let query = random.unit(8);
        let a = set.search(&query, 4, &some).unwrap();
        let b = search(&exact, set.manifest(), &query, 4, &some).unwrap();
        assert_eq!(a.iter().map(|r| &r.id).collect::<Vec<_>>(), b.iter().map(|r| &r.id).collect::<Vec<_>>());
    }
}

#[test]
fn a_query_that_is_no_vector_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let files = SetFiles::new(dir.path(), "veille");
    commit(&files, draft(1, 3, 4, 4));
    let set = files.open().unwrap();
    for bad in [&[0.0; 4][..], &[f32::NAN; 4], &[1.0; 5], &[]] {
        let error = set.search(bad, 1, &set.rows(|_| true)).unwrap_err();
        assert_eq!((error.code_text().as_str(), error.exit()), ("ERR-295-02", 65));
    }
    // Narrower than the set is padded.
    assert_eq!(set.search(&[1.0, 0.0], 1, &set.rows(|_| true)).unwrap().len(), 1);
}
