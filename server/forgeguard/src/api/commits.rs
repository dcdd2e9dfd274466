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
    app::Shared,
    branch_view,
    extract::Json,
    list::List,
    owned::{Owned, ProjectBuild},
    problem::{Problem, ProblemBody},
};
use crate::engine::commits::recorded;

/// A commit of a build's branch.
#[derive(Debug, Serialize, ToSchema)]
pub struct Commit {
    /// Its full id.
    sha: String,
    /// First line of its message.
    title: String,
    /// As written in it.
    author_name: String,
    /// ForgeGuard or a person.
    author_kind: AuthorKind,
    /// When it was authored.
    at: DateTime<Utc>,
    /// Files changed.
    files: usize,
    /// Lines added.
    insertions: usize,
    /// Lines removed.
    deletions: usize,
}

impl Commit {
    /// A commit can say anything of itself; who made it is what the journal says.
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

/// All commits since the baseline, newest first.
#[utoipa::path(get, path = "/api/builds/{build}/commits", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = List<Commit>),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn list_commits(
    State(app): State<Shared>,
    Owned { thing: build, .. }: Owned<ProjectBuild>,
) -> Result<Json<List<Commit>>, Problem> {
    let commits = branch_view::look(&app, &build, |branch| branch.commits()).await?;
    let recorded = recorded(&mut app.db.read().await?, build.build.id).await?;
    let shown = commits.unwrap_or_default().into_iter().map(|commit| {
        let sha = commit.sha.to_string();
        Commit::new(commit, recorded.iter().find(|recorded| recorded.sha == sha))
    });
    Ok(Json(List::whole(shown.collect())))
}
