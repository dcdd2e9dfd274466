//! `/api/projects/{project}/viewers`: who else may look at a project.

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{
    audit::AuditAction,
    ids::{ProjectId, UserId},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{
    app::Shared,
    extract::{Json, Params},
    list::List,
    owned::Owned,
    problem::{Problem, ProblemBody},
};
use crate::store::{
    self,
    audit_log::{self, NewEntry},
    project_viewers,
    projects::Project,
    users,
};

/// Somebody who may look at a project and change nothing.
#[derive(Debug, Serialize, ToSchema)]
pub struct Viewer {
    /// Their id.
    id: UserId,
    /// What they are called.
    name: String,
    /// Their address.
    email: String,
    /// Since when they may look.
    since: DateTime<Utc>,
}

/// Somebody to be let to look at a project.
#[derive(Debug, Deserialize, ToSchema)]
pub struct AddViewerRequest {
    /// The address they sign in with.
    email: String,
}

/// What a path names.
#[derive(Debug, Deserialize)]
pub struct ViewerPath {
    user: UserId,
}

/// Everybody who may look at a project beside its owner.
#[utoipa::path(get, path = "/api/projects/{project}/viewers", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id")), responses(
        (status = 200, body = List<Viewer>),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn list_viewers(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
) -> Result<Json<List<Viewer>>, Problem> {
    let rows = project_viewers::list(&mut app.db.read().await?, project.id).await?;
    Ok(Json(List::whole(rows.into_iter().map(Viewer::from).collect())))
}

/// Lets somebody who has an account look at a project. Twice is as good as once.
#[utoipa::path(post, path = "/api/projects/{project}/viewers", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id")),
    request_body = AddViewerRequest, responses(
        (status = 201, body = List<Viewer>, description = "Everybody who may look now"),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn add_viewer(
    State(app): State<Shared>,
    Owned { thing: project, by, .. }: Owned<Project>,
    Json(AddViewerRequest { email }): Json<AddViewerRequest>,
) -> Result<(StatusCode, Json<List<Viewer>>), Problem> {
    let mut tx = app.db.write().await?;
    let viewer = users::by_email(&mut tx, email.trim()).await?;
    let viewer = viewer.filter(|user| user.disabled_at.is_none()).ok_or_else(|| {
        let reason = "nobody here signs in with this address; an administrator can invite them";
        Problem::invalid("email", reason)
    })?;
    if viewer.id == project.owner_id {
        return Err(Problem::invalid("email", "this is your own address, and your project"));
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
    Ok((StatusCode::CREATED, Json(List::whole(viewers))))
}

/// Lets somebody look at a project no longer.
#[utoipa::path(delete, path = "/api/projects/{project}/viewers/{user}", tag = "projects",
    params(
        ("project" = ProjectId, Path, description = "The project's id"),
        ("user" = UserId, Path, description = "Who"),
    ), responses(
        (status = 204),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn remove_viewer(
    State(app): State<Shared>,
    Owned { thing: project, by, .. }: Owned<Project>,
    Params(ViewerPath { user }): Params<ViewerPath>,
) -> Result<StatusCode, Problem> {
    let mut tx = app.db.write().await?;
    let viewer = users::get(&mut tx, user).await?;
    let viewer = viewer.ok_or_else(|| Problem::not_found("viewer"))?;
    if !project_viewers::remove(&mut tx, project.id, user).await? {
        return Err(Problem::not_found("viewer"));
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
