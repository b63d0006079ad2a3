//! B2: collects the clarifications.

fn main() -> std::process::ExitCode {
    govmem::cli::clarifications_collect()
}
