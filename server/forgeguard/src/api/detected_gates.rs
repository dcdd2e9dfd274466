//! `/api/projects/{project}/gates/detected`: what the repository itself suggests.

use axum::extract::State;
use domain::{detection::ProposedGate, ids::ProjectId};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    app::Shared,
    extract::Json,
    owned::Owned,
    problem::{Problem, ProblemBody},
};
use crate::store::projects::Project;

/// Gates that were found in the repository. None of them is saved.
#[derive(Debug, Serialize, ToSchema)]
pub struct DetectedGates {
    /// The commit that was looked at; `null` where the default branch has none.
    #[schema(required)]
    sha: Option<String>,
    /// The branch that was looked at.
    branch: String,
    /// Those of the root first.
    items: Vec<ProposedGate>,
}

/// Reads paths and manifests of the default branch, and proposes gates. Nothing is executed.
#[utoipa::path(get, path = "/api/projects/{project}/gates/detected", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id")), responses(
        (status = 200, body = DetectedGates),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn get_detected_gates(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
) -> Result<Json<DetectedGates>, Problem> {
    let found = app.engine.detect_gates(&project).await?;
    let sha = found.sha.map(|sha| sha.to_string());
    Ok(Json(DetectedGates { sha, branch: project.default_branch, items: found.gates }))
}
