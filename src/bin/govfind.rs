//! Local document search.

fn main() -> std::process::ExitCode {
    govmem::cli::govfind()
}
