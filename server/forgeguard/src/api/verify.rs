//! `/api/builds/{build}/verify`: verification of journal, seal and branch; and
//! `/api/builds/{build}/bundle`: a download for verification elsewhere.

use axum::{
    body::Body,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use domain::ids::BuildId;
use serde::Serialize;
use tokio_util::io::ReaderStream;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::Json,
    owned::{Owned, ProjectBuild},
};
use crate::journal;

#[derive(Debug, Serialize, ToSchema)]
pub struct Verification {
    /// There are no problems.
    ok: bool,
    /// Events that were checked.
    events: u64,
    /// Hash of the last valid event.
    head_hash: String,
    problems: Vec<VerificationProblem>,
    /// What could not be checked because an earlier version did not record it; not a problem.
    notes: Vec<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct VerificationProblem {
    /// The event, if it concerns one.
    #[schema(required)]
    seq: Option<u64>,
    what: String,
}

impl From<journal::verify::Verification> for Verification {
    fn from(found: journal::verify::Verification) -> Self {
        let show = |problem: journal::verify::Problem| VerificationProblem {
            seq: problem.seq,
            what: problem.what,
        };
        Self {
            ok: found.problems.is_empty(),
            events: found.events,
            head_hash: found.head_hash,
            problems: found.problems.into_iter().map(show).collect(),
            notes: found.notes,
        }
    }
}

/// Verifies the build's journal, the rows derived from it, its contracts, the signed seal, the
/// hosted branch, the reviews and the audit log.
#[utoipa::path(get, path = "/api/builds/{build}/verify", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = Verification),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn verify_build(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
) -> Result<Json<Verification>, ApiError> {
    Ok(Json(app.engine.verifier().build(resource.build.id).await?.into()))
}

/// Downloads seal, journal, contracts and branch of a sealed build as one file, which `forgeguard
/// verify` checks offline.
#[utoipa::path(get, path = "/api/builds/{build}/bundle", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, content_type = "application/zip", body = Vec<u8>),
        (status = 409, body = ProblemDetails, content_type = "application/problem+json",
            description = "The build is not sealed."),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn export_build(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
) -> Result<Response, ApiError> {
    let build = resource.build.id;
    // The file is deleted when its last handle is closed.
    let file = app.engine.bundle(build).await?.reopen().map_err(ApiError::internal)?;
    let size = file.metadata().map_err(ApiError::internal)?.len();
    let stream = ReaderStream::new(tokio::fs::File::from_std(file));
    let headers = [
        (header::CONTENT_TYPE, "application/zip".to_owned()),
        (header::CONTENT_LENGTH, size.to_string()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"build-{build}.zip\"")),
    ];
    Ok((headers, Body::from_stream(stream)).into_response())
}
