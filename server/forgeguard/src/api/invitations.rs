//! `/api/invitation`: setting a password with a one-time link.

use axum::{extract::State, http::HeaderMap};
use domain::audit::AuditAction;
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    auth::token,
    check::Check,
    extract::Json,
    forge_keys,
    session::{self, Issued, SignInMethod},
};
use crate::{
    secret::Secret,
    store::{
        self,
        audit_log::{self, NewEntry},
        invitations, sessions, users,
    },
};

#[derive(Debug, Deserialize, ToSchema)]
pub struct AcceptInvitationRequest {
    /// From the link.
    #[schema(value_type = String)]
    token: Secret<String>,
    /// 10 to 200 characters.
    #[schema(min_length = 10, max_length = 200, value_type = String)]
    password: Secret<String>,
}

/// Sets the password of the invited user, ends their other sessions, and signs in.
#[utoipa::path(post, path = "/api/invitation", tag = "accounts", security(()),
    request_body = AcceptInvitationRequest, responses(
        (status = 200, body = session::Session),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn accept_invitation(
    State(app): State<Shared>,
    headers: HeaderMap,
    Json(AcceptInvitationRequest { token, password }): Json<AcceptInvitationRequest>,
) -> Result<Issued, ApiError> {
    let mut check = Check::new();
    check.password("password", password.expose());
    check.done()?;
    let refused =
        || ApiError::forbidden("This link was already used or has expired. Ask for a new one.");
    let digest = token::digest(token.expose());
    // Hash only after the token has been checked.
    if !invitations::is_usable(&mut app.db.read().await?, &digest, store::now()).await? {
        return Err(refused());
    }
    let hash = app.passwords.hash(password).await?;
    let now = store::now();
    let mut tx = app.db.write().await?;
    let invitation = invitations::take(&mut tx, &digest, now).await?.ok_or_else(refused)?;
    let id = invitation.user_id;
    let user = users::get(&mut tx, id).await?.filter(|user| user.disabled_at.is_none());
    let user = user.ok_or_else(refused)?;
    users::set_password(&mut tx, id, &hash).await?;
    users::set_grant(&mut tx, id, invitation.created_by, now).await?;
    sessions::remove_all(&mut tx, id).await?;
    if invitation.revoke_keys {
        forge_keys::revoke_all(&mut tx, &user, &user).await?;
    }
    let (action, subject) = (AuditAction::PasswordChanged, format!("user/{id}"));
    let detail = json!({ "by": "invitation", "invited_by": invitation.created_by });
    let entry = NewEntry::by(&user, now, action, subject, detail);
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    session::begin(&app, user, SignInMethod::Invitation, &headers).await
}
