//! `/git/{project}.git`: clone and fetch with the `git` command. Pushing is refused in its words.

use std::{io, path::PathBuf};

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::ids::ProjectId;
use futures::TryStreamExt;
use git::{
    GitError,
    http::{self, Service},
};
use serde::Deserialize;
use tokio::io::AsyncReadExt;
use tokio_util::io::{ReaderStream, StreamReader};

use super::{
    app::{App, Shared},
    extract::{Params, Search},
    identity::identify_git,
    owned::{Access, look_up},
    problem::Problem,
};
use crate::store::projects::Project;

/// A fetch sends what it has and wants; more than this is no fetch.
const MOST: u64 = 32 * 1024 * 1024;

/// What a client asks for first.
#[derive(Debug, Deserialize)]
pub struct RefsQuery {
    service: Option<String>,
}

/// The first request of a clone, fetch or push.
pub async fn get_refs(
    State(app): State<Shared>,
    Params(repository): Params<String>,
    Search(query): Search<RefsQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let hosted = hosted(&app, &Method::GET, &headers, &repository).await?;
    let no_cache = (header::CACHE_CONTROL, "no-cache");
    match Service::parse(query.service.as_deref().unwrap_or_default()) {
        Ok(Service::UploadPack) => {
            let refs = http::advertise_refs(&hosted, protocol(&headers)).await?;
            let media_type = (header::CONTENT_TYPE, http::ADVERTISEMENT);
            Ok(([media_type, no_cache], refs).into_response())
        }
        Err(GitError::PushRefused) => {
            let media_type = (header::CONTENT_TYPE, http::PUSH_ADVERTISEMENT);
            Ok(([media_type, no_cache], http::push_refusal()).into_response())
        }
        Err(error) => Err(Problem::invalid("service", error.to_string())),
    }
}

/// The body of a clone or fetch, no longer compressed.
pub async fn upload_pack(
    State(app): State<Shared>,
    Params(repository): Params<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    // A browser's cookie is no help here: a page of another site cannot send one, and git has none.
    let hosted = hosted(&app, &Method::GET, &headers, &repository).await?;
    let sent = StreamReader::new(body.into_data_stream().map_err(io::Error::other));
    let answer = http::upload_pack(&hosted, protocol(&headers), sent.take(MOST))?;
    let headers = [(header::CONTENT_TYPE, http::RESULT), (header::CACHE_CONTROL, "no-cache")];
    Ok((StatusCode::OK, headers, Body::from_stream(ReaderStream::new(answer))).into_response())
}

/// The directory of a repository that belongs to whoever asks.
async fn hosted(
    app: &App,
    method: &Method,
    headers: &HeaderMap,
    repository: &str,
) -> Result<PathBuf, Problem> {
    let challenge = |problem: Problem| match problem.status() {
        StatusCode::UNAUTHORIZED => problem.with_challenge("Basic realm=\"ForgeGuard\""),
        _ => problem,
    };
    let identity = identify_git(app, method, headers).await.map_err(challenge)?;
    let identity = identity.ok_or_else(|| challenge(Problem::unauthenticated()))?;
    let missing = || Problem::not_found("repository");
    let id: ProjectId =
        repository.strip_suffix(".git").unwrap_or(repository).parse().map_err(|_| missing())?;
    let mut conn = app.db.read().await?;
    match look_up::<Project>(&mut conn, identity.user.id, id).await? {
        Access::Granted(project, _) => Ok(app.engine.paths().hosted(project.id)),
        Access::NotYours | Access::Missing => Err(missing()),
    }
}

fn protocol(headers: &HeaderMap) -> Option<&str> {
    headers.get("git-protocol")?.to_str().ok()
}
