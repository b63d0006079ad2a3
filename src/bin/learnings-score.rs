//! B3: reuse scores.

fn main() -> std::process::ExitCode {
    govmem::cli::learnings_score()
}
