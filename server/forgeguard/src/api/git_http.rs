//! `/git/{project}.git`: clone, fetch and push with the `git` command. What is refused is refused in
//! its words.

use std::io;

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
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::io::{ReaderStream, StreamReader};

use super::{
    app::{App, Shared},
    extract::{Params, Search},
    identity::{Proof, identify_git},
    owned::{Access, ProjectRole, look_up},
    problem::Problem,
};
use crate::{engine::EngineError, store::projects::Project};

/// A fetch sends what it has and wants; more than this is no fetch.
const MOST: u64 = 32 * 1024 * 1024;
const READ_ONLY: &str = "this forge key only reads; push with another one";
const ONLY_LOOKS: &str = "you may look at this project, and its owner alone pushes to it";

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
    let service = Service::parse(query.service.as_deref().unwrap_or_default())
        .map_err(|error| Problem::invalid("service", error.to_string()))?;
    let refs = match (service, hosted.may_not_push) {
        (Service::ReceivePack, Some(why)) => http::refusal(service, why),
        (service, _) => {
            let path = app.engine.paths().hosted(hosted.project.id);
            http::advertise_refs(&path, service, protocol(&headers)).await?
        }
    };
    let headers =
        [(header::CONTENT_TYPE, service.advertisement()), (header::CACHE_CONTROL, "no-cache")];
    Ok((headers, refs).into_response())
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
    let path = app.engine.paths().hosted(hosted.project.id);
    let sent = StreamReader::new(body.into_data_stream().map_err(io::Error::other));
    let answer = http::upload_pack(&path, protocol(&headers), sent.take(MOST))?;
    let headers = [(header::CONTENT_TYPE, http::RESULT), (header::CACHE_CONTROL, "no-cache")];
    Ok((StatusCode::OK, headers, Body::from_stream(ReaderStream::new(answer))).into_response())
}

/// The body of a push: the commands, and the objects that they need.
pub async fn receive_pack(
    State(app): State<Shared>,
    Params(repository): Params<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let hosted = hosted(&app, &Method::POST, &headers, &repository).await?;
    if let Some(why) = hosted.may_not_push {
        return Err(Problem::forbidden(why));
    }
    // All of it is here before the repository is touched: a slow client holds nobody up.
    let mut file = tokio::fs::File::from_std(tempfile::tempfile().map_err(Problem::internal)?);
    let sent = StreamReader::new(body.into_data_stream().map_err(io::Error::other));
    let length = tokio::io::copy(&mut sent.take(http::MOST_PUSHED + 1), &mut file).await;
    let length = length.map_err(|error| Problem::unreadable(error.to_string()))?;
    file.flush().await.map_err(Problem::internal)?;
    let file = file.into_std().await;
    let answer = if length > http::MOST_PUSHED {
        let mebibytes = http::MOST_PUSHED / (1024 * 1024);
        let why = format!("a push may have at most {mebibytes} MiB; push fewer commits at once");
        app.engine.refuse_push(file, why).await
    } else {
        let protocol = protocol(&headers).map(str::to_owned);
        app.engine.receive_push(hosted.project.id, protocol, file).await
    };
    let answer = answer.map_err(|error| match error {
        EngineError::Git(GitError::BadPush(why)) => Problem::unreadable(why),
        error => error.into(),
    })?;
    let headers = [(header::CONTENT_TYPE, http::PUSH_RESULT), (header::CACHE_CONTROL, "no-cache")];
    Ok((headers, answer).into_response())
}

/// A repository that whoever asks may clone.
struct Hosted {
    project: Project,
    /// Why they may not push to it, where they may not.
    may_not_push: Option<&'static str>,
}

async fn hosted(
    app: &App,
    method: &Method,
    headers: &HeaderMap,
    repository: &str,
) -> Result<Hosted, Problem> {
    let challenge = |problem: Problem| match problem.status() {
        StatusCode::UNAUTHORIZED => problem.with_challenge("Basic realm=\"ForgeGuard\""),
        _ => problem,
    };
    let identity = identify_git(app, method, headers).await.map_err(challenge)?;
    let identity = identity.ok_or_else(|| challenge(Problem::unauthenticated()))?;
    let missing = || Problem::not_found("repository");
    let id: ProjectId =
        repository.strip_suffix(".git").unwrap_or(repository).parse().map_err(|_| missing())?;
    let only_reads = matches!(identity.proof, Proof::ForgeKey { read_only: true, .. });
    let mut conn = app.db.read().await?;
    match look_up::<Project>(&mut conn, identity.user.id, id).await? {
        Access::Granted(project, role) => {
            let may_not_push = match role {
                ProjectRole::Viewer => Some(ONLY_LOOKS),
                ProjectRole::Owner => only_reads.then_some(READ_ONLY),
            };
            Ok(Hosted { project, may_not_push })
        }
        Access::NotYours | Access::Missing => Err(missing()),
    }
}

fn protocol(headers: &HeaderMap) -> Option<&str> {
    headers.get("git-protocol")?.to_str().ok()
}
