//! SIGINT, SIGTERM and SIGPIPE: 130, 143, and a quiet end. No core dump of a process that holds keys.
//!
//! Stores survive a kill at any instruction, so a signal handler only has to leave with the right
//! code: it restores the default action of nothing and calls `_exit`, which is async-signal-safe.

use signal_hook::consts::{SIGINT, SIGTERM};

/// Installs the handlers. Called once, first thing.
pub fn install() {
    for (signal, code) in [(SIGINT, 130), (SIGTERM, 143)] {
        // SAFETY: the handler only calls `_exit`, which is async-signal-safe.
        let installed =
            unsafe { signal_hook::low_level::register(signal, move || signal_hook::low_level::exit(code)) };
        if installed.is_err() {
            tracing::debug!(signal, "no handler installed");
        }
    }
    // Rust ignores SIGPIPE at start; writes then fail with BrokenPipe, which `output` swallows.
    // SIGXFSZ is ignored so that a full quota is a write error, not a kill.
    // SAFETY: setting a disposition to SIG_IGN before any thread starts.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Keeps key material out of core dumps and away from other processes of the user: no core file, and
/// the process not dumpable, which also covers dumps that are piped to a collector.
pub fn keep_memory_private() {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: plain calls about this process; the limit is a valid structure for the whole call.
    let (limited, hidden) = unsafe {
        (libc::setrlimit(libc::RLIMIT_CORE, &raw const none), libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0))
    };
    if limited != 0 || hidden != 0 {
        tracing::debug!("core dumps could not be switched off");
    }
}
