//! No flipped bit, no truncation, no mixture of runs gives a wrong answer or a crash.

use std::fs;
use std::path::PathBuf;

use govmem::vector::SetFiles;

use crate::support::{Seeded, commit, draft};

/// The answers of a sound set to some queries; `None` when it is refused.
fn answers(files: &SetFiles) -> Option<Vec<Vec<(String, i32)>>> {
    let set = match files.open() {
        Ok(set) => set,
        Err(error) => {
            assert_eq!(error.code_text(), "ERR-295-08", "{error}");
            assert_eq!(error.exit(), 65);
            assert_eq!(error.hint_text(), Some("govmem reindex"));
            return None;
        }
    };
    let mut random = Seeded(99);
    let all = set.rows(|_| true);
    Some(
        (0..3)
            .map(|_| {
                let found = set.search(&random.unit(16), 5, &all).unwrap();
                found.into_iter().map(|r| (r.id.clone(), r.thousandths())).collect()
            })
            .collect(),
    )
}

fn set_of(seed: u64, n: usize) -> (tempfile::TempDir, SetFiles) {
    let dir = tempfile::tempdir().unwrap();
    let files = SetFiles::new(dir.path(), "learnings");
    commit(&files, draft(seed, n, 16, 20));
    (dir, files)
}

fn paths(files: &SetFiles) -> [PathBuf; 3] {
    [files.faiss(), files.npy(), files.manifest()]
}

#[test]
fn two_thousand_corruptions_are_refused() {
    let (_dir, files) = set_of(1, 30);
    assert!(answers(&files).is_some());
    let originals = paths(&files).map(|p| fs::read(p).unwrap());
    let mut random = Seeded(2026);
    for round in 0..2000 {
        let which = random.below(3);
        let path = &paths(&files)[which];
        let mut bytes = originals[which].clone();
        match random.below(4) {
            0 => bytes.truncate(random.below(bytes.len())),
            1 => {
                let extra = 1 + random.below(40);
                bytes.extend((0..extra).map(|_| random.next() as u8));
            }
            2 => {
                let at = random.below(bytes.len());
                let end = (at + 1 + random.below(64)).min(bytes.len());
                bytes[at..end].iter_mut().for_each(|b| *b = !*b);
            }
            _ => {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
        }
        fs::write(path, &bytes).unwrap();
        assert_eq!(answers(&files), None, "round {round}: {}", path.display());
        fs::write(path, &originals[which]).unwrap();
    }
    assert!(answers(&files).is_some());
}

#[test]
fn files_of_different_runs_are_refused() {
    let (_a, one) = set_of(1, 30);
    let (_b, two) = set_of(2, 30);
    let (first, second) = (paths(&one), paths(&two));
    for mask in 1..7 {
        let (_dir, files) = set_of(1, 30);
        for (i, path) in paths(&files).iter().enumerate() {
            let from = if mask >> i & 1 == 1 { &second[i] } else { &first[i] };
            fs::copy(from, path).unwrap();
        }
        assert_eq!(answers(&files), None, "mask {mask}");
    }
}

#[test]
fn absent_and_odd_files_are_refused() {
    for which in 0..3 {
        let (_dir, files) = set_of(1, 5);
        fs::remove_file(&paths(&files)[which]).unwrap();
        assert_eq!(answers(&files), None);
        fs::create_dir(&paths(&files)[which]).unwrap();
        let error = files.open().err().unwrap();
        assert!(matches!(error.exit(), 65 | 74), "{error}");
    }
}

#[test]
fn faiss_never_sees_an_unverified_file() {
    // A file FAISS would read without complaint, in place of the right one: the same shape, other
    // values. Only the hash tells.
    let (_a, one) = set_of(1, 30);
    let (_b, two) = set_of(2, 30);
    assert_eq!(fs::metadata(one.faiss()).unwrap().len(), fs::metadata(two.faiss()).unwrap().len());
    fs::copy(two.faiss(), one.faiss()).unwrap();
    fs::copy(two.npy(), one.npy()).unwrap();
    assert_eq!(answers(&one), None);
}
