//! Remote repositories of projects, and the credentials for them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The software of a server with repositories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ForgeKind {
    GitHub,
    /// Also Forgejo.
    Gitea,
    GitLab,
    /// A git server without an API that is known.
    Other,
}

/// Who may use a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CredentialScope {
    /// All users, for any project.
    Installation,
    /// One user, for the projects that they own.
    User,
    /// One project.
    Project,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CredentialKind {
    /// An access token, for https.
    Token,
    /// A key that was generated here, for ssh.
    SshKey,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FetchKind {
    /// The first one.
    Import,
    Fetch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FetchStatus {
    Queued,
    Running,
    Done,
    Failed,
    /// By a user.
    Cancelled,
}

impl FetchStatus {
    pub fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

/// Why an operation on a remote failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RemoteProblem {
    /// The credential is missing, wrong, expired or lacks a permission.
    Login,
    NotFound,
    /// The server cannot be reached, or its address is not allowed.
    Network,
    /// The server refers to another address.
    Redirected,
    /// The server's SSH key has changed.
    HostKey,
    /// The server rejected a push.
    Rejected,
    /// It took too long, or there was no progress.
    Timeout,
    TooLarge,
    /// The remote repository lacks a part of its history.
    Shallow,
    /// The remote repository has no commit.
    Empty,
    /// The default branch was rewritten at the remote.
    Diverged,
    Cancelled,
    Other,
}

/// The stage of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FetchStage {
    Connecting,
    /// The server prepares the objects.
    Preparing,
    Receiving,
    /// The received objects are checked.
    Checking,
    /// Branches are updated.
    Updating,
}

/// The progress of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FetchProgress {
    pub stage: FetchStage,
    /// Of the stage, if known.
    #[schema(required)]
    pub percent: Option<u8>,
    /// Received so far.
    pub bytes: u64,
}

/// What was found in a fetched repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RemoteFindings {
    pub branches: u32,
    pub tags: u32,
    /// Paths of submodules, whose files are not available to builds; the first ones.
    pub submodules: Vec<String>,
    /// Paths of files in Git LFS, of which builds see only the pointers; the first ones.
    pub lfs_files: Vec<String>,
    /// Branches other than the default one that were rewritten at the remote, and not moved here.
    pub diverged: Vec<String>,
}

impl ForgeKind {
    /// The kind that a host's name suggests.
    pub fn of_host(host: &str) -> Self {
        let name = host.split(':').next().unwrap_or_default().to_ascii_lowercase();
        let has = |word: &str| name.split('.').any(|label| label == word);
        if name == "github.com" || has("github") {
            Self::GitHub
        } else if has("gitlab") {
            Self::GitLab
        } else if name == "codeberg.org" || has("gitea") || has("forgejo") {
            Self::Gitea
        } else {
            Self::Other
        }
    }

    /// The user name that this forge expects with a token.
    pub fn token_user(self) -> &'static str {
        match self {
            Self::GitHub => "x-access-token",
            Self::GitLab => "oauth2",
            Self::Gitea | Self::Other => "git",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_follows_from_the_host() {
        for (host, kind) in [
            ("github.com", ForgeKind::GitHub),
            ("gitlab.example.org:8443", ForgeKind::GitLab),
            ("Codeberg.org", ForgeKind::Gitea),
            ("git.example.org", ForgeKind::Other),
            ("notgithub.example.org", ForgeKind::Other),
        ] {
            assert_eq!(ForgeKind::of_host(host), kind, "{host}");
        }
    }
}
