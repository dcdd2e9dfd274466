//! `/api/projects/{project}/gates/detected`: gates suggested by the contents of the repository.

use axum::extract::State;
use domain::detection::ProposedGate;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::Json,
    owned::Owned,
};
use crate::store::projects::Project;

/// Gates detected in the repository, not yet saved.
#[derive(Debug, Serialize, ToSchema)]
pub struct DetectedGates {
    /// The commit that was inspected; null if the default branch is empty.
    #[schema(required)]
    sha: Option<String>,
    /// The branch that was inspected.
    branch: String,
    /// Those of the root directory first.
    items: Vec<ProposedGate>,
}

/// Suggests gates from paths and manifests of the default branch. Nothing is executed.
#[utoipa::path(get, path = "/api/projects/{project}/gates/detected", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = DetectedGates),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_detected_gates(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
) -> Result<Json<DetectedGates>, ApiError> {
    let found = app.engine.detect_gates(&project).await?;
    let sha = found.sha.map(|sha| sha.to_string());
    Ok(Json(DetectedGates { sha, branch: project.default_branch, items: found.gates }))
}
