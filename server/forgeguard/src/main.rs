//! The binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    // The sandbox restarts this program to confine agents' commands.
    sandbox::run_helper_if_requested();
    forgeguard::cli::main()
}
