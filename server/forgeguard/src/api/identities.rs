//! `/api/me/identities`: the providers' users with which an account can be signed in to.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use chrono::{DateTime, Utc};
use domain::{
    audit::AuditAction,
    ids::{IdentityId, SignInProviderId},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::{Json, PathParams},
    identity::SignedIn,
    provider_redirect::{self, ProviderPage, Purpose, Started},
    provider_sign_in::{SignInOption, enabled},
    session::record,
};
use crate::store::{Conn, identities, sign_in_providers, users};

/// A linked sign-in.
#[derive(Debug, Serialize, ToSchema)]
pub struct LinkedIdentity {
    id: IdentityId,
    provider_name: String,
    /// The provider is disabled at present.
    disabled: bool,
    /// As the provider named it at the last sign-in.
    #[schema(required)]
    email: Option<String>,
    created_at: DateTime<Utc>,
    /// Null until the first sign-in after it was linked.
    #[schema(required)]
    last_used_at: Option<DateTime<Utc>>,
}

/// How a user can sign in.
#[derive(Debug, Serialize, ToSchema)]
pub struct Identities {
    items: Vec<LinkedIdentity>,
    /// The account has a password.
    has_password: bool,
    /// Providers that can be linked.
    providers: Vec<SignInOption>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct LinkIdentityRequest {
    provider: SignInProviderId,
}

#[derive(Debug, Deserialize)]
pub struct IdentityParams {
    identity: IdentityId,
}

/// Lists the user's linked sign-ins.
#[utoipa::path(get, path = "/api/me/identities", tag = "accounts", responses(
    (status = 200, body = Identities),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn list_identities(
    State(app): State<Shared>,
    SignedIn { user, .. }: SignedIn,
) -> Result<Json<Identities>, ApiError> {
    let mut conn = app.db.read().await?;
    let has_password = users::has_password(&mut conn, user.id).await?;
    let rows = identities::of_user(&mut conn, user.id).await?;
    let providers = sign_in_providers::list(&mut conn).await?;
    let show = |row: identities::Identity| {
        let provider = providers.iter().find(|provider| provider.id == row.provider_id);
        LinkedIdentity {
            id: row.id,
            provider_name: provider.map(|provider| provider.name.clone()).unwrap_or_default(),
            disabled: provider.is_none_or(|provider| !provider.enabled),
            email: row.email,
            created_at: row.created_at,
            last_used_at: row.last_used_at,
        }
    };
    let items = rows.into_iter().map(show).collect();
    let enabled = providers.into_iter().filter(|provider| provider.enabled);
    let providers = enabled.map(SignInOption::from).collect();
    Ok(Json(Identities { items, has_password, providers }))
}

/// Starts linking a provider to the account. The response contains the provider's page, and a cookie
/// that binds the sign-in to this browser.
#[utoipa::path(post, path = "/api/me/identities", tag = "accounts",
    request_body = LinkIdentityRequest, responses(
        (status = 200, body = ProviderPage),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn link_identity(
    State(app): State<Shared>,
    SignedIn { session, .. }: SignedIn,
    headers: HeaderMap,
    Json(LinkIdentityRequest { provider }): Json<LinkIdentityRequest>,
) -> Result<Started, ApiError> {
    let provider = enabled(&app, provider).await?;
    let purpose = Purpose { session: Some(session), ..Purpose::default() };
    provider_redirect::start(&app, &headers, &provider, purpose).await
}

/// Unlinks a sign-in from the account, unless it is the last way to sign in.
#[utoipa::path(delete, path = "/api/me/identities/{identity}", tag = "accounts",
    params(("identity" = IdentityId, Path, description = "The linked sign-in's id")), responses(
        (status = 204),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn unlink_identity(
    State(app): State<Shared>,
    SignedIn { user, .. }: SignedIn,
    PathParams(IdentityParams { identity }): PathParams<IdentityParams>,
) -> Result<StatusCode, ApiError> {
    let mut tx = app.db.write().await?;
    // Two requests must not remove the last two ways to sign in.
    users::lock(&mut tx, user.id).await?;
    let rows = identities::of_user(&mut tx, user.id).await?;
    let (removed, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.id == identity);
    let removed = removed.first().ok_or_else(|| ApiError::not_found("linked sign-in"))?;
    if !users::has_password(&mut tx, user.id).await? && !any_usable(&mut tx, &others).await? {
        return Err(ApiError::conflict(
            "This is the only way to sign in to your account. Link another provider first, or ask \
             an administrator for a link to set a password.",
        ));
    }
    let provider = sign_in_providers::get(&mut tx, removed.provider_id).await?;
    identities::remove(&mut tx, identity).await?;
    let detail = json!({
        "provider": provider.map(|provider| provider.name), "identity_email": removed.email,
    });
    record(&mut tx, &user, AuditAction::IdentityUnlinked, detail).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Whether one of them is of a provider that is enabled.
async fn any_usable(conn: &mut Conn, rows: &[identities::Identity]) -> Result<bool, ApiError> {
    let providers = sign_in_providers::list(conn).await?;
    let enabled = |row: &identities::Identity| {
        providers.iter().any(|provider| provider.id == row.provider_id && provider.enabled)
    };
    Ok(rows.iter().any(enabled))
}
