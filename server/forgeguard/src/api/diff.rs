//! `/api/builds/{build}/diff`: the changes of a build.

use axum::extract::State;
use domain::ids::BuildId;
use git::{ChangedFiles, FileDiff, GitError, RepoPath, Sha};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    branch_view,
    extract::{Json, QueryParams},
    owned::{Owned, ProjectBuild},
};

/// What to compare.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DiffQuery {
    /// One commit of the branch, compared with its parent, instead of all changes since the
    /// baseline.
    commit: Option<String>,
    /// One file with its lines, instead of the list of files.
    path: Option<String>,
    /// Treats lines that differ only in whitespace as unchanged. Applies to `path`.
    ignore_whitespace: Option<bool>,
}

/// Whether lines that differ only in whitespace are changes.
#[derive(Clone, Copy, Debug)]
pub enum Whitespace {
    Compared,
    Ignored,
}

/// Files, or one file with its lines.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum BuildDiff {
    Files(ChangedFiles),
    File(FileDiff),
}

/// Gets the changes since the baseline: up to the worktree, or to the head if the build has ended.
#[utoipa::path(get, path = "/api/builds/{build}/diff", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id"), DiffQuery), responses(
        (status = 200, description = "With `path` a FileDiff, else a DiffSummary",
            body = BuildDiff),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_build_diff(
    State(app): State<Shared>,
    Owned { resource: build, .. }: Owned<ProjectBuild>,
    QueryParams(query): QueryParams<DiffQuery>,
) -> Result<Json<BuildDiff>, ApiError> {
    show(&app, &build, query).await
}

/// The changed files, or the file named by the query. The caller has checked access.
pub async fn show(
    app: &App,
    build: &ProjectBuild,
    query: DiffQuery,
) -> Result<Json<BuildDiff>, ApiError> {
    let parsed = query.commit.as_deref().map(str::parse::<Sha>).transpose();
    let commit = parsed.map_err(|e| ApiError::invalid("commit", e.to_string()))?;
    let parsed = query.path.as_deref().map(str::parse::<RepoPath>).transpose();
    let Some(path) = parsed.map_err(|e| ApiError::invalid("path", e.to_string()))? else {
        return Ok(Json(BuildDiff::Files(files(app, build, commit).await?)));
    };
    let whitespace = match query.ignore_whitespace {
        Some(true) => Whitespace::Ignored,
        _ => Whitespace::Compared,
    };
    Ok(Json(BuildDiff::File(of_file(app, build, commit, path, whitespace).await?)))
}

/// The changed files; `commit` as in the query.
pub async fn files(
    app: &App,
    build: &ProjectBuild,
    commit: Option<Sha>,
) -> Result<ChangedFiles, ApiError> {
    let files = branch_view::read(app, build, move |branch| {
        let (from, to) = branch.sides(commit)?;
        git::diff_files(branch.clone(), from, to)
    });
    Ok(files.await?.unwrap_or_default())
}

/// The changes of one file; `commit` as in the query.
pub async fn of_file(
    app: &App,
    build: &ProjectBuild,
    commit: Option<Sha>,
    path: RepoPath,
    whitespace: Whitespace,
) -> Result<FileDiff, ApiError> {
    let diff = branch_view::read(app, build, move |branch| -> Result<FileDiff, GitError> {
        let (from, to) = branch.sides(commit)?;
        match whitespace {
            Whitespace::Compared => git::diff_file(branch.clone(), from, to, &path),
            Whitespace::Ignored => {
                git::diff_file_ignoring_whitespace(branch.clone(), from, to, &path)
            }
        }
    });
    diff.await?.ok_or_else(|| ApiError::not_found("file"))
}
