//! `/api/builds/{build}/runs/{run}/transcript`: what was sent to a model, and what it replied.

use std::time::Duration;

use axum::extract::State;
use domain::{
    event::agents::Role,
    ids::{BuildId, RunId},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::{Json, PathParams, QueryParams},
    list::Page,
    owned::{Owned, ProjectBuild},
    transcript_message::TranscriptMessage,
};
use crate::{
    agent::{
        prompt,
        runs::{self, RecordedRun},
    },
    store::{Conn, agent_messages},
    threads, tools,
};

/// For removing secrets from a page.
const SHOW_TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Debug, Deserialize)]
pub struct TranscriptParams {
    run: RunId,
}

#[derive(Debug, Deserialize)]
pub struct MessageParams {
    run: RunId,
    position: u32,
}

/// A page of a conversation.
#[derive(Debug, Serialize, ToSchema)]
pub struct Transcript {
    /// The first run of the conversation.
    pub conversation: RunId,
    pub role: Role,
    /// The role's instructions, which precede the conversation in every request.
    pub system: String,
    /// The names of the role's tools.
    pub tools: Vec<String>,
    /// Oldest first.
    pub items: Vec<TranscriptMessage>,
    /// The value of `after` for the next page; null at the end.
    #[schema(required)]
    pub next: Option<String>,
}

/// Gets the conversation that a run belongs to, without secrets. Long texts are shortened.
#[utoipa::path(get, path = "/api/builds/{build}/runs/{run}/transcript", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id"),
        ("run" = RunId, Path, description = "A run of the conversation"), Page), responses(
        (status = 200, body = Transcript),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_transcript(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
    PathParams(TranscriptParams { run }): PathParams<TranscriptParams>,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<Transcript>, ApiError> {
    let after = page.after.as_deref().map(|text| {
        cursor(text).ok_or_else(|| ApiError::invalid("after", "use the `next` of a page"))
    });
    let (after, limit) = (after.transpose()?, page.rows()?);
    let mut conn = app.db.read().await?;
    let runs = runs::list(&mut conn, resource.build.id).await?;
    let found = find(&runs, run)?;
    let (conversation, role) = (found.conversation, found.started.role);
    let runs = runs.iter().filter(|run| run.conversation == conversation);
    let runs: Vec<RunId> = runs.map(|run| run.started.run_id).collect();
    let rows = rows(&mut conn, &runs, after, limit).await?;
    drop(conn);
    let key = |(run, row): &Row| format!("{run}:{}", row.position);
    let list = page.list(rows, key, |row| row)?;
    let show = move || {
        let shown = list.items.into_iter().map(|(run, row)| TranscriptMessage::shortened(run, row));
        shown.collect::<Result<Vec<_>, _>>()
    };
    let items = threads::run(SHOW_TIMEOUT, show).await?.map_err(ApiError::internal)?;
    Ok(Json(Transcript {
        conversation,
        role,
        system: prompt::system(role).map_err(ApiError::internal)?,
        tools: tools::definitions(role).iter().map(|tool| tool.name.clone()).collect(),
        items,
        next: list.next,
    }))
}

/// Gets one message of a run in full, without secrets.
#[utoipa::path(get, path = "/api/builds/{build}/runs/{run}/transcript/{position}", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id"),
        ("run" = RunId, Path, description = "The run of the message"),
        ("position" = u32, Path, description = "The message's position in its run")), responses(
        (status = 200, body = TranscriptMessage),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_transcript_message(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
    PathParams(MessageParams { run, position }): PathParams<MessageParams>,
) -> Result<Json<TranscriptMessage>, ApiError> {
    let mut conn = app.db.read().await?;
    find(&runs::list(&mut conn, resource.build.id).await?, run)?;
    let rows = agent_messages::list(&mut conn, run, position, 1).await?;
    drop(conn);
    let row = rows.into_iter().find(|row| row.position == position);
    let row = row.ok_or_else(|| ApiError::not_found("message"))?;
    let show = move || TranscriptMessage::in_full(run, row);
    let shown = threads::run(SHOW_TIMEOUT, show).await?;
    Ok(Json(shown.map_err(ApiError::internal)?))
}

type Row = (RunId, agent_messages::AgentMessage);

fn find(runs: &[RecordedRun], id: RunId) -> Result<&RecordedRun, ApiError> {
    let run = runs.iter().find(|run| run.started.run_id == id);
    run.ok_or_else(|| ApiError::not_found("run"))
}

/// A cursor is the run and the position of the last message.
fn cursor(text: &str) -> Option<(RunId, u32)> {
    let (run, position) = text.split_once(':')?;
    Some((run.parse().ok()?, position.parse().ok()?))
}

/// The next messages of the runs, in order.
async fn rows(
    conn: &mut Conn,
    runs: &[RunId],
    after: Option<(RunId, u32)>,
    limit: i64,
) -> Result<Vec<Row>, ApiError> {
    let (skipped, mut from) = match after {
        None => (0, 0),
        Some((run, position)) => {
            let at = runs.iter().position(|it| *it == run);
            let invalid = || ApiError::invalid("after", "use the `next` of a page");
            (at.ok_or_else(invalid)?, position.saturating_add(1))
        }
    };
    let mut rows: Vec<Row> = Vec::new();
    for run in &runs[skipped..] {
        let left = limit - rows.len() as i64;
        if left <= 0 {
            break;
        }
        let found = agent_messages::list(conn, *run, from, left).await?;
        rows.extend(found.into_iter().map(|row| (*run, row)));
        from = 0;
    }
    Ok(rows)
}
