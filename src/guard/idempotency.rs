//! Idempotency of step 0: one block per story, step, operation and 5-minute bucket.
//!
//! A finished, complete block is returned again as it was; a degraded or pending one runs again.
//! Entries live two buckets and no longer: a replayable block is memory, not an archive.

use std::path::{Path, PathBuf};

use super::state::{self, StateGuard};
use crate::base::id::StoryId;
use crate::base::{Instant, Result};

/// Length of a bucket in seconds.
const BUCKET_S: i64 = 300;

/// What makes two runs the same.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Key {
    /// The story.
    pub story_id: StoryId,
    /// The step.
    pub step: i64,
    /// The operation, `step0_injection`.
    pub operation: String,
    /// Start of the 5-minute bucket, UTC.
    pub timestamp_bucket: Instant,
}

impl Key {
    /// The key of a run at `now`.
    pub fn new(story_id: &StoryId, step: i64, operation: &str, now: Instant) -> Self {
        let timestamp_bucket = now.bucket();
        Key { story_id: story_id.clone(), step, operation: operation.to_owned(), timestamp_bucket }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// All three sources answered.
    Complete,
    /// A source was down.
    Degraded,
}

/// A finished run.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Done {
    /// Its query.
    pub query: String,
    /// The block it returned.
    pub block: String,
    /// How it ended.
    pub outcome: Outcome,
    /// The instant of its events.
    pub at: Instant,
    /// What else its caller wants back, such as the identifiers of each source.
    pub document: serde_json::Value,
}

/// What is known of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup {
    /// Nothing.
    New,
    /// A run began and did not finish, or finished degraded: run again.
    Rerun,
    /// A complete run: return its block, sign nothing.
    Replay(Done),
}

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Entries {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    key: Key,
    /// Absent while pending.
    done: Option<Done>,
}

/// The runs of the last two buckets.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    entries: Vec<Entry>,
}

impl Ledger {
    /// Reads the state at `path`; ERR-295-10 when it cannot be read.
    pub fn load(path: &Path, _guard: &StateGuard<'_>) -> Result<Ledger> {
        let Entries { entries } = state::load(path)?;
        Ok(Ledger { path: path.to_owned(), entries })
    }

    /// What is known of `key` at `now`.
    pub fn lookup(&mut self, key: &Key, now: Instant) -> Lookup {
        self.forget(now);
        match self.entries.iter().find(|e| e.key == *key) {
            None => Lookup::New,
            Some(Entry { done: Some(done), .. }) if done.outcome == Outcome::Complete => {
                Lookup::Replay(done.clone())
            }
            Some(_) => Lookup::Rerun,
        }
    }

    /// Notes that a run of `key` begins: durable when this returns.
    pub fn begin(&mut self, key: &Key, now: Instant, guard: &StateGuard<'_>) -> Result<()> {
        self.put(key, None, now, guard)
    }

    /// Notes how the run of `key` ended: durable when this returns.
    pub fn finish(&mut self, key: &Key, done: Done, now: Instant, guard: &StateGuard<'_>) -> Result<()> {
        self.put(key, Some(done), now, guard)
    }

    /// Forgets everything, stored blocks first of all. Returns how many entries there were.
    pub fn clear(path: &Path, guard: &StateGuard<'_>) -> Result<usize> {
        // A state that cannot be read is cleared like any other.
        let count = state::load::<Entries>(path).map_or(1, |e| e.entries.len());
        if count > 0 {
            state::save(path, &Entries::default(), guard)?;
        }
        Ok(count)
    }

    /// Drops the runs that are over and those finished ones for which `keep` does not hold. Returns how
    /// many went; a state that cannot be read goes whole when `certain`, and is an error otherwise.
    pub fn sweep(
        path: &Path,
        now: Instant,
        certain: bool,
        keep: impl Fn(&Done) -> bool,
        guard: &StateGuard<'_>,
    ) -> Result<usize> {
        let mut ledger = match Ledger::load(path, guard) {
            Ok(ledger) => ledger,
            Err(_) if certain => return Ledger::clear(path, guard),
            Err(e) => return Err(e),
        };
        let before = ledger.entries.len();
        ledger.forget(now);
        ledger.entries.retain(|e| e.done.as_ref().is_none_or(&keep));
        let gone = before - ledger.entries.len();
        if gone > 0 {
            state::save(path, &Entries { entries: ledger.entries }, guard)?;
        }
        Ok(gone)
    }

    /// How many runs are over at `now` and still kept.
    pub fn expired(&self, now: Instant) -> usize {
        let mut left = Ledger { path: self.path.clone(), entries: self.entries.clone() };
        left.forget(now);
        self.entries.len() - left.entries.len()
    }

    fn put(&mut self, key: &Key, done: Option<Done>, now: Instant, guard: &StateGuard<'_>) -> Result<()> {
        self.forget(now);
        self.entries.retain(|e| e.key != *key);
        self.entries.push(Entry { key: key.clone(), done });
        state::save(&self.path, &Entries { entries: self.entries.clone() }, guard)
    }

