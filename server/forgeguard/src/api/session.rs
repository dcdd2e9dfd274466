//! `/api/session`: signing in, refreshing a session, signing out.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{audit::AuditAction, ids::SessionId};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    auth::{client_address::ClientAddress, cookie, token},
    extract::Json,
    identity::{Identity, Proof},
    sign_in::verify_password,
    users::User,
};
use crate::{
    secret::Secret,
    store::{
        self, Conn,
        audit_log::{self, NewEntry},
        sessions, users,
    },
};

/// Two tabs may refresh concurrently; within this time the later one gets a 409 and keeps its
/// session.
const CONCURRENT_REFRESH_TOLERANCE: TimeDelta = TimeDelta::seconds(30);

#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateSessionRequest {
    /// Case-insensitive.
    email: String,
    #[schema(value_type = String)]
    password: Secret<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Session {
    pub user: User,
    /// A bearer token for scripts.
    pub access_token: String,
    /// When the access token expires; refresh the session before.
    pub expires_at: DateTime<Utc>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct WhoAmI {
    user: User,
}

/// How a session was started.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SignInMethod {
    Password,
    /// A one-time link to set a password.
    Invitation,
    /// The one-time link of the installation.
    Setup,
    /// A sign-in provider.
    Provider,
}

/// A session as sent to the client, with its cookies.
pub struct Issued {
    /// The body of the response.
    pub session: Session,
    pub cookies: [String; 2],
}

