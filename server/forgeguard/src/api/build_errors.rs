//! `/api/builds/{build}/errors`: the errors of a build, each distinct one once.

use axum::extract::State;
use domain::{
    errors::ErrorRecord,
    ids::{BuildErrorId, BuildId},
};

use serde::Deserialize;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    extract::{Json, PathParams, QueryParams},
    list::{List, Page},
    open_items::{DismissRequest, checked_reason},
    owned::{Owned, ProjectBuild},
};
use crate::store::build_errors::{self, Cursor};

#[derive(Debug, Deserialize)]
pub struct ErrorParams {
    error: BuildErrorId,
}

pub fn show(row: build_errors::BuildError) -> ErrorRecord {
    ErrorRecord {
        id: row.id,
        build_id: row.build_id,
        fingerprint: row.fingerprint,
        first_seen: row.first_seen,
        last_seen: row.last_seen,
        occurrence_count: row.occurrence_count,
        phase: row.phase,
        file_path: row.file_path,
        source: row.source,
        severity: row.severity,
        message: row.message,
        resolved: row.resolved,
        resolved_at: row.resolved_at,
        resolution_method: row.resolution_method,
        resolution_summary: row.resolution_summary,
        regression: row.regression,
    }
}

/// A cursor is a letter for open or resolved, and the error's id.
fn cursor(text: &str) -> Option<Cursor> {
    let (kind, id) = text.split_at_checked(1)?;
    let resolved = match kind {
        "o" => false,
        "r" => true,
        _ => return None,
    };
    Some(Cursor { resolved, id: id.parse().ok()? })
}

/// Lists the build's errors: open ones first, then in the order in which they were first seen.
#[utoipa::path(get, path = "/api/builds/{build}/errors", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id"), Page), responses(
        (status = 200, body = List<ErrorRecord>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_build_errors(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<List<ErrorRecord>>, ApiError> {
    let after = page.after.as_deref().map(|text| {
        cursor(text).ok_or_else(|| ApiError::invalid("after", "use the `next` of a page"))
    });
    let (after, mut conn) = (after.transpose()?, app.db.read().await?);
    let rows = build_errors::list(&mut conn, resource.build.id, after, page.rows()?).await?;
    let key = |row: &build_errors::BuildError| {
        format!("{}{}", if row.resolved { 'r' } else { 'o' }, row.id)
    };
    Ok(Json(page.list(rows, key, show)?))
}

/// Dismisses an error. Fatal errors cannot be dismissed.
#[utoipa::path(post, path = "/api/builds/{build}/errors/{error}/dismiss", tag = "builds", params(
        ("build" = BuildId, Path, description = "The build's id"),
        ("error" = BuildErrorId, Path, description = "The error's id"),
    ), request_body = DismissRequest, responses(
        (status = 200, body = ErrorRecord),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn dismiss_build_error(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
    PathParams(ErrorParams { error }): PathParams<ErrorParams>,
    Json(request): Json<DismissRequest>,
) -> Result<Json<ErrorRecord>, ApiError> {
    let reason = checked_reason(&request.reason)?;
    app.engine.dismiss_error(resource.build.id, error, reason, by.actor()).await?;
    response(&app, &resource, error).await
}

/// Reopens a dismissed error.
#[utoipa::path(post, path = "/api/builds/{build}/errors/{error}/reopen", tag = "builds", params(
        ("build" = BuildId, Path, description = "The build's id"),
        ("error" = BuildErrorId, Path, description = "The error's id"),
    ), responses(
        (status = 200, body = ErrorRecord),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn reopen_build_error(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
    PathParams(ErrorParams { error }): PathParams<ErrorParams>,
) -> Result<Json<ErrorRecord>, ApiError> {
    app.engine.reopen_error(resource.build.id, error).await?;
    response(&app, &resource, error).await
}

async fn response(
    app: &App,
    of: &ProjectBuild,
    error: BuildErrorId,
) -> Result<Json<ErrorRecord>, ApiError> {
    let row = build_errors::get(&mut app.db.read().await?, of.build.id, error).await?;
    Ok(Json(show(row.ok_or_else(|| ApiError::not_found("error"))?)))
}
