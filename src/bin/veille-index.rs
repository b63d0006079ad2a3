//! B1: indexes the watch notes.

fn main() -> std::process::ExitCode {
    govmem::cli::veille_index()
}