impl Issued {
    /// The headers that set the cookies and prevent caching.
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
#[utoipa::path(post, path = "/api/session", tag = "accounts", security(()), request_body = CreateSessionRequest,
    responses(
        (status = 200, body = Session),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn create_session(
    State(app): State<Shared>,
    address: ClientAddress,
    headers: HeaderMap,
    Json(request): Json<CreateSessionRequest>,
) -> Result<Issued, ApiError> {
    let email: String = request.email.trim().to_lowercase().chars().take(254).collect();
    match verify_password(&app, address, &email, request.password).await? {
        Some(user) => begin(&app, user, SignInMethod::Password, &headers).await,
        None => {
            record_failure(&app, address, &email).await?;
            Err(ApiError::incorrect_credentials())
        }
    }
}

/// Gets the signed-in user.
#[utoipa::path(get, path = "/api/session", tag = "accounts", responses(
    (status = 200, body = WhoAmI),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn get_session(identity: Identity) -> Json<WhoAmI> {
    Json(WhoAmI { user: identity.user.into() })
}

/// Signs out and ends the session.
#[utoipa::path(delete, path = "/api/session", tag = "accounts", responses(
    (status = 204),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn delete_session(
    State(app): State<Shared>,
    headers: HeaderMap,
    identity: Identity,
) -> Result<Response, ApiError> {
    if let Proof::Session { id, .. } = identity.proof {
        let mut tx = app.db.write().await?;
        sessions::remove(&mut tx, id).await?;
        record(&mut tx, &identity.user, AuditAction::SignedOut, json!({})).await?;
        tx.commit().await?;
    }
    let cookies = cookie::signed_out(app.own_address.is_secure(&headers));
    let cookies = cookies.map(|cookie| (header::SET_COOKIE, cookie));
    Ok((StatusCode::NO_CONTENT, AppendHeaders(cookies)).into_response())
}

/// Refreshes the session. A refresh token that was already used ends the session, as it may have
/// been stolen.
#[utoipa::path(post, path = "/api/session/refresh", tag = "accounts", security(()), responses(
    (status = 200, body = Session),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn refresh_session(
    State(app): State<Shared>,
    headers: HeaderMap,
) -> Result<Issued, ApiError> {
    let old = cookie::value(&headers, cookie::REFRESH).ok_or_else(ApiError::unauthorized)?;
    if !app.own_address.sent(&headers) {
        return Err(ApiError::cross_origin());
    }
    let id: Option<SessionId> = old.split_once('.').and_then(|(id, _)| id.parse().ok());
    let id = id.ok_or_else(ApiError::unauthorized)?;
    let (next, now) = (refresh_token(id), store::now());
    let (old_hash, new_hash) = (token::digest(&old), token::digest(&next));
    let mut tx = app.db.write().await?;
    let until = now + token::SESSION_LIFETIME;
    if sessions::rotate(&mut tx, &old_hash, &new_hash, now, until).await?.is_none() {
        let late = sessions::get(&mut tx, id, now).await?;
        if late.is_some_and(|session| now - session.last_used_at < CONCURRENT_REFRESH_TOLERANCE) {
            return Err(ApiError::conflict(
                "This session was refreshed a moment ago, by another tab.",
            ));
        }
        sessions::remove(&mut tx, id).await?;
        tx.commit().await?;
        return Err(ApiError::unauthorized());
    }
    let session = sessions::get(&mut tx, id, now).await?.ok_or_else(ApiError::unauthorized)?;
    let user = users::get(&mut tx, session.user_id).await?;
    let user = user.filter(|user| user.disabled_at.is_none());
    let user = user.ok_or_else(ApiError::unauthorized)?;
    tx.commit().await?;
    issue(&app, user, id, &next, &headers)
}

/// Starts a session for an authenticated user.
pub async fn begin(
    app: &App,
    user: users::User,
    method: SignInMethod,
    headers: &HeaderMap,
) -> Result<Issued, ApiError> {
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
        expires_at: now + token::SESSION_LIFETIME,
    };
    let mut tx = app.db.write().await?;
    sessions::remove_expired(&mut tx, now).await?;
    sessions::insert(&mut tx, &session).await?;
    let detail = json!({ "by": method, "user_agent": session.user_agent });
    record(&mut tx, &user, AuditAction::SignedIn, detail).await?;
    tx.commit().await?;
    issue(app, user, id, &refresh, headers)
}

/// Records an action of a user on their own sessions in the audit log.
pub async fn record(
    conn: &mut Conn,
    user: &users::User,
    action: AuditAction,
    detail: serde_json::Value,
) -> store::Result<()> {
    let subject = format!("user/{}", user.id);
    audit_log::append(conn, &NewEntry::by(user, store::now(), action, subject, detail)).await
}

/// Records a failed sign-in, unless too many have failed. What was entered as the address is recorded
/// only if it is that of an account: it may be a password.
async fn record_failure(app: &App, address: ClientAddress, email: &str) -> Result<(), ApiError> {
    let Some(unrecorded) = app.failed_sign_ins.admit(address) else { return Ok(()) };
    let account = users::by_email(&mut app.db.read().await?, email).await?;
    let (subject, email) = match &account {
        Some(user) => (format!("user/{}", user.id), Some(user.email.as_str())),
        None => ("user".to_owned(), None),
    };
    let detail = json!({
        "email": email, "address": address.0.to_string(), "unrecorded": unrecorded,
        "disabled": account.as_ref().is_some_and(|user| user.disabled_at.is_some()),
    });
    let action = AuditAction::SignInFailed;
    let entry = NewEntry::by_service(store::now(), action, subject, detail);
    let mut tx = app.db.write().await?;
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    Ok(())
}

/// The token starts with the session's id, so that a used one still identifies its session.
fn refresh_token(id: SessionId) -> String {
    format!("{id}.{}", token::opaque())
}

fn issue(
    app: &App,
    user: users::User,
    session: SessionId,
    refresh: &str,
    headers: &HeaderMap,
) -> Result<Issued, ApiError> {
    let issued = app.tokens.issue(user.id, session, Utc::now());
    let (access_token, expires_at) = issued.map_err(ApiError::internal)?;
    let secure = app.own_address.is_secure(headers);
    let cookies = cookie::signed_in(&access_token, refresh, secure);
    let session = Session { user: user.into(), access_token, expires_at };
    Ok(Issued { session, cookies })
}
