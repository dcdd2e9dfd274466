//! `/api/builds/{build}/verify`: the journal, the seal and the branch, checked again; and
//! `/api/builds/{build}/bundle`: all of that to check elsewhere.

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
    app::Shared,
    extract::Json,
    owned::{Owned, ProjectBuild},
    problem::{Problem, ProblemBody},
};
use crate::journal;

/// What a check of a build found.
#[derive(Debug, Serialize, ToSchema)]
pub struct Verification {
    /// Everything fits.
    ok: bool,
    /// Events that were checked.
    events: u64,
    /// Hash of the last event that fitted.
    head_hash: String,
    /// What does not fit.
    problems: Vec<VerificationProblem>,
}

/// One thing that does not fit.
#[derive(Debug, Serialize, ToSchema)]
pub struct VerificationProblem {
    /// The event it is about, where it is about one.
    #[schema(required)]
    seq: Option<u64>,
    /// In plain words.
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
        }
    }
}

/// Checks the build's journal, seal and branch against each other.
#[utoipa::path(get, path = "/api/builds/{build}/verify", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = Verification),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn verify_build(
    State(app): State<Shared>,
    Owned { thing, .. }: Owned<ProjectBuild>,
) -> Result<Json<Verification>, Problem> {
    Ok(Json(app.engine.verify(thing.build.id).await?.into()))
}

/// Seal, journal, contracts and branch of a sealed build as one file, which `forgeguard verify`
/// checks without this service.
#[utoipa::path(get, path = "/api/builds/{build}/bundle", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, content_type = "application/zip", body = Vec<u8>),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn export_build(
    State(app): State<Shared>,
    Owned { thing, .. }: Owned<ProjectBuild>,
) -> Result<Response, Problem> {
    let build = thing.build.id;
    // Gone with its last handle.
    let file = app.engine.bundle(build).await?.reopen().map_err(Problem::internal)?;
    let size = file.metadata().map_err(Problem::internal)?.len();
    let stream = ReaderStream::new(tokio::fs::File::from_std(file));
    let headers = [
        (header::CONTENT_TYPE, "application/zip".to_owned()),
        (header::CONTENT_LENGTH, size.to_string()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"build-{build}.zip\"")),
    ];
    Ok((headers, Body::from_stream(stream)).into_response())
}
