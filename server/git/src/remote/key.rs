//! SSH keys.

use std::{fmt, fs, process::Stdio};

use tokio::process::Command;

use super::failure::RemoteFailure;
use crate::{error::GitError, program};

/// An Ed25519 key in OpenSSH's format.
pub struct KeyPair {
    pub private_key: String,
    /// One line.
    pub public_key: String,
}

impl fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyPair").field("public_key", &self.public_key).finish_non_exhaustive()
    }
}

/// Generates a key without a passphrase.
///
/// # Errors
/// If `ssh-keygen` is not installed.
pub async fn generate_key(comment: &str) -> Result<KeyPair, RemoteFailure> {
    let failed = || GitError::io("run ssh-keygen, which the OpenSSH client contains");
    let directory = tempfile::tempdir().map_err(GitError::io("make a directory for a key"))?;
    let file = directory.path().join("key");
    let output = Command::from(program::command_of("ssh-keygen"))
        .args(["-q", "-t", "ed25519", "-N", "", "-C", comment, "-f"])
        .arg(&file)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .map_err(failed())?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(GitError::Program { name: "ssh-keygen", stderr }.into());
    }
    let read = |file| fs::read_to_string(file).map_err(GitError::io("read a new key"));
    let private_key = read(file.clone())?;
    let public_key = read(file.with_extension("pub"))?.trim().to_owned();
    Ok(KeyPair { private_key, public_key })
}
