//! `/api/forge-keys`: keys for scripts, agents and git.

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{audit::AuditAction, ids::ForgeKeyId};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{
    app::Shared,
    auth::token,
    check::Check,
    extract::{Json, Params, Search},
    identity::{Identity, SignedIn},
    list::{List, Page},
    problem::{Problem, ProblemBody},
};
use crate::store::{
    self, Db,
    audit_log::{self, NewEntry},
    forge_keys,
    users::User,
};

/// Characters of a key that stay visible.
const SHOWN: usize = 10;
/// Days that a key which ends by itself may count.
const LONGEST_DAYS: u32 = 3_650;

/// A key; the key itself is nowhere.
#[derive(Debug, Serialize, ToSchema)]
pub struct ForgeKey {
    /// Its id.
    id: ForgeKeyId,
    /// What its owner calls it.
    name: String,
    /// Its first characters, to tell keys apart.
    prefix: String,
    /// When it was made.
    created_at: DateTime<Utc>,
    /// When it was last used, give or take a minute.
    #[schema(required)]
    last_used_at: Option<DateTime<Utc>>,
    /// When it ends by itself.
    #[schema(required)]
    expires_at: Option<DateTime<Utc>>,
    /// When its owner ended it.
    #[schema(required)]
    revoked_at: Option<DateTime<Utc>>,
    /// It opens nothing that changes anything.
    read_only: bool,
}

/// A key to be made.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateForgeKeyRequest {
    /// What it is for, at most 80 characters.
    name: String,
    /// Ends it after so many days, at most 3,650; without it, it counts until it is revoked.
    #[serde(default)]
    expires_in_days: Option<u32>,
    /// It shall only read.
    #[serde(default)]
    read_only: bool,
}

/// A key, the one time that it is shown.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewForgeKey {
    /// What is remembered of it.
    #[serde(flatten)]
    pub forge_key: ForgeKey,
    /// The key itself: keep it now.
    pub key: String,
}

impl CreateForgeKeyRequest {
    /// For a key of this name that may do everything until it is revoked.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), expires_in_days: None, read_only: false }
    }
}

impl From<forge_keys::ForgeKey> for ForgeKey {
    fn from(key: forge_keys::ForgeKey) -> Self {
        let forge_keys::ForgeKey { id, name, prefix, created_at, last_used_at, .. } = key;
        let (expires_at, revoked_at, read_only) = (key.expires_at, key.revoked_at, key.read_only);
        Self { id, name, prefix, created_at, last_used_at, expires_at, revoked_at, read_only }
    }
}

/// Makes a key for somebody and stores what is needed to know it again. `by` is who makes it;
/// None at the command line.
pub async fn make(
    db: &Db,
    user: &User,
    by: Option<&User>,
    request: CreateForgeKeyRequest,
) -> Result<NewForgeKey, Problem> {
    let mut check = Check::new();
    let name = check.line("name", &request.name, 80);
    if request.expires_in_days.is_some_and(|days| !(1..=LONGEST_DAYS).contains(&days)) {
        check.refuse("expires_in_days", format!("choose between 1 and {LONGEST_DAYS} days"));
    }
    check.done()?;
    let now = store::now();
    let life = request.expires_in_days.map(|days| TimeDelta::days(i64::from(days)));
    let key = format!("{}{}", token::FORGE_KEY_PREFIX, token::opaque());
    let stored = forge_keys::ForgeKey {
        id: store::new_id(),
        user_id: user.id,
        name,
        prefix: key.chars().take(SHOWN).collect(),
        key_hash: token::digest(&key),
        created_at: now,
        last_used_at: None,
        expires_at: life.map(|life| now + life),
        revoked_at: None,
        read_only: request.read_only,
    };
    let mut tx = db.write().await?;
    forge_keys::insert(&mut tx, &stored).await?;
    let entry = NewEntry {
        at: now,
        actor_id: by.map(|by| by.id),
        actor_name: by.map_or("command line", |by| &by.name),
        action: AuditAction::ForgeKeyCreated,
        subject: format!("forge_key/{}", stored.id),
        detail: json!({ "name": stored.name, "prefix": stored.prefix, "of": user.email }),
    };
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    Ok(NewForgeKey { forge_key: stored.into(), key })
}

/// One's own keys, oldest first, revoked ones among them.
#[utoipa::path(get, path = "/api/forge-keys", tag = "accounts", params(Page), responses(
    (status = 200, body = List<ForgeKey>),
    (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
))]
pub async fn list_forge_keys(
    State(app): State<Shared>,
    Identity { user, .. }: Identity,
    Search(page): Search<Page>,
) -> Result<Json<List<ForgeKey>>, Problem> {
    let mut conn = app.db.read().await?;
    let rows = forge_keys::list(&mut conn, user.id, page.after()?, page.rows()?).await?;
    Ok(Json(page.list(rows, |key| key.id.to_string(), ForgeKey::from)?))
}

/// Makes a key and shows it once.
#[utoipa::path(post, path = "/api/forge-keys", tag = "accounts",
    request_body = CreateForgeKeyRequest, responses(
        (status = 201, body = NewForgeKey),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn create_forge_key(
    State(app): State<Shared>,
    SignedIn { user, .. }: SignedIn,
    Json(request): Json<CreateForgeKeyRequest>,
) -> Result<(StatusCode, Json<NewForgeKey>), Problem> {
    let key = make(&app.db, &user, Some(&user), request).await?;
    Ok((StatusCode::CREATED, Json(key)))
}

/// Ends a key.
#[utoipa::path(delete, path = "/api/forge-keys/{key}", tag = "accounts",
    params(("key" = ForgeKeyId, Path, description = "The key's id")), responses(
        (status = 204),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn revoke_forge_key(
    State(app): State<Shared>,
    Identity { user, .. }: Identity,
    Params(key): Params<ForgeKeyId>,
) -> Result<StatusCode, Problem> {
    let now = store::now();
    let mut tx = app.db.write().await?;
    if !forge_keys::revoke(&mut tx, user.id, key, now).await? {
        return Err(Problem::not_found("key"));
    }
    let (action, subject) = (AuditAction::ForgeKeyRevoked, format!("forge_key/{key}"));
    let entry = NewEntry::by(&user, now, action, subject, json!({ "of": user.email }));
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
