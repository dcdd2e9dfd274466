//! `/api/forge-keys`: access keys for scripts, agents and git.

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    audit::AuditAction,
    ids::{BuildId, ForgeKeyId, ProjectId},
    key_scope::{KeyAccess, KeyScope},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    auth::token,
    check::Check,
    extract::{Json, PathParams, QueryParams},
    identity::{Identity, Proof, SignedIn},
    list::{List, Page},
    owned::{self, BuildRef, Owned, ProjectBuild},
};
use crate::store::{
    self, Conn,
    audit_log::{self, NewEntry},
    forge_keys,
    projects::Project,
    users::User,
};

/// In characters.
const VISIBLE_PREFIX_LENGTH: usize = 10;
const MAX_LIFETIME_DAYS: u32 = 3_650;

/// A key, without the secret.
#[derive(Debug, Serialize, ToSchema)]
pub struct ForgeKey {
    id: ForgeKeyId,
    name: String,
    /// The first characters of the key.
    prefix: String,
    created_at: DateTime<Utc>,
    /// Updated at most once a minute.
    #[schema(required)]
    last_used_at: Option<DateTime<Utc>>,
    #[schema(required)]
    expires_at: Option<DateTime<Utc>>,
    #[schema(required)]
    revoked_at: Option<DateTime<Utc>>,
    /// What it permits; null for everything that its account may do with a key.
    #[schema(required)]
    scopes: Option<Vec<KeyScope>>,
    /// The only project that it gives access to; null for all.
    #[schema(required)]
    project_id: Option<ProjectId>,
    /// The only build that it gives access to; null for all.
    #[schema(required)]
    build_id: Option<BuildId>,
    /// Its last call over MCP, such as the name of a tool; null if it has made none.
    #[schema(required)]
    last_call: Option<String>,
    #[schema(required)]
    last_call_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateForgeKeyRequest {
    /// At most 80 characters.
    #[schema(min_length = 1, max_length = 80)]
    name: String,
    /// Days until it expires, at most 3,650; if omitted, it does not expire.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 3_650)]
    expires_in_days: Option<u32>,
    /// What it permits; reading is always included. If omitted, everything that its account may do
    /// with a key.
    #[serde(default)]
    scopes: Option<Vec<KeyScope>>,
    /// The same as `scopes` without any but reading.
    #[serde(default)]
    read_only: bool,
    /// The id or slug of the only project that it gives access to.
    #[serde(default)]
    project: Option<String>,
    /// The only build that it gives access to.
    #[serde(default)]
    build: Option<BuildId>,
}

/// The project and build that a new key is bound to.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeyTarget {
    project_id: Option<ProjectId>,
    build_id: Option<BuildId>,
}

/// A new key with its secret, which is shown only once.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewForgeKey {
    #[serde(flatten)]
    pub forge_key: ForgeKey,
    /// The secret.
    pub key: String,
}

impl CreateForgeKeyRequest {
    /// A key that does not expire, with all permissions of the account.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            expires_in_days: None,
            scopes: None,
            read_only: false,
            project: None,
            build: None,
        }
    }

    /// A key of a device that its user has approved.
    pub fn of_device(name: &str, access: KeyAccess, expires_in_days: Option<u32>) -> Self {
        Self { expires_in_days, scopes: access.scopes(), ..Self::named(name) }
    }

    fn access(&self) -> KeyAccess {
        match &self.scopes {
            _ if self.read_only => KeyAccess::scoped([]),
            Some(scopes) => KeyAccess::scoped(scopes.iter().copied()),
            None => KeyAccess::Full,
        }
    }

    /// What the key is bound to, which its owner must have access to.
    async fn target(&self, app: &App, by: Identity) -> Result<KeyTarget, ApiError> {
        match (&self.project, self.build) {
            (None, None) => Ok(KeyTarget::default()),
            (Some(named), None) => {
                let reference = named.as_str().into();
                let project: Owned<Project> = owned::authorize(app, by, reference, false).await?;
                Ok(KeyTarget { project_id: Some(project.resource.id), build_id: None })
            }
            (None, Some(build)) => {
                let reference = BuildRef::Id(build);
                let found: Owned<ProjectBuild> =
                    owned::authorize(app, by, reference, false).await?;
                let project_id = Some(found.resource.project.id);
                Ok(KeyTarget { project_id, build_id: Some(build) })
            }
            (Some(_), Some(_)) => {
                Err(ApiError::invalid("build", "send one of `project` and `build`"))
            }
        }
    }
}

impl From<forge_keys::ForgeKey> for ForgeKey {
    fn from(key: forge_keys::ForgeKey) -> Self {
        let forge_keys::ForgeKey { id, name, prefix, created_at, last_used_at, .. } = key;
        Self {
            id,
            name,
            prefix,
            created_at,
            last_used_at,
            expires_at: key.expires_at,
            revoked_at: key.revoked_at,
            scopes: KeyAccess::from_stored(key.scopes.as_deref()).scopes(),
            project_id: key.project_id,
            build_id: key.build_id,
            last_call: key.last_call,
            last_call_at: key.last_call_at,
        }
    }
}

