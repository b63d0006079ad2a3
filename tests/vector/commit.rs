//! Commits: every directory a kill can leave, races with readers, reuse of vectors.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use govmem::vector::{Draft, SetFiles};

use crate::support::{commit, draft, model, writing};

type Dir = BTreeMap<String, Vec<u8>>;

fn read_dir(dir: &Path) -> Dir {
    fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_none_or(|e| e != "lock"))
        .map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&p).unwrap()))
        .collect()
}

fn write_dir(dir: &Path, content: &Dir) {
    for name in read_dir(dir).keys() {
        fs::remove_file(dir.join(name)).unwrap();
    }
    for (name, bytes) in content {
        fs::write(dir.join(name), bytes).unwrap();
    }
}

/// Every state between the first write of `prepare` and the end of `commit`: half-written `.next`
/// files, each rename done or not, in the order of the commit.
fn states(old: &Dir, prepared: &Dir) -> Vec<(Dir, bool)> {
    let order = ["learnings-embeddings.npy.next", "learnings-index.faiss.next", "learnings-index.json.next"];
    let mut states = vec![(old.clone(), false)];
    let mut now = old.clone();
    for name in order {
        let full = &prepared[name];
        for cut in [0, 1, full.len() / 2, full.len() - 1, full.len()] {
            now.insert(name.to_owned(), full[..cut].to_vec());
            states.push((now.clone(), false));
        }
    }
    for name in ["learnings-index.json", "learnings-index.faiss", "learnings-embeddings.npy"] {
        let bytes = now.remove(&format!("{name}.next")).unwrap();
        now.insert(name.to_owned(), bytes);
        states.push((now.clone(), true));
    }
    states
}

#[test]
fn a_kill_between_any_two_steps_leaves_the_old_set_or_the_new_one() {
    // Same count, so that lengths alone decide nothing; then other counts.
    for (before, after) in [(9, 9), (9, 12), (12, 0), (0, 5)] {
        let dir = tempfile::tempdir().unwrap();
        let files = SetFiles::new(dir.path(), "learnings");
        commit(&files, draft(1, before, 6, 8));
        let old = read_dir(dir.path());
        let old_rows = files.open().unwrap().manifest().rows.clone();
        let prepared = files.prepare(&writing(dir.path()), draft(2, after, 6, 8)).unwrap();
        let new_rows = prepared.manifest().rows.clone();
        let beside = read_dir(dir.path());

        for (i, (state, committed)) in states(&old, &beside).into_iter().enumerate() {
            write_dir(dir.path(), &state);
            let expected = if committed { &new_rows } else { &old_rows };
            let set = files.open().unwrap_or_else(|e| panic!("state {i}: {e}"));
            assert_eq!(&set.manifest().rows, expected, "state {i}");
            assert_eq!(set.matrix().unwrap().rows(), expected.len());

            // The next writer finishes: the same set, no `.next` file.
            files.finish(&writing(dir.path())).unwrap();
            assert_eq!(&files.open().unwrap().manifest().rows, expected, "state {i} finished");
            assert!(read_dir(dir.path()).keys().all(|name| !name.ends_with(".next")), "state {i}");

            // And a writer that comes straight to the interrupted state succeeds, too.
            write_dir(dir.path(), &state);
            let generation = commit(&files, draft(3, 4, 6, 8)).generation;
            assert_eq!(generation, if committed { 3 } else { 2 });
            assert_eq!(files.open().unwrap().manifest().rows.len(), draft(3, 4, 6, 8).len());
        }
    }
}

#[test]
fn init_writes_an_empty_set_once() {
    let dir = tempfile::tempdir().unwrap();
    let files = SetFiles::new(dir.path(), "veille");
    assert_eq!(files.open().err().unwrap().code_text(), "ERR-295-08");
    files.init(&writing(dir.path()), &model(4), 768, "Flat").unwrap();
    let set = files.open().unwrap();
    assert!(set.search(&[1.0, 0.0, 0.0, 0.0], 3, &set.rows(|_| true)).unwrap().is_empty());
    let before = read_dir(dir.path());
    files.init(&writing(dir.path()), &model(4), 768, "Flat").unwrap();
    assert_eq!(read_dir(dir.path()), before);
}

#[test]
fn an_unchanged_set_keeps_its_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let files = SetFiles::new(dir.path(), "learnings");
    commit(&files, draft(1, 10, 6, 8));
    let before = read_dir(dir.path());
    commit(&files, draft(1, 10, 6, 8));
    assert_eq!(read_dir(dir.path()), before);
    // A damaged index is rebuilt even so.
    fs::write(files.faiss(), b"x").unwrap();
    commit(&files, draft(1, 10, 6, 8));
    assert_eq!(files.open().unwrap().manifest().generation, 2);
}

#[test]
fn vectors_are_reused_by_text_and_model() {
    let dir = tempfile::tempdir().unwrap();
    let files = SetFiles::new(dir.path(), "learnings");
    let mut first = Draft::new(&model(2), 4, "Flat").unwrap();
    first.push("A", "aa", &[[1.0, 0.0], [0.0, 1.0]]).unwrap();
    first.push("B", "bb", &[[0.6, 0.8]]).unwrap();
    first.push("C", "aa", &[[1.0, 0.0], [0.0, 1.0]]).unwrap();
    commit(&files, first);

    let reuse = files.reuse(&model(2), 4);
    assert_eq!(reuse.len(), 2);
    assert_eq!(reuse.get("aa").unwrap(), [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]);
    assert_eq!(reuse.get("bb").unwrap(), [[0.6, 0.8, 0.0, 0.0]]);
    assert!(reuse.get("cc").is_none());
    // Reused rows, already padded, are taken as they are.
    let mut again = Draft::new(&model(2), 4, "Flat").unwrap();
    again.push("A", "aa", &reuse.get("aa").unwrap()).unwrap();

    let mut other = model(2);
    other.digest = "another".into();
    assert!(files.reuse(&other, 4).is_empty());
    assert!(files.reuse(&model(2), 8).is_empty());
    // A broken FAISS file does not lose the vectors; a broken matrix does.
    fs::write(files.faiss(), b"x").unwrap();
    assert_eq!(files.reuse(&model(2), 4).len(), 2);
    fs::write(files.npy(), b"x").unwrap();
    assert!(files.reuse(&model(2), 4).is_empty());
}

#[test]
fn readers_during_commits_see_whole_sets() {
    let dir = tempfile::tempdir().unwrap();
    let files = SetFiles::new(dir.path(), "learnings");
    commit(&files, draft(0, 20, 6, 8));
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    let set = files.open().unwrap();
                    let seed = &set.manifest().rows[0].text[..32];
                    assert!(set.manifest().rows.iter().all(|r| r.text.starts_with(seed)));
                }
            });
        }
        for seed in 1..60 {
            commit(&files, draft(seed, 20, 6, 8));
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn bad_drafts_are_refused() {
    assert_eq!(Draft::new(&model(8), 4, "Flat").unwrap_err().code_text(), "ERR-295-02");
    assert_eq!(Draft::new(&model(4), 4, "PQ8").unwrap_err().exit(), 2);
    let mut draft = Draft::new(&model(2), 2, "Flat").unwrap();
    for bad in [[0.0, 0.0], [f32::NAN, 0.0], [f32::INFINITY, 0.0]] {
        let error = draft.push("A", "aa", &[[1.0, 0.0], bad]).unwrap_err();
        assert_eq!((error.code_text().as_str(), error.exit()), ("ERR-295-02", 65));
    }
    assert!(draft.is_empty(), "nothing of a refused record stays");
}
