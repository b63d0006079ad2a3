//! A workspace of its own for each test, with a file keyring and a held lock.

use govmem::audit::{Event, FileKeyring, Key, Keyring, Place, Receipt, Trail, TrailPaths};
use govmem::base::id::{Slug, StoryId};
use govmem::base::{Instant, Result};
use govmem::store::{LockSettings, Locks, Source, Workspace, lock};

pub struct World {
    pub dir: tempfile::TempDir,
    pub paths: TrailPaths,
    pub keyring: FileKeyring,
}

impl World {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().expect("dir");
        std::fs::create_dir(dir.path().join("data")).expect("data");
        let keyring = FileKeyring::new(dir.path().join("keyring.json"));
        keyring.replace(0, &Key::from_bytes([7; 32]), at(0), 0).expect("key");
        World { paths: TrailPaths::of(&Workspace::new(dir.path())), keyring, dir }
    }

    /// Runs `work` on the open trail, under its lock.
    pub fn with_trail<T>(&self, work: impl FnOnce(&mut Trail<'_>) -> Result<T>) -> Result<T> {
        let mut locks = Locks::new(&Workspace::new(self.dir.path()), LockSettings::default());
        let (guard, _) = locks.begin().exclusive::<lock::Trail>()?;
        work(&mut Trail::open(&self.paths, &self.keyring, at(0), &guard)?)
    }

    pub fn append(&self, events: &[Event]) -> Result<Receipt> {
        self.with_trail(|trail| trail.append(events))
    }

    pub fn trail(&self) -> Vec<u8> {
        std::fs::read(&self.paths.trail).unwrap_or_default()
    }

    pub fn chain(&self) -> Vec<u8> {
        std::fs::read(&self.paths.chain).unwrap_or_default()
    }

    /// The names in `data/` that end in a torn suffix.
    pub fn torn(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.dir.path().join("data"))
            .expect("data")
            .map(|e| e.expect("entry").file_name().into_string().expect("name"))
            .filter(|name| name.contains(".torn-"))
            .collect();
        names.sort();
        names
    }
}

/// An instant some seconds after 2026-04-11T09:42:17Z.
pub fn at(seconds: i64) -> Instant {
    Instant::from_unix(1_775_900_537 + seconds)
}

/// A step-0 learning event of story `PD-n` with `ids` results.
pub fn event(n: u64, seconds: i64, ids: usize) -> Event {
    let ids = (0..ids).map(|i| format!("PD-{}-3-a1b2c3d4e5f{i}", n + 1)).collect();
    at_story(n, |p| Event::step0(Source::Learning, at(seconds), p, "mfa b2b \"priorités\"", ids))
}

/// An event made at story PD-295.
pub fn place(make: impl FnOnce(Place<'_>) -> Event) -> Event {
    at_story(295, make)
}

fn at_story(n: u64, make: impl FnOnce(Place<'_>) -> Event) -> Event {
    let story = StoryId::parse(&format!("PD-{n}")).expect("story");
    let domain = Slug::parse("auth-identity").expect("slug");
    let project = Slug::parse("backend").expect("slug");
    make(Place { story: &story, domain: &domain, project: &project })
}
