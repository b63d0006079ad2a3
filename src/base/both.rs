//! Two pieces of work side by side.

use std::sync::Mutex;
use std::thread::{Builder, scope};

use crate::base::{Error, Kind, Result};

/// Does `beside` on a thread of its own and `here` on this one, and gives what both gave. When no
/// thread is to be had they are done one after the other, `here` first.
///
/// The first result is an error (a bug, exit 70) when `beside` ended by a panic.
pub fn both<A: Send, B>(beside: impl FnOnce() -> A + Send, here: impl FnOnce() -> B) -> (Result<A>, B) {
    let work = Mutex::new(Some(beside));
    let run = || {
        let work = work.lock().ok().and_then(|mut work| work.take());
        work.map(|work| work())
    };
    scope(|scope| {
        let thread = Builder::new().spawn_scoped(scope, run);
        let second = here();
        let first = match thread {
            Ok(thread) => thread.join().unwrap_or(None),
            Err(_) => run(),
        };
        (first.ok_or_else(|| Error::new(Kind::Bug, "a thread ended without a result")), second)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_results() {
        let text = String::from("abc");
        let (a, b) = both(|| text.len(), || text.to_uppercase());
        assert_eq!((a.unwrap(), b.as_str()), (3, "ABC"));
    }

    #[test]
    fn they_run_side_by_side() {
        // Each waits for the other: one after the other would never end.
        let meet = std::sync::Barrier::new(2);
        let (a, b) = both(|| meet.wait().is_leader(), || meet.wait().is_leader());
        assert_ne!(a.unwrap(), b, "exactly one is the leader");
    }

    #[test]
    fn a_panic_is_an_error() {
        let (a, b) = both(|| std::panic::resume_unwind(Box::new("x")), || 7);
        let a: Result<()> = a;
        assert_eq!((a.unwrap_err().exit(), b), (70, 7));
    }
}
