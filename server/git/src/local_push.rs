//! Pushes from a repository on this machine, with the git of its user.

use std::process::Stdio;

use tokio::process::Command;

use crate::{error::GitError, local::LocalRepository};

/// Where to push. Not `Debug`, because it contains a secret.
#[derive(Clone, Copy)]
pub struct PushTarget<'a> {
    pub url: &'a str,
    /// Address of the only server that is sent `authorization`.
    pub server: &'a str,
    /// Value of the header.
    pub authorization: &'a str,
}

impl LocalRepository {
    /// Pushes a branch. Git uses the settings of its user, such as a proxy, and shows its progress on
    /// standard error. False if it fails, after it has reported why.
    pub async fn push(&self, branch: &str, to: PushTarget<'_>) -> Result<bool, GitError> {
        let PushTarget { url, server, authorization } = to;
        // Not in an argument, which other users of the machine can see.
        let settings = [
            (format!("http.{server}/.extraHeader"), format!("Authorization: {authorization}")),
            ("http.followRedirects".to_owned(), "false".to_owned()),
        ];
        let mut git = Command::new("git");
        git.arg("-C").arg(self.path()).arg("push");
        // The hook of Git LFS would upload files, which the server does not store.
        git.args(["--no-verify", url]).arg(format!("refs/heads/{branch}"));
        git.env("GIT_TERMINAL_PROMPT", "0").env("GIT_CONFIG_COUNT", settings.len().to_string());
        for (at, (name, value)) in settings.iter().enumerate() {
            git.env(format!("GIT_CONFIG_KEY_{at}"), name);
            git.env(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
        git.stdin(Stdio::null()).stdout(Stdio::null()).kill_on_drop(true);
        Ok(git.status().await.map_err(GitError::io("run git"))?.success())
    }
}
