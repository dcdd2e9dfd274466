//! `/api/builds/{build}/pause`, `/resume`, `/cancel`, `/interject`: commands to a build.
//!
//! Each appends one event and returns its seq; the worker that holds the build executes it.

use axum::{extract::State, http::StatusCode};
use domain::{audit::AuditAction, budget::BudgetAdded, ids::BuildId};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    check::Check,
    extract::Json,
    owned::{Owned, ProjectBuild},
};
use crate::{
    journal::Appended,
    store::{
        self,
        audit_log::{self, NewEntry},
    },
};

/// The command is recorded.
#[derive(Debug, Serialize, ToSchema)]
pub struct Accepted {
    /// Seq of the event that records it.
    pub seq: u64,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct ResumeRequest {
    /// Additional budget.
    add: Option<BudgetAdded>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct CancelRequest {
    /// At most 500 characters.
    #[schema(max_length = 500)]
    reason: Option<String>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct InterjectRequest {
    /// At most 4,000 characters.
    #[schema(min_length = 1, max_length = 4_000)]
    text: String,
}

/// The response to a command.
pub fn accepted(appended: Appended) -> (StatusCode, Json<Accepted>) {
    (StatusCode::ACCEPTED, Json(Accepted { seq: appended.first_seq }))
}

/// Pauses the build at its next boundary.
#[utoipa::path(post, path = "/api/builds/{build}/pause", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 202, body = Accepted),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn pause_build(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
) -> Result<(StatusCode, Json<Accepted>), ApiError> {
    Ok(accepted(app.engine.pause(resource.build.id, by.actor()).await?))
}

/// Resumes a paused or blocked build, optionally with additional budget.
#[utoipa::path(post, path = "/api/builds/{build}/resume", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")),
    request_body = ResumeRequest, responses(
        (status = 202, body = Accepted),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn resume_build(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
    Json(request): Json<ResumeRequest>,
) -> Result<(StatusCode, Json<Accepted>), ApiError> {
    Ok(accepted(app.engine.resume(resource.build.id, by.actor(), request.add).await?))
}

/// Cancels the build. Its branch is kept and not sealed.
#[utoipa::path(post, path = "/api/builds/{build}/cancel", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")),
    request_body = CancelRequest, responses(
        (status = 202, body = Accepted),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn cancel_build(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
    Json(request): Json<CancelRequest>,
) -> Result<(StatusCode, Json<Accepted>), ApiError> {
    let mut check = Check::new();
    let reason = request.reason.map(|reason| check.text("reason", &reason, 0, 500));
    check.done()?;
    let reason = reason.filter(|reason| !reason.trim().is_empty());
    let ProjectBuild { build, project } = resource;
    let detail =
        json!({ "project": project.name, "build": build.display_name(), "reason": reason });
    let cancelled = app.engine.cancel(build.id, by.actor(), reason).await?;
    let (action, subject) = (AuditAction::BuildCancelled, format!("build/{}", build.id));
    let entry = NewEntry::by(&by.user, store::now(), action, subject, detail);
    let mut tx = app.db.write().await?;
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    Ok(accepted(cancelled))
}

/// Sends a message to the agents, which they receive before their next turn.
#[utoipa::path(post, path = "/api/builds/{build}/interject", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")),
    request_body = InterjectRequest, responses(
        (status = 202, body = Accepted),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn interject_build(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
    Json(request): Json<InterjectRequest>,
) -> Result<(StatusCode, Json<Accepted>), ApiError> {
    let mut check = Check::new();
    let text = check.text("text", &request.text, 1, 4_000);
    check.done()?;
    Ok(accepted(app.engine.interject(resource.build.id, by.actor(), text).await?))
}
