//! `/api/builds/{build}/pause`, `/resume`, `/cancel`, `/interject`: what people ask of a build.
//!
//! Each appends one event and answers with its seq; the worker that holds the build follows.

use axum::{extract::State, http::StatusCode};
use domain::{budget::BudgetAdded, ids::BuildId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    app::Shared,
    check::Check,
    extract::Json,
    owned::{Owned, ProjectBuild},
    problem::{Problem, ProblemBody},
};
use crate::journal::Appended;

/// The command is in the journal.
#[derive(Debug, Serialize, ToSchema)]
pub struct Accepted {
    /// Seq of the event that records it.
    seq: u64,
}

/// Lets a build go on.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ResumeRequest {
    /// What it may spend more.
    add: Option<BudgetAdded>,
}

/// Ends a build.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CancelRequest {
    /// Why, at most 500 characters.
    reason: Option<String>,
}

/// Tells the agents something.
#[derive(Debug, Deserialize, ToSchema)]
pub struct InterjectRequest {
    /// At most 4,000 characters.
    text: String,
}

fn accepted(appended: Appended) -> (StatusCode, Json<Accepted>) {
    (StatusCode::ACCEPTED, Json(Accepted { seq: appended.first_seq }))
}

/// Asks the build to stand still at its next boundary.
#[utoipa::path(post, path = "/api/builds/{build}/pause", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 202, body = Accepted),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn pause_build(
    State(app): State<Shared>,
    Owned { thing, by, .. }: Owned<ProjectBuild>,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    Ok(accepted(app.engine.pause(thing.build.id, by.actor()).await?))
}

/// Lets a paused or blocked build go on, perhaps with more to spend.
#[utoipa::path(post, path = "/api/builds/{build}/resume", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")),
    request_body = ResumeRequest, responses(
        (status = 202, body = Accepted),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn resume_build(
    State(app): State<Shared>,
    Owned { thing, by, .. }: Owned<ProjectBuild>,
    Json(request): Json<ResumeRequest>,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    Ok(accepted(app.engine.resume(thing.build.id, by.actor(), request.add).await?))
}

/// Asks the build to end without a seal. Its branch stays.
#[utoipa::path(post, path = "/api/builds/{build}/cancel", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")),
    request_body = CancelRequest, responses(
        (status = 202, body = Accepted),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn cancel_build(
    State(app): State<Shared>,
    Owned { thing, by, .. }: Owned<ProjectBuild>,
    Json(request): Json<CancelRequest>,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    let mut check = Check::new();
    let reason = request.reason.map(|reason| check.text("reason", &reason, 0, 500));
    check.done()?;
    let reason = reason.filter(|reason| !reason.trim().is_empty());
    Ok(accepted(app.engine.cancel(thing.build.id, by.actor(), reason).await?))
}

/// Tells the agents something, before their next turn.
#[utoipa::path(post, path = "/api/builds/{build}/interject", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")),
    request_body = InterjectRequest, responses(
        (status = 202, body = Accepted),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn interject_build(
    State(app): State<Shared>,
    Owned { thing, by, .. }: Owned<ProjectBuild>,
    Json(request): Json<InterjectRequest>,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    let mut check = Check::new();
    let text = check.text("text", &request.text, 1, 4_000);
    check.done()?;
    Ok(accepted(app.engine.interject(thing.build.id, by.actor(), text).await?))
}
