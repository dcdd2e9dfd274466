//! `/api/projects/{project}/settings`: gates, permissions, limits and timeouts of a project.

use axum::extract::State;
use domain::ids::ProjectId;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::Json,
    owned::Owned,
};
use crate::{
    engine::ProjectSettings,
    store::{
        self,
        projects::{self, Project},
    },
};

/// Gets the settings of a project.
#[utoipa::path(get, path = "/api/projects/{project}/settings", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id")), responses(
        (status = 200, body = ProjectSettings),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_project_settings(
    Owned { resource: project, .. }: Owned<Project>,
) -> Result<Json<ProjectSettings>, ApiError> {
    ProjectSettings::read(&project.settings).map(Json).map_err(ApiError::internal)
}

/// Replaces the settings of a project. Running builds keep those they started with.
#[utoipa::path(put, path = "/api/projects/{project}/settings", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id")),
    request_body = ProjectSettings, responses(
        (status = 200, body = ProjectSettings),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn update_project_settings(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    Json(settings): Json<ProjectSettings>,
) -> Result<Json<ProjectSettings>, ApiError> {
    settings.validate().map_err(|invalid| ApiError::invalid(invalid.field, invalid.reason))?;
    let mut tx = app.db.write().await?;
    projects::set_settings(&mut tx, project.id, &settings.text(), store::now()).await?;
    tx.commit().await?;
    Ok(Json(settings))
}
