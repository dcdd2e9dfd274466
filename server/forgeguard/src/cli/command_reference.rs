//! `forgeguard completions` and `forgeguard man`: the command line for shells and for `man`.

use std::{fs, io, path::Path, process::ExitCode};

use clap::Command;
use clap_complete::Shell;

use super::failure::Failure;

pub fn completions(shell: Shell, mut command: Command) -> Result<ExitCode, Failure> {
    clap_complete::generate(shell, &mut command, "forgeguard", &mut io::stdout());
    Ok(ExitCode::SUCCESS)
}

/// Writes `forgeguard.1`, and a page for each subcommand.
pub fn man(directory: &Path, command: Command) -> Result<ExitCode, Failure> {
    fs::create_dir_all(directory)?;
    clap_mangen::generate_to(command, directory)?;
    Ok(ExitCode::SUCCESS)
}
