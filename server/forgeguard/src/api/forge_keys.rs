//! `/api/forge-keys`: keys for scripts, agents and git.

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::ids::{ForgeKeyId, UserId};
use serde::{Deserialize, Serialize};
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
use crate::store::{self, Db, forge_keys};

/// Characters of a key that stay visible.
const SHOWN: usize = 10;

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
    /// When its owner ended it.
    #[schema(required)]
    revoked_at: Option<DateTime<Utc>>,
}

/// A key to be made.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateForgeKeyRequest {
    /// What it is for, at most 80 characters.
    name: String,
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

impl From<forge_keys::ForgeKey> for ForgeKey {
    fn from(key: forge_keys::ForgeKey) -> Self {
        let forge_keys::ForgeKey { id, name, prefix, created_at, last_used_at, revoked_at, .. } =
            key;
        Self { id, name, prefix, created_at, last_used_at, revoked_at }
    }
}

/// Makes a key for somebody and stores what is needed to know it again.
pub async fn make(db: &Db, user: UserId, name: &str) -> Result<NewForgeKey, Problem> {
    let mut check = Check::new();
    let name = check.line("name", name, 80);
    check.done()?;
    let key = format!("{}{}", token::FORGE_KEY_PREFIX, token::opaque());
    let stored = forge_keys::ForgeKey {
        id: store::new_id(),
        user_id: user,
        name,
        prefix: key.chars().take(SHOWN).collect(),
        key_hash: token::digest(&key),
        created_at: store::now(),
        last_used_at: None,
        expires_at: None,
        revoked_at: None,
    };
    let mut tx = db.write().await?;
    forge_keys::insert(&mut tx, &stored).await?;
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
    let key = make(&app.db, user.id, &request.name).await?;
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
    let mut tx = app.db.write().await?;
    if !forge_keys::revoke(&mut tx, user.id, key, store::now()).await? {
        return Err(Problem::not_found("key"));
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
