//! Whole processes measured: wall time and peak resident memory.

use std::process::Command;
use std::time::Instant;

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Milliseconds from spawn to exit.
    pub ms: f64,
    /// Peak of resident memory, in MiB.
    pub mib: f64,
}

/// Runs a command to its end; it must exit 0.
pub fn measure(command: Command) -> Usage {
    let name = format!("{command:?}");
    let (usage, status) = measure_any(command);
    assert_eq!(status, 0, "{name}");
    usage
}

/// Runs a command to its end, and gives its exit code.
pub fn measure_any(mut command: Command) -> (Usage, i32) {
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::inherit());
    let start = Instant::now();
    #[expect(clippy::zombie_processes, reason = "wait4 waits for it and gives its resource use")]
    let child = command.spawn().expect("spawn");
    let mut status = 0;
    // SAFETY: plain C structures, zeroed; the pid is our own child's, waited for once.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let pid = libc::pid_t::try_from(child.id()).expect("pid");
    // SAFETY: both pointers are valid for the call.
    let waited = unsafe { libc::wait4(pid, &mut status, 0, &mut usage) };
    let ms = start.elapsed().as_secs_f64() * 1e3;
    assert_eq!(waited, pid);
    assert!(libc::WIFEXITED(status), "{command:?} was killed");
    (Usage { ms, mib: usage.ru_maxrss as f64 / 1024.0 }, libc::WEXITSTATUS(status))
}

/// The median of the wall times.
pub fn median(runs: &[Usage]) -> f64 {
    let mut ms: Vec<f64> = runs.iter().map(|u| u.ms).collect();
    ms.sort_by(f64::total_cmp);
    ms[ms.len() / 2]
}

/// Median, least and most of the wall times, and the highest peak.
pub fn summary(runs: &[Usage]) -> String {
    let least = runs.iter().map(|u| u.ms).fold(f64::INFINITY, f64::min);
    let most = runs.iter().map(|u| u.ms).fold(0.0, f64::max);
    let peak = runs.iter().map(|u| u.mib).fold(0.0, f64::max);
    format!(
        "median {:.1} ms ({least:.1} to {most:.1}), peak {peak:.0} MiB, {} runs",
        median(runs),
        runs.len()
    )
}
