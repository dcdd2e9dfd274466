//! `/api/projects/{project}`: archiving, transferring and deleting projects.

use axum::{extract::State, http::StatusCode};
use domain::audit::AuditAction;
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{
    accounts::Person,
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    extract::Json,
    owned::{AnyProject, Owned, ProjectRole},
    projects::{Project, project_builds, record},
};
use crate::store::{
    self, Conn, builds, project_viewers, projects,
    users::{self, User},
};

#[derive(Debug, Deserialize, ToSchema)]
pub struct TransferProjectRequest {
    /// The email address of the new owner's account.
    email: String,
}

/// Archives a project: it becomes read-only and is no longer listed by default.
#[utoipa::path(post, path = "/api/projects/{project}/archive", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = Project),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn archive_project(
    State(app): State<Shared>,
    Owned { resource: AnyProject(project), by, .. }: Owned<AnyProject>,
) -> Result<Json<Project>, ApiError> {
    set_archived(&app, project, &by.user, true).await
}

/// Makes an archived project active again.
#[utoipa::path(post, path = "/api/projects/{project}/unarchive", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = Project),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn unarchive_project(
    State(app): State<Shared>,
    Owned { resource: AnyProject(project), by, .. }: Owned<AnyProject>,
) -> Result<Json<Project>, ApiError> {
    set_archived(&app, project, &by.user, false).await
}

/// Gives a project another owner. The previous owner keeps access as a viewer.
#[utoipa::path(post, path = "/api/projects/{project}/transfer", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")),
    request_body = TransferProjectRequest, responses(
        (status = 200, body = Project),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn transfer_project(
    State(app): State<Shared>,
    Owned { resource: AnyProject(project), by, .. }: Owned<AnyProject>,
    Json(TransferProjectRequest { email }): Json<TransferProjectRequest>,
) -> Result<Json<Project>, ApiError> {
    let mut tx = app.db.write().await?;
    let owner = users::by_email(&mut tx, email.trim()).await?;
    let owner = owner.filter(|user| user.disabled_at.is_none()).ok_or_else(|| {
        let reason = "there is no account with this address; an administrator can create one";
        ApiError::invalid("email", reason)
    })?;
    if owner.id == project.owner_id {
        return Err(ApiError::invalid("email", "you already own this project"));
    }
    let now = store::now();
    let changed = projects::set_owner(&mut tx, project.id, owner.id, now).await?;
    let changed = changed.ok_or_else(|| ApiError::not_found("project"))?;
    require_finished_builds(&mut tx, &project).await?;
    project_viewers::remove(&mut tx, project.id, owner.id).await?;
    project_viewers::add(&mut tx, project.id, by.user.id, now).await?;
    let builds = project_builds(&app, &mut tx, project.id).await?;
    let detail = json!({ "project": project.name, "email": owner.email });
    record(&mut tx, &by.user, AuditAction::ProjectTransferred, &project, detail).await?;
    tx.commit().await?;
    let owner = Person { id: owner.id, name: owner.name };
    Ok(Json(Project::new(changed, owner, ProjectRole::Viewer, builds)))
}

/// Deletes a project. Its repository and journals stay on disk.
#[utoipa::path(delete, path = "/api/projects/{project}", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 204),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn delete_project(
    State(app): State<Shared>,
    Owned { resource: AnyProject(project), by, .. }: Owned<AnyProject>,
) -> Result<StatusCode, ApiError> {
    let mut tx = app.db.write().await?;
    projects::remove(&mut tx, project.id, store::now()).await?;
    require_finished_builds(&mut tx, &project).await?;
    let detail = json!({ "project": project.name });
    record(&mut tx, &by.user, AuditAction::ProjectDeleted, &project, detail).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn set_archived(
    app: &App,
    project: projects::Project,
    by: &User,
    archived: bool,
) -> Result<Json<Project>, ApiError> {
    let mut tx = app.db.write().await?;
    let is_changed = project.archived_at.is_some() != archived;
    let at = archived.then(|| project.archived_at.unwrap_or_else(store::now));
    let changed = projects::set_archived(&mut tx, project.id, at).await?;
    let changed = changed.ok_or_else(|| ApiError::not_found("project"))?;
    if archived {
        require_finished_builds(&mut tx, &project).await?;
    }
    let builds = project_builds(app, &mut tx, project.id).await?;
    if is_changed {
        let action = match archived {
            true => AuditAction::ProjectArchived,
            false => AuditAction::ProjectUnarchived,
        };
        record(&mut tx, by, action, &project, json!({ "project": project.name })).await?;
    }
    tx.commit().await?;
    Ok(Json(Project::own(changed, by, builds)))
}

/// Call it after the project's row was changed: no build can be started until the transaction ends.
async fn require_finished_builds(
    conn: &mut Conn,
    project: &projects::Project,
) -> Result<(), ApiError> {
    match builds::list_unfinished(conn, project.id).await?.first() {
        Some(build) => Err(ApiError::conflict(format!(
            "Build {} of this project is not finished. Wait until it finishes, or cancel it first.",
            build.display_name(),
        ))),
        None => Ok(()),
    }
}
