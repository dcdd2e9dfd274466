//! `/api/projects/{project}/settings`: gates, permissions, limits and timeouts of a project.

use axum::extract::State;
use domain::audit::AuditAction;
use serde_json::{Map, Value, json};

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::Json,
    owned::Owned,
    projects::record,
};
use crate::{
    engine::{InstallationSettings, ProjectSettings},
    store::{
        self, backlogs,
        projects::{self, Project},
    },
};

/// Gets the settings of a project.
#[utoipa::path(get, path = "/api/projects/{project}/settings", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
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
    params(("project" = String, Path, description = "The project's id or slug")),
    request_body = ProjectSettings, responses(
        (status = 200, body = ProjectSettings),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn update_project_settings(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
    Json(settings): Json<ProjectSettings>,
) -> Result<Json<ProjectSettings>, ApiError> {
    settings.validate().map_err(|invalid| ApiError::invalid(invalid.field, invalid.reason))?;
    let above = InstallationSettings::load(&mut app.db.read().await?).await?.budgets;
    settings.budgets.validate_within(&above).map_err(|invalid| {
        ApiError::invalid(format!("budgets.{}", invalid.field), invalid.reason)
    })?;
    let mut tx = app.db.write().await?;
    projects::set_settings(&mut tx, project.id, &settings.text(), store::now()).await?;
    let changed = changed_settings(&project, &settings)?;
    if !changed.is_empty() {
        let detail = json!({ "project": project.name, "changed": changed });
        let action = AuditAction::ProjectSettingsChanged;
        record(&mut tx, &by.user, action, &project, detail).await?;
    }
    // Items of the backlog may wait for a higher limit.
    backlogs::wake(&mut tx, project.id, store::now()).await?;
    tx.commit().await?;
    app.engine.wake_backlog_worker();
    Ok(Json(settings))
}

/// The names and new values of the settings that differ from the project's.
fn changed_settings(
    project: &Project,
    new: &ProjectSettings,
) -> Result<Map<String, Value>, ApiError> {
    let old = ProjectSettings::read(&project.settings).map_err(ApiError::internal)?;
    let value = |settings: &ProjectSettings| serde_json::to_value(settings);
    let old = value(&old).map_err(ApiError::internal)?;
    let Value::Object(mut new) = value(new).map_err(ApiError::internal)? else {
        return Ok(Map::new());
    };
    new.retain(|name, value| old.get(name) != Some(value));
    Ok(new)
}
