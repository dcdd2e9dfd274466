//! `/api/projects/{project}/settings`: gates and waiting times.

use axum::extract::State;
use domain::ids::ProjectId;

use super::{
    app::Shared,
    extract::Json,
    owned::Owned,
    problem::{Problem, ProblemBody},
};
use crate::{
    engine::ProjectSettings,
    store::{
        self,
        projects::{self, Project},
    },
};

/// What a project asks of its builds.
#[utoipa::path(get, path = "/api/projects/{project}/settings", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id")), responses(
        (status = 200, body = ProjectSettings),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn get_project_settings(
    Owned { thing: project, .. }: Owned<Project>,
) -> Result<Json<ProjectSettings>, Problem> {
    ProjectSettings::read(&project.settings).map(Json).map_err(Problem::internal)
}

/// Replaces them. Builds that run keep what they started with.
#[utoipa::path(put, path = "/api/projects/{project}/settings", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id")),
    request_body = ProjectSettings, responses(
        (status = 200, body = ProjectSettings),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn update_project_settings(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
    Json(settings): Json<ProjectSettings>,
) -> Result<Json<ProjectSettings>, Problem> {
    settings.validate().map_err(|invalid| Problem::invalid(invalid.field, invalid.reason))?;
    let mut tx = app.db.write().await?;
    projects::set_settings(&mut tx, project.id, &settings.text(), store::now()).await?;
    tx.commit().await?;
    Ok(Json(settings))
}
