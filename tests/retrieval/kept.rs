//! The FAISS file: hashed when it is not the one that was hashed before, and vectors that a process
//! keeps open for as long as they are the same.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use govmem::retrieval::Catalog;
use govmem::retrieval::catalog::Location;
use govmem::retrieval::embedding::{Settings, embed};
use govmem::retrieval::faiss_file::{self, Identity, Kept};
use govmem::retrieval::query::{Mode, Request, run};
use govmem::retrieval::semantic;

use crate::world::{Hashed, TestModels, World};

fn location(w: &World) -> Location {
    Location { path: w.database(), option: String::new() }
}

fn embedded() -> (World, TestModels) {
    let files: Vec<(String, String)> =
        (0..30).map(|i| (format!("p{i}.md"), format!("page about subject{i} here\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    let w = World::indexed(&files);
    let models = TestModels { embedder: Some(Hashed::new("m")), ..TestModels::default() };
    again(&w, &models);
    (w, models)
}

fn again(w: &World, models: &TestModels) {
    let mut catalog = Catalog::open_existing(&location(w)).unwrap();
    let embedder = models.embedder.as_ref().unwrap();
    embed(&mut catalog, embedder, &Settings::default(), &mut |_, _| {}).unwrap();
}

#[test]
fn the_file_that_was_hashed_is_known_by_what_it_is() {
    let (w, models) = embedded();
    let catalog = Catalog::open(&location(&w)).unwrap();
    let path = faiss_file::path(&catalog);
    let bound = semantic::binding(&catalog).unwrap().unwrap();
    assert_eq!(bound.place, Identity::at(&path));
    assert_eq!(bound.sha256, govmem::base::id::sha256_hex(fs::read(&path).unwrap()));
    assert!(semantic::open(&catalog).unwrap().unwrap().indexed);

    // A copy is another file: hashed, and taken for what it holds.
    let sound = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    fs::write(&path, &sound).unwrap();
    assert_ne!(bound.place, Identity::at(&path));
    assert!(semantic::open(&catalog).unwrap().unwrap().indexed);
    // Written in place with the old times: the time of change gives it away.
    let before = fs::metadata(&path).unwrap();
    let mut wrong = sound.clone();
    *wrong.last_mut().unwrap() ^= 0x40;
    fs::write(&path, &wrong).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(before.modified().unwrap()).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mtime(), before.mtime());
    assert!(!semantic::open(&catalog).unwrap().unwrap().indexed);
    // The next embedding mends it and knows the new file.
    again(&w, &models);
    let bound = semantic::binding(&catalog).unwrap().unwrap();
    assert_eq!(bound.place, Identity::at(&path));
    assert_eq!(fs::read(&path).unwrap(), sound);
    // Of the file; that no model is configured for questions is said.
    let doctor = w.run(&["doctor"]).exits(1).stdout;
    assert!(!doctor.contains("FAISS") && doctor.contains("no model is configured"), "{doctor}");
}

#[test]
fn doctor_hashes_whatever_is_known() {
    let (w, _) = embedded();
    let catalog = Catalog::open_existing(&location(&w)).unwrap();
    let path = faiss_file::path(&catalog);
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 0x40;
    fs::write(&path, bytes).unwrap();
    // As if the disk had turned a bit: everything but the bytes is as it was bound.
    let mut bound = semantic::binding(&catalog).unwrap().unwrap();
    bound.place = Identity::at(&path);
    catalog.set_meta("vectors", serde_json::to_string(&bound).unwrap()).unwrap();
    let found = w.run(&["doctor"]).exits(1).stdout;
    assert!(found.contains("FAISS") && found.contains("govfind embed"), "{found}");
}

#[test]
fn open_vectors_serve_until_something_differs() {
    let (w, models) = embedded();
    let kept = Kept::default();
    let opened = || {
        let catalog = Catalog::open(&location(&w)).unwrap().keeping(kept.clone());
        semantic::open(&catalog).unwrap().unwrap()
    };
    let first = opened();
    assert!(Arc::ptr_eq(&first, &opened()), "nothing differs");

    // Another file, without which the vectors are compared one by one; and the sound one again.
    let path = w.database().with_extension("faiss");
    let sound = fs::read(&path).unwrap();
    fs::write(&path, [&sound[..sound.len() - 1], &[1]].concat()).unwrap();
    assert!(!opened().indexed);
    fs::remove_file(&path).unwrap();
    assert!(!opened().indexed);
    fs::write(&path, &sound).unwrap();
    let back = opened();
    assert!(back.indexed && !Arc::ptr_eq(&first, &back));

    // New vectors are found at once; so are those of a rebuilt database.
    let request = Request::new("striped horses", Mode::Vsearch);
    let best = || {
        let catalog = Catalog::open(&location(&w)).unwrap().keeping(kept.clone());
        run(&catalog, &request, &models).unwrap().results.remove(0).path
    };
    assert_ne!(best(), "horse.md");
    w.write("horse.md", "striped horses graze\n");
    w.run(&["update"]).exits(0);
    again(&w, &models);
    assert_eq!(best(), "horse.md");
    fs::rename(w.docs().join("horse.md"), w.docs().join("a.md")).unwrap();
    w.run(&["update", "--rebuild"]).exits(0);
    again(&w, &models);
    assert_eq!(best(), "a.md");
}
