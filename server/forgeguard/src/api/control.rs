//! `/api/builds/{build}/phases/{phase}/…`, `/gates/run` and `/errors/{error}/fix`: control over
//! phases, gates and errors.
//!
//! Each appends one command and returns its seq, like those in `commands`.

use axum::{extract::State, http::StatusCode};
use domain::{
    event::control::{PhaseRetryRequested, PhaseSkipRequested},
    ids::{BuildErrorId, BuildId},
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    commands::{Accepted, accepted},
    extract::{Json, PathParams},
    open_items::checked_reason,
    owned::{Owned, ProjectBuild},
};

#[derive(Debug, Deserialize)]
pub struct PhaseParams {
    phase: u32,
}

#[derive(Debug, Deserialize)]
pub struct ErrorParams {
    error: BuildErrorId,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct RetryPhaseRequest {
    /// 1 to 500 characters; the agents receive it.
    #[schema(min_length = 1, max_length = 500)]
    reason: String,
    /// Whether the uncommitted changes of the phase are discarded. They are saved first.
    discard_changes: bool,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct SkipPhaseRequest {
    /// 1 to 500 characters; the report of the build contains it.
    #[schema(min_length = 1, max_length = 500)]
    reason: String,
}

/// Lets the current phase of a paused, blocked or waiting build begin again.
#[utoipa::path(post, path = "/api/builds/{build}/phases/{phase}/retry", tag = "builds", params(
        ("build" = BuildId, Path, description = "The build's id"),
        ("phase" = u32, Path, description = "The phase's number"),
    ), request_body = RetryPhaseRequest, responses(
        (status = 202, body = Accepted),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn retry_build_phase(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
    PathParams(PhaseParams { phase }): PathParams<PhaseParams>,
    Json(request): Json<RetryPhaseRequest>,
) -> Result<(StatusCode, Json<Accepted>), ApiError> {
    let reason = checked_reason(&request.reason)?;
    let RetryPhaseRequest { discard_changes, .. } = request;
    let request = PhaseRetryRequested { phase, by: by.actor(), reason, discard_changes };
    Ok(accepted(app.engine.retry_phase(resource.build.id, request).await?))
}

/// Leaves the current phase out of a paused, blocked or waiting build, which is then never
/// certified. Uncommitted changes are saved and discarded.
#[utoipa::path(post, path = "/api/builds/{build}/phases/{phase}/skip", tag = "builds", params(
        ("build" = BuildId, Path, description = "The build's id"),
        ("phase" = u32, Path, description = "The phase's number"),
    ), request_body = SkipPhaseRequest, responses(
        (status = 202, body = Accepted),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn skip_build_phase(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
    PathParams(PhaseParams { phase }): PathParams<PhaseParams>,
    Json(request): Json<SkipPhaseRequest>,
) -> Result<(StatusCode, Json<Accepted>), ApiError> {
    let reason = checked_reason(&request.reason)?;
    let request = PhaseSkipRequested { phase, by: by.actor(), reason };
    Ok(accepted(app.engine.skip_phase(resource.build.id, request).await?))
}

/// Runs the gates of the current phase on its files as they are. While agents work, the gates run
/// after the current step of the agent, which then continues.
#[utoipa::path(post, path = "/api/builds/{build}/gates/run", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 202, body = Accepted),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn run_build_gates(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
) -> Result<(StatusCode, Json<Accepted>), ApiError> {
    Ok(accepted(app.engine.request_gates(resource.build.id, by.actor()).await?))
}

/// Tells the agents to fix an error. A paused or blocked build continues with that.
#[utoipa::path(post, path = "/api/builds/{build}/errors/{error}/fix", tag = "builds", params(
        ("build" = BuildId, Path, description = "The build's id"),
        ("error" = BuildErrorId, Path, description = "The error's id"),
    ), responses(
        (status = 202, body = Accepted),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn fix_build_error(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
    PathParams(ErrorParams { error }): PathParams<ErrorParams>,
) -> Result<(StatusCode, Json<Accepted>), ApiError> {
    Ok(accepted(app.engine.fix_error(resource.build.id, error, by.actor()).await?))
}
