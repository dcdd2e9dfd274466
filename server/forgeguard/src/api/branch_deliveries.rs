//! `/api/builds/{build}/delivery`: the branch of a sealed build at the project's remote, and its pull
//! request.

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{
    audit::AuditAction,
    branch_delivery::{DeliverWhen, DeliveryState, PullRequestComment, PullRequestState},
    ids::BuildId,
    remote::ForgeKind,
};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    extract::Json,
    follow_ups,
    owned::{Owned, ProjectBuild},
    review::FollowUp,
};
use crate::{
    engine::{EngineError, ProjectSettings, displayed_branch},
    store::{
        self,
        audit_log::{self, NewEntry},
        branch_deliveries::{self, BranchDelivery},
        remotes::{self, Remote},
    },
};

/// Where a build is delivered to, and how far that is.
#[derive(Serialize, ToSchema)]
pub struct BuildDelivery {
    /// Null if the project has no remote.
    #[schema(required)]
    pub remote: Option<DeliveryRemote>,
    pub when: DeliverWhen,
    pub branch: String,
    /// Null until the delivery is requested.
    #[schema(required)]
    pub delivery: Option<Delivery>,
    /// The build that implements what was requested of this one.
    #[schema(required)]
    pub follow_up: Option<FollowUp>,
}

#[derive(Serialize, ToSchema)]
pub struct DeliveryRemote {
    /// Without credentials.
    pub url: String,
    pub forge: ForgeKind,
}

#[derive(Serialize, ToSchema)]
pub struct Delivery {
    pub state: DeliveryState,
    /// Failed attempts since it was last requested.
    pub attempts: u32,
    /// Why the last attempt failed.
    #[schema(required)]
    pub failure: Option<String>,
    /// The time of the next attempt, while it is waiting.
    #[schema(required)]
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// What the server did not accept of the pull request.
    #[schema(required)]
    pub note: Option<String>,
    /// Null until it exists.
    #[schema(required)]
    pub pull_request: Option<PullRequest>,
}

#[derive(Serialize, ToSchema)]
pub struct PullRequest {
    pub number: u64,
    pub url: String,
    pub state: PullRequestState,
    pub draft: bool,
    pub checks: PullRequestChecks,
    /// The first comments of its reviews.
    pub comments: Vec<PullRequestComment>,
    /// When it was last read.
    #[schema(required)]
    pub read_at: Option<DateTime<Utc>>,
}

/// The numbers of checks of the sealed commit, without ForgeGuard's own.
#[derive(Serialize, ToSchema)]
pub struct PullRequestChecks {
    pub passed: u32,
    pub failed: u32,
    pub pending: u32,
}

/// Gets the delivery of a build and the state of its pull request.
#[utoipa::path(get, path = "/api/builds/{build}/delivery", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = BuildDelivery),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_build_delivery(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
) -> Result<Json<BuildDelivery>, ApiError> {
    shown(&app, &resource).await.map(Json)
}

/// Delivers a sealed build: pushes its branch and opens a pull request. Tries again after a failure;
/// reads the state of a pull request that exists. Repeating it opens no second one.
#[utoipa::path(post, path = "/api/builds/{build}/delivery", tag = "builds",
    params(("build" = BuildId, Path, description = "The sealed build's id")), responses(
        (status = 202, body = BuildDelivery),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn request_build_delivery(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
) -> Result<(StatusCode, Json<BuildDelivery>), ApiError> {
    let ProjectBuild { build, project } = &resource;
    app.engine.request_delivery(build, project, by.user.id).await?;
    let detail = json!({ "project": project.name, "build": build.number });
    let (action, subject) = (AuditAction::PullRequestRequested, format!("build/{}", build.id));
    let entry = NewEntry::by(&by.user, store::now(), action, subject, detail);
    let mut tx = app.db.write().await?;
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    Ok((StatusCode::ACCEPTED, Json(shown(&app, &resource).await?)))
}

async fn shown(app: &App, of: &ProjectBuild) -> Result<BuildDelivery, ApiError> {
    let mut conn = app.db.read().await?;
    let remote = remotes::get(&mut conn, of.project.id).await?;
    let row = branch_deliveries::get(&mut conn, of.build.id).await?;
    let follow_up = follow_ups::of(&mut conn, of.build.id).await?;
    drop(conn);
    let settings = ProjectSettings::read(&of.project.settings).map_err(EngineError::Settings)?;
    let when = settings.delivery.when;
    Ok(BuildDelivery {
        remote: remote.map(|Remote { url, forge, .. }| DeliveryRemote { url, forge }),
        when,
        branch: displayed_branch(&of.build),
        delivery: row.map(delivery).transpose()?,
        follow_up,
    })
}

fn delivery(row: BranchDelivery) -> Result<Delivery, ApiError> {
    let checks = PullRequestChecks {
        passed: row.checks_passed,
        failed: row.checks_failed,
        pending: row.checks_pending,
    };
    let pull_request = match (row.pr_number, row.pr_url, row.pr_state) {
        (Some(number), Some(url), Some(state)) => Some(PullRequest {
            number,
            url,
            state,
            draft: row.pr_draft,
            checks,
            comments: serde_json::from_str(&row.pr_comments).map_err(ApiError::internal)?,
            read_at: row.read_at,
        }),
        _ => None,
    };
    let is_waiting = row.state == DeliveryState::Waiting;
    Ok(Delivery {
        state: row.state,
        attempts: row.attempts,
        failure: row.failure,
        next_attempt_at: is_waiting.then_some(row.run_after),
        note: row.note,
        pull_request,
    })
}
