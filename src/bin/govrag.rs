//! The Markdown knowledge base.

fn main() -> std::process::ExitCode {
    govmem::cli::govrag()
}
