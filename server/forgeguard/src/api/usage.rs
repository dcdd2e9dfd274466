//! `/api/builds/{build}/usage`: tokens and money by role and model, and contracts read.

use axum::extract::State;
use domain::ids::BuildId;

use super::{
    app::Shared,
    extract::Json,
    owned::{Owned, ProjectBuild},
    problem::{Problem, ProblemBody},
};
use crate::engine::BuildUsage;

/// What a build used so far, and what a push of all its contracts would have taken.
#[utoipa::path(get, path = "/api/builds/{build}/usage", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = BuildUsage),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn get_build_usage(
    State(app): State<Shared>,
    Owned { thing, .. }: Owned<ProjectBuild>,
) -> Result<Json<BuildUsage>, Problem> {
    Ok(Json(app.engine.usage(thing.build.id).await?))
}
