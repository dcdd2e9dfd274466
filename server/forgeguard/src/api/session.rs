//! `/api/session`: signing in, staying signed in, signing out.

use std::{net::SocketAddr, time::Instant};

use axum::{
    extract::{ConnectInfo, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::SessionId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    app::{App, Shared},
    auth::{cookie, token},
    extract::Json,
    identity::{Identity, Proof},
    problem::{Problem, ProblemBody},
    users::User,
};
use crate::{
    secret::Secret,
    store::{self, sessions, users},
};

/// Two tabs may refresh at once; the one that is late is told so and loses nothing.
const LATE_REFRESH: TimeDelta = TimeDelta::seconds(30);

/// Who signs in.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateSessionRequest {
    /// The account's address, in any case.
    email: String,
    /// Its password.
    #[schema(value_type = String)]
    password: Secret<String>,
}

/// A person who is signed in.
#[derive(Debug, Serialize, ToSchema)]
pub struct Session {
    /// Who.
    pub user: User,
    /// Counts as a bearer token, for scripts.
    pub access_token: String,
    /// When the access token and its cookie end; refresh before.
    pub expires_at: DateTime<Utc>,
}

/// Who is asking.
#[derive(Debug, Serialize, ToSchema)]
pub struct WhoAmI {
    /// The person.
    user: User,
}

/// A session as it is handed out: its body and the cookies that go with it.
pub struct Issued {
    /// What the client reads.
    pub session: Session,
    cookies: [String; 2],
}

impl Issued {
    /// The headers that carry the cookies, and keep all this out of caches.
    pub fn headers(&self) -> AppendHeaders<[(header::HeaderName, String); 3]> {
        let [access, refresh] = self.cookies.clone();
        AppendHeaders([
            (header::SET_COOKIE, access),
            (header::SET_COOKIE, refresh),
            (header::CACHE_CONTROL, "no-store".to_owned()),
        ])
    }
}

impl IntoResponse for Issued {
    fn into_response(self) -> Response {
        (self.headers(), Json(self.session)).into_response()
    }
}

/// Signs in.
#[utoipa::path(post, path = "/api/session", tag = "accounts", request_body = CreateSessionRequest,
    responses(
        (status = 200, body = Session),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn create_session(
    State(app): State<Shared>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    Json(request): Json<CreateSessionRequest>,
) -> Result<Issued, Problem> {
    let email: String = request.email.trim().to_lowercase().chars().take(254).collect();
    let begun = app.tries.begin(peer.ip(), &email, Instant::now());
    begun.map_err(Problem::too_many_tries)?;
    let user = users::by_email(&mut app.db.read().await?, &email).await?;
    let user = user.filter(|user| user.disabled_at.is_none());
    let hash = user.as_ref().map(|user| user.password_hash.clone());
    let matches = app.passwords.verify(hash, request.password).await?;
    let user = user.filter(|_| matches).ok_or_else(Problem::wrong_credentials)?;
    app.tries.succeeded(peer.ip(), &email);
    begin(&app, user, &headers).await
}

/// Says who is signed in.
#[utoipa::path(get, path = "/api/session", tag = "accounts", responses(
    (status = 200, body = WhoAmI),
    (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
))]
pub async fn get_session(identity: Identity) -> Json<WhoAmI> {
    Json(WhoAmI { user: identity.user.into() })
}

/// Signs out and ends the session.
#[utoipa::path(delete, path = "/api/session", tag = "accounts", responses(
    (status = 204),
    (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
))]
pub async fn delete_session(
    State(app): State<Shared>,
    headers: HeaderMap,
    identity: Identity,
) -> Result<Response, Problem> {
    if let Proof::Session { id, .. } = identity.proof {
        let mut tx = app.db.write().await?;
        sessions::remove(&mut tx, id).await?;
        tx.commit().await?;
    }
    let cookies = cookie::signed_out(app.own_address.is_secure(&headers));
    let cookies = cookies.map(|cookie| (header::SET_COOKIE, cookie));
    Ok((StatusCode::NO_CONTENT, AppendHeaders(cookies)).into_response())
}

/// Exchanges the refresh cookie for the next one. A used one ends the session: somebody copied it.
#[utoipa::path(post, path = "/api/session/refresh", tag = "accounts", responses(
    (status = 200, body = Session),
    (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
))]
pub async fn refresh_session(
    State(app): State<Shared>,
    headers: HeaderMap,
) -> Result<Issued, Problem> {
    let old = cookie::value(&headers, cookie::REFRESH).ok_or_else(Problem::unauthenticated)?;
    if !app.own_address.sent(&headers) {
        return Err(Problem::foreign_origin());
    }
    let id: Option<SessionId> = old.split_once('.').and_then(|(id, _)| id.parse().ok());
    let id = id.ok_or_else(Problem::unauthenticated)?;
    let (next, now) = (refresh_token(id), store::now());
    let (old_hash, new_hash) = (token::digest(&old), token::digest(&next));
    let mut tx = app.db.write().await?;
    let until = now + token::SESSION_LIFE;
    if sessions::rotate(&mut tx, &old_hash, &new_hash, now, until).await?.is_none() {
        let late = sessions::get(&mut tx, id, now).await?;
        if late.is_some_and(|session| now - session.last_used_at < LATE_REFRESH) {
            return Err(Problem::conflict("Another tab has just refreshed this session."));
        }
        sessions::remove(&mut tx, id).await?;
        tx.commit().await?;
        return Err(Problem::unauthenticated());
    }
    let session = sessions::get(&mut tx, id, now).await?.ok_or_else(Problem::unauthenticated)?;
    let user = users::get(&mut tx, session.user_id).await?;
    let user = user.filter(|user| user.disabled_at.is_none());
    let user = user.ok_or_else(Problem::unauthenticated)?;
    tx.commit().await?;
    issue(&app, user, id, &next, &headers)
}

/// Begins a session for somebody who has proved who they are.
pub async fn begin(app: &App, user: users::User, headers: &HeaderMap) -> Result<Issued, Problem> {
    let (id, now) = (store::new_id::<SessionId>(), store::now());
    let refresh = refresh_token(id);
    let agent = headers.get(header::USER_AGENT).map(HeaderValue::as_bytes).unwrap_or_default();
    let session = sessions::Session {
        id,
        user_id: user.id,
        refresh_hash: token::digest(&refresh),
        user_agent: String::from_utf8_lossy(agent).chars().take(200).collect(),
        created_at: now,
        last_used_at: now,
        expires_at: now + token::SESSION_LIFE,
    };
    let mut tx = app.db.write().await?;
    sessions::remove_expired(&mut tx, now).await?;
    sessions::insert(&mut tx, &session).await?;
    tx.commit().await?;
    issue(app, user, id, &refresh, headers)
}

/// The session's id leads, so that a used token still says whose it was.
fn refresh_token(id: SessionId) -> String {
    format!("{id}.{}", token::opaque())
}

fn issue(
    app: &App,
    user: users::User,
    session: SessionId,
    refresh: &str,
    headers: &HeaderMap,
) -> Result<Issued, Problem> {
    let issued = app.tokens.issue(user.id, session, Utc::now());
    let (access_token, expires_at) = issued.map_err(Problem::internal)?;
    let secure = app.own_address.is_secure(headers);
    let cookies = cookie::signed_in(&access_token, refresh, secure);
    let session = Session { user: user.into(), access_token, expires_at };
    Ok(Issued { session, cookies })
}
