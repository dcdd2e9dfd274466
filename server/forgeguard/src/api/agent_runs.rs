//! `/api/builds/{build}/runs`: the runs of a build's agents.

use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::{
    event::agents::{Role, RunOutcome, Task},
    ids::{BuildId, RunId},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::{Json, QueryParams},
    list::{List, Page},
    owned::{Owned, ProjectBuild},
};
use crate::agent::runs::{self, RecordedRun};

#[derive(Debug, Serialize, ToSchema)]
pub struct BuildRun {
    pub run_id: RunId,
    /// The first run of its conversation. Runs of the coder in one phase share a conversation.
    pub conversation: RunId,
    pub role: Role,
    pub task: Task,
    pub phase: u32,
    pub model: String,
    pub started_at: DateTime<Utc>,
    /// Null while it runs, as `outcome`.
    #[schema(required)]
    pub finished_at: Option<DateTime<Utc>>,
    #[schema(required)]
    pub outcome: Option<RunOutcome>,
    /// The number of replies.
    pub turns: u32,
    /// All input tokens, also those that the provider's cache read or wrote.
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Millionths of a US dollar.
    pub cost_usd_micros: u64,
}

/// Lists the runs of a build's agents, in the order of their starts.
#[utoipa::path(get, path = "/api/builds/{build}/runs", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id"), Page), responses(
        (status = 200, body = List<BuildRun>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_build_runs(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<List<BuildRun>>, ApiError> {
    let (after, rows) = (page.after::<u64>()?.unwrap_or(0), page.rows()? as usize);
    let runs = runs::list(&mut app.db.read().await?, resource.build.id).await?;
    let rest = runs.into_iter().filter(|run| run.seq > after).take(rows);
    Ok(Json(page.list(rest.collect(), |run| run.seq.to_string(), show)?))
}

fn show(run: RecordedRun) -> BuildRun {
    let (finished_at, outcome) = run.end.unzip();
    BuildRun {
        run_id: run.started.run_id,
        conversation: run.conversation,
        role: run.started.role,
        task: run.started.task,
        phase: run.started.phase,
        model: run.started.model,
        started_at: run.started_at,
        finished_at,
        outcome,
        turns: run.turns,
        tokens_in: run.tokens_in,
        tokens_out: run.tokens_out,
        cost_usd_micros: run.cost_usd_micros,
    }
}
