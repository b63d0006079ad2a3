//! B4: promotion and eviction.

fn main() -> std::process::ExitCode {
    govmem::cli::learnings_promote()
}
