//! `/api/builds/{build}/gate-changes`: with which gates a paused or blocked build would continue.

use axum::extract::State;
use domain::{gate::GateChange, ids::BuildId};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::Json,
    owned::{Owned, ProjectBuild},
};

#[derive(Debug, Serialize, ToSchema)]
pub struct GateChanges {
    /// Gates that differ from those of the build; none for a build that is neither paused nor blocked.
    items: Vec<GateChange>,
}

/// Compares the gates of a paused or blocked build with those that its project has now. A resumed
/// build continues with the latter.
#[utoipa::path(get, path = "/api/builds/{build}/gate-changes", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = GateChanges),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_gate_changes(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
) -> Result<Json<GateChanges>, ApiError> {
    let ProjectBuild { build, project } = resource;
    let items = app.engine.gate_changes(&project, build.id).await?;
    Ok(Json(GateChanges { items }))
}
