//! `/api/invitation`: a one-time link by which somebody sets their password.

use axum::{extract::State, http::HeaderMap};
use domain::audit::AuditAction;
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{
    app::Shared,
    auth::token,
    check::Check,
    extract::Json,
    problem::{Problem, ProblemBody},
    session::{self, Issued},
};
use crate::{
    secret::Secret,
    store::{
        self,
        audit_log::{self, NewEntry},
        invitations, sessions, users,
    },
};

/// A password that somebody chose.
#[derive(Debug, Deserialize, ToSchema)]
pub struct AcceptInvitationRequest {
    /// From the link.
    #[schema(value_type = String)]
    token: Secret<String>,
    /// 10 to 200 characters.
    #[schema(value_type = String)]
    password: Secret<String>,
}

/// Sets the password of whoever the link is for, ends their other sessions, and signs in.
#[utoipa::path(post, path = "/api/invitation", tag = "accounts",
    request_body = AcceptInvitationRequest, responses(
        (status = 200, body = session::Session),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn accept_invitation(
    State(app): State<Shared>,
    headers: HeaderMap,
    Json(AcceptInvitationRequest { token, password }): Json<AcceptInvitationRequest>,
) -> Result<Issued, Problem> {
    let mut check = Check::new();
    check.password("password", password.expose());
    check.done()?;
    let refused =
        || Problem::forbidden("This link has been used, or it has ended: ask for another.");
    let digest = token::digest(token.expose());
    let hash = app.passwords.hash(password).await?;
    let mut tx = app.db.write().await?;
    let id = invitations::take(&mut tx, &digest, store::now()).await?.ok_or_else(refused)?;
    let user = users::get(&mut tx, id).await?.filter(|user| user.disabled_at.is_none());
    let user = user.ok_or_else(refused)?;
    users::set_password(&mut tx, id, &hash).await?;
    sessions::remove_all(&mut tx, id).await?;
    let (action, subject) = (AuditAction::PasswordChanged, format!("user/{id}"));
    let entry = NewEntry::by(&user, store::now(), action, subject, json!({ "by": "invitation" }));
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    session::begin(&app, user, &headers).await
}
