//! `/api/projects/{project}/viewers`: users who may view a project.

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{audit::AuditAction, ids::UserId};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::{Json, PathParams},
    list::List,
    owned::Owned,
};
use crate::store::{
    self,
    audit_log::{self, NewEntry},
    project_viewers,
    projects::Project,
    users,
};

/// A user who may view a project but not change it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Viewer {
    id: UserId,
    name: String,
    email: String,
    /// When access was granted.
    since: DateTime<Utc>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct AddViewerRequest {
    /// The email address of an existing account.
    email: String,
}

#[derive(Debug, Deserialize)]
pub struct ViewerPath {
    user: UserId,
}

/// Lists the viewers of a project.
#[utoipa::path(get, path = "/api/projects/{project}/viewers", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = List<Viewer>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_viewers(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
) -> Result<Json<List<Viewer>>, ApiError> {
    let rows = project_viewers::list(&mut app.db.read().await?, project.id).await?;
    Ok(Json(List::unpaginated(rows.into_iter().map(Viewer::from).collect())))
}

/// Adds a viewer. Adding one again has no effect.
#[utoipa::path(post, path = "/api/projects/{project}/viewers", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")),
    request_body = AddViewerRequest, responses(
        (status = 201, body = List<Viewer>, description = "All viewers"),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn add_viewer(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
    Json(AddViewerRequest { email }): Json<AddViewerRequest>,
) -> Result<(StatusCode, Json<List<Viewer>>), ApiError> {
    let mut tx = app.db.write().await?;
    let viewer = users::by_email(&mut tx, email.trim()).await?;
    let viewer = viewer.filter(|user| user.disabled_at.is_none()).ok_or_else(|| {
        let reason = "there is no account with this address; an administrator can create one";
        ApiError::invalid("email", reason)
    })?;
    if viewer.id == project.owner_id {
        return Err(ApiError::invalid("email", "you already own this project"));
    }
    let now = store::now();
    let added = project_viewers::add(&mut tx, project.id, viewer.id, now).await?;
    let rows = project_viewers::list(&mut tx, project.id).await?;
    if added {
        let entry = entry(&by.user, AuditAction::ViewerAdded, &project, &viewer);
        audit_log::append(&mut tx, &entry).await?;
    }
    tx.commit().await?;
    let viewers = rows.into_iter().map(Viewer::from).collect();
    Ok((StatusCode::CREATED, Json(List::unpaginated(viewers))))
}

/// Removes a viewer.
#[utoipa::path(delete, path = "/api/projects/{project}/viewers/{user}", tag = "projects",
    params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("user" = UserId, Path, description = "Who"),
    ), responses(
        (status = 204),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn remove_viewer(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
    PathParams(ViewerPath { user }): PathParams<ViewerPath>,
) -> Result<StatusCode, ApiError> {
    let mut tx = app.db.write().await?;
    let viewer = users::get(&mut tx, user).await?;
    let viewer = viewer.ok_or_else(|| ApiError::not_found("viewer"))?;
    if !project_viewers::remove(&mut tx, project.id, user).await? {
        return Err(ApiError::not_found("viewer"));
    }
    let entry = entry(&by.user, AuditAction::ViewerRemoved, &project, &viewer);
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

fn entry<'a>(
    by: &'a users::User,
    action: AuditAction,
    project: &Project,
    viewer: &users::User,
) -> NewEntry<'a> {
    let detail = json!({ "project": project.name, "email": viewer.email });
    NewEntry::by(by, store::now(), action, format!("user/{}", viewer.id), detail)
}

impl From<project_viewers::Viewer> for Viewer {
    fn from(row: project_viewers::Viewer) -> Self {
        Self { id: row.user_id, name: row.name, email: row.email, since: row.created_at }
    }
}
