//! The rate limit of injections: a sliding window per story and per workspace.
//!
//! An injection counts for exactly [`WINDOW_S`] seconds. A refusal consumes nothing. When the clock
//! goes back, what lies in its future counts as now: never a free pass, never a wait above the window.

use std::path::Path;

use super::state::{self, StateGuard};
use crate::base::id::StoryId;
use crate::base::{Code, Error, Instant, Result};
use crate::tr;

/// Length of the window in seconds.
pub const WINDOW_S: i64 = 300;

/// How many injections any window may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Per story; 10 by contract.
    pub story: usize,
    /// Per workspace; 60 by contract.
    pub workspace: usize,
}

impl Default for Rate {
    fn default() -> Self {
        Rate { story: 10, workspace: 60 }
    }
}

/// A full window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Whether the story's own limit refused; else the workspace's alone did.
    pub by_story: bool,
    /// Seconds until the same request would pass, 1 to [`WINDOW_S`].
    pub retry_after_s: i64,
}

/// The injections that still count.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    story: StoryId,
    at: Instant,
}

impl Window {
    /// Admits and counts an injection of `story`, or says when it may come back.
    pub fn admit(&mut self, story: &StoryId, now: Instant, rate: Rate) -> Result<(), Refusal> {
        for entry in &mut self.entries {
            entry.at = entry.at.min(now);
        }
        self.entries.retain(|e| e.at.plus(WINDOW_S) > now);
        self.entries.sort_by_key(|e| e.at);
        let of_story = self.entries.iter().filter(|e| e.story == *story).map(|e| e.at).collect::<Vec<_>>();
        let of_all = self.entries.iter().map(|e| e.at).collect::<Vec<_>>();
        let by_story = wait(&of_story, rate.story, now);
        let by_workspace = wait(&of_all, rate.workspace, now);
        match by_story.max(by_workspace) {
            Some(retry_after_s) => Err(Refusal { by_story: by_story.is_some(), retry_after_s }),
            None => {
                self.entries.push(Entry { story: story.clone(), at: now });
                Ok(())
            }
        }
    }
}

/// Seconds until fewer than `limit` of the sorted instants `held` still count; `None` when they do now.
fn wait(held: &[Instant], limit: usize, now: Instant) -> Option<i64> {
    // With a limit of nothing there is no good moment: the window itself is the answer.
    let last_to_leave = held.get(held.len().checked_sub(limit)?).copied().unwrap_or(now);
    Some(last_to_leave.plus(WINDOW_S).unix() - now.unix())
}

/// Counts an injection of `story` in the state at `path`: durable when this returns.
///
/// Errors: ERR-295-11 with the seconds to wait (nothing is consumed); ERR-295-10 when the state cannot
/// be read.
pub fn consume(path: &Path, story: &StoryId, now: Instant, rate: Rate, guard: &StateGuard<'_>) -> Result<()> {
    let mut window: Window = state::load(path)?;
    window.admit(story, now, rate).map_err(|refusal| refused(story, refusal, rate))?;
    state::save(path, &window, guard)
}

/// Reads the window at `path`; ERR-295-10 when it cannot be read.
pub fn load(path: &Path, _guard: &StateGuard<'_>) -> Result<Window> {
    state::load(path)
}

/// Puts an unreadable state back to an empty window. Returns whether there was anything to repair.
pub fn repair(path: &Path, guard: &StateGuard<'_>) -> Result<bool> {
    if state::load::<Window>(path).is_ok() {
        return Ok(false);
    }
    state::save(path, &Window::default(), guard)?;
    Ok(true)
}

