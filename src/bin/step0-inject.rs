//! B5: the step-0 injection.

fn main() -> std::process::ExitCode {
    govmem::cli::step0_inject()
}
