//! `/api/builds/{build}/gates/{seq}/log`: the complete output of a gate.

use std::time::Duration;

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use domain::{event::EventBody, ids::BuildId};
use serde::Deserialize;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::PathParams,
    owned::{Owned, ProjectBuild},
};
use crate::{
    journal,
    store::{blobs, events},
    threads,
};

const DECOMPRESSION_TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Debug, Deserialize)]
pub struct LogParams {
    seq: u64,
}

/// Gets the complete output of a gate's run, identified by the event of its end: what the command
/// wrote, as text, at most 16 MiB.
#[utoipa::path(get, path = "/api/builds/{build}/gates/{seq}/log", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id"),
        ("seq" = u64, Path, description = "Seq of the event of the gate's end")), responses(
        (status = 200, body = String, content_type = "text/plain"),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_gate_log(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
    PathParams(LogParams { seq }): PathParams<LogParams>,
) -> Result<Response, ApiError> {
    let mut conn = app.db.read().await?;
    let rows = events::after(&mut conn, resource.build.id, seq.saturating_sub(1), 1).await?;
    let row =
        rows.into_iter().find(|row| row.seq == seq).ok_or_else(|| ApiError::not_found("gate"))?;
    let event: EventBody = serde_json::from_str(&row.body).map_err(ApiError::internal)?;
    let output = event.gate_output().ok_or_else(|| ApiError::not_found("gate"))?;
    // Events of earlier versions name the stored text within their output.
    let named = event.gate_log().map(|log| log.sha256.as_str());
    let text = match named.or_else(|| journal::blobs_in(output).next()) {
        None => output.as_bytes().to_vec(),
        Some(digest) => {
            let blob =
                blobs::get(&mut conn, digest).await?.ok_or_else(|| ApiError::not_found("log"))?;
            drop(conn);
            let unpack = move || blob.text();
            threads::run(DECOMPRESSION_TIMEOUT, unpack)
                .await
                .map_err(ApiError::internal)?
                .map_err(ApiError::internal)?
        }
    };
    let build = resource.build.id;
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("inline; filename=\"build-{build}-gate-{seq}.txt\"")),
    ];
    Ok((headers, text).into_response())
}
