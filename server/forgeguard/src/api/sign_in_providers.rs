//! `/api/settings/sign-in-providers`: providers with which users sign in, for administrators. A
//! client secret is never returned.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use chrono::{DateTime, Utc};
use domain::{
    audit::AuditAction,
    ids::SignInProviderId,
    sign_in_provider::{FirstSignIn, SignInProviderKind},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    extract::{Json, PathParams},
    identity::{Admin, SignedInAdmin},
    provider_redirect::redirect_url,
    sign_in_provider_request::{SignInProviderRequest, secret_missing},
};
use crate::store::{
    self, Conn,
    audit_log::{self, NewEntry},
    identities,
    sign_in_providers::{self, SignInProvider as Row},
    users::User,
};

const MAX_PROVIDERS: usize = 20;

#[derive(Debug, Serialize, ToSchema)]
pub struct SignInProvider {
    id: SignInProviderId,
    name: String,
    kind: SignInProviderKind,
    issuer_url: String,
    client_id: String,
    enabled: bool,
    first_sign_in: FirstSignIn,
    allowed_domains: Vec<String>,
    #[schema(required)]
    role_claim: Option<String>,
    #[schema(required)]
    admin_value: Option<String>,
    /// Accounts that can sign in with it.
    linked_accounts: u32,
    created_at: DateTime<Utc>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct SignInProviders {
    items: Vec<SignInProvider>,
    /// The redirect URL to register with each provider.
    redirect_url: String,
}

/// The result of a test.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignInProviderTest {
    /// What is wrong; null if nothing is.
    #[schema(required)]
    problem: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct ProviderParams {
    provider: SignInProviderId,
}

/// Lists the providers, without their secrets.
#[utoipa::path(get, path = "/api/settings/sign-in-providers", tag = "settings", responses(
    (status = 200, body = SignInProviders),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn list_sign_in_providers(
    State(app): State<Shared>,
    _: Admin,
    headers: HeaderMap,
) -> Result<Json<SignInProviders>, ApiError> {
    let redirect_url = redirect_url(&app, &headers)?;
    let mut conn = app.db.read().await?;
    let mut items = Vec::new();
    for row in sign_in_providers::list(&mut conn).await? {
        items.push(show(&mut conn, row).await?);
    }
    Ok(Json(SignInProviders { items, redirect_url }))
}

/// Adds a provider.
#[utoipa::path(post, path = "/api/settings/sign-in-providers", tag = "settings",
    request_body = SignInProviderRequest, responses(
        (status = 201, body = SignInProvider),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn add_sign_in_provider(
    State(app): State<Shared>,
    SignedInAdmin(admin): SignedInAdmin,
    Json(request): Json<SignInProviderRequest>,
) -> Result<(StatusCode, Json<SignInProvider>), ApiError> {
    let (kind, enabled, first_sign_in) = (request.kind, request.enabled, request.first_sign_in);
    let checked = request.checked()?;
    let secret = checked.client_secret.ok_or_else(secret_missing)?;
    let id = store::new_id();
    let row = Row {
        id,
        sealed_secret: app.engine.seal_client_secret(id, &checked.issuer_url, secret).await?,
        name: checked.name,
        kind,
        issuer_url: checked.issuer_url,
        client_id: checked.client_id,
        enabled,
        first_sign_in,
        allowed_domains: checked.allowed_domains,
        role_claim: checked.role_claim,
        admin_value: checked.admin_value,
        created_by: admin.id,
        created_at: store::now(),
    };
    let mut tx = app.db.write().await?;
    if sign_in_providers::list(&mut tx).await?.len() >= MAX_PROVIDERS {
        return Err(ApiError::conflict(format!("There are {MAX_PROVIDERS} providers already.")));
    }
    sign_in_providers::insert(&mut tx, &row).await.map_err(name_taken)?;
    record(&mut tx, &admin, AuditAction::SignInProviderAdded, &row).await?;
    tx.commit().await?;
    let shown = show(&mut app.db.read().await?, row).await?;
    Ok((StatusCode::CREATED, Json(shown)))
}

/// Changes a provider. The issuer of a provider with linked accounts stays, as another one may call
/// other people by the same ids.
#[utoipa::path(put, path = "/api/settings/sign-in-providers/{provider}", tag = "settings",
    params(("provider" = SignInProviderId, Path, description = "The provider's id")),
    request_body = SignInProviderRequest, responses(
        (status = 200, body = SignInProvider),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn update_sign_in_provider(
    State(app): State<Shared>,
    SignedInAdmin(admin): SignedInAdmin,
    PathParams(ProviderParams { provider }): PathParams<ProviderParams>,
    Json(request): Json<SignInProviderRequest>,
) -> Result<Json<SignInProvider>, ApiError> {
    let (kind, enabled, first_sign_in) = (request.kind, request.enabled, request.first_sign_in);
    let checked = request.checked()?;
    let stored = stored(&app, provider).await?;
    let is_same = stored.issuer_url == checked.issuer_url;
    let sealed_secret = match checked.client_secret {
        Some(secret) => {
            app.engine.seal_client_secret(provider, &checked.issuer_url, secret).await?
        }
        None if is_same => stored.sealed_secret.clone(),
        None => return Err(secret_missing()),
    };
    let row = Row {
        name: checked.name,
        kind,
        issuer_url: checked.issuer_url,
        client_id: checked.client_id,
        sealed_secret,
        enabled,
        first_sign_in,
        allowed_domains: checked.allowed_domains,
        role_claim: checked.role_claim,
        admin_value: checked.admin_value,
        ..stored
    };
    let mut tx = app.db.write().await?;
    if (!is_same || kind != stored.kind) && identities::count(&mut tx, provider).await? > 0 {
        return Err(ApiError::conflict(
            "Accounts are linked to this provider, so its kind and issuer URL cannot be changed. \
             Add another provider instead.",
        ));
    }
    sign_in_providers::update(&mut tx, &row).await.map_err(name_taken)?;
    record(&mut tx, &admin, AuditAction::SignInProviderChanged, &row).await?;
    tx.commit().await?;
    Ok(Json(show(&mut app.db.read().await?, row).await?))
}

/// Removes a provider with the links to it. Accounts stay.
#[utoipa::path(delete, path = "/api/settings/sign-in-providers/{provider}", tag = "settings",
    params(("provider" = SignInProviderId, Path, description = "The provider's id")), responses(
        (status = 204),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn remove_sign_in_provider(
    State(app): State<Shared>,
    SignedInAdmin(admin): SignedInAdmin,
    PathParams(ProviderParams { provider }): PathParams<ProviderParams>,
) -> Result<StatusCode, ApiError> {
    let row = stored(&app, provider).await?;
    let mut tx = app.db.write().await?;
    sign_in_providers::remove(&mut tx, provider).await?;
    record(&mut tx, &admin, AuditAction::SignInProviderRemoved, &row).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Connects to a provider and says what is wrong with its settings. Whether users can sign in is
/// known only from a sign-in.
#[utoipa::path(post, path = "/api/settings/sign-in-providers/{provider}/test", tag = "settings",
    params(("provider" = SignInProviderId, Path, description = "The provider's id")), responses(
        (status = 200, body = SignInProviderTest),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn test_sign_in_provider(
    State(app): State<Shared>,
    SignedInAdmin(admin): SignedInAdmin,
    headers: HeaderMap,
    PathParams(ProviderParams { provider }): PathParams<ProviderParams>,
) -> Result<Json<SignInProviderTest>, ApiError> {
    let row = stored(&app, provider).await?;
    let redirect_url = redirect_url(&app, &headers)?;
    let tested = app.engine.test_sign_in_provider(&row, &redirect_url).await;
    let problem = tested.err().map(|error| error.to_string());
    let detail = json!({ "name": row.name, "succeeded": problem.is_none() });
    let (action, subject) = (AuditAction::SignInProviderTested, subject(&row));
    let entry = NewEntry::by(&admin, store::now(), action, subject, detail);
    let mut tx = app.db.write().await?;
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    Ok(Json(SignInProviderTest { problem }))
}

async fn stored(app: &App, id: SignInProviderId) -> Result<Row, ApiError> {
    let row = sign_in_providers::get(&mut app.db.read().await?, id).await?;
    row.ok_or_else(|| ApiError::not_found("sign-in provider"))
}

fn name_taken(error: store::Error) -> ApiError {
    match error {
        store::Error::AlreadyExists(_) => {
            ApiError::invalid("name", "another provider has this name")
        }
        error => error.into(),
    }
}

fn subject(row: &Row) -> String {
    format!("sign_in_provider/{}", row.id)
}

async fn record(
    conn: &mut Conn,
    by: &User,
    action: AuditAction,
    row: &Row,
) -> Result<(), ApiError> {
    let detail = json!({
        "name": row.name, "kind": row.kind, "issuer_url": row.issuer_url,
        "client_id": row.client_id, "enabled": row.enabled, "first_sign_in": row.first_sign_in,
        "allowed_domains": row.allowed_domains, "role_claim": row.role_claim,
        "admin_value": row.admin_value,
    });
    audit_log::append(conn, &NewEntry::by(by, store::now(), action, subject(row), detail)).await?;
    Ok(())
}

async fn show(conn: &mut Conn, row: Row) -> Result<SignInProvider, ApiError> {
    let linked_accounts = identities::count(conn, row.id).await?;
    Ok(SignInProvider {
        id: row.id,
        name: row.name,
        kind: row.kind,
        issuer_url: row.issuer_url,
        client_id: row.client_id,
        enabled: row.enabled,
        first_sign_in: row.first_sign_in,
        allowed_domains: serde_json::from_str(&row.allowed_domains).map_err(ApiError::internal)?,
        role_claim: row.role_claim,
        admin_value: row.admin_value,
        linked_accounts,
        created_at: row.created_at,
    })
}
