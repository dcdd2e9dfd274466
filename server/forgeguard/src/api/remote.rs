//! A project's remote repository and its fetches, as shown and as requested.

use chrono::{DateTime, Utc};
use domain::{
    ids::{CredentialId, FetchId},
    remote::{FetchKind, FetchProgress, FetchStatus, ForgeKind, RemoteFindings, RemoteProblem},
};
use git::remote::RemoteUrl;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{api_error::ApiError, check::Check, error_conversions::sentence};
use crate::{
    engine::remotes::{RemoteError, TestedRemote},
    store::{fetches, remotes},
};

/// In characters.
const MAX_URL_LENGTH: usize = 500;

/// The repository on another server that a project follows.
#[derive(Debug, Serialize, ToSchema)]
pub struct Remote {
    /// Without credentials.
    url: String,
    forge: ForgeKind,
    /// The default branch; null until the first fetch.
    #[schema(required)]
    default_branch: Option<String>,
    /// Shown only to the owner of the project.
    #[schema(required)]
    credential: Option<CredentialId>,
    /// What the last fetch found.
    #[schema(required)]
    findings: Option<RemoteFindings>,
    /// Whether webhooks of the server are accepted.
    accepts_hooks: bool,
    /// The last successful fetch.
    #[schema(required)]
    fetched_at: Option<DateTime<Utc>>,
    /// Why the last fetch failed, if it did.
    #[schema(required)]
    fetch_error: Option<String>,
    /// The current or last fetch.
    #[schema(required)]
    fetch: Option<Fetch>,
    created_at: DateTime<Utc>,
}

/// Whether a project follows a repository on another server, and which.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectRemote {
    /// Null if it follows none.
    #[schema(required)]
    pub remote: Option<Remote>,
    /// Whether a push, or a repository that is connected, replaces the history of the project's: it
    /// has nothing but the first commit that ForgeGuard made, and no build was started.
    pub accepts_history: bool,
}

/// A fetch of a remote repository.
#[derive(Debug, Serialize, ToSchema)]
pub struct Fetch {
    id: FetchId,
    kind: FetchKind,
    status: FetchStatus,
    cancel_requested: bool,
    #[schema(required)]
    progress: Option<FetchProgress>,
    /// Why it failed.
    #[schema(required)]
    problem: Option<RemoteProblem>,
    /// The same as a sentence, with what to do next.
    #[schema(required)]
    failure: Option<String>,
    created_at: DateTime<Utc>,
    #[schema(required)]
    finished_at: Option<DateTime<Utc>>,
}

/// The result of a test.
#[derive(Debug, Serialize, ToSchema)]
pub struct RemoteTest {
    /// Null if it succeeded.
    #[schema(required)]
    problem: Option<RemoteProblem>,
    /// What happened, with what to do next.
    message: String,
    #[schema(required)]
    default_branch: Option<String>,
    #[schema(required)]
    branches: Option<u32>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct TestRemoteRequest {
    /// Such as `https://host/owner/name.git` or `git@host:owner/name.git`.
    #[schema(max_length = 500)]
    pub url: String,
    #[serde(default)]
    pub credential: Option<CredentialId>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct ImportRequest {
    /// Such as `https://host/owner/name.git` or `git@host:owner/name.git`.
    #[schema(max_length = 500)]
    pub url: String,
    #[serde(default)]
    pub credential: Option<CredentialId>,
    /// As the host's name suggests if omitted.
    #[serde(default)]
    pub forge: Option<ForgeKind>,
    /// The project's name; the repository's if omitted.
    #[serde(default)]
    #[schema(max_length = 120)]
    pub name: Option<String>,
    #[serde(default)]
    #[schema(max_length = 2_000)]
    pub description: String,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct ConnectRemoteRequest {
    /// Such as `https://host/owner/name.git` or `git@host:owner/name.git`.
    #[schema(max_length = 500)]
    pub url: String,
    #[serde(default)]
    pub credential: Option<CredentialId>,
    /// As the host's name suggests if omitted.
    #[serde(default)]
    pub forge: Option<ForgeKind>,
}

/// Both are replaced.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateRemoteRequest {
    pub forge: ForgeKind,
    #[schema(required)]
    pub credential: Option<CredentialId>,
}

/// Where the server sends webhooks, and their secret, which is shown only once.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewHookSecret {
    /// The path of the address, after that of this service.
    pub path: String,
    pub secret: String,
}

impl Remote {
    pub fn new(
        row: remotes::Remote,
        fetch: Option<fetches::Fetch>,
        is_owner: bool,
    ) -> Result<Self, serde_json::Error> {
        let findings = row.findings.as_deref().map(serde_json::from_str).transpose()?;
        Ok(Self {
            url: row.url,
            forge: row.forge,
            default_branch: row.default_branch,
            credential: row.credential_id.filter(|_| is_owner),
            findings,
            accepts_hooks: row.sealed_hook_secret.is_some(),
            fetched_at: row.fetched_at,
            fetch_error: row.fetch_error.map(|error| sentence(&error)),
            fetch: fetch.map(Fetch::try_from).transpose()?,
            created_at: row.created_at,
        })
    }
}

impl TryFrom<fetches::Fetch> for Fetch {
    type Error = serde_json::Error;

    fn try_from(row: fetches::Fetch) -> Result<Self, serde_json::Error> {
        let progress = row.progress.as_deref().map(serde_json::from_str).transpose()?;
        Ok(Self {
            id: row.id,
            kind: row.kind,
            status: row.status,
            cancel_requested: row.cancel_requested,
            progress,
            problem: row.problem,
            failure: row.failure.map(|failure| sentence(&failure)),
            created_at: row.created_at,
            finished_at: row.finished_at,
        })
    }
}

impl From<Result<TestedRemote, RemoteError>> for RemoteTest {
    fn from(tested: Result<TestedRemote, RemoteError>) -> Self {
        match tested {
            Ok(TestedRemote { default_branch, branches }) => {
                let count = u32::try_from(branches).unwrap_or(u32::MAX);
                let (problem, message) = match &default_branch {
                    Some(branch) => {
                        let noun = if count == 1 { "branch" } else { "branches" };
                        (
                            None,
                            format!("Connected: {count} {noun}, {branch} is the default branch."),
                        )
                    }
                    None if count == 0 => (
                        Some(RemoteProblem::Empty),
                        "The repository has no commit. Push one, then try again.".to_owned(),
                    ),
                    None => (
                        Some(RemoteProblem::Other),
                        "The repository has no default branch. Set one on the server.".to_owned(),
                    ),
                };
                Self { problem, message, default_branch, branches: Some(count) }
            }
            Err(error) => Self {
                problem: Some(error.problem),
                message: sentence(&error),
                default_branch: None,
                branches: None,
            },
        }
    }
}

/// The URL in the field `url`.
pub fn parse_url(check: &mut Check, text: &str) -> Result<RemoteUrl, ApiError> {
    let text = check.line("url", text, MAX_URL_LENGTH);
    // Not echoed: it may contain a token.
    text.parse().map_err(|bad: git::remote::BadUrl| ApiError::invalid("url", bad.to_string()))
}
