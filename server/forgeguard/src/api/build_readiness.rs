//! `/api/projects/{project}/build-readiness`: what a new build would use, and what is missing.

use axum::extract::State;
use domain::{budget::Budgets, ids::ProjectId};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    error_conversions::sentence,
    extract::Json,
    owned::Owned,
};
use crate::{
    engine::{EngineError, readiness},
    store::projects::Project,
};

/// What a build of the project would use if it were started now.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildReadiness {
    /// The limits of a build that sets none.
    budgets: Budgets,
    /// The limits if the project set none either.
    installation_budgets: Budgets,
    /// The coder's model; null if the chosen one is unavailable.
    #[schema(required)]
    model: Option<String>,
    /// A build can start only if this is empty.
    obstacles: Vec<StartObstacle>,
}

/// Something that is missing for a build.
#[derive(Debug, Serialize, ToSchema)]
pub struct StartObstacle {
    kind: StartObstacleKind,
    /// What is missing, and how to provide it.
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StartObstacleKind {
    /// A model, with a known price if there is a limit in US dollars.
    Model,
    /// A valid phases contract.
    Phases,
    /// Contracts without gaps.
    Gaps,
    /// Requirements that phases cover and prove.
    Requirements,
    /// A sandbox for commands.
    Sandbox,
}

/// What a build of the project would use if it were started now, and what prevents it from
/// starting.
#[utoipa::path(get, path = "/api/projects/{project}/build-readiness", tag = "builds",
    params(("project" = ProjectId, Path, description = "The project's id")), responses(
        (status = 200, body = BuildReadiness),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_build_readiness(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
) -> Result<Json<BuildReadiness>, ApiError> {
    let found = app.engine.build_readiness(&project).await?;
    let readiness::BuildReadiness { budgets, installation_budgets, model, obstacles } = found;
    let obstacles = obstacles.into_iter().map(obstacle).collect::<Result<_, _>>()?;
    Ok(Json(BuildReadiness { budgets, installation_budgets, model, obstacles }))
}

fn obstacle(error: EngineError) -> Result<StartObstacle, ApiError> {
    let kind = match &error {
        EngineError::NoBuildModel
        | EngineError::ModelUnavailable(_)
        | EngineError::UnknownPrice(_) => StartObstacleKind::Model,
        EngineError::NoPhases | EngineError::Phases(_) => StartObstacleKind::Phases,
        EngineError::ContractGaps(_) => StartObstacleKind::Gaps,
        EngineError::Requirements(_) => StartObstacleKind::Requirements,
        EngineError::NoSandbox(_) => StartObstacleKind::Sandbox,
        _ => return Err(error.into()),
    };
    Ok(StartObstacle { kind, message: sentence(&error) })
}
