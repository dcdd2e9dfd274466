//! `/git/{project}.git`: clone, fetch and push over smart HTTP. Rejections use git's own protocol,
//! so that the client shows the reason.

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{ids::UserId, key_scope::KeyScope};
use git::{
    GitError,
    http::{self, Service},
};
use serde::Deserialize;
use tokio_util::io::ReaderStream;

use super::{
    api_error::ApiError,
    app::{App, Shared},
    extract::{PathParams, QueryParams},
    git_body,
    identity::identify_git,
    owned::{Access, ProjectRef, ProjectRole, look_up},
};
use crate::{engine::EngineError, store::projects::Project};

/// In bytes. Such a request lists the commits that a client has and wants.
const MAX_FETCH_REQUEST_BYTES: usize = 32 * 1024 * 1024;
const KEY_MAY_NOT_PUSH: &str = "this forge key may not push: that takes the scope `build`, and a key \
    that is not bound to a build";
const ARCHIVED: &str = "this project is archived and read-only; unarchive it to push";
const VIEWER: &str = "viewers cannot push to this project; only its owner can";

/// The query of the first request.
#[derive(Debug, Deserialize)]
pub struct RefsQuery {
    service: Option<String>,
}

/// The first request of a clone, fetch or push.
pub async fn get_refs(
    State(app): State<Shared>,
    PathParams(repository): PathParams<String>,
    QueryParams(query): QueryParams<RefsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let hosted = hosted(&app, &Method::GET, &headers, &repository).await?;
    let service = Service::parse(query.service.as_deref().unwrap_or_default())
        .map_err(|error| ApiError::invalid("service", error.to_string()))?;
    let refs = match (service, hosted.may_not_push) {
        (Service::ReceivePack, Some(why)) => http::refusal(service, why),
        (Service::ReceivePack, None) => {
            app.engine.advertise_push(hosted.project.id, protocol(&headers)).await?
        }
        (Service::UploadPack, _) => {
            let path = app.engine.paths().hosted(hosted.project.id);
            http::advertise_refs(&path, service, protocol(&headers), None).await?
        }
    };
    let headers =
        [(header::CONTENT_TYPE, service.advertisement()), (header::CACHE_CONTROL, "no-cache")];
    Ok((headers, refs).into_response())
}

/// A clone or fetch: the commits that the client wants and has.
pub async fn upload_pack(
    State(app): State<Shared>,
    PathParams(repository): PathParams<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    // Cookies are not accepted: git sends none, and a page of another site could.
    let hosted = hosted(&app, &Method::GET, &headers, &repository).await?;
    let directory = app.engine.paths().incoming();
    let body =
        git_body::receive(&headers, body, MAX_FETCH_REQUEST_BYTES as u64, &directory).await?;
    if body.is_too_large {
        return Err(ApiError::payload_too_large(MAX_FETCH_REQUEST_BYTES));
    }
    let path = app.engine.paths().hosted(hosted.project.id);
    let answer = http::upload_pack(&path, protocol(&headers), body.into_reader()?)?;
    let headers = [(header::CONTENT_TYPE, http::RESULT), (header::CACHE_CONTROL, "no-cache")];
    Ok((StatusCode::OK, headers, Body::from_stream(ReaderStream::new(answer))).into_response())
}

/// A push: its commands and the objects that they need.
pub async fn receive_pack(
    State(app): State<Shared>,
    PathParams(repository): PathParams<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let hosted = hosted(&app, &Method::POST, &headers, &repository).await?;
    if let Some(why) = hosted.may_not_push {
        return Err(ApiError::forbidden(why));
    }
    let slot = app.engine.take_push_slot(hosted.user);
    let slot = slot.ok_or_else(|| ApiError::busy("Too many pushes are in progress. Try again."))?;
    // Received completely before the repository is locked, so that a slow client blocks no other.
    let max_size = app.engine.push_limits().max_size;
    let body = git_body::receive(&headers, body, max_size, &app.engine.paths().incoming()).await?;
    let answer = if body.is_too_large {
        let mebibytes = max_size / (1024 * 1024);
        let why = format!("a push may have at most {mebibytes} MiB; push fewer commits at once");
        app.engine.refuse_push(body.file, why).await
    } else {
        let protocol = protocol(&headers).map(str::to_owned);
        app.engine.receive_push(hosted.project.id, protocol, body.file, slot).await
    };
    let answer = answer.map_err(|error| match error {
        EngineError::Git(GitError::BadPush(why)) => ApiError::bad_request(why),
        error => error.into(),
    })?;
    let headers = [(header::CONTENT_TYPE, http::PUSH_RESULT), (header::CACHE_CONTROL, "no-cache")];
    Ok((headers, answer).into_response())
}

/// A repository that the user may clone.
struct Hosted {
    project: Project,
    user: UserId,
    /// Why the user may not push to it, if so.
    may_not_push: Option<&'static str>,
}

async fn hosted(
    app: &App,
    method: &Method,
    headers: &HeaderMap,
    repository: &str,
) -> Result<Hosted, ApiError> {
    let challenge = |error: ApiError| match error.status() {
        StatusCode::UNAUTHORIZED => error.with_challenge("Basic realm=\"ForgeGuard\""),
        _ => error,
    };
    let identity = identify_git(app, method, headers).await.map_err(challenge)?;
    let identity = identity.ok_or_else(|| challenge(ApiError::unauthorized()))?;
    let missing = || ApiError::not_found("repository");
    let reference = ProjectRef::from(repository.strip_suffix(".git").unwrap_or(repository));
    let may_push =
        identity.permits(KeyScope::Build) && identity.key().is_none_or(|key| key.build().is_none());
    let mut conn = app.db.read().await?;
    match look_up::<Project>(&mut conn, &identity, reference).await? {
        Access::Granted(project, role) => {
            let may_not_push = match role {
                ProjectRole::Viewer => Some(VIEWER),
                ProjectRole::Owner if project.archived_at.is_some() => Some(ARCHIVED),
                ProjectRole::Owner => (!may_push).then_some(KEY_MAY_NOT_PUSH),
            };
            Ok(Hosted { project, user: identity.user.id, may_not_push })
        }
        Access::Forbidden | Access::Missing => Err(missing()),
    }
}

fn protocol(headers: &HeaderMap) -> Option<&str> {
    headers.get("git-protocol")?.to_str().ok()
}
