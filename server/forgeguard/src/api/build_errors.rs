//! `/api/builds/{build}/errors`: what went wrong, each distinct error once.

use axum::extract::State;
use domain::{
    errors::ErrorRecord,
    ids::{BuildErrorId, BuildId},
};

use serde::Deserialize;

use super::{
    app::{App, Shared},
    extract::{Json, Params, Search},
    list::{List, Page},
    owned::{Owned, ProjectBuild},
    problem::{Problem, ProblemBody},
};
use crate::store::build_errors::{self, Cursor};

/// Which error a path names.
#[derive(Debug, Deserialize)]
pub struct ErrorParams {
    error: BuildErrorId,
}

fn show(row: build_errors::BuildError) -> ErrorRecord {
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

/// A cursor is the error's id behind a letter for open or settled.
fn cursor(text: &str) -> Option<Cursor> {
    let (kind, id) = text.split_at_checked(1)?;
    let resolved = match kind {
        "o" => false,
        "r" => true,
        _ => return None,
    };
    Some(Cursor { resolved, id: id.parse().ok()? })
}

/// The build's errors: open ones first, each kind in the order in which they were first seen.
#[utoipa::path(get, path = "/api/builds/{build}/errors", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id"), Page), responses(
        (status = 200, body = List<ErrorRecord>),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn list_build_errors(
    State(app): State<Shared>,
    Owned { thing, .. }: Owned<ProjectBuild>,
    Search(page): Search<Page>,
) -> Result<Json<List<ErrorRecord>>, Problem> {
    let after = page.after.as_deref().map(|text| {
        cursor(text).ok_or_else(|| Problem::invalid("after", "this is not the `next` of a page"))
    });
    let (after, mut conn) = (after.transpose()?, app.db.read().await?);
    let rows = build_errors::list(&mut conn, thing.build.id, after, page.rows()?).await?;
    let key = |row: &build_errors::BuildError| {
        format!("{}{}", if row.resolved { 'r' } else { 'o' }, row.id)
    };
    Ok(Json(page.list(rows, key, show)?))
}

/// Settles an error because a person does not care about it. Fatal ones stay.
#[utoipa::path(post, path = "/api/builds/{build}/errors/{error}/dismiss", tag = "builds", params(
        ("build" = BuildId, Path, description = "The build's id"),
        ("error" = BuildErrorId, Path, description = "The error's id"),
    ), responses(
        (status = 200, body = ErrorRecord),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn dismiss_build_error(
    State(app): State<Shared>,
    Owned { thing, .. }: Owned<ProjectBuild>,
    Params(ErrorParams { error }): Params<ErrorParams>,
) -> Result<Json<ErrorRecord>, Problem> {
    app.engine.dismiss_error(thing.build.id, error).await?;
    shown(&app, &thing, error).await
}

/// Opens an error again that a person has dismissed.
#[utoipa::path(post, path = "/api/builds/{build}/errors/{error}/reopen", tag = "builds", params(
        ("build" = BuildId, Path, description = "The build's id"),
        ("error" = BuildErrorId, Path, description = "The error's id"),
    ), responses(
        (status = 200, body = ErrorRecord),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn reopen_build_error(
    State(app): State<Shared>,
    Owned { thing, .. }: Owned<ProjectBuild>,
    Params(ErrorParams { error }): Params<ErrorParams>,
) -> Result<Json<ErrorRecord>, Problem> {
    app.engine.reopen_error(thing.build.id, error).await?;
    shown(&app, &thing, error).await
}

async fn shown(
    app: &App,
    of: &ProjectBuild,
    error: BuildErrorId,
) -> Result<Json<ErrorRecord>, Problem> {
    let row = build_errors::get(&mut app.db.read().await?, of.build.id, error).await?;
    Ok(Json(show(row.ok_or_else(|| Problem::not_found("error"))?)))
}