    /// Drops what is two buckets away or more, on either side: the clock may have gone back.
    fn forget(&mut self, now: Instant) {
        let bucket = now.bucket().unix();
        self.entries.retain(|e| (bucket - e.key.timestamp_bucket.unix()).abs() < 2 * BUCKET_S);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Code;
    use crate::store::lock::State;
    use crate::store::{LockSettings, Locks, Workspace};

    fn done(outcome: Outcome, block: &str) -> Done {
        let document = serde_json::json!({"ids": ["a"]});
        Done { query: "q".into(), block: block.into(), outcome, at: Instant::from_unix(7), document }
    }

    #[test]
    fn the_life_of_an_entry() {
        let dir = tempfile::tempdir().unwrap();
        let ws = Workspace::new(dir.path());
        let mut locks = Locks::new(&ws, LockSettings::default());
        let (guard, _) = locks.begin().exclusive::<State>().unwrap();
        let path = ws.idempotency_state();
        let now = Instant::parse("2026-04-11T09:42:17Z").unwrap();
        let story = StoryId::parse("PD-295").unwrap();
        let key = Key::new(&story, 0, "step0_injection", now);
        assert_eq!(key.timestamp_bucket.to_string(), "2026-04-11T09:40:00Z");

        let reload = || Ledger::load(&path, &guard).unwrap();
        assert_eq!(reload().lookup(&key, now), Lookup::New);
        reload().begin(&key, now, &guard).unwrap();
        assert_eq!(reload().lookup(&key, now), Lookup::Rerun);
        reload().finish(&key, done(Outcome::Degraded, "half"), now, &guard).unwrap();
        assert_eq!(reload().lookup(&key, now), Lookup::Rerun);
        let whole = done(Outcome::Complete, "## whole\n");
        reload().finish(&key, whole.clone(), now, &guard).unwrap();
        assert_eq!(reload().lookup(&key, now), Lookup::Replay(whole.clone()));
        // Another story, step, operation or bucket is another run.
        for other in [
            Key::new(&StoryId::parse("PD-1").unwrap(), 0, "step0_injection", now),
            Key::new(&story, 1, "step0_injection", now),
            Key::new(&story, 0, "search", now),
            Key::new(&story, 0, "step0_injection", now.plus(163)),
        ] {
            assert_eq!(reload().lookup(&other, now), Lookup::New);
        }
        // The end of the second bucket, then its first second after.
        let end = Instant::parse("2026-04-11T09:49:59Z").unwrap();
        assert_eq!(reload().lookup(&key, end), Lookup::Replay(whole));
        assert_eq!(reload().lookup(&key, end.plus(1)), Lookup::New);
        assert_eq!(reload().lookup(&key, now.plus(-86_400)), Lookup::New);
        // The next write leaves nothing of it on disk.
        let later = end.plus(1);
        let next = Key::new(&StoryId::parse("PD-2").unwrap(), 0, "step0_injection", later);
        reload().begin(&next, later, &guard).unwrap();
        assert!(!std::fs::read_to_string(&path).unwrap().contains("whole"));
        assert_eq!(Ledger::clear(&path, &guard).unwrap(), 1);
        assert_eq!(Ledger::clear(&path, &guard).unwrap(), 0);
    }

    #[test]
    fn a_sweep_takes_what_is_over_and_what_it_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let ws = Workspace::new(dir.path());
        let mut locks = Locks::new(&ws, LockSettings::default());
        let (guard, _) = locks.begin().exclusive::<State>().unwrap();
        let path = ws.idempotency_state();
        let now = Instant::parse("2026-04-11T09:42:17Z").unwrap();
        assert_eq!(Ledger::sweep(&path, now, true, |_| true, &guard).unwrap(), 0);
        assert!(!path.exists(), "nothing is written where nothing is");
        for (story, block) in [("PD-1", "first block"), ("PD-2", "second block")] {
            let key = Key::new(&StoryId::parse(story).unwrap(), 0, "step0_injection", now);
            let mut ledger = Ledger::load(&path, &guard).unwrap();
            ledger.finish(&key, done(Outcome::Complete, block), now, &guard).unwrap();
        }
        assert_eq!(Ledger::sweep(&path, now, false, |_| true, &guard).unwrap(), 0);
        assert_eq!(Ledger::sweep(&path, now, false, |d| d.block != "first block", &guard).unwrap(), 1);
        assert!(!std::fs::read_to_string(&path).unwrap().contains("first"));
        let later = now.plus(600);
        assert_eq!(Ledger::load(&path, &guard).unwrap().expired(later), 1);
        assert_eq!(Ledger::sweep(&path, later, false, |_| true, &guard).unwrap(), 1);
        std::fs::write(&path, "broken first").unwrap();
        assert_eq!(Ledger::sweep(&path, now, false, |_| true, &guard).unwrap_err().exit(), 65);
        assert_eq!(Ledger::sweep(&path, now, true, |_| true, &guard).unwrap(), 1);
        assert!(!std::fs::read_to_string(&path).unwrap().contains("first"));
    }

    #[test]
    fn an_unreadable_state_blocks() {
        let dir = tempfile::tempdir().unwrap();
        let ws = Workspace::new(dir.path());
        let mut locks = Locks::new(&ws, LockSettings::default());
        let (guard, _) = locks.begin().exclusive::<State>().unwrap();
        let path = ws.idempotency_state();
        for bad in ["", "{", "[]", "{\"entries\":[{}]}", "{\"entries\":[],\"x\":1}", "\u{0}"] {
            std::fs::write(&path, bad).unwrap();
            let error = Ledger::load(&path, &guard).unwrap_err();
            assert_eq!((error.code(), error.exit()), (Some(Code::IdempotencyState), 65), "{bad:?}");
            assert!(error.hint_text().unwrap().contains("doctor --fix"));
        }
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert_eq!(Ledger::load(&path, &guard).unwrap_err().exit(), 65);
        std::fs::remove_dir(&path).unwrap();
        std::fs::write(&path, "broken").unwrap();
        assert_eq!(Ledger::clear(&path, &guard).unwrap(), 1);
        assert!(Ledger::load(&path, &guard).is_ok());
    }
}
