//! `/api/projects/{project}/errors`: what went wrong in any of a project's builds, each once.

mod query;

use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::{
    errors::{ResolutionMethod, Severity},
    ids::{BuildId, ProjectId},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    app::Shared,
    extract::{Json, Search},
    list::{List, Page},
    owned::Owned,
    problem::{Problem, ProblemBody},
};
use crate::store::{
    project_errors::{self, Cursor, Filter},
    projects::Project,
};
pub use query::ProjectErrorsQuery;

/// Characters that may be searched for at once.
const MOST_WORDS: usize = 200;

/// One distinct error of a project. What can change from build to build is as it was in the build
/// that saw it last.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectError {
    /// 16 hex digits; equal for errors that are the same.
    fingerprint: String,
    /// When it was seen first, in any build.
    first_seen: DateTime<Utc>,
    /// When it was seen last.
    last_seen: DateTime<Utc>,
    /// How many builds have seen it.
    build_count: u32,
    /// How often all of them have.
    occurrence_count: u64,
    /// The build that saw it last.
    build_id: BuildId,
    /// What reported it: `gate:test`, `audit`, `model` …
    source: String,
    /// How grave.
    severity: Severity,
    /// The label of the phase in which that build saw it last.
    #[schema(required)]
    phase: Option<String>,
    /// The file it names.
    #[schema(required)]
    file_path: Option<String>,
    /// Its words.
    message: String,
    /// Whether it is settled in that build.
    resolved: bool,
    /// It was settled once and came back, in any build.
    regression: bool,
    /// How it was settled last, be it in an earlier build.
    #[schema(required)]
    resolution: Option<ErrorResolution>,
    /// What each build saw of it, the newest first.
    sightings: Vec<ErrorSighting>,
}

/// What one build saw of an error.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ErrorSighting {
    /// The build.
    build_id: BuildId,
    /// When the build was queued.
    build_created_at: DateTime<Utc>,
    /// How often it saw it.
    occurrence_count: u32,
    /// The label of the phase in which it saw it last.
    #[schema(required)]
    phase: Option<String>,
    /// The file it named there.
    #[schema(required)]
    file_path: Option<String>,
    /// When it saw it first.
    first_seen: DateTime<Utc>,
    /// When it saw it last.
    last_seen: DateTime<Utc>,
    /// The event that told of it first; null for those from before that was written down.
    #[schema(required)]
    first_seq: Option<u64>,
    /// Whether it is settled there.
    resolved: bool,
    /// How.
    #[schema(required)]
    method: Option<ResolutionMethod>,
    /// A note about how.
    #[schema(required)]
    summary: Option<String>,
    /// It had been settled there once and came back.
    regression: bool,
}

impl From<project_errors::ErrorSighting> for ErrorSighting {
    fn from(row: project_errors::ErrorSighting) -> Self {
        Self {
            build_id: row.build_id,
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

/// How an error was settled.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorResolution {
    /// The build in which.
    build_id: BuildId,
    /// When.
    resolved_at: DateTime<Utc>,
    /// How.
    method: ResolutionMethod,
    /// A note about how; null where a person dismissed it.
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

/// A cursor is when an error was seen last, in microseconds, and its fingerprint.
fn cursor(text: &str) -> Option<Cursor> {
    let (micros, fingerprint) = text.split_once('.')?;
    let last_seen = DateTime::from_timestamp_micros(micros.parse().ok()?)?;
    let is_hex = fingerprint.len() == 16 && fingerprint.bytes().all(|b| b.is_ascii_hexdigit());
    is_hex.then(|| Cursor { last_seen, fingerprint: fingerprint.to_owned() })
}

/// The errors of all the project's builds, each distinct one once: those that were seen last first.
#[utoipa::path(get, path = "/api/projects/{project}/errors", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id"), Page, ProjectErrorsQuery),
    responses(
        (status = 200, body = List<ProjectError>),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn list_project_errors(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
    Search(page): Search<Page>,
    Search(query): Search<ProjectErrorsQuery>,
) -> Result<Json<List<ProjectError>>, Problem> {
    let after = page.after.as_deref().map(|text| {
        cursor(text).ok_or_else(|| Problem::invalid("after", "this is not the `next` of a page"))
    });
    let ProjectErrorsQuery { q, resolved, dismissed, regression, severity } = query;
    let words = q.filter(|q| !q.trim().is_empty());
    if words.as_ref().is_some_and(|q| q.chars().count() > MOST_WORDS || q.contains('\0')) {
        let reason = format!("search for at most {MOST_WORDS} characters");
        return Err(Problem::invalid("q", reason));
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
