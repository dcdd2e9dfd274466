//! `/api/sessions`: where one is signed in.

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::ids::SessionId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    app::Shared,
    extract::{Json, Params},
    identity::SignedIn,
    list::List,
    problem::{Problem, ProblemBody},
};
use crate::store::{self, sessions};

/// A browser or a script that is signed in.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignedInPlace {
    /// Its id.
    id: SessionId,
    /// What the browser calls itself.
    user_agent: String,
    /// When it signed in.
    created_at: DateTime<Utc>,
    /// When it was last there, give or take a quarter of an hour.
    last_used_at: DateTime<Utc>,
    /// It is the one that asks.
    current: bool,
}

/// Which session a path names.
#[derive(Debug, Deserialize)]
pub struct SessionParams {
    session: SessionId,
}

/// Everywhere that one is signed in, the place that was used last first.
#[utoipa::path(get, path = "/api/sessions", tag = "accounts", responses(
    (status = 200, body = List<SignedInPlace>),
    (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
))]
pub async fn list_sessions(
    State(app): State<Shared>,
    SignedIn { user, session }: SignedIn,
) -> Result<Json<List<SignedInPlace>>, Problem> {
    let rows = sessions::list(&mut app.db.read().await?, user.id, store::now()).await?;
    let place = |row: sessions::Session| SignedInPlace {
        id: row.id,
        user_agent: row.user_agent,
        created_at: row.created_at,
        last_used_at: row.last_used_at,
        current: row.id == session,
    };
    Ok(Json(List::whole(rows.into_iter().map(place).collect())))
}

/// Signs out in one place.
#[utoipa::path(delete, path = "/api/sessions/{session}", tag = "accounts",
    params(("session" = SessionId, Path, description = "The session's id")), responses(
        (status = 204),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn end_session(
    State(app): State<Shared>,
    SignedIn { user, .. }: SignedIn,
    Params(SessionParams { session }): Params<SessionParams>,
) -> Result<StatusCode, Problem> {
    let mut tx = app.db.write().await?;
    if !sessions::remove_own(&mut tx, user.id, session).await? {
        return Err(Problem::not_found("session"));
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Signs out everywhere but here.
#[utoipa::path(delete, path = "/api/sessions", tag = "accounts", responses(
    (status = 204),
    (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
))]
pub async fn end_other_sessions(
    State(app): State<Shared>,
    SignedIn { user, session }: SignedIn,
) -> Result<StatusCode, Problem> {
    let mut tx = app.db.write().await?;
    sessions::remove_others(&mut tx, user.id, session).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
