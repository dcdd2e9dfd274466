//! Why an operation on a remote repository failed, from what `git` and `ssh` print.

use crate::error::GitError;

/// In characters, of what the server or `git` said.
const MAX_DETAIL: usize = 300;

#[derive(Debug, thiserror::Error)]
pub enum RemoteFailure {
    #[error("the server rejected the login, or requires one")]
    Login,
    #[error("the repository was not found on the server, or is not visible with this login")]
    NotFound,
    #[error("the server could not be reached: {0}")]
    Network(String),
    #[error("the server refers to another address")]
    Redirected,
    #[error(
        "the server's SSH key differs from the one that was first seen; the connection was refused"
    )]
    HostKey,
    #[error("the server rejected the push: {0}")]
    Rejected(String),
    #[error("the server did not finish in time")]
    Timeout,
    #[error("the repository is larger than allowed: {0}")]
    TooLarge(String),
    #[error("the remote repository is shallow: it lacks a part of its history")]
    Shallow,
    #[error("it was cancelled")]
    Cancelled,
    #[error("git failed: {0}")]
    Other(String),
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Classifies the error output of a failed command. The words are those of git 2.30 to 2.5x and of
/// OpenSSH, with `LC_ALL=C`; `secret` is removed from what is shown.
pub(super) fn classify(stderr: &str, stdout: &str, secret: Option<&str>) -> RemoteFailure {
    let has = |words: &[&str]| words.iter().any(|word| stderr.contains(word));
    if is_shallow(stderr) {
        return RemoteFailure::Shallow;
    }
    if has(&["Host key verification failed", "REMOTE HOST IDENTIFICATION HAS CHANGED"]) {
        return RemoteFailure::HostKey;
    }
    if has(&[
        "Authentication failed",
        "could not read Username",
        "could not read Password",
        "unable to get password from user",
        "Permission denied (",
        "Permission denied, please try again",
        "returned error: 401",
        "returned error: 403",
        "Too many authentication failures",
    ]) {
        return RemoteFailure::Login;
    }
    if has(&["unable to update url base from redirection"])
        || ["301", "302", "303", "307", "308"]
            .iter()
            .any(|status| stderr.contains(&format!("returned error: {status}")))
    {
        return RemoteFailure::Redirected;
    }
    if has(&["File too large", "died of signal 25", "pack exceeds maximum allowed size"]) {
        return RemoteFailure::TooLarge("the received objects exceed the limit".to_owned());
    }
    if has(&["' not found", "does not appear to be a git repository", "Repository not found"])
        || has(&["returned error: 404", "ERROR: Repository", "could not be found"])
    {
        return RemoteFailure::NotFound;
    }
    if has(&["Operation too slow", "timed out", "Timeout, server", "Timeout was reached"]) {
        return RemoteFailure::Timeout;
    }
    if has(&[
        "Could not resolve host",
        "Failed to connect",
        "Couldn't connect to server",
        "Connection refused",
        "Connection reset",
        "Connection closed by",
        "No route to host",
        "Network is unreachable",
        "SSL",
        "TLS",
        "certificate",
        "returned error: 5",
        "early EOF",
        "unexpected disconnect",
        "the remote end hung up",
        "Empty reply from server",
    ]) {
        return RemoteFailure::Network(detail(stderr, secret));
    }
    // `--porcelain` puts it on standard output: `!\t<src>:<dst>\t[rejected] (reason)`.
    if let Some(line) = stdout.lines().find(|line| line.starts_with('!')) {
        let reason = line.rsplit('\t').next().unwrap_or_default();
        return RemoteFailure::Rejected(shown(reason, secret));
    }
    RemoteFailure::Other(detail(stderr, secret))
}

pub(super) fn is_shallow(stderr: &str) -> bool {
    let words = ["shallow update not allowed", "shallow roots are not allowed"];
    words.iter().any(|words| stderr.contains(words))
}

/// The last line that says why, without the name of the program.
fn detail(stderr: &str, secret: Option<&str>) -> String {
    let lines = || stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let fatal = lines().rev().find(|line| line.starts_with("fatal: ") || line.starts_with("ssh: "));
    let line = fatal.or_else(|| lines().next_back()).unwrap_or("it gave no reason");
    let line = line.trim_start_matches("fatal: ");
    shown(line, secret)
}

fn shown(text: &str, secret: Option<&str>) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).take(MAX_DETAIL).collect();
    match secret.filter(|secret| !secret.is_empty()) {
        Some(secret) => text.replace(secret, "***"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_control_characters_are_not_shown() {
        let failure = classify("fatal: strange \u{1b}[31mtok-1 reply", "", Some("tok-1"));
        let text = failure.to_string();
        assert!(text.contains("strange") && !text.contains("tok-1"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn rejected_push_has_a_reason() {
        let stdout =
            "To http://host/a\n!\tabc:refs/heads/forge/build-1\t[rejected] (fetch first)\n";
        let failure =
            classify("error: failed to push some refs to 'http://host/a'\n", stdout, None);
        assert!(matches!(failure, RemoteFailure::Rejected(why) if why.contains("fetch first")));
    }
}
