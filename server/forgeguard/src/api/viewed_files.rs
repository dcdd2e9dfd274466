//! `/api/builds/{build}/viewed-files` and `/api/reviews/{build}/viewed-files`: the files of a diff
//! that the requesting user has viewed.

use axum::{extract::State, http::StatusCode};
use domain::ids::{BuildId, UserId};
use git::{GitError, RepoPath, Sha};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    extract::Json,
    list::List,
    owned::{Owned, ProjectBuild},
    reviewed::Reviewed,
};
use crate::store::viewed_files;

/// A file that the user has viewed. It counts as viewed while its content is the same.
#[derive(Debug, Serialize, ToSchema)]
pub struct ViewedFile {
    path: String,
    /// As in the list of changed files.
    content_id: String,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct ViewFileRequest {
    /// As in the list of changed files.
    path: String,
    /// As in the list of changed files.
    content_id: String,
    viewed: bool,
}

/// Lists the files of a build that the user has viewed.
#[utoipa::path(get, path = "/api/builds/{build}/viewed-files", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = List<ViewedFile>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_build_viewed_files(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
) -> Result<Json<List<ViewedFile>>, ApiError> {
    list(&app, by.user.id, resource.build.id).await
}

/// Marks a file of the user's own build as viewed or as not viewed.
#[utoipa::path(put, path = "/api/builds/{build}/viewed-files", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")),
    request_body = ViewFileRequest, responses(
        (status = 204, description = "Saved"),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn view_build_file(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
    Json(request): Json<ViewFileRequest>,
) -> Result<StatusCode, ApiError> {
    save(&app, by.user.id, resource.build.id, request).await
}

/// Lists the files of a sealed build that the reviewer has viewed.
#[utoipa::path(get, path = "/api/reviews/{build}/viewed-files", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = List<ViewedFile>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_review_viewed_files(
    State(app): State<Shared>,
    Reviewed { build, by }: Reviewed,
) -> Result<Json<List<ViewedFile>>, ApiError> {
    list(&app, by.id, build.build.id).await
}

/// Marks a file of a sealed build as viewed or as not viewed.
#[utoipa::path(put, path = "/api/reviews/{build}/viewed-files", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id")),
    request_body = ViewFileRequest, responses(
        (status = 204, description = "Saved"),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn view_review_file(
    State(app): State<Shared>,
    Reviewed { build, by }: Reviewed,
    Json(request): Json<ViewFileRequest>,
) -> Result<StatusCode, ApiError> {
    save(&app, by.id, build.build.id, request).await
}

async fn list(app: &App, user: UserId, build: BuildId) -> Result<Json<List<ViewedFile>>, ApiError> {
    let rows = viewed_files::list(&mut app.db.read().await?, user, build).await?;
    let files = rows
        .into_iter()
        .map(|viewed_files::ViewedFile { path, content_id }| ViewedFile { path, content_id });
    Ok(Json(List::unpaginated(files.collect())))
}

async fn save(
    app: &App,
    user: UserId,
    build: BuildId,
    ViewFileRequest { path, content_id, viewed }: ViewFileRequest,
) -> Result<StatusCode, ApiError> {
    let path: RepoPath =
        path.parse().map_err(|error: GitError| ApiError::invalid("path", error.to_string()))?;
    let id: Sha = content_id
        .parse()
        .map_err(|error: git::BadSha| ApiError::invalid("content_id", error.to_string()))?;
    let mut tx = app.db.write().await?;
    if viewed {
        let file =
            viewed_files::ViewedFile { path: path.as_str().to_owned(), content_id: id.to_string() };
        viewed_files::add(&mut tx, user, build, &file).await?;
    } else {
        viewed_files::remove(&mut tx, user, build, path.as_str()).await?;
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
