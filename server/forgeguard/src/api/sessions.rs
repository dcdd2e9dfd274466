//! `/api/sessions`: the user's active sessions.

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{audit::AuditAction, ids::SessionId};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::{Json, PathParams},
    identity::SignedIn,
    list::List,
    session::record,
};
use crate::store::{self, sessions};

#[derive(Debug, Serialize, ToSchema)]
pub struct ActiveSession {
    id: SessionId,
    /// The `User-Agent` of the sign-in.
    user_agent: String,
    created_at: DateTime<Utc>,
    /// Accurate to a quarter of an hour.
    last_used_at: DateTime<Utc>,
    /// It is the session of this request.
    current: bool,
}

#[derive(Debug, Deserialize)]
pub struct SessionParams {
    session: SessionId,
}

/// Lists the user's active sessions, most recently used first.
#[utoipa::path(get, path = "/api/sessions", tag = "accounts", responses(
    (status = 200, body = List<ActiveSession>),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn list_sessions(
    State(app): State<Shared>,
    SignedIn { user, session }: SignedIn,
) -> Result<Json<List<ActiveSession>>, ApiError> {
    let rows = sessions::list(&mut app.db.read().await?, user.id, store::now()).await?;
    let show = |row: sessions::Session| ActiveSession {
        id: row.id,
        user_agent: row.user_agent,
        created_at: row.created_at,
        last_used_at: row.last_used_at,
        current: row.id == session,
    };
    Ok(Json(List::unpaginated(rows.into_iter().map(show).collect())))
}

/// Ends a session.
#[utoipa::path(delete, path = "/api/sessions/{session}", tag = "accounts",
    params(("session" = SessionId, Path, description = "The session's id")), responses(
        (status = 204),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn end_session(
    State(app): State<Shared>,
    SignedIn { user, .. }: SignedIn,
    PathParams(SessionParams { session }): PathParams<SessionParams>,
) -> Result<StatusCode, ApiError> {
    let mut tx = app.db.write().await?;
    if !sessions::remove_own(&mut tx, user.id, session).await? {
        return Err(ApiError::not_found("session"));
    }
    record(&mut tx, &user, AuditAction::SessionsEnded, json!({ "session": session })).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends all sessions of the user except the current one.
#[utoipa::path(delete, path = "/api/sessions", tag = "accounts", responses(
    (status = 204),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn end_other_sessions(
    State(app): State<Shared>,
    SignedIn { user, session }: SignedIn,
) -> Result<StatusCode, ApiError> {
    let mut tx = app.db.write().await?;
    sessions::remove_others(&mut tx, user.id, session).await?;
    record(&mut tx, &user, AuditAction::SessionsEnded, json!({})).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
