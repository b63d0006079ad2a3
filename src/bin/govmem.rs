//! The governance memory, every command.

fn main() -> std::process::ExitCode {
    govmem::cli::govmem()
}
