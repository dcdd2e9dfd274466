//! The binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    // The same program, started again, is what confines agents' commands.
    sandbox::supervise_if_asked();
    forgeguard::cli::main()
}
