//! `/api/builds/{build}/usage`: tokens and costs by role and model, and contracts read.

use axum::extract::State;
use domain::ids::BuildId;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::Json,
    owned::{Owned, ProjectBuild},
};
use crate::engine::BuildUsage;

/// Gets the usage of a build, and an estimate of it if all contracts had been sent in full.
#[utoipa::path(get, path = "/api/builds/{build}/usage", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = BuildUsage),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_build_usage(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
) -> Result<Json<BuildUsage>, ApiError> {
    Ok(Json(app.engine.usage(resource.build.id).await?))
}
