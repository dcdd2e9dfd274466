//! `/api/reviews/{build}/gate-reruns`: the gates of a sealed build, run again for its reviewers; and
//! `/api/builds/{build}/gate-reruns`, for its owner.

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{
    gate_rerun::{RerunGate, RerunStatus},
    ids::{BuildId, GateRerunId},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    extract::Json,
    owned::{Owned, ProjectBuild},
    reviewed::Reviewed,
};
use crate::store::gate_reruns;

/// Runs that are listed.
const MAX_LISTED: i64 = 20;

/// The newest runs of the gates of a sealed build, newest first.
#[derive(Serialize, ToSchema)]
pub struct GateReruns {
    /// At most 20.
    items: Vec<GateRerun>,
}

#[derive(Serialize, ToSchema)]
pub struct GateRerun {
    id: GateRerunId,
    state: GateRerunState,
    /// The administrator who requested it.
    requested_by: String,
    requested_at: DateTime<Utc>,
    #[schema(required)]
    finished_at: Option<DateTime<Utc>>,
    /// Why it failed.
    #[schema(required)]
    failure: Option<String>,
    /// The results so far.
    results: Vec<RerunGate>,
}

#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateRerunState {
    Waiting,
    Running,
    /// All gates ran, whatever their results.
    Finished,
    /// The gates could not be run.
    Failed,
}

/// Runs the gates of a sealed build again, on a clean checkout of the sealed commit, with the commands
/// that the journal records. The results do not change the seal.
#[utoipa::path(post, path = "/api/reviews/{build}/gate-reruns", tag = "reviews",
    params(("build" = BuildId, Path, description = "The sealed build's id")), responses(
        (status = 202, body = GateReruns),
        (status = 409, body = ProblemDetails, content_type = "application/problem+json",
            description = "Its gates are running already."),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn rerun_gates(
    State(app): State<Shared>,
    Reviewed { build, by }: Reviewed,
) -> Result<(StatusCode, Json<GateReruns>), ApiError> {
    app.engine.rerun_gates(&build.build, &by).await?;
    Ok((StatusCode::ACCEPTED, Json(listed(&app, build.build.id).await?)))
}

/// Lists the runs of a sealed build's gates for its reviewers.
#[utoipa::path(get, path = "/api/reviews/{build}/gate-reruns", tag = "reviews",
    params(("build" = BuildId, Path, description = "The sealed build's id")), responses(
        (status = 200, body = GateReruns),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_reviewed_gate_reruns(
    State(app): State<Shared>,
    Reviewed { build, .. }: Reviewed,
) -> Result<Json<GateReruns>, ApiError> {
    listed(&app, build.build.id).await.map(Json)
}

/// Lists the runs of a sealed build's gates.
#[utoipa::path(get, path = "/api/builds/{build}/gate-reruns", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = GateReruns),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_gate_reruns(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
) -> Result<Json<GateReruns>, ApiError> {
    listed(&app, resource.build.id).await.map(Json)
}

async fn listed(app: &App, build: BuildId) -> Result<GateReruns, ApiError> {
    let rows = gate_reruns::newest(&mut app.db.read().await?, build, MAX_LISTED).await?;
    let items = rows.into_iter().map(shown).collect::<Result<_, _>>()?;
    Ok(GateReruns { items })
}

fn shown(row: gate_reruns::GateRerun) -> Result<GateRerun, ApiError> {
    let state = match (row.status, &row.failure) {
        (RerunStatus::Queued, _) => GateRerunState::Waiting,
        (RerunStatus::Claimed, _) => GateRerunState::Running,
        (RerunStatus::Done, None) => GateRerunState::Finished,
        (RerunStatus::Done, Some(_)) => GateRerunState::Failed,
    };
    Ok(GateRerun {
        id: row.id,
        state,
        requested_by: row.requested_by_name,
        requested_at: row.created_at,
        finished_at: row.finished_at,
        failure: row.failure,
        results: serde_json::from_str(&row.results).map_err(ApiError::internal)?,
    })
}
