//! `/api/builds/{build}/demo-speed`: how fast a demo build replays its recording.

use axum::{extract::State, http::StatusCode};
use domain::{demo_speed::DemoSpeed, event::life::Origin, ids::BuildId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::Json,
    owned::{Owned, ProjectBuild},
};
use crate::store::demo_speeds;

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DemoPlayback {
    speed: DemoSpeed,
}

/// Gets the speed of a demo build.
#[utoipa::path(get, path = "/api/builds/{build}/demo-speed", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = DemoPlayback),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_demo_speed(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
) -> Result<Json<DemoPlayback>, ApiError> {
    let speed = demo_speeds::get(&mut app.db.read().await?, resource.build.id).await?;
    Ok(Json(DemoPlayback { speed }))
}

/// Changes the speed of a demo build, within half a second.
#[utoipa::path(put, path = "/api/builds/{build}/demo-speed", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")),
    request_body = DemoPlayback, responses(
        (status = 204, description = "Changed"),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn update_demo_speed(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
    Json(DemoPlayback { speed }): Json<DemoPlayback>,
) -> Result<StatusCode, ApiError> {
    if resource.project.origin != Origin::Demo {
        return Err(ApiError::conflict("Only builds of the demo project have a speed."));
    }
    let mut tx = app.db.write().await?;
    demo_speeds::put(&mut tx, resource.build.id, speed).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
