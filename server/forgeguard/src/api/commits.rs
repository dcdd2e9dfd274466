//! `/api/builds/{build}/commits`: the commits of a build's branch.

use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::{
    event::branch::{AuthorKind as Recorded, CommitCreated},
    ids::BuildId,
};
use git::AuthorKind;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    branch_view,
    extract::Json,
    list::List,
    owned::{Owned, ProjectBuild},
};
use crate::engine::commits::recorded;

#[derive(Debug, Serialize, ToSchema)]
pub struct Commit {
    /// The full id.
    pub sha: String,
    /// The first line of the message.
    pub title: String,
    /// The author as stated in the commit.
    pub author_name: String,
    /// Whether ForgeGuard or a user created it, according to the journal.
    author_kind: AuthorKind,
    pub at: DateTime<Utc>,
    pub files: usize,
    pub insertions: usize,
    pub deletions: usize,
}

impl Commit {
    /// A commit can claim any author; the journal records who created it.
    fn new(commit: git::Commit, recorded: Option<&CommitCreated>) -> Self {
        let author_kind = match recorded.map(|recorded| recorded.author_kind) {
            Some(Recorded::Forge) => AuthorKind::Forge,
            Some(Recorded::Human) => AuthorKind::Human,
            None => commit.author_kind,
        };
        Self {
            sha: commit.sha.to_string(),
            title: commit.title,
            author_name: commit.author_name,
            author_kind,
            at: DateTime::from_timestamp(commit.at, 0).unwrap_or_default(),
            files: commit.files,
            insertions: commit.insertions,
            deletions: commit.deletions,
        }
    }
}

/// Lists the commits since the baseline, newest first.
#[utoipa::path(get, path = "/api/builds/{build}/commits", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = List<Commit>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_commits(
    State(app): State<Shared>,
    Owned { resource: build, .. }: Owned<ProjectBuild>,
) -> Result<Json<List<Commit>>, ApiError> {
    let commits = branch_view::read(&app, &build, |branch| branch.commits()).await?;
    let recorded = recorded(&mut app.db.read().await?, build.build.id).await?;
    let commits = commits.unwrap_or_default().into_iter().map(|commit| {
        let sha = commit.sha.to_string();
        Commit::new(commit, recorded.iter().find(|recorded| recorded.sha == sha))
    });
    Ok(Json(List::unpaginated(commits.collect())))
}
