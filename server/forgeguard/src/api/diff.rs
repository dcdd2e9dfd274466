//! `/api/builds/{build}/diff`: what a build changed.

mod query;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use domain::ids::BuildId;
use git::{FileChange, FileDiff, GitError, RepoPath, Sha};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    app::{App, Shared},
    branch_view,
    extract::{Json, Search},
    owned::{Owned, ProjectBuild},
    problem::{Problem, ProblemBody},
};
pub use query::DiffQuery;

/// The files that differ.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct DiffSummary {
    /// By path.
    files: Vec<FileChange>,
}

/// What changed since the baseline: the worktree while the build is live, the head afterwards.
#[utoipa::path(get, path = "/api/builds/{build}/diff", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id"), DiffQuery), responses(
        (status = 200, description = "With `path` a FileDiff, else a DiffSummary",
            content((DiffSummary = "application/json"), (FileDiff = "application/json"))),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn get_build_diff(
    State(app): State<Shared>,
    Owned { thing: build, .. }: Owned<ProjectBuild>,
    Search(query): Search<DiffQuery>,
) -> Result<Response, Problem> {
    show(&app, &build, query).await
}

/// The files that differ, or the one that the query names. Whose build it is was asked before.
pub async fn show(app: &App, build: &ProjectBuild, query: DiffQuery) -> Result<Response, Problem> {
    let parsed = query.commit.as_deref().map(str::parse::<Sha>).transpose();
    let commit = parsed.map_err(|e| Problem::invalid("commit", e.to_string()))?;
    let parsed = query.path.as_deref().map(str::parse::<RepoPath>).transpose();
    let Some(path) = parsed.map_err(|e| Problem::invalid("path", e.to_string()))? else {
        let files = branch_view::look(app, build, move |branch| {
            let (from, to) = branch.sides(commit)?;
            git::diff_files(branch.clone(), from, to)
        });
        let files = files.await?.unwrap_or_default();
        return Ok(Json(DiffSummary { files }).into_response());
    };
    Ok(Json(of_file(app, build, commit, path).await?).into_response())
}

/// What changed in one file; `commit` as in the query.
pub async fn of_file(
    app: &App,
    build: &ProjectBuild,
    commit: Option<Sha>,
    path: RepoPath,
) -> Result<FileDiff, Problem> {
    let diff = branch_view::look(app, build, move |branch| -> Result<FileDiff, GitError> {
        let (from, to) = branch.sides(commit)?;
        git::diff_file(branch.clone(), from, to, &path)
    });
    diff.await?.ok_or_else(|| Problem::not_found("file"))
}
