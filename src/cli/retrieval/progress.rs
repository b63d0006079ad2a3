//! A progress bar on a terminal, nothing elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that shows `what` is being done.
pub fn bar(what: &str, quiet: bool) -> ProgressBar {
    // Drawn on stderr, and only when that is a terminal.
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(0), target).with_message(what.to_owned());
    match ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len} {eta}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Shows `done` of `total`.
pub fn show(bar: &ProgressBar, done: u64, total: u64) {
    bar.set_length(total);
    bar.set_position(done);
}
