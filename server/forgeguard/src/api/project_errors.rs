//! `/api/projects/{project}/errors`: the errors of all builds of a project, each distinct one once.

use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::{
    errors::{ResolutionMethod, Severity},
    ids::BuildId,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::{Json, QueryParams},
    list::{List, Page},
    owned::Owned,
};
use crate::store::{
    project_errors::{self, Cursor, Filter},
    projects::Project,
};

/// In characters.
const MAX_SEARCH_LENGTH: usize = 200;

/// Which errors to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ProjectErrorsQuery {
    /// Text to search for in message, file and source.
    q: Option<String>,
    /// Whether it is resolved in the build that saw it last.
    resolved: Option<bool>,
    /// Whether a user dismissed it.
    dismissed: Option<bool>,
    /// Whether it returned after it had been resolved, in any build.
    regression: Option<bool>,
    /// Only errors of this severity.
    severity: Option<Severity>,
}

/// One distinct error of a project. Properties that differ between builds are those of the build
/// that saw it last.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectError {
    /// 16 hex digits; equal for equal errors.
    fingerprint: String,
    /// In any build.
    first_seen: DateTime<Utc>,
    last_seen: DateTime<Utc>,
    /// The number of builds that saw it.
    build_count: u32,
    /// Occurrences in all builds.
    occurrence_count: u64,
    /// The build that saw it last.
    build_id: BuildId,
    /// What reported it: `gate:test`, `audit`, `model` …
    source: String,
    severity: Severity,
    /// The label of the phase in which that build saw it last.
    #[schema(required)]
    phase: Option<String>,
    #[schema(required)]
    file_path: Option<String>,
    message: String,
    /// Whether it is resolved in that build.
    resolved: bool,
    /// It returned after it had been resolved, in any build.
    regression: bool,
    /// How it was resolved last, in this or an earlier build.
    #[schema(required)]
    resolution: Option<ErrorResolution>,
    /// The occurrences in each build, newest build first.
    sightings: Vec<ErrorSighting>,
}

/// The occurrences of an error in one build.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ErrorSighting {
    build_id: BuildId,
    /// The number of the build in its project.
    build_number: u32,
    #[schema(required)]
    build_title: Option<String>,
    /// When the build was queued.
    build_created_at: DateTime<Utc>,
    occurrence_count: u32,
    /// The label of the phase in which it was seen last.
    #[schema(required)]
    phase: Option<String>,
    #[schema(required)]
    file_path: Option<String>,
    first_seen: DateTime<Utc>,
    last_seen: DateTime<Utc>,
    /// The event that reported it first; null for errors recorded by an early version.
    #[schema(required)]
    first_seq: Option<u64>,
    /// Whether it is resolved in this build.
    resolved: bool,
    /// How it was resolved.
    #[schema(required)]
    method: Option<ResolutionMethod>,
    /// A note on the resolution.
    #[schema(required)]
    summary: Option<String>,
    /// It returned after it had been resolved in this build.
    regression: bool,
}

impl From<project_errors::ErrorSighting> for ErrorSighting {
    fn from(row: project_errors::ErrorSighting) -> Self {
        Self {
            build_id: row.build_id,
            build_number: row.build_number,
            build_title: row.build_title,
            build_created_at: row.build_created_at,
            occurrence_count: row.occurrence_count,
            phase: row.phase,
            file_path: row.file_path,
            first_seen: row.first_seen,
            last_seen: row.last_seen,
            first_seq: row.first_seq,
            resolved: row.resolved,
            method: row.resolution_method,
            summary: row.resolution_summary,
            regression: row.regression,
        }
    }
}

/// How an error was resolved.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorResolution {
    /// The build in which it was resolved.
    build_id: BuildId,
    resolved_at: DateTime<Utc>,
    method: ResolutionMethod,
    /// A note on the resolution; null if a user dismissed it.
    #[schema(required)]
    summary: Option<String>,
}

fn show(row: project_errors::ProjectError, sightings: Vec<ErrorSighting>) -> ProjectError {
    let settled = row.settled_in.zip(row.settled_at).zip(row.settled_by);
    let resolution = settled.map(|((build_id, resolved_at), method)| {
        let summary = row.settled_note;
        ErrorResolution { build_id, resolved_at, method, summary }
    });
    ProjectError {
        fingerprint: row.fingerprint,
        first_seen: row.first_seen,
        last_seen: row.last_seen,
        build_count: row.build_count,
        occurrence_count: row.occurrence_count,
        build_id: row.build_id,
        source: row.source,
        severity: row.severity,
        phase: row.phase,
        file_path: row.file_path,
        message: row.message,
        resolved: row.resolved,
        regression: row.regression,
        resolution,
        sightings,
    }
}

/// A cursor is the time at which an error was seen last, in microseconds, and its fingerprint.
fn cursor(text: &str) -> Option<Cursor> {
    let (micros, fingerprint) = text.split_once('.')?;
    let last_seen = DateTime::from_timestamp_micros(micros.parse().ok()?)?;
    let is_hex = fingerprint.len() == 16 && fingerprint.bytes().all(|b| b.is_ascii_hexdigit());
    is_hex.then(|| Cursor { last_seen, fingerprint: fingerprint.to_owned() })
}

/// Lists the errors of all builds of the project, each distinct one once, most recently seen first.
#[utoipa::path(get, path = "/api/projects/{project}/errors", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug"), Page, ProjectErrorsQuery),
    responses(
        (status = 200, body = List<ProjectError>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_project_errors(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    QueryParams(page): QueryParams<Page>,
    QueryParams(query): QueryParams<ProjectErrorsQuery>,
) -> Result<Json<List<ProjectError>>, ApiError> {
    let after = page.after.as_deref().map(|text| {
        cursor(text).ok_or_else(|| ApiError::invalid("after", "use the `next` of a page"))
    });
    let ProjectErrorsQuery { q, resolved, dismissed, regression, severity } = query;
    let words = q.filter(|q| !q.trim().is_empty());
    if words.as_ref().is_some_and(|q| q.chars().count() > MAX_SEARCH_LENGTH || q.contains('\0')) {
        let reason = format!("must have at most {MAX_SEARCH_LENGTH} characters");
        return Err(ApiError::invalid("q", reason));
    }
    let filter = Filter { words, resolved, dismissed, regression, severity };
    let (after, mut conn) = (after.transpose()?, app.db.read().await?);
    let rows =
        project_errors::list(&mut conn, project.id, &filter, after.as_ref(), page.rows()?).await?;
    let fingerprints: Vec<&str> = rows.iter().map(|row| row.fingerprint.as_str()).collect();
    let seen = project_errors::sightings(&mut conn, project.id, &fingerprints).await?;
    let show = |row: project_errors::ProjectError| {
        let of_it = seen.iter().filter(|seen| seen.fingerprint == row.fingerprint);
        let sightings = of_it.cloned().map(ErrorSighting::from).collect();
        show(row, sightings)
    };
    let key = |row: &project_errors::ProjectError| {
        format!("{}.{}", row.last_seen.timestamp_micros(), row.fingerprint)
    };
    Ok(Json(page.list(rows, key, show)?))
}