/// Days until a new key expires; 422 if there are too many.
pub fn check_lifetime(days: Option<u32>) -> Result<Option<u32>, ApiError> {
    let mut check = Check::new();
    reject_lifetime(&mut check, days);
    check.done()?;
    Ok(days)
}

fn reject_lifetime(check: &mut Check, days: Option<u32>) {
    if days.is_some_and(|days| !(1..=MAX_LIFETIME_DAYS).contains(&days)) {
        check.reject("expires_in_days", format!("must be between 1 and {MAX_LIFETIME_DAYS} days"));
    }
}

/// Creates a key for a user, to be committed by the caller. `by` is the user who creates it; None for
/// the command line.
pub async fn make(
    conn: &mut Conn,
    user: &User,
    by: Option<&User>,
    target: KeyTarget,
    request: CreateForgeKeyRequest,
) -> Result<NewForgeKey, ApiError> {
    let mut check = Check::new();
    let name = check.line("name", &request.name, 80);
    reject_lifetime(&mut check, request.expires_in_days);
    check.done()?;
    let now = store::now();
    let life = request.expires_in_days.map(|days| TimeDelta::days(i64::from(days)));
    let key = format!("{}{}", token::FORGE_KEY_PREFIX, token::opaque());
    let stored = forge_keys::ForgeKey {
        id: store::new_id(),
        user_id: user.id,
        name,
        prefix: key.chars().take(VISIBLE_PREFIX_LENGTH).collect(),
        key_hash: token::digest(&key),
        created_at: now,
        last_used_at: None,
        expires_at: life.map(|life| now + life),
        revoked_at: None,
        scopes: request.access().to_stored(),
        project_id: target.project_id,
        build_id: target.build_id,
        last_call: None,
        last_call_at: None,
    };
    forge_keys::insert(conn, &stored).await?;
    let entry = NewEntry {
        at: now,
        actor_id: by.map(|by| by.id),
        actor_name: by.map_or("command line", |by| &by.name),
        action: AuditAction::ForgeKeyCreated,
        subject: format!("forge_key/{}", stored.id),
        detail: json!({
            "name": stored.name, "prefix": stored.prefix, "of": user.email,
            "scopes": stored.scopes, "project": stored.project_id, "build": stored.build_id,
        }),
    };
    audit_log::append(conn, &entry).await?;
    Ok(NewForgeKey { forge_key: stored.into(), key })
}

/// Revokes all keys of an account, with an audit log entry for each.
pub async fn revoke_all(conn: &mut Conn, user: &User, by: &User) -> store::Result<()> {
    let now = store::now();
    for key in forge_keys::revoke_all(conn, user.id, now).await? {
        audit_log::append(conn, &revocation(key, user, by, now)).await?;
    }
    Ok(())
}

fn revocation<'a>(key: ForgeKeyId, of: &User, by: &'a User, now: DateTime<Utc>) -> NewEntry<'a> {
    let (action, subject) = (AuditAction::ForgeKeyRevoked, format!("forge_key/{key}"));
    NewEntry::by(by, now, action, subject, json!({ "of": of.email }))
}

/// Lists the user's own keys, oldest first, including revoked ones.
#[utoipa::path(get, path = "/api/forge-keys", tag = "accounts", params(Page), responses(
    (status = 200, body = List<ForgeKey>),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn list_forge_keys(
    State(app): State<Shared>,
    Identity { user, .. }: Identity,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<List<ForgeKey>>, ApiError> {
    let mut conn = app.db.read().await?;
    let rows = forge_keys::list(&mut conn, user.id, page.after()?, page.rows()?).await?;
    Ok(Json(page.list(rows, |key| key.id.to_string(), ForgeKey::from)?))
}

/// Creates a key. The secret is shown only once.
#[utoipa::path(post, path = "/api/forge-keys", tag = "accounts",
    request_body = CreateForgeKeyRequest, responses(
        (status = 201, body = NewForgeKey),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn create_forge_key(
    State(app): State<Shared>,
    SignedIn { user, .. }: SignedIn,
    by: Identity,
    Json(request): Json<CreateForgeKeyRequest>,
) -> Result<(StatusCode, Json<NewForgeKey>), ApiError> {
    let target = request.target(&app, by).await?;
    let mut tx = app.db.write().await?;
    let key = make(&mut tx, &user, Some(&user), target, request).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(key)))
}

/// Revokes a key. A forge key can revoke only itself.
#[utoipa::path(delete, path = "/api/forge-keys/{key}", tag = "accounts",
    params(("key" = ForgeKeyId, Path, description = "The key's id")), responses(
        (status = 204),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn revoke_forge_key(
    State(app): State<Shared>,
    Identity { user, proof }: Identity,
    PathParams(key): PathParams<ForgeKeyId>,
) -> Result<StatusCode, ApiError> {
    let now = store::now();
    let mut tx = app.db.write().await?;
    if let Proof::ForgeKey { digest, .. } = &proof {
        let own = forge_keys::usable(&mut tx, digest, now).await?;
        if own.is_none_or(|own| own.id != key) {
            return Err(ApiError::sign_in_required());
        }
    }
    if !forge_keys::revoke(&mut tx, user.id, key, now).await? {
        return Err(ApiError::not_found("key"));
    }
    audit_log::append(&mut tx, &revocation(key, &user, &user, now)).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
