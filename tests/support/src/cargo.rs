//! Cargo, to build the program under test.

use std::process::Command;

/// Cargo as in a terminal: without the variables of the package whose test or benchmark calls it.
/// Build scripts that read these, such as that of `ring`, would run again, and everything that
/// depends on them would be recompiled.
pub fn cargo() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO_PKG_")
            || name.to_string_lossy().starts_with("CARGO_MANIFEST_")
        {
            cargo.env_remove(name);
        }
    }
    cargo
}
