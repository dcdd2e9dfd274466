//! `/api/builds/{build}/tree` and `/file`, and the same below `/api/reviews/{build}`: the files of a
//! build's branch at any of its commits.

use axum::extract::State;
use domain::ids::BuildId;
use git::{GitError, RepoPath, Sha, TreeEntry};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    branch_view,
    extract::{Json, QueryParams},
    owned::{Owned, ProjectBuild},
    reviewed::Reviewed,
};

const MAX_TREE_FILES: usize = 20_000;
/// Larger files are not returned as text.
const MAX_TEXT_BYTES: usize = 1024 * 1024;

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TreeQuery {
    /// A commit of the branch or its baseline; by default the branch's head.
    commit: Option<String>,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FileQuery {
    path: String,
    /// A commit of the branch or its baseline; by default the current files, or those of the head if
    /// the build has ended.
    commit: Option<String>,
}

/// The files of a commit.
#[derive(Debug, Serialize, ToSchema)]
pub struct BranchTree {
    commit: String,
    /// In git's order.
    files: Vec<TreeEntry>,
    /// There are more files than this list contains.
    truncated: bool,
}

/// A file at a commit.
#[derive(Debug, Serialize, ToSchema)]
pub struct BranchFile {
    path: String,
    /// In bytes.
    size: u64,
    /// Bytes that are not UTF-8 are replaced. Null if the file is binary or exceeds 1 MiB.
    #[schema(required)]
    text: Option<String>,
    binary: bool,
}

/// Lists the files of a commit of the user's own build.
#[utoipa::path(get, path = "/api/builds/{build}/tree", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id"), TreeQuery), responses(
        (status = 200, body = BranchTree),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_build_tree(
    State(app): State<Shared>,
    Owned { resource: build, .. }: Owned<ProjectBuild>,
    QueryParams(query): QueryParams<TreeQuery>,
) -> Result<Json<BranchTree>, ApiError> {
    tree(&app, &build, query).await
}

/// Gets a file of the user's own build.
#[utoipa::path(get, path = "/api/builds/{build}/file", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id"), FileQuery), responses(
        (status = 200, body = BranchFile),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_build_file(
    State(app): State<Shared>,
    Owned { resource: build, .. }: Owned<ProjectBuild>,
    QueryParams(query): QueryParams<FileQuery>,
) -> Result<Json<BranchFile>, ApiError> {
    file(&app, &build, query).await
}

/// Lists the files of a commit of a sealed build.
#[utoipa::path(get, path = "/api/reviews/{build}/tree", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id"), TreeQuery), responses(
        (status = 200, body = BranchTree),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_review_tree(
    State(app): State<Shared>,
    Reviewed { build, .. }: Reviewed,
    QueryParams(query): QueryParams<TreeQuery>,
) -> Result<Json<BranchTree>, ApiError> {
    tree(&app, &build, query).await
}

/// Gets a file of a sealed build.
#[utoipa::path(get, path = "/api/reviews/{build}/file", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id"), FileQuery), responses(
        (status = 200, body = BranchFile),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_review_file(
    State(app): State<Shared>,
    Reviewed { build, .. }: Reviewed,
    QueryParams(query): QueryParams<FileQuery>,
) -> Result<Json<BranchFile>, ApiError> {
    file(&app, &build, query).await
}

async fn tree(
    app: &App,
    build: &ProjectBuild,
    query: TreeQuery,
) -> Result<Json<BranchTree>, ApiError> {
    let commit = parse_commit(query.commit)?;
    let read = branch_view::read(app, build, move |branch| {
        let commit = branch.commit(commit)?;
        Ok::<_, GitError>((commit, branch.clone().tree(commit)?))
    });
    let (commit, mut files) = read.await?.ok_or_else(|| ApiError::not_found("branch"))?;
    let truncated = files.len() > MAX_TREE_FILES;
    files.truncate(MAX_TREE_FILES);
    Ok(Json(BranchTree { commit: commit.to_string(), files, truncated }))
}

async fn file(
    app: &App,
    build: &ProjectBuild,
    query: FileQuery,
) -> Result<Json<BranchFile>, ApiError> {
    let commit = parse_commit(query.commit)?;
    let path: RepoPath = query
        .path
        .parse()
        .map_err(|error: GitError| ApiError::invalid("path", error.to_string()))?;
    let name = path.as_str().to_owned();
    let read = branch_view::read(app, build, move |branch| {
        git::read_side(branch.clone(), branch.files_at(commit)?, &path, MAX_TEXT_BYTES)
    });
    let content = read.await?.ok_or_else(|| ApiError::not_found("file"))?;
    let binary = content.bytes.contains(&0);
    let text = (!binary && !content.truncated)
        .then(|| String::from_utf8_lossy(&content.bytes).into_owned());
    Ok(Json(BranchFile { path: name, size: content.size, text, binary }))
}

fn parse_commit(commit: Option<String>) -> Result<Option<Sha>, ApiError> {
    let parsed = commit.as_deref().map(str::parse::<Sha>).transpose();
    parsed.map_err(|error| ApiError::invalid("commit", error.to_string()))
}