fn refused(story: &StoryId, refusal: Refusal, rate: Rate) -> Error {
    let seconds = refusal.retry_after_s;
    let message = if refusal.by_story {
        let limit = rate.story;
        tr!(
            "{story} : {limit} injections en {WINDOW_S} s déjà faites ; réessayez dans {seconds} s",
            "{story}: {limit} injections within {WINDOW_S} s already made; retry after {seconds} s"
        )
    } else {
        let limit = rate.workspace;
        tr!(
            "{limit} injections en {WINDOW_S} s déjà faites dans cet espace ; réessayez dans {seconds} s",
            "{limit} injections within {WINDOW_S} s already made in this workspace; retry after {seconds} s"
        )
    };
    Error::memory(Code::RateLimited, message).hint(tr!("retry-after: {seconds}", "retry-after: {seconds}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::lock::State;
    use crate::store::{LockSettings, Locks, Workspace};

    #[test]
    fn the_state_lasts_and_is_repaired() {
        let dir = tempfile::tempdir().unwrap();
        let ws = Workspace::new(dir.path());
        let mut locks = Locks::new(&ws, LockSettings::default());
        let (guard, _) = locks.begin().exclusive::<State>().unwrap();
        let (path, rate) = (ws.rate_state(), Rate { story: 2, workspace: 9 });
        let take = || consume(&path, &story(1), at(0), rate, &guard);
        take().unwrap();
        take().unwrap();
        let before = std::fs::read(&path).unwrap();
        let error = take().unwrap_err();
        assert_eq!((error.code(), error.exit()), (Some(Code::RateLimited), 75));
        assert!(error.message().contains("retry after 300 s"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert!(!repair(&path, &guard).unwrap());
        std::fs::write(&path, "[").unwrap();
        assert_eq!(take().unwrap_err().code(), Some(Code::IdempotencyState));
        assert!(repair(&path, &guard).unwrap());
        take().unwrap();
    }

    fn story(n: usize) -> StoryId {
        StoryId::parse(&format!("PD-{n}")).expect("story")
    }

    fn at(seconds: i64) -> Instant {
        Instant::from_unix(1_000_000 + seconds)
    }

    #[test]
    fn the_window_slides() {
        let mut window = Window::default();
        for i in 0..10 {
            assert_eq!(window.admit(&story(1), at(i * 10), Rate::default()), Ok(()));
        }
        // Full; the first leaves at 300.
        let full = Refusal { by_story: true, retry_after_s: 200 };
        assert_eq!(window.admit(&story(1), at(100), Rate::default()), Err(full));
        assert_eq!(window.admit(&story(2), at(100), Rate::default()), Ok(()));
        let one = Refusal { by_story: true, retry_after_s: 1 };
        assert_eq!(window.admit(&story(1), at(299), Rate::default()), Err(one));
        assert_eq!(window.admit(&story(1), at(300), Rate::default()), Ok(()));
        // The second leaves ten seconds later.
        let ten = Refusal { by_story: true, retry_after_s: 10 };
        assert_eq!(window.admit(&story(1), at(300), Rate::default()), Err(ten));
    }

    #[test]
    fn the_workspace_has_its_own_limit() {
        let mut window = Window::default();
        for i in 0..60 {
            assert_eq!(window.admit(&story(i + 1), at(0), Rate::default()), Ok(()));
        }
        let full = Refusal { by_story: false, retry_after_s: 290 };
        assert_eq!(window.admit(&story(99), at(10), Rate::default()), Err(full));
    }

    #[test]
    fn a_refusal_consumes_nothing() {
        let mut window = Window::default();
        let rate = Rate { story: 1, workspace: 5 };
        window.admit(&story(1), at(0), rate).expect("first");
        let before = window.clone();
        for _ in 0..100 {
            assert!(window.admit(&story(1), at(299), rate).is_err());
        }
        assert_eq!(window, before);
        assert_eq!(window.admit(&story(1), at(300), rate), Ok(()));
    }

    #[test]
    fn a_clock_that_goes_back_neither_frees_nor_locks_for_long() {
        let rate = Rate { story: 1, workspace: 5 };
        let mut window = Window::default();
        window.admit(&story(1), at(86_400), rate).expect("first");
        let full = Refusal { by_story: true, retry_after_s: 300 };
        assert_eq!(window.admit(&story(1), at(0), rate), Err(full));
        assert_eq!(window.admit(&story(1), at(300), rate), Ok(()));
    }

    #[test]
    fn a_limit_of_nothing_refuses() {
        let refusal = Window::default().admit(&story(1), at(0), Rate { story: 0, workspace: 5 });
        assert_eq!(refusal, Err(Refusal { by_story: true, retry_after_s: 300 }));
    }

    /// Never more than the limit in any window, whatever the times; compared with a count by hand.
    #[test]
    fn no_window_ever_holds_more() {
        let rate = Rate { story: 3, workspace: 5 };
        let (mut window, mut admitted, mut now) = (Window::default(), Vec::new(), 0);
        let mut state = 7_u64;
        for _ in 0..2000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            now += i64::try_from(state >> 58).expect("small");
            let s = story(usize::try_from(state >> 40 & 3).expect("small") + 1);
            let recent = |one: Option<&StoryId>| {
                let inside = |(at, who): &&(i64, StoryId)| *at > now - 300 && one.is_none_or(|o| o == who);
                admitted.iter().filter(inside).count()
            };
            let room = recent(Some(&s)) < 3 && recent(None) < 5;
            match window.admit(&s, at(now), rate) {
                Ok(()) => {
                    assert!(room);
                    admitted.push((now, s));
                }
                Err(refusal) => {
                    assert!(!room);
                    let mut later = window.clone();
                    assert!(later.admit(&s, at(now + refusal.retry_after_s - 1), rate).is_err());
                    assert!(window.clone().admit(&s, at(now + refusal.retry_after_s), rate).is_ok());
                }
            }
        }
        assert!(admitted.len() > 100);
    }
}
